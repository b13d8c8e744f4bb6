//! A walk over every endpoint of the forge's table: once right, in an order in which each finds what it needs, and then
//! wrong in every way that applies to all of them.
//!
//! The right way is a list of steps by operation name. Which steps are missing is found out by comparing with the
//! table, so a new endpoint without a step fails the test. The wrong ways are generated from the table.

use std::collections::BTreeMap;

use baton_fixtures::{Client, TestForge};
use baton_forge::EndpointInfo;
use serde_json::{Value, json};

use crate::forge_contract::walk_relay;

/// One step: an operation, parts of the path that differ from the usual, a body, the status expected, and values to
/// remember from the answer as `name=/json/pointer`.
pub(crate) struct Step(
    pub(crate) &'static str,
    pub(crate) &'static [&'static str],
    pub(crate) Value,
    pub(crate) u16,
    pub(crate) &'static [&'static str],
);

/// The parts of a path that stand for the same thing throughout.
const USUAL: [(&str, &str); 29] = [
    ("owner", "admin"),
    ("repo", "walk"),
    ("username", "walker"),
    ("org", "acme"),
    ("issue_number", "1"),
    ("name", "bug"),
    ("milestone_number", "1"),
    ("comment_id", "$comment"),
    ("reaction_id", "$reaction"),
    ("event_id", "$event"),
    ("assignee", "walker"),
    ("ref", "heads/main"),
    ("file_sha", "$blob"),
    ("commit_sha", "$main"),
    ("tag_sha", "$tag"),
    ("tree_sha", "$tree"),
    ("branch", "main"),
    ("basehead", "main...topic/one"),
    ("path", "docs/a b.md"),
    ("sha", "$main"),
    ("check_run_id", "$run"),
    ("check_suite_id", "$suite"),
    ("review_id", "$review"),
    ("hook_id", "$hook"),
    ("delivery_id", "$delivery"),
    ("team_slug", "reviewers"),
    ("project_number", "1"),
    ("field_id", "$effort"),
    ("item_id", "$item"),
];

pub(crate) async fn walk(forge: &TestForge) {
    // No endpoint of GitHub makes accounts: they come from the command line, while the server runs.
    forge.administer(&["user", "add", "walker"]).exits(0);
    forge.administer(&["user", "add", "acme", "--kind", "organization"]).exits(0);
    let (client, stranger) = (&forge.admin, &Client::new(&forge.url, None));
    let second = &forge.client(&forge.token(&["--user", "walker"]));
    let endpoints: Vec<EndpointInfo> =
        baton_forge::endpoints().filter(|endpoint| !endpoint.operation.is_empty()).collect();
    crate::forge_contract::walk_hooks::create_hooks(client).await;
    crate::forge_contract::walk_boards::create_boards(client).await;
    let mut known = BTreeMap::new();
    for mut step in steps() {
        let (who, operation) =
            step.0.strip_prefix('@').map_or((client, step.0), |operation| (second, operation));
        step.0 = operation;
        take(who, &endpoints, &step, &mut known).await;
    }
    for endpoint in &endpoints {
        go_wrong(client, stranger, endpoint, &known).await;
    }
}

async fn take(
    client: &Client,
    endpoints: &[EndpointInfo],
    step: &Step,
    known: &mut BTreeMap<String, String>,
) {
    let Step(operation, parts, body, status, captures) = step;
    let endpoint = endpoints.iter().find(|endpoint| endpoint.operation == *operation);
    let endpoint = endpoint.unwrap_or_else(|| panic!("no endpoint is called {operation}"));
    let (query, parts): (Vec<&str>, Vec<&str>) = parts.iter().partition(|part| part.starts_with('?'));
    let path = format!("{}{}", fill(endpoint.path, &parts, known), query.first().unwrap_or(&""));
    let body = serde_json::from_str(&replace(&body.to_string(), known)).unwrap();
    let answer = client.ask(endpoint.method, &path, &body).await;
    assert_eq!(answer.status, *status, "{operation} {path}: {}", answer.text);
    for capture in *captures {
        let (name, pointer) = capture.split_once('=').unwrap();
        let value = answer
            .json()
            .pointer(pointer)
            .cloned()
            .unwrap_or_else(|| panic!("{operation}: no {pointer} in {}", answer.text));
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        known.insert(format!("${name}"), text);
    }
}

