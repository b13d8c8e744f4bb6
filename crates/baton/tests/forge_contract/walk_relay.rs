//! The walk over what the relay needs: pull requests in full, reviews, checks, protection and teams.
//!
//! A step whose operation begins with `@` is taken by the second account: nobody approves a pull request of their own.

use serde_json::{Value, json};

use crate::forge_contract::walk::Step;

fn none() -> Value {
    Value::Null
}

pub(crate) fn steps() -> Vec<Step> {
    [branches(), pulls(), reviews(), review_comments(), checks(), statuses(), protection(), merges(), teams()]
        .into_iter()
        .flatten()
        .collect()
}

/// Two branches from the tip of `main`, one of which changes what the other does.
fn branches() -> Vec<Step> {
    let file =
        |content: &str| json!([{ "path": "two.txt", "mode": "100644", "type": "blob", "content": content }]);
    vec![
        Step("repos/add-collaborator", &[], json!({ "permission": "push" }), 204, &[]),
        Step("git/get-ref", &[], none(), 200, &["base2=/object/sha"]),
        Step("git/get-tree", &["tree_sha=main"], none(), 200, &["basetree=/sha"]),
        Step(
            "git/create-tree",
            &[],
            json!({ "base_tree": "$basetree", "tree": file("one\ntwo\nthree\n") }),
            201,
            &["tree2=/sha"],
        ),
        Step(
            "git/create-commit",
            &[],
            json!({ "message": "two", "tree": "$tree2", "parents": ["$base2"] }),
            201,
            &["two=/sha"],
        ),
        Step("git/create-ref", &[], json!({ "ref": "refs/heads/topic/two", "sha": "$two" }), 201, &[]),
        Step(
            "git/create-tree",
            &[],
            json!({ "base_tree": "$basetree", "tree": file("three\n") }),
            201,
            &["tree3=/sha"],
        ),
        Step(
            "git/create-commit",
            &[],
            json!({ "message": "three", "tree": "$tree3", "parents": ["$base2"] }),
            201,
            &["three=/sha"],
        ),
        Step("git/create-ref", &[], json!({ "ref": "refs/heads/topic/three", "sha": "$three" }), 201, &[]),
        Step("git/create-ref", &[], json!({ "ref": "refs/heads/release", "sha": "$base2" }), 201, &[]),
    ]
}

fn pulls() -> Vec<Step> {
    vec![
        Step(
            "pulls/create",
            &[],
            json!({ "title": "two", "head": "topic/two", "base": "release", "body": "Closes #3", "draft": true }),
            201,
            &["pull=/number"],
        ),
        Step("pulls/update", &[], json!({ "base": "main" }), 200, &[]),
        Step("pulls/update", &[], json!({ "base": "nowhere" }), 422, &[]),
        Step("pulls/merge", &[], none(), 405, &[]),
        Step("pulls/list-commits", &[], none(), 200, &[]),
        Step("pulls/list-files", &["?per_page=1"], none(), 200, &[]),
        Step("pulls/list-files", &["pull_number=999"], none(), 404, &[]),
        Step("repos/list-pull-requests-associated-with-commit", &["commit_sha=$two"], none(), 200, &[]),
        Step("pulls/list", &["?sort=long-running&direction=asc"], none(), 200, &[]),
        Step("pulls/request-reviewers", &[], json!({ "reviewers": ["walker"] }), 201, &[]),
        Step("pulls/request-reviewers", &[], json!({ "reviewers": ["admin"] }), 422, &[]),
        Step("pulls/request-reviewers", &[], json!({ "reviewers": ["nobody"] }), 422, &[]),
        Step("pulls/list-requested-reviewers", &[], none(), 200, &[]),
        Step("pulls/get", &[], none(), 200, &[]),
        Step("pulls/remove-requested-reviewers", &[], json!({ "reviewers": ["walker"] }), 200, &[]),
        Step("pulls/request-reviewers", &[], json!({ "reviewers": ["walker"] }), 201, &[]),
        Step(
            "repos/create-or-update-file-contents",
            &["path=later.md"],
            json!({ "message": "later", "content": "aGVsbG8=" }),
            201,
            &[],
        ),
        Step("pulls/update-branch", &[], json!({ "expected_head_sha": "$one" }), 422, &[]),
        Step("pulls/update-branch", &[], json!({ "expected_head_sha": "$two" }), 202, &[]),
        Step("git/get-ref", &["ref=heads/topic/two"], none(), 200, &["two=/object/sha"]),
    ]
}

