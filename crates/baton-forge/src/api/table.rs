//! The table of endpoints.

use super::{
    Endpoint, Handler, assignees, board_items, boards, branches, check_runs, check_suites, collaborators,
    comments, commits, compare, contents, control, dependencies, events, git_objects, git_refs, git_trees,
    hooks, issue_labels, issues, labels, merges, meta, milestones, protection, protection_parts, pull_branch,
    pull_files, pull_merge, pulls, reactions, repos, review_comments, review_requests, reviews, search,
    statuses, sub_issues, teams, users,
};
use crate::db::repos::Permission;
use crate::graphql;
use crate::http::access::Access;
use crate::http::rate::Resource;

use Access::{Anyone, Participate, Read, SignedIn, SiteAdmin};
use Handler::{Control, Git};

const TRIAGE: Access = Access::Permission(Permission::Triage);
const WRITE: Access = Access::Permission(Permission::Write);
const ADMIN: Access = Access::Permission(Permission::Admin);

const fn row(
    method: &'static str,
    path: &'static str,
    operation: &'static str,
    access: Access,
    handler: Handler,
) -> Endpoint {
    Endpoint { method, path, operation, access, resource: Some(Resource::Core), is_charged: true, handler }
}

/// An endpoint of the forge's own, for its administrator.
const fn own(method: &'static str, path: &'static str, handler: Handler) -> Endpoint {
    Endpoint { method, path, operation: "", access: SiteAdmin, resource: None, is_charged: false, handler }
}

/// Both addresses of GraphQL: github.com's and GHES's. It weighs each call itself.
const fn graph(path: &'static str) -> Endpoint {
    let access = SignedIn { writes: false };
    let resource = Some(Resource::Graphql);
    Endpoint {
        method: "POST",
        path,
        operation: "",
        access,
        resource,
        is_charged: false,
        handler: Git(graphql::serve),
    }
}