/// Puts values into a template's parts; a value may be something remembered.
fn fill(template: &str, parts: &[&str], known: &BTreeMap<String, String>) -> String {
    let mut path = template.to_owned();
    let own = parts.iter().filter_map(|part| part.split_once('='));
    for (name, value) in own.chain(USUAL) {
        let value = known.get(value).map_or(value, String::as_str);
        path = path.replace(&format!("{{{name}}}"), &value.replace(' ', "%20"));
    }
    path.replace("{pull_number}", known.get("$pull").map_or("1", String::as_str))
        .replace("{issue_id}", known.get("$issue2").map_or("1", String::as_str))
}

/// Replaces `"$name"` by the value remembered, as a number where it is one.
fn replace(text: &str, known: &BTreeMap<String, String>) -> String {
    known.iter().fold(text.to_owned(), |text, (name, value)| {
        let literal = if value.bytes().all(|b| b.is_ascii_digit()) && value.len() < 19 {
            value.clone()
        } else {
            format!("\"{value}\"")
        };
        text.replace(&format!("\"{name}\""), &literal)
    })
}

/// Endpoints that read no body, to which it does not matter what is sent.
const BODILESS: [&str; 3] =
    ["checks/rerequest-run", "checks/rerequest-suite", "repos/set-admin-branch-protection"];

/// Wrong in every way that applies: nobody, a bad token, nothing there, no JSON, the wrong JSON.
async fn go_wrong(
    client: &Client,
    stranger: &Client,
    endpoint: &EndpointInfo,
    known: &BTreeMap<String, String>,
) {
    let path = fill(endpoint.path, &[], known);
    let bad = Client::new(&client.url, Some("bft_wrong"));
    let answer = bad.ask(endpoint.method, &path, &Value::Null).await;
    assert_eq!(
        (answer.status, answer.json()["message"].as_str()),
        (401, Some("Bad credentials")),
        "{}",
        endpoint.path
    );
    if endpoint.method != "GET" {
        let answer = stranger.ask(endpoint.method, &path, &Value::Null).await;
        assert!([401, 404].contains(&answer.status), "{} {path}: {}", endpoint.method, answer.text);
    }
    if endpoint.path.contains("{repo}") {
        let path = fill(endpoint.path, &["repo=nowhere"], known);
        assert_eq!(
            client.ask(endpoint.method, &path, &Value::Null).await.status,
            404,
            "{} {path}",
            endpoint.method
        );
    }
    if matches!(endpoint.method, "POST" | "PATCH" | "PUT") && !BODILESS.contains(&endpoint.operation) {
        for body in ["{", "[1, 2]", "\"text\"", "{\"title\": 7e999}"] {
            let answer = client.send(endpoint.method, &path, Some(body), &[]).await.unwrap();
            assert!(
                matches!(answer.status, 400 | 403 | 404 | 405 | 422),
                "{} {path} with {body}: {} {}",
                endpoint.method,
                answer.status,
                answer.text
            );
        }
    }
}

fn steps() -> Vec<Step> {
    let none = || Value::Null;
    let mut steps = repositories();
    steps.extend(issues());
    steps.extend(git());
    steps.extend(pulls());
    steps.extend(walk_relay::steps());
    steps.extend(crate::forge_contract::walk_hooks::steps());
    steps.extend(crate::forge_contract::walk_boards::steps());
    steps.extend([
        Step(
            "search/issues-and-pull-requests",
            &["?q=repo:admin/walk+is:issue+in:title,body+walk"],
            none(),
            200,
            &[],
        ),
        Step("search/issues-and-pull-requests", &["?q=repo:admin/walk+label:nothing"], none(), 200, &[]),
        Step("search/issues-and-pull-requests", &["?q=repo:nobody/nothing"], none(), 422, &[]),
        Step("search/issues-and-pull-requests", &[], none(), 422, &[]),
        Step("repos/create-for-authenticated-user", &[], json!({ "name": "gone" }), 201, &[]),
        Step("repos/delete", &["repo=gone"], none(), 204, &[]),
    ]);
    steps
}