fn reviews() -> Vec<Step> {
    let remark = json!([{ "path": "two.txt", "line": 2, "side": "RIGHT", "body": "why two?" }]);
    vec![
        Step(
            "@pulls/create-review",
            &[],
            json!({ "body": "hm", "event": "COMMENT", "comments": remark }),
            200,
            &["review=/id"],
        ),
        Step("pulls/create-review", &[], json!({ "event": "APPROVE" }), 422, &[]),
        Step("@pulls/create-review", &[], json!({ "event": "APPLAUD" }), 422, &[]),
        Step("pulls/list-comments-for-review", &["review_id=$review"], none(), 200, &["remark=/0/id"]),
        Step("@pulls/create-review", &[], json!({ "body": "later" }), 200, &["pending=/id"]),
        Step("pulls/get-review", &["review_id=$pending"], none(), 404, &[]),
        Step("@pulls/delete-pending-review", &["review_id=$pending"], none(), 200, &[]),
        Step("@pulls/create-review", &[], json!({ "body": "again" }), 200, &["pending=/id"]),
        Step(
            "@pulls/submit-review",
            &["review_id=$pending"],
            json!({ "event": "APPROVE", "body": "good" }),
            200,
            &[],
        ),
        Step("@pulls/update-review", &["review_id=$review"], json!({ "body": "hm, well" }), 200, &[]),
        Step("pulls/list-reviews", &[], none(), 200, &[]),
        Step("pulls/get-review", &["review_id=$review"], none(), 200, &[]),
        Step("pulls/dismiss-review", &["review_id=$pending"], json!({ "message": "outdated" }), 200, &[]),
        Step("pulls/dismiss-review", &["review_id=$review"], json!({ "message": "a comment" }), 422, &[]),
        Step("issues/list-events-for-timeline", &["issue_number=$pull"], none(), 200, &[]),
        Step("issues/list-events", &["issue_number=$pull"], none(), 200, &[]),
    ]
}

fn review_comments() -> Vec<Step> {
    let place = json!({ "body": "here", "commit_id": "$two", "path": "two.txt", "line": 1, "side": "RIGHT" });
    let nowhere =
        json!({ "body": "here", "commit_id": "$two", "path": "none.txt", "line": 1, "side": "RIGHT" });
    vec![
        Step("pulls/create-review-comment", &[], place, 201, &["said=/id"]),
        Step("pulls/create-review-comment", &[], nowhere, 422, &[]),
        Step(
            "pulls/create-reply-for-review-comment",
            &["comment_id=$said"],
            json!({ "body": "reply" }),
            201,
            &["reply=/id"],
        ),
        Step("pulls/list-review-comments", &["?sort=updated&direction=desc"], none(), 200, &[]),
        Step("pulls/list-review-comments-for-repo", &[], none(), 200, &[]),
        Step("pulls/get-review-comment", &["comment_id=$said"], none(), 200, &[]),
        Step("pulls/update-review-comment", &["comment_id=$said"], json!({ "body": "there" }), 200, &[]),
        Step(
            "reactions/create-for-pull-request-review-comment",
            &["comment_id=$said"],
            json!({ "content": "rocket" }),
            201,
            &["liked=/id"],
        ),
        Step(
            "reactions/create-for-pull-request-review-comment",
            &["comment_id=$said"],
            json!({ "content": "rocket" }),
            200,
            &[],
        ),
        Step("reactions/list-for-pull-request-review-comment", &["comment_id=$said"], none(), 200, &[]),
        Step(
            "reactions/delete-for-pull-request-comment",
            &["comment_id=$said", "reaction_id=$liked"],
            none(),
            204,
            &[],
        ),
        Step("pulls/delete-review-comment", &["comment_id=$reply"], none(), 204, &[]),
        Step("pulls/get-review-comment", &["comment_id=$reply"], none(), 404, &[]),
    ]
}