#[rustfmt::skip]
pub(crate) static ENDPOINTS: &[Endpoint] = &[
    row("GET", "/", "meta/root", Anyone, Control(meta::root)),
    row("GET", "/meta", "meta/get", Anyone, Control(meta::meta)),
    row("GET", "/zen", "meta/get-zen", Anyone, Control(meta::zen)),
    Endpoint { is_charged: false, ..row("GET", "/rate_limit", "rate-limit/get", Anyone, Control(meta::rate_limit)) },

    row("GET", "/user", "users/get-authenticated", SignedIn { writes: false }, Handler::Read(users::own)),
    row("PATCH", "/user", "users/update-authenticated", SignedIn { writes: true }, Handler::Write(users::update_own)),
    row("GET", "/users/{username}", "users/get-by-username", Anyone, Handler::Read(users::get)),
    row("GET", "/users/{username}/repos", "repos/list-for-user", Anyone, Handler::Read(repos::list_for_user)),
    row("GET", "/orgs/{org}", "orgs/get", Anyone, Handler::Read(users::org)),
    row("GET", "/orgs/{org}/repos", "repos/list-for-org", Anyone, Handler::Read(repos::list_for_org)),
    row("POST", "/orgs/{org}/repos", "repos/create-in-org", SignedIn { writes: true }, Handler::Write(repos::create_for_org)),
    row("GET", "/user/repos", "repos/list-for-authenticated-user", SignedIn { writes: false }, Handler::Read(repos::list_own)),
    row("POST", "/user/repos", "repos/create-for-authenticated-user", SignedIn { writes: true }, Handler::Write(repos::create_own)),

    row("GET", "/orgs/{org}/projectsV2", "projects/list-for-org", SignedIn { writes: false }, Handler::Read(boards::list)),
    row("GET", "/orgs/{org}/projectsV2/{project_number}", "projects/get-for-org", SignedIn { writes: false }, Handler::Read(boards::get)),
    row("GET", "/orgs/{org}/projectsV2/{project_number}/fields", "projects/list-fields-for-org", SignedIn { writes: false }, Handler::Read(boards::list_fields)),
    row("POST", "/orgs/{org}/projectsV2/{project_number}/fields", "projects/add-field-for-org", SignedIn { writes: true }, Handler::Write(boards::add_field)),
    row("GET", "/orgs/{org}/projectsV2/{project_number}/fields/{field_id}", "projects/get-field-for-org", SignedIn { writes: false }, Handler::Read(boards::get_field)),
    row("GET", "/orgs/{org}/projectsV2/{project_number}/items", "projects/list-items-for-org", SignedIn { writes: false }, Handler::Read(board_items::list)),
    row("POST", "/orgs/{org}/projectsV2/{project_number}/items", "projects/add-item-for-org", SignedIn { writes: true }, Handler::Write(board_items::add)),
    row("GET", "/orgs/{org}/projectsV2/{project_number}/items/{item_id}", "projects/get-org-item", SignedIn { writes: false }, Handler::Read(board_items::get)),
    row("PATCH", "/orgs/{org}/projectsV2/{project_number}/items/{item_id}", "projects/update-item-for-org", SignedIn { writes: true }, Handler::Write(board_items::update)),
    row("DELETE", "/orgs/{org}/projectsV2/{project_number}/items/{item_id}", "projects/delete-item-for-org", SignedIn { writes: true }, Handler::Write(board_items::delete)),
    row("POST", "/orgs/{org}/projectsV2/{project_number}/drafts", "projects/create-draft-item-for-org", SignedIn { writes: true }, Handler::Write(board_items::add_draft)),
    row("GET", "/users/{username}/projectsV2", "projects/list-for-user", SignedIn { writes: false }, Handler::Read(boards::list)),
    row("GET", "/users/{username}/projectsV2/{project_number}", "projects/get-for-user", SignedIn { writes: false }, Handler::Read(boards::get)),
    row("GET", "/users/{username}/projectsV2/{project_number}/fields", "projects/list-fields-for-user", SignedIn { writes: false }, Handler::Read(boards::list_fields)),
    row("POST", "/users/{username}/projectsV2/{project_number}/fields", "projects/add-field-for-user", SignedIn { writes: true }, Handler::Write(boards::add_field)),
    row("GET", "/users/{username}/projectsV2/{project_number}/fields/{field_id}", "projects/get-field-for-user", SignedIn { writes: false }, Handler::Read(boards::get_field)),
    row("GET", "/users/{username}/projectsV2/{project_number}/items", "projects/list-items-for-user", SignedIn { writes: false }, Handler::Read(board_items::list)),
    row("POST", "/users/{username}/projectsV2/{project_number}/items", "projects/add-item-for-user", SignedIn { writes: true }, Handler::Write(board_items::add)),
    row("GET", "/users/{username}/projectsV2/{project_number}/items/{item_id}", "projects/get-user-item", SignedIn { writes: false }, Handler::Read(board_items::get)),
    row("PATCH", "/users/{username}/projectsV2/{project_number}/items/{item_id}", "projects/update-item-for-user", SignedIn { writes: true }, Handler::Write(board_items::update)),
    row("DELETE", "/users/{username}/projectsV2/{project_number}/items/{item_id}", "projects/delete-item-for-user", SignedIn { writes: true }, Handler::Write(board_items::delete)),
    row("POST", "/user/{user_id}/projectsV2/{project_number}/drafts", "projects/create-draft-item-for-authenticated-user", SignedIn { writes: true }, Handler::Write(board_items::add_draft)),

    row("GET", "/repos/{owner}/{repo}", "repos/get", Read, Handler::Read(repos::get)),
    row("PATCH", "/repos/{owner}/{repo}", "repos/update", ADMIN, Git(repos::update)),
    row("DELETE", "/repos/{owner}/{repo}", "repos/delete", ADMIN, Git(repos::delete)),

    row("GET", "/repos/{owner}/{repo}/collaborators", "repos/list-collaborators", WRITE, Handler::Read(collaborators::list)),
    row("GET", "/repos/{owner}/{repo}/collaborators/{username}", "repos/check-collaborator", WRITE, Handler::Read(collaborators::check)),
    row("PUT", "/repos/{owner}/{repo}/collaborators/{username}", "repos/add-collaborator", ADMIN, Handler::Write(collaborators::add)),
    row("DELETE", "/repos/{owner}/{repo}/collaborators/{username}", "repos/remove-collaborator", ADMIN, Handler::Write(collaborators::remove)),
    row("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission", "repos/get-collaborator-permission-level", Read, Handler::Read(collaborators::permission)),

    row("GET", "/repos/{owner}/{repo}/assignees", "issues/list-assignees", Read, Handler::Read(assignees::list)),
    row("GET", "/repos/{owner}/{repo}/assignees/{assignee}", "issues/check-user-can-be-assigned", Read, Handler::Read(assignees::check)),

    row("GET", "/repos/{owner}/{repo}/issues", "issues/list-for-repo", Read, Handler::Read(issues::list)),
    row("POST", "/repos/{owner}/{repo}/issues", "issues/create", Participate, Handler::Write(issues::create)),
    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}", "issues/get", Read, Handler::Read(issues::get)),
    row("PATCH", "/repos/{owner}/{repo}/issues/{issue_number}", "issues/update", Participate, Handler::Write(issues::update)),
    row("PUT", "/repos/{owner}/{repo}/issues/{issue_number}/lock", "issues/lock", TRIAGE, Handler::Write(issues::lock)),
    row("DELETE", "/repos/{owner}/{repo}/issues/{issue_number}/lock", "issues/unlock", TRIAGE, Handler::Write(issues::unlock)),
    row("POST", "/repos/{owner}/{repo}/issues/{issue_number}/assignees", "issues/add-assignees", TRIAGE, Handler::Write(assignees::add)),
    row("DELETE", "/repos/{owner}/{repo}/issues/{issue_number}/assignees", "issues/remove-assignees", TRIAGE, Handler::Write(assignees::remove)),
    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}/assignees/{assignee}", "issues/check-user-can-be-assigned-to-issue", Read, Handler::Read(assignees::check_on_issue)),

    row("GET", "/repos/{owner}/{repo}/labels", "issues/list-labels-for-repo", Read, Handler::Read(labels::list)),
    row("POST", "/repos/{owner}/{repo}/labels", "issues/create-label", WRITE, Handler::Write(labels::create)),
    row("GET", "/repos/{owner}/{repo}/labels/{name}", "issues/get-label", Read, Handler::Read(labels::get)),
    row("PATCH", "/repos/{owner}/{repo}/labels/{name}", "issues/update-label", WRITE, Handler::Write(labels::update)),
    row("DELETE", "/repos/{owner}/{repo}/labels/{name}", "issues/delete-label", WRITE, Handler::Write(labels::delete)),
    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}/labels", "issues/list-labels-on-issue", Read, Handler::Read(issue_labels::list)),
    row("POST", "/repos/{owner}/{repo}/issues/{issue_number}/labels", "issues/add-labels", TRIAGE, Handler::Write(issue_labels::add)),
    row("PUT", "/repos/{owner}/{repo}/issues/{issue_number}/labels", "issues/set-labels", TRIAGE, Handler::Write(issue_labels::set)),
    row("DELETE", "/repos/{owner}/{repo}/issues/{issue_number}/labels", "issues/remove-all-labels", TRIAGE, Handler::Write(issue_labels::clear)),
    row("DELETE", "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}", "issues/remove-label", TRIAGE, Handler::Write(issue_labels::remove)),

    row("GET", "/repos/{owner}/{repo}/milestones", "issues/list-milestones", Read, Handler::Read(milestones::list)),
    row("POST", "/repos/{owner}/{repo}/milestones", "issues/create-milestone", WRITE, Handler::Write(milestones::create)),
    row("GET", "/repos/{owner}/{repo}/milestones/{milestone_number}", "issues/get-milestone", Read, Handler::Read(milestones::get)),
    row("PATCH", "/repos/{owner}/{repo}/milestones/{milestone_number}", "issues/update-milestone", WRITE, Handler::Write(milestones::update)),
    row("DELETE", "/repos/{owner}/{repo}/milestones/{milestone_number}", "issues/delete-milestone", WRITE, Handler::Write(milestones::delete)),
    row("GET", "/repos/{owner}/{repo}/milestones/{milestone_number}/labels", "issues/list-labels-for-milestone", Read, Handler::Read(milestones::labels)),

    row("GET", "/repos/{owner}/{repo}/issues/comments", "issues/list-comments-for-repo", Read, Handler::Read(comments::list_for_repo)),
    row("GET", "/repos/{owner}/{repo}/issues/comments/{comment_id}", "issues/get-comment", Read, Handler::Read(comments::get)),
    row("PATCH", "/repos/{owner}/{repo}/issues/comments/{comment_id}", "issues/update-comment", Participate, Handler::Write(comments::update)),
    row("DELETE", "/repos/{owner}/{repo}/issues/comments/{comment_id}", "issues/delete-comment", Participate, Handler::Write(comments::delete)),
    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}/comments", "issues/list-comments", Read, Handler::Read(comments::list)),
    row("POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments", "issues/create-comment", Participate, Handler::Write(comments::create)),

    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}/reactions", "reactions/list-for-issue", Read, Handler::Read(reactions::list_for_issue)),
    row("POST", "/repos/{owner}/{repo}/issues/{issue_number}/reactions", "reactions/create-for-issue", Participate, Handler::Write(reactions::create_for_issue)),
    row("DELETE", "/repos/{owner}/{repo}/issues/{issue_number}/reactions/{reaction_id}", "reactions/delete-for-issue", Participate, Handler::Write(reactions::delete_for_issue)),
    row("GET", "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions", "reactions/list-for-issue-comment", Read, Handler::Read(reactions::list_for_comment)),
    row("POST", "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions", "reactions/create-for-issue-comment", Participate, Handler::Write(reactions::create_for_comment)),
    row("DELETE", "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}", "reactions/delete-for-issue-comment", Participate, Handler::Write(reactions::delete_for_comment)),

    row("GET", "/repos/{owner}/{repo}/issues/events", "issues/list-events-for-repo", Read, Handler::Read(events::list_for_repo)),
    row("GET", "/repos/{owner}/{repo}/issues/events/{event_id}", "issues/get-event", Read, Handler::Read(events::get)),
    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}/events", "issues/list-events", Read, Handler::Read(events::list)),
    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}/timeline", "issues/list-events-for-timeline", Read, Handler::Read(events::timeline)),

    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}/sub_issues", "issues/list-sub-issues", Read, Handler::Read(sub_issues::list)),
    row("POST", "/repos/{owner}/{repo}/issues/{issue_number}/sub_issues", "issues/add-sub-issue", TRIAGE, Handler::Write(sub_issues::add)),
    row("DELETE", "/repos/{owner}/{repo}/issues/{issue_number}/sub_issue", "issues/remove-sub-issue", TRIAGE, Handler::Write(sub_issues::remove)),
    row("PATCH", "/repos/{owner}/{repo}/issues/{issue_number}/sub_issues/priority", "issues/reprioritize-sub-issue", TRIAGE, Handler::Write(sub_issues::reprioritize)),
    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}/parent", "issues/get-parent", Read, Handler::Read(sub_issues::parent)),
    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by", "issues/list-dependencies-blocked-by", Read, Handler::Read(dependencies::blocked_by)),
    row("POST", "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by", "issues/add-blocked-by-dependency", TRIAGE, Handler::Write(dependencies::add)),
    row("DELETE", "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by/{issue_id}", "issues/remove-dependency-blocked-by", TRIAGE, Handler::Write(dependencies::remove)),
    row("GET", "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocking", "issues/list-dependencies-blocking", Read, Handler::Read(dependencies::blocking)),

    row("GET", "/repos/{owner}/{repo}/git/matching-refs/{ref}", "git/list-matching-refs", Read, Handler::Read(git_refs::matching)),
    row("GET", "/repos/{owner}/{repo}/git/ref/{ref}", "git/get-ref", Read, Handler::Read(git_refs::get)),
    row("POST", "/repos/{owner}/{repo}/git/refs", "git/create-ref", WRITE, Git(git_refs::create)),
    row("PATCH", "/repos/{owner}/{repo}/git/refs/{ref}", "git/update-ref", WRITE, Git(git_refs::update)),
    row("DELETE", "/repos/{owner}/{repo}/git/refs/{ref}", "git/delete-ref", WRITE, Git(git_refs::delete)),
    row("POST", "/repos/{owner}/{repo}/git/blobs", "git/create-blob", WRITE, Git(git_objects::create_blob)),
    row("GET", "/repos/{owner}/{repo}/git/blobs/{file_sha}", "git/get-blob", Read, Git(git_objects::get_blob)),
    row("POST", "/repos/{owner}/{repo}/git/commits", "git/create-commit", WRITE, Git(git_objects::create_commit)),
    row("GET", "/repos/{owner}/{repo}/git/commits/{commit_sha}", "git/get-commit", Read, Git(git_objects::get_commit)),
    row("POST", "/repos/{owner}/{repo}/git/tags", "git/create-tag", WRITE, Git(git_objects::create_tag)),
    row("GET", "/repos/{owner}/{repo}/git/tags/{tag_sha}", "git/get-tag", Read, Git(git_objects::get_tag)),
    row("POST", "/repos/{owner}/{repo}/git/trees", "git/create-tree", WRITE, Git(git_trees::create)),
    row("GET", "/repos/{owner}/{repo}/git/trees/{tree_sha}", "git/get-tree", Read, Git(git_trees::get)),

    row("GET", "/repos/{owner}/{repo}/branches", "repos/list-branches", Read, Handler::Read(branches::list)),
    row("GET", "/repos/{owner}/{repo}/branches/{branch}", "repos/get-branch", Read, Git(branches::get)),
    row("GET", "/repos/{owner}/{repo}/commits", "repos/list-commits", Read, Git(commits::list)),
    row("GET", "/repos/{owner}/{repo}/commits/{ref}", "repos/get-commit", Read, Git(commits::get)),
    row("GET", "/repos/{owner}/{repo}/compare/{basehead}", "repos/compare-commits-with-basehead", Read, Git(compare::compare)),
    row("GET", "/repos/{owner}/{repo}/contents", "", Read, Git(contents::get)),
    row("GET", "/repos/{owner}/{repo}/contents/{path}", "repos/get-content", Read, Git(contents::get)),
    row("PUT", "/repos/{owner}/{repo}/contents/{path}", "repos/create-or-update-file-contents", WRITE, Git(contents::put)),
    row("DELETE", "/repos/{owner}/{repo}/contents/{path}", "repos/delete-file", WRITE, Git(contents::delete)),

    row("GET", "/repos/{owner}/{repo}/pulls", "pulls/list", Read, Handler::Read(pulls::list)),
    row("POST", "/repos/{owner}/{repo}/pulls", "pulls/create", Participate, Git(pulls::create)),
    row("GET", "/repos/{owner}/{repo}/pulls/{pull_number}", "pulls/get", Read, Git(pulls::get)),
    row("PATCH", "/repos/{owner}/{repo}/pulls/{pull_number}", "pulls/update", Participate, Git(pulls::update)),
    row("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/merge", "pulls/check-if-merged", Read, Handler::Read(pulls::check_merged)),
    row("PUT", "/repos/{owner}/{repo}/pulls/{pull_number}/merge", "pulls/merge", WRITE, Git(pull_merge::merge)),
    row("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/commits", "pulls/list-commits", Read, Git(pull_files::commits)),
    row("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/files", "pulls/list-files", Read, Git(pull_files::files)),
    row("PUT", "/repos/{owner}/{repo}/pulls/{pull_number}/update-branch", "pulls/update-branch", Participate, Git(pull_branch::update)),
    row("GET", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls", "repos/list-pull-requests-associated-with-commit", Read, Git(pull_files::of_commit)),

    row("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", "pulls/list-requested-reviewers", Read, Handler::Read(review_requests::list)),
    row("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", "pulls/request-reviewers", TRIAGE, Handler::Write(review_requests::request)),
    row("DELETE", "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", "pulls/remove-requested-reviewers", TRIAGE, Handler::Write(review_requests::remove)),
    row("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews", "pulls/list-reviews", Read, Handler::Read(reviews::list)),
    row("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews", "pulls/create-review", Participate, Git(reviews::create)),
    row("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", "pulls/get-review", Read, Handler::Read(reviews::get)),
    row("PUT", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", "pulls/update-review", Participate, Handler::Write(reviews::update)),
    row("DELETE", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", "pulls/delete-pending-review", Participate, Handler::Write(reviews::delete)),
    row("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments", "pulls/list-comments-for-review", Read, Handler::Read(reviews::comments)),
    row("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events", "pulls/submit-review", Participate, Handler::Write(reviews::submit)),
    row("PUT", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals", "pulls/dismiss-review", WRITE, Handler::Write(reviews::dismiss)),
    row("GET", "/repos/{owner}/{repo}/pulls/comments", "pulls/list-review-comments-for-repo", Read, Handler::Read(review_comments::list_for_repo)),
    row("GET", "/repos/{owner}/{repo}/pulls/comments/{comment_id}", "pulls/get-review-comment", Read, Handler::Read(review_comments::get)),
    row("PATCH", "/repos/{owner}/{repo}/pulls/comments/{comment_id}", "pulls/update-review-comment", Participate, Handler::Write(review_comments::update)),
    row("DELETE", "/repos/{owner}/{repo}/pulls/comments/{comment_id}", "pulls/delete-review-comment", Participate, Handler::Write(review_comments::delete)),
    row("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/comments", "pulls/list-review-comments", Read, Handler::Read(review_comments::list)),
    row("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/comments", "pulls/create-review-comment", Participate, Git(review_comments::create)),
    row("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies", "pulls/create-reply-for-review-comment", Participate, Handler::Write(review_comments::reply)),
    row("GET", "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions", "reactions/list-for-pull-request-review-comment", Read, Handler::Read(reactions::list_for_review_comment)),
    row("POST", "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions", "reactions/create-for-pull-request-review-comment", Participate, Handler::Write(reactions::create_for_review_comment)),
    row("DELETE", "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions/{reaction_id}", "reactions/delete-for-pull-request-comment", Participate, Handler::Write(reactions::delete_for_review_comment)),

    row("GET", "/orgs/{org}/teams", "teams/list", SignedIn { writes: false }, Handler::Read(teams::list)),
    row("POST", "/orgs/{org}/teams", "teams/create", SignedIn { writes: true }, Handler::Write(teams::create)),
    row("GET", "/orgs/{org}/teams/{team_slug}", "teams/get-by-name", SignedIn { writes: false }, Handler::Read(teams::get)),
    row("PATCH", "/orgs/{org}/teams/{team_slug}", "teams/update-in-org", SignedIn { writes: true }, Handler::Write(teams::update)),
    row("DELETE", "/orgs/{org}/teams/{team_slug}", "teams/delete-in-org", SignedIn { writes: true }, Handler::Write(teams::delete)),
    row("GET", "/orgs/{org}/teams/{team_slug}/members", "teams/list-members-in-org", SignedIn { writes: false }, Handler::Read(teams::members)),
    row("GET", "/orgs/{org}/teams/{team_slug}/memberships/{username}", "teams/get-membership-for-user-in-org", SignedIn { writes: false }, Handler::Read(teams::membership)),
    row("PUT", "/orgs/{org}/teams/{team_slug}/memberships/{username}", "teams/add-or-update-membership-for-user-in-org", SignedIn { writes: true }, Handler::Write(teams::set_membership)),
    row("DELETE", "/orgs/{org}/teams/{team_slug}/memberships/{username}", "teams/remove-membership-for-user-in-org", SignedIn { writes: true }, Handler::Write(teams::remove_membership)),
    row("GET", "/orgs/{org}/members", "orgs/list-members", SignedIn { writes: false }, Handler::Read(teams::org_members)),
    row("GET", "/orgs/{org}/members/{username}", "orgs/check-membership-for-user", SignedIn { writes: false }, Handler::Read(teams::check_org_member)),
    row("GET", "/orgs/{org}/memberships/{username}", "orgs/get-membership-for-user", SignedIn { writes: false }, Handler::Read(teams::org_member)),
    row("PUT", "/orgs/{org}/memberships/{username}", "orgs/set-membership-for-user", SignedIn { writes: true }, Handler::Write(teams::set_org_member)),
    row("DELETE", "/orgs/{org}/memberships/{username}", "orgs/remove-membership-for-user", SignedIn { writes: true }, Handler::Write(teams::remove_org_member)),

    row("GET", "/repos/{owner}/{repo}/hooks", "repos/list-webhooks", ADMIN, Handler::Read(hooks::list)),
    row("POST", "/repos/{owner}/{repo}/hooks", "repos/create-webhook", ADMIN, Handler::Write(hooks::create)),
    row("GET", "/repos/{owner}/{repo}/hooks/{hook_id}", "repos/get-webhook", ADMIN, Handler::Read(hooks::get)),
    row("PATCH", "/repos/{owner}/{repo}/hooks/{hook_id}", "repos/update-webhook", ADMIN, Handler::Write(hooks::update)),
    row("DELETE", "/repos/{owner}/{repo}/hooks/{hook_id}", "repos/delete-webhook", ADMIN, Handler::Write(hooks::delete)),
    row("GET", "/repos/{owner}/{repo}/hooks/{hook_id}/config", "repos/get-webhook-config-for-repo", ADMIN, Handler::Read(hooks::config)),
    row("PATCH", "/repos/{owner}/{repo}/hooks/{hook_id}/config", "repos/update-webhook-config-for-repo", ADMIN, Handler::Write(hooks::update_config)),
    row("POST", "/repos/{owner}/{repo}/hooks/{hook_id}/pings", "repos/ping-webhook", ADMIN, Handler::Write(hooks::ping)),
    row("POST", "/repos/{owner}/{repo}/hooks/{hook_id}/tests", "repos/test-push-webhook", ADMIN, Handler::Write(hooks::test)),
    row("GET", "/repos/{owner}/{repo}/hooks/{hook_id}/deliveries", "repos/list-webhook-deliveries", ADMIN, Handler::Read(hooks::deliveries)),
    row("GET", "/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}", "repos/get-webhook-delivery", ADMIN, Handler::Read(hooks::delivery)),
    row("POST", "/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}/attempts", "repos/redeliver-webhook-delivery", ADMIN, Handler::Write(hooks::redeliver)),
    row("GET", "/orgs/{org}/hooks", "orgs/list-webhooks", SignedIn { writes: false }, Handler::Read(hooks::list)),
    row("POST", "/orgs/{org}/hooks", "orgs/create-webhook", SignedIn { writes: true }, Handler::Write(hooks::create)),
    row("GET", "/orgs/{org}/hooks/{hook_id}", "orgs/get-webhook", SignedIn { writes: false }, Handler::Read(hooks::get)),
    row("PATCH", "/orgs/{org}/hooks/{hook_id}", "orgs/update-webhook", SignedIn { writes: true }, Handler::Write(hooks::update)),
    row("DELETE", "/orgs/{org}/hooks/{hook_id}", "orgs/delete-webhook", SignedIn { writes: true }, Handler::Write(hooks::delete)),
    row("GET", "/orgs/{org}/hooks/{hook_id}/config", "orgs/get-webhook-config-for-org", SignedIn { writes: false }, Handler::Read(hooks::config)),
    row("PATCH", "/orgs/{org}/hooks/{hook_id}/config", "orgs/update-webhook-config-for-org", SignedIn { writes: true }, Handler::Write(hooks::update_config)),
    row("POST", "/orgs/{org}/hooks/{hook_id}/pings", "orgs/ping-webhook", SignedIn { writes: true }, Handler::Write(hooks::ping)),
    row("GET", "/orgs/{org}/hooks/{hook_id}/deliveries", "orgs/list-webhook-deliveries", SignedIn { writes: false }, Handler::Read(hooks::deliveries)),
    row("GET", "/orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}", "orgs/get-webhook-delivery", SignedIn { writes: false }, Handler::Read(hooks::delivery)),
    row("POST", "/orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}/attempts", "orgs/redeliver-webhook-delivery", SignedIn { writes: true }, Handler::Write(hooks::redeliver)),

    row("POST", "/repos/{owner}/{repo}/merges", "repos/merge", WRITE, Git(merges::merge)),
    row("POST", "/repos/{owner}/{repo}/check-runs", "checks/create", WRITE, Git(check_runs::create)),
    row("GET", "/repos/{owner}/{repo}/check-runs/{check_run_id}", "checks/get", Read, Handler::Read(check_runs::get)),
    row("PATCH", "/repos/{owner}/{repo}/check-runs/{check_run_id}", "checks/update", WRITE, Handler::Write(check_runs::update)),
    row("GET", "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations", "checks/list-annotations", Read, Handler::Read(check_runs::annotations)),
    row("POST", "/repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest", "checks/rerequest-run", WRITE, Handler::Write(check_runs::rerequest)),
    row("POST", "/repos/{owner}/{repo}/check-suites", "checks/create-suite", WRITE, Git(check_suites::create)),
    row("GET", "/repos/{owner}/{repo}/check-suites/{check_suite_id}", "checks/get-suite", Read, Git(check_suites::get)),
    row("GET", "/repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs", "checks/list-for-suite", Read, Handler::Read(check_runs::list_for_suite)),
    row("POST", "/repos/{owner}/{repo}/check-suites/{check_suite_id}/rerequest", "checks/rerequest-suite", WRITE, Handler::Write(check_suites::rerequest)),
    row("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs", "checks/list-for-ref", Read, Git(check_runs::list_for_ref)),
    row("GET", "/repos/{owner}/{repo}/commits/{ref}/check-suites", "checks/list-suites-for-ref", Read, Git(check_suites::list_for_ref)),
    row("GET", "/repos/{owner}/{repo}/commits/{ref}/status", "repos/get-combined-status-for-ref", Read, Git(statuses::combined)),
    row("GET", "/repos/{owner}/{repo}/commits/{ref}/statuses", "repos/list-commit-statuses-for-ref", Read, Git(statuses::list)),
    row("POST", "/repos/{owner}/{repo}/statuses/{sha}", "repos/create-commit-status", WRITE, Git(statuses::create)),

    row("GET", "/repos/{owner}/{repo}/branches/{branch}/protection", "repos/get-branch-protection", ADMIN, Handler::Read(protection::get)),
    row("PUT", "/repos/{owner}/{repo}/branches/{branch}/protection", "repos/update-branch-protection", ADMIN, Handler::Write(protection::put)),
    row("DELETE", "/repos/{owner}/{repo}/branches/{branch}/protection", "repos/delete-branch-protection", ADMIN, Handler::Write(protection::delete)),
    row("GET", "/repos/{owner}/{repo}/branches/{branch}/protection/enforce_admins", "repos/get-admin-branch-protection", ADMIN, Handler::Read(protection_parts::admins)),
    row("POST", "/repos/{owner}/{repo}/branches/{branch}/protection/enforce_admins", "repos/set-admin-branch-protection", ADMIN, Handler::Write(protection_parts::enforce_admins)),
    row("DELETE", "/repos/{owner}/{repo}/branches/{branch}/protection/enforce_admins", "repos/delete-admin-branch-protection", ADMIN, Handler::Write(protection_parts::free_admins)),
    row("GET", "/repos/{owner}/{repo}/branches/{branch}/protection/required_pull_request_reviews", "repos/get-pull-request-review-protection", ADMIN, Handler::Read(protection_parts::reviews)),
    row("PATCH", "/repos/{owner}/{repo}/branches/{branch}/protection/required_pull_request_reviews", "repos/update-pull-request-review-protection", ADMIN, Handler::Write(protection_parts::update_reviews)),
    row("DELETE", "/repos/{owner}/{repo}/branches/{branch}/protection/required_pull_request_reviews", "repos/delete-pull-request-review-protection", ADMIN, Handler::Write(protection_parts::remove_reviews)),
    row("GET", "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks", "repos/get-status-checks-protection", ADMIN, Handler::Read(protection_parts::checks)),
    row("PATCH", "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks", "repos/update-status-check-protection", ADMIN, Handler::Write(protection_parts::update_checks)),
    row("DELETE", "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks", "repos/remove-status-check-protection", ADMIN, Handler::Write(protection_parts::remove_checks)),
    row("GET", "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks/contexts", "repos/get-all-status-check-contexts", ADMIN, Handler::Read(protection_parts::contexts)),
    row("POST", "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks/contexts", "repos/add-status-check-contexts", ADMIN, Handler::Write(protection_parts::add_contexts)),
    row("PUT", "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks/contexts", "repos/set-status-check-contexts", ADMIN, Handler::Write(protection_parts::set_contexts)),
    row("DELETE", "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks/contexts", "repos/remove-status-check-contexts", ADMIN, Handler::Write(protection_parts::remove_contexts)),

    Endpoint { resource: Some(Resource::Search), ..row("GET", "/search/issues", "search/issues-and-pull-requests", Anyone, Handler::Read(search::issues)) },

    graph("/graphql"),
    graph("/api/graphql"),

    own("GET", "/_forge/knobs", Control(control::knobs)),
    own("PATCH", "/_forge/knobs", Control(control::set_knobs)),
    own("DELETE", "/_forge/knobs", Control(control::reset_knobs)),
    own("GET", "/_forge/clock", Control(control::clock)),
    own("PUT", "/_forge/clock", Control(control::set_clock)),
    own("GET", "/_forge/meter", Control(control::meter)),
    own("DELETE", "/_forge/meter", Control(control::clear_meter)),
];