fn repositories() -> Vec<Step> {
    let none = || Value::Null;
    vec![
        Step("meta/root", &[], none(), 200, &[]),
        Step("meta/get", &[], none(), 200, &[]),
        Step("meta/get-zen", &[], none(), 200, &[]),
        Step("rate-limit/get", &[], none(), 200, &[]),
        Step("users/get-authenticated", &[], none(), 200, &[]),
        Step(
            "users/update-authenticated",
            &[],
            json!({ "name": "Ada", "email": "ada@example.org" }),
            200,
            &[],
        ),
        Step("users/update-authenticated", &[], json!({ "email": "no address" }), 422, &[]),
        Step("users/get-by-username", &["username=admin"], none(), 200, &[]),
        Step(
            "repos/create-for-authenticated-user",
            &[],
            json!({ "name": "walk", "auto_init": true, "description": "to walk in" }),
            201,
            &[],
        ),
        Step("repos/create-for-authenticated-user", &[], json!({ "name": "walk" }), 422, &[]),
        Step("repos/create-for-authenticated-user", &[], json!({ "name": "../etc" }), 422, &[]),
        Step("repos/create-for-authenticated-user", &[], json!({}), 422, &[]),
        Step("repos/list-for-authenticated-user", &[], none(), 200, &[]),
        Step("repos/list-for-user", &["username=admin"], none(), 200, &[]),
        Step("repos/get", &[], none(), 200, &[]),
        Step("repos/update", &[], json!({ "description": "changed", "has_issues": true }), 200, &[]),
        Step("repos/update", &[], json!({ "default_branch": "nowhere" }), 422, &[]),
        Step("orgs/get", &[], none(), 200, &[]),
        Step("orgs/get", &["org=admin"], none(), 404, &[]),
        Step("repos/create-in-org", &[], json!({ "name": "shared", "private": true }), 201, &[]),
        Step("repos/list-for-org", &[], none(), 200, &[]),
        Step("repos/add-collaborator", &[], json!({ "permission": "triage" }), 204, &[]),
        Step("repos/add-collaborator", &[], json!({ "permission": "emperor" }), 422, &[]),
        Step("repos/get-collaborator-permission-level", &[], none(), 200, &[]),
        Step("repos/add-collaborator", &["username=nobody"], none(), 404, &[]),
        Step("repos/add-collaborator", &["username=admin"], none(), 422, &[]),
        Step("repos/list-collaborators", &[], none(), 200, &[]),
        Step("repos/check-collaborator", &["username=admin"], none(), 204, &[]),
        Step("repos/get-collaborator-permission-level", &["username=admin"], none(), 200, &[]),
        Step("repos/remove-collaborator", &["username=admin"], none(), 204, &[]),
        Step("issues/list-assignees", &[], none(), 200, &[]),
        Step("issues/check-user-can-be-assigned", &["assignee=admin"], none(), 204, &[]),
        Step("issues/check-user-can-be-assigned", &["assignee=nobody"], none(), 404, &[]),
    ]
}