fn checks() -> Vec<Step> {
    let mark = json!([{ "path": "two.txt", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "odd" }]);
    let output = json!({ "title": "tests", "summary": "one odd line", "text": "…", "annotations": mark });
    vec![
        Step("checks/create-suite", &[], json!({ "head_sha": "$one" }), 201, &[]),
        Step(
            "checks/create",
            &[],
            json!({ "name": "test", "head_sha": "$two", "status": "in_progress" }),
            201,
            &["run=/id", "suite=/check_suite/id"],
        ),
        Step("checks/create", &[], json!({ "name": "test" }), 422, &[]),
        Step(
            "checks/create",
            &[],
            json!({ "name": "test", "head_sha": "0000000000000000000000000000000000000000" }),
            422,
            &[],
        ),
        Step(
            "checks/update",
            &["check_run_id=$run"],
            json!({ "status": "completed", "conclusion": "success", "output": output }),
            200,
            &[],
        ),
        Step("checks/update", &["check_run_id=$run"], json!({ "conclusion": "splendid" }), 422, &[]),
        Step("checks/get", &["check_run_id=$run"], none(), 200, &[]),
        Step("checks/list-annotations", &["check_run_id=$run"], none(), 200, &[]),
        Step("checks/list-for-ref", &["ref=topic/two", "?filter=all&check_name=test"], none(), 200, &[]),
        Step("checks/list-for-ref", &["ref=$two"], none(), 200, &[]),
        Step("checks/list-suites-for-ref", &["ref=topic/two"], none(), 200, &[]),
        Step("checks/get-suite", &["check_suite_id=$suite"], none(), 200, &[]),
        Step("checks/list-for-suite", &["check_suite_id=$suite"], none(), 200, &[]),
        Step("checks/rerequest-run", &["check_run_id=$run"], none(), 201, &[]),
        Step("checks/rerequest-suite", &["check_suite_id=$suite"], none(), 201, &[]),
    ]
}

fn statuses() -> Vec<Step> {
    vec![
        Step(
            "repos/create-commit-status",
            &["sha=$two"],
            json!({ "state": "pending", "context": "lint", "description": "under way" }),
            201,
            &[],
        ),
        Step(
            "repos/create-commit-status",
            &["sha=$two"],
            json!({ "state": "success", "context": "lint" }),
            201,
            &[],
        ),
        Step("repos/create-commit-status", &["sha=$two"], json!({ "state": "splendid" }), 422, &[]),
        Step("repos/list-commit-statuses-for-ref", &["ref=topic/two"], none(), 200, &[]),
        Step("repos/get-combined-status-for-ref", &["ref=topic/two"], none(), 200, &[]),
        Step("repos/get-combined-status-for-ref", &["ref=none"], none(), 422, &[]),
    ]
}

