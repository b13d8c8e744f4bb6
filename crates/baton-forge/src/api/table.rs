//! The table of endpoints.

use super::{
    Endpoint, Handler, assignees, board_items, boards, branches, collaborators, comments, commits, compare,
    contents, control, dependencies, events, git_objects, git_refs, git_trees, issue_labels, issues, labels,
    meta, milestones, pull_merge, pulls, reactions, repos, search, sub_issues, users,
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