fn issues() -> Vec<Step> {
    let none = || Value::Null;
    let mut steps = vec![
        Step(
            "issues/create-milestone",
            &[],
            json!({ "title": "first", "due_on": "2027-01-01T00:00:00Z" }),
            201,
            &[],
        ),
        Step("issues/create-milestone", &[], json!({ "title": "first" }), 422, &[]),
        Step("issues/create-milestone", &[], json!({ "title": "second", "due_on": "tomorrow" }), 422, &[]),
        Step(
            "issues/create",
            &[],
            json!({ "title": "walk", "body": "text", "labels": ["bug", "new one"], "assignees": ["admin"], "milestone": 1 }),
            201,
            &["issue1=/id"],
        ),
        Step("issues/create", &[], json!({ "title": "second", "body": "see #1" }), 201, &["issue2=/id"]),
        Step("issues/create", &[], json!({ "title": "third" }), 201, &["issue3=/id"]),
        Step("issues/create", &[], json!({ "title": "" }), 422, &[]),
        Step("issues/create", &[], json!({ "body": "no title" }), 422, &[]),
        Step("issues/create", &[], json!({ "title": "x", "labels": "bug" }), 422, &[]),
        Step("issues/create", &[], json!({ "title": "x".repeat(257) }), 422, &[]),
        Step("issues/create", &[], json!({ "title": "x", "body": "x".repeat(65_537) }), 422, &[]),
        Step("issues/create", &[], json!({ "title": "x", "milestone": 99 }), 422, &[]),
        Step("issues/list-for-repo", &["?state=all&sort=updated&direction=asc&per_page=2"], none(), 200, &[]),
        Step(
            "issues/list-for-repo",
            &["?labels=bug,new%20one&assignee=admin&milestone=1&creator=admin&since=2020-01-01T00:00:00Z"],
            none(),
            200,
            &[],
        ),
        Step("issues/list-for-repo", &["?state=ajar"], none(), 422, &[]),
        Step("issues/list-for-repo", &["?since=yesterday"], none(), 422, &[]),
        Step("issues/get", &[], none(), 200, &[]),
        Step("issues/get", &["issue_number=99"], none(), 404, &[]),
        Step("issues/get", &["issue_number=x"], none(), 404, &[]),
        Step(
            "issues/update",
            &["issue_number=3"],
            json!({ "title": "renamed", "state": "closed", "state_reason": "not_planned" }),
            200,
            &[],
        ),
        Step(
            "issues/update",
            &["issue_number=3"],
            json!({ "state": "open", "labels": [], "assignees": ["admin"] }),
            200,
            &[],
        ),
        Step("issues/update", &["issue_number=3"], json!({ "state": "ajar" }), 422, &[]),
        Step("issues/lock", &["issue_number=3"], json!({ "lock_reason": "resolved" }), 204, &[]),
        Step("issues/lock", &["issue_number=3"], json!({ "lock_reason": "boredom" }), 422, &[]),
        Step("issues/unlock", &["issue_number=3"], none(), 204, &[]),
        Step(
            "issues/add-assignees",
            &["issue_number=2"],
            json!({ "assignees": ["admin", "nobody"] }),
            201,
            &[],
        ),
        Step("issues/check-user-can-be-assigned-to-issue", &["assignee=admin"], none(), 204, &[]),
        Step("issues/remove-assignees", &["issue_number=2"], json!({ "assignees": ["admin"] }), 200, &[]),
        Step("issues/list-labels-for-repo", &["?per_page=5&page=2"], none(), 200, &[]),
        Step(
            "issues/create-label",
            &[],
            json!({ "name": "stage:ready/1 x", "color": "F29513", "description": "ready" }),
            201,
            &[],
        ),
        Step("issues/create-label", &[], json!({ "name": "BUG" }), 422, &[]),
        Step("issues/create-label", &[], json!({ "name": "x".repeat(51) }), 422, &[]),
        Step("issues/create-label", &[], json!({ "name": "red", "color": "#f00" }), 422, &[]),
        Step("issues/get-label", &[], none(), 200, &[]),
        Step("issues/get-label", &["name=none such"], none(), 404, &[]),
        Step(
            "issues/update-label",
            &["name=stage:ready%2F1 x"],
            json!({ "new_name": "stage:done", "description": "done" }),
            200,
            &[],
        ),
        Step("issues/delete-label", &["name=stage:done"], none(), 204, &[]),
        Step("issues/list-labels-on-issue", &[], none(), 200, &[]),
        Step("issues/add-labels", &["issue_number=2"], json!({ "labels": ["bug", "fresh"] }), 200, &[]),
        Step("issues/add-labels", &["issue_number=2"], json!(["bare list"]), 200, &[]),
        Step("issues/add-labels", &["issue_number=2"], json!({ "labels": ["x".repeat(51)] }), 422, &[]),
        Step("issues/remove-label", &["issue_number=2", "name=fresh"], none(), 200, &[]),
        Step("issues/remove-label", &["issue_number=2", "name=fresh"], none(), 404, &[]),
        Step("issues/set-labels", &["issue_number=2"], json!({ "labels": ["wontfix"] }), 200, &[]),
        Step("issues/remove-all-labels", &["issue_number=2"], none(), 204, &[]),
        Step("issues/list-milestones", &["?state=all"], none(), 200, &[]),
        Step("issues/get-milestone", &[], none(), 200, &[]),
        Step("issues/list-labels-for-milestone", &[], none(), 200, &[]),
        Step("issues/update-milestone", &[], json!({ "state": "closed" }), 200, &[]),
        Step("issues/create-milestone", &[], json!({ "title": "gone" }), 201, &[]),
        Step("issues/delete-milestone", &["milestone_number=2"], none(), 204, &[]),
    ];
    steps.extend(conversation());
    steps.extend(links());
    steps
}