fn protection() -> Vec<Step> {
    let branch: &[&str] = &["branch=main"];
    let rules = json!({
        "required_status_checks": { "strict": true, "contexts": ["lint"] },
        "enforce_admins": true,
        "required_pull_request_reviews": { "required_approving_review_count": 1, "dismiss_stale_reviews": true },
        "restrictions": null,
    });
    vec![
        Step("repos/get-branch-protection", branch, none(), 404, &[]),
        Step("repos/update-branch-protection", branch, json!({ "enforce_admins": true }), 422, &[]),
        Step("repos/update-branch-protection", branch, rules, 200, &[]),
        Step("repos/get-branch-protection", branch, none(), 200, &[]),
        Step("repos/get-branch", branch, none(), 200, &[]),
        Step("repos/get-status-checks-protection", branch, none(), 200, &[]),
        Step(
            "repos/update-status-check-protection",
            branch,
            json!({ "strict": false, "contexts": ["lint"] }),
            200,
            &[],
        ),
        Step("repos/get-all-status-check-contexts", branch, none(), 200, &[]),
        Step("repos/add-status-check-contexts", branch, json!({ "contexts": ["more"] }), 200, &[]),
        Step("repos/set-status-check-contexts", branch, json!({ "contexts": ["lint", "more"] }), 200, &[]),
        Step("repos/remove-status-check-contexts", branch, json!({ "contexts": ["more"] }), 200, &[]),
        Step("repos/get-pull-request-review-protection", branch, none(), 200, &[]),
        Step(
            "repos/update-pull-request-review-protection",
            branch,
            json!({ "required_approving_review_count": 1, "dismiss_stale_reviews": false }),
            200,
            &[],
        ),
        Step("repos/get-admin-branch-protection", branch, none(), 200, &[]),
        Step("repos/delete-admin-branch-protection", branch, none(), 204, &[]),
        Step("repos/set-admin-branch-protection", branch, none(), 200, &[]),
        Step("pulls/merge", &[], none(), 405, &[]),
        Step("repos/remove-status-check-protection", branch, none(), 204, &[]),
        Step("repos/delete-pull-request-review-protection", branch, none(), 204, &[]),
        Step("repos/delete-branch-protection", branch, none(), 204, &[]),
        Step("repos/list-branches", &["?protected=false"], none(), 200, &[]),
    ]
}

fn merges() -> Vec<Step> {
    vec![
        Step("repos/merge", &[], json!({ "base": "release", "head": "topic/two" }), 201, &[]),
        Step("repos/merge", &[], json!({ "base": "release", "head": "topic/two" }), 204, &[]),
        Step("repos/merge", &[], json!({ "base": "release", "head": "topic/three" }), 409, &[]),
        Step("repos/merge", &[], json!({ "base": "none", "head": "topic/three" }), 404, &[]),
    ]
}

fn teams() -> Vec<Step> {
    let team: &[&str] = &["team_slug=reviewers-too"];
    vec![
        Step("teams/create", &[], json!({ "name": "Reviewers too", "description": "they review" }), 201, &[]),
        Step("teams/create", &[], json!({ "name": "Reviewers too" }), 422, &[]),
        Step("teams/list", &[], none(), 200, &[]),
        Step("teams/get-by-name", team, none(), 200, &[]),
        Step("teams/get-by-name", &["team_slug=none"], none(), 404, &[]),
        Step("teams/add-or-update-membership-for-user-in-org", team, json!({ "role": "member" }), 200, &[]),
        Step("teams/get-membership-for-user-in-org", team, none(), 200, &[]),
        Step("teams/list-members-in-org", team, none(), 200, &[]),
        Step("teams/remove-membership-for-user-in-org", team, none(), 204, &[]),
        Step(
            "teams/update-in-org",
            team,
            json!({ "name": "Reviewers too", "description": "changed" }),
            200,
            &[],
        ),
        Step("teams/delete-in-org", team, none(), 204, &[]),
        Step("orgs/set-membership-for-user", &[], json!({ "role": "member" }), 200, &[]),
        Step("orgs/set-membership-for-user", &["username=nobody"], json!({ "role": "member" }), 404, &[]),
        Step("orgs/list-members", &[], none(), 200, &[]),
        Step("orgs/check-membership-for-user", &[], none(), 204, &[]),
        Step("orgs/get-membership-for-user", &[], none(), 200, &[]),
        Step("orgs/remove-membership-for-user", &[], none(), 204, &[]),
        Step("orgs/get-membership-for-user", &[], none(), 404, &[]),
    ]
}