fn conversation() -> Vec<Step> {
    let none = || Value::Null;
    vec![
        Step("issues/create-comment", &[], json!({ "body": "hello, and see #2" }), 201, &["comment=/id"]),
        Step("issues/create-comment", &[], json!({ "body": "" }), 422, &[]),
        Step("issues/create-comment", &[], json!({}), 422, &[]),
        Step("issues/create-comment", &["issue_number=99"], json!({ "body": "x" }), 404, &[]),
        Step("issues/list-comments", &["?since=2020-01-01T00:00:00Z"], none(), 200, &[]),
        Step("issues/list-comments-for-repo", &["?sort=updated&direction=desc"], none(), 200, &[]),
        Step("issues/get-comment", &[], none(), 200, &[]),
        Step("issues/update-comment", &[], json!({ "body": "changed" }), 200, &[]),
        Step("reactions/create-for-issue-comment", &[], json!({ "content": "eyes" }), 201, &["reaction=/id"]),
        Step("reactions/create-for-issue-comment", &[], json!({ "content": "eyes" }), 200, &[]),
        Step("reactions/create-for-issue-comment", &[], json!({ "content": "shrug" }), 422, &[]),
        Step("reactions/list-for-issue-comment", &[], none(), 200, &[]),
        Step("issues/get-comment", &[], none(), 200, &[]),
        Step("reactions/delete-for-issue-comment", &[], none(), 204, &[]),
        Step("reactions/create-for-issue", &[], json!({ "content": "+1" }), 201, &["reaction=/id"]),
        Step("reactions/list-for-issue", &["?content=%2B1"], none(), 200, &[]),
        Step("issues/get", &[], none(), 200, &[]),
        Step("reactions/delete-for-issue", &[], none(), 204, &[]),
        Step("issues/create-comment", &[], json!({ "body": "to go" }), 201, &["gone=/id"]),
        Step("issues/delete-comment", &["comment_id=$gone"], none(), 204, &[]),
        Step("issues/get-comment", &["comment_id=$gone"], none(), 404, &[]),
        Step("issues/list-events-for-repo", &[], none(), 200, &["event=/0/id"]),
        Step("issues/get-event", &[], none(), 200, &[]),
    ]
}

fn links() -> Vec<Step> {
    let none = || Value::Null;
    vec![
        Step("issues/add-sub-issue", &[], json!({ "sub_issue_id": "$issue2" }), 201, &[]),
        Step("issues/add-sub-issue", &[], json!({ "sub_issue_id": "$issue3" }), 201, &[]),
        Step("issues/add-sub-issue", &["issue_number=3"], json!({ "sub_issue_id": "$issue2" }), 422, &[]),
        Step("issues/add-sub-issue", &["issue_number=2"], json!({ "sub_issue_id": "$issue1" }), 422, &[]),
        Step("issues/add-sub-issue", &[], json!({ "sub_issue_id": 999_999 }), 422, &[]),
        Step("issues/list-sub-issues", &[], none(), 200, &[]),
        Step(
            "issues/reprioritize-sub-issue",
            &[],
            json!({ "sub_issue_id": "$issue3", "before_id": "$issue2" }),
            200,
            &[],
        ),
        Step("issues/reprioritize-sub-issue", &[], json!({ "sub_issue_id": "$issue3" }), 422, &[]),
        Step("issues/get-parent", &["issue_number=2"], none(), 200, &[]),
        Step("issues/get-parent", &[], none(), 404, &[]),
        Step("issues/remove-sub-issue", &[], json!({ "sub_issue_id": "$issue3" }), 200, &[]),
        Step("issues/add-blocked-by-dependency", &[], json!({ "issue_id": "$issue2" }), 201, &[]),
        Step("issues/add-blocked-by-dependency", &[], json!({ "issue_id": "$issue2" }), 422, &[]),
        Step(
            "issues/add-blocked-by-dependency",
            &["issue_number=2"],
            json!({ "issue_id": "$issue1" }),
            422,
            &[],
        ),
        Step("issues/list-dependencies-blocked-by", &[], none(), 200, &[]),
        Step("issues/list-dependencies-blocking", &["issue_number=2"], none(), 200, &[]),
        Step("issues/list-events", &[], none(), 200, &[]),
        Step("issues/list-events", &["issue_number=2"], none(), 200, &[]),
        Step("issues/list-events", &["issue_number=3"], none(), 200, &[]),
        Step("issues/list-events-for-timeline", &[], none(), 200, &[]),
        Step("issues/list-events-for-timeline", &["issue_number=2"], none(), 200, &[]),
        Step("issues/list-events-for-timeline", &["issue_number=3"], none(), 200, &[]),
        Step("issues/list-events-for-repo", &["?per_page=100"], none(), 200, &[]),
        Step("issues/remove-dependency-blocked-by", &["issue_id=$issue2"], none(), 200, &[]),
    ]
}

fn git() -> Vec<Step> {
    let none = || Value::Null;
    let person = || json!({ "name": "Ada", "email": "ada@example.org", "date": "2026-05-01T10:00:00Z" });
    vec![
        Step("git/get-ref", &[], none(), 200, &["main=/object/sha"]),
        Step("git/get-ref", &["ref=heads/none"], none(), 404, &[]),
        Step("git/create-blob", &[], json!({ "content": "hello\n" }), 201, &["blob=/sha"]),
        Step("git/create-blob", &[], json!({ "content": "!", "encoding": "base64" }), 422, &[]),
        Step("git/get-blob", &[], none(), 200, &[]),
        Step("git/get-tree", &["tree_sha=main", "?recursive=1"], none(), 200, &["base=/sha"]),
        Step(
            "git/create-tree",
            &[],
            json!({ "base_tree": "$base", "tree": [{ "path": "a/b.txt", "mode": "100644", "type": "blob", "sha": "$blob" }, { "path": "c.sh", "mode": "100755", "type": "blob", "content": "true" }] }),
            201,
            &["tree=/sha"],
        ),
        Step(
            "git/create-tree",
            &[],
            json!({ "tree": [{ "path": "../x", "mode": "100644", "type": "blob", "sha": "$blob" }] }),
            422,
            &[],
        ),
        Step(
            "git/create-tree",
            &[],
            json!({ "tree": [{ "path": "x", "mode": "100644", "type": "blob", "sha": "0000000000000000000000000000000000000000" }] }),
            422,
            &[],
        ),
        Step("git/get-tree", &[], none(), 200, &[]),
        Step(
            "git/create-commit",
            &[],
            json!({ "message": "add", "tree": "$tree", "parents": ["$main"], "author": person() }),
            201,
            &["one=/sha"],
        ),
        Step(
            "git/create-commit",
            &[],
            json!({ "message": "other", "tree": "$tree", "parents": ["$main"] }),
            201,
            &["other=/sha"],
        ),
        Step("git/create-commit", &[], json!({ "message": "x", "tree": "$blob" }), 422, &[]),
        Step(
            "git/create-commit",
            &[],
            json!({ "message": "x", "tree": "$tree", "parents": ["$blob"] }),
            422,
            &[],
        ),
        Step("git/get-commit", &["commit_sha=$one"], none(), 200, &[]),
        Step("git/get-commit", &["commit_sha=$blob"], none(), 404, &[]),
        Step("git/create-ref", &[], json!({ "ref": "refs/heads/topic/one", "sha": "$one" }), 201, &[]),
        Step("git/create-ref", &[], json!({ "ref": "refs/heads/topic/one", "sha": "$one" }), 422, &[]),
        Step("git/create-ref", &[], json!({ "ref": "refs/heads/topic", "sha": "$one" }), 422, &[]),
        Step("git/create-ref", &[], json!({ "ref": "refs/heads/a..b", "sha": "$one" }), 422, &[]),
        Step("git/create-ref", &[], json!({ "ref": "refs/pull/9/head", "sha": "$one" }), 422, &[]),
        Step(
            "git/create-ref",
            &[],
            json!({ "ref": "refs/heads/x", "sha": "0000000000000000000000000000000000000000" }),
            422,
            &[],
        ),
        Step("git/create-ref", &[], json!({ "ref": "refs/baton/claims/1", "sha": "$main" }), 201, &[]),
        Step("git/update-ref", &["ref=baton/claims/1"], json!({ "sha": "$one" }), 200, &[]),
        Step("git/update-ref", &["ref=baton/claims/1"], json!({ "sha": "$other" }), 422, &[]),
        Step("git/update-ref", &["ref=baton/claims/1"], json!({ "sha": "$other", "force": true }), 200, &[]),
        Step("git/update-ref", &["ref=baton/claims/2"], json!({ "sha": "$one" }), 422, &[]),
        Step("git/list-matching-refs", &["ref=baton/claims"], none(), 200, &[]),
        Step("git/delete-ref", &["ref=baton/claims/1"], none(), 204, &[]),
        Step("git/delete-ref", &["ref=baton/claims/1"], none(), 422, &[]),
        Step(
            "git/create-tag",
            &[],
            json!({ "tag": "v1", "message": "one", "object": "$one", "type": "commit" }),
            201,
            &["tag=/sha"],
        ),
        Step(
            "git/create-tag",
            &[],
            json!({ "tag": "v1", "message": "one", "object": "$one", "type": "tree" }),
            422,
            &[],
        ),
        Step("git/get-tag", &[], none(), 200, &[]),
        Step("git/create-ref", &[], json!({ "ref": "refs/tags/v1", "sha": "$tag" }), 201, &[]),
        Step("git/get-ref", &["ref=tags/v1"], none(), 200, &[]),
        Step("repos/list-branches", &[], none(), 200, &[]),
        Step("repos/get-branch", &["branch=topic/one"], none(), 200, &[]),
        Step("repos/get-branch", &["branch=none"], none(), 404, &[]),
        Step(
            "repos/list-commits",
            &["?sha=topic/one&path=a/b.txt&until=2030-01-01T00:00:00Z"],
            none(),
            200,
            &[],
        ),
        Step("repos/get-commit", &["ref=topic/one"], none(), 200, &[]),
        Step("repos/get-commit", &["ref=none"], none(), 422, &[]),
        Step("repos/compare-commits-with-basehead", &[], none(), 200, &[]),
        Step("repos/compare-commits-with-basehead", &["basehead=main...none"], none(), 404, &[]),
        Step(
            "repos/create-or-update-file-contents",
            &[],
            json!({ "message": "write", "content": "aGVsbG8=" }),
            201,
            &["file=/content/sha"],
        ),
        Step(
            "repos/create-or-update-file-contents",
            &[],
            json!({ "message": "write", "content": "aGVsbG8=" }),
            422,
            &[],
        ),
        Step(
            "repos/create-or-update-file-contents",
            &[],
            json!({ "message": "again", "content": "d29ybGQ=", "sha": "$file" }),
            200,
            &["file2=/content/sha"],
        ),
        Step(
            "repos/create-or-update-file-contents",
            &[],
            json!({ "message": "again", "content": "d29ybGQ=", "sha": "$file" }),
            409,
            &[],
        ),
        Step("repos/get-content", &[], none(), 200, &[]),
        Step("repos/get-content", &["path=docs"], none(), 200, &[]),
        Step("repos/get-content", &["path=none"], none(), 404, &[]),
        Step("repos/delete-file", &[], json!({ "message": "remove", "sha": "$file2" }), 200, &[]),
    ]
}

fn pulls() -> Vec<Step> {
    let none = || Value::Null;
    vec![
        Step(
            "pulls/create",
            &[],
            json!({ "title": "topic", "head": "topic/one", "base": "main", "body": "Fixes #2" }),
            201,
            &["pull=/number", "head=/head/sha"],
        ),
        Step("pulls/create", &[], json!({ "title": "topic", "head": "topic/one", "base": "main" }), 422, &[]),
        Step("pulls/create", &[], json!({ "title": "none", "head": "none", "base": "main" }), 422, &[]),
        Step("pulls/create", &[], json!({ "title": "same", "head": "main", "base": "main" }), 422, &[]),
        Step("pulls/list", &["?head=admin:topic/one&state=all"], none(), 200, &[]),
        Step("pulls/list", &["?state=ajar"], none(), 422, &[]),
        Step("pulls/get", &[], none(), 200, &[]),
        Step("pulls/update", &[], json!({ "title": "better", "state": "closed" }), 200, &[]),
        Step("pulls/update", &[], json!({ "state": "open" }), 200, &[]),
        Step("pulls/check-if-merged", &[], none(), 404, &[]),
        Step("pulls/merge", &[], json!({ "sha": "0000000000000000000000000000000000000000" }), 409, &[]),
        Step("pulls/merge", &[], json!({ "merge_method": "octopus" }), 422, &[]),
        Step("pulls/merge", &[], json!({ "sha": "$head" }), 200, &[]),
        Step("pulls/merge", &[], none(), 405, &[]),
        Step("pulls/check-if-merged", &[], none(), 204, &[]),
        Step("pulls/get", &[], none(), 200, &[]),
        Step("issues/get", &["issue_number=2"], none(), 200, &[]),
        Step("issues/list-events", &["issue_number=2"], none(), 200, &[]),
        Step("issues/list-events-for-timeline", &["issue_number=$pull"], none(), 200, &[]),
        Step("issues/list-for-repo", &["?state=all"], none(), 200, &[]),
    ]
}
