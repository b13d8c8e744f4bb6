//! Every webhook that the forge sends, against GitHub's published schemas and through githubkit's parser.
//!
//! One forge is driven through everything that it tells. What a real receiver got is validated, payload by payload, and an
//! event of the list below that never came is a failure.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use baton_fixtures::server::{Request, answer};
use baton_fixtures::wait::SOON;
use baton_fixtures::{Client, CommandOutput, TestForge, TestServer, contract_dir, repository_root};
use serde_json::{Value, json};

use crate::forge_contract::openapi::Description;

const SECRET: &str = "contract";
const REPO: &str = "/repos/acme/hooked";

/// What must have been seen.
const EXPECTED: &[&str] = &[
    "check_run.completed",
    "check_run.created",
    "check_run.rerequested",
    "check_suite.completed",
    "check_suite.requested",
    "check_suite.rerequested",
    "create",
    "delete",
    "issue_comment.created",
    "issue_comment.deleted",
    "issue_comment.edited",
    "issue_dependencies.blocked_by_added",
    "issue_dependencies.blocked_by_removed",
    "issue_dependencies.blocking_added",
    "issue_dependencies.blocking_removed",
    "issues.assigned",
    "issues.closed",
    "issues.deleted",
    "issues.demilestoned",
    "issues.edited",
    "issues.labeled",
    "issues.locked",
    "issues.milestoned",
    "issues.opened",
    "issues.pinned",
    "issues.reopened",
    "issues.transferred",
    "issues.unassigned",
    "issues.unlabeled",
    "issues.unlocked",
    "issues.unpinned",
    "label.created",
    "label.deleted",
    "label.edited",
    "milestone.closed",
    "milestone.created",
    "milestone.deleted",
    "milestone.edited",
    "milestone.opened",
    "ping",
    "projects_v2.created",
    "projects_v2.edited",
    "projects_v2_item.archived",
    "projects_v2_item.created",
    "projects_v2_item.deleted",
    "projects_v2_item.edited",
    "projects_v2_item.restored",
    "pull_request.assigned",
    "pull_request.auto_merge_disabled",
    "pull_request.auto_merge_enabled",
    "pull_request.closed",
    "pull_request.converted_to_draft",
    "pull_request.demilestoned",
    "pull_request.edited",
    "pull_request.labeled",
    "pull_request.locked",
    "pull_request.milestoned",
    "pull_request.opened",
    "pull_request.ready_for_review",
    "pull_request.reopened",
    "pull_request.review_request_removed",
    "pull_request.review_requested",
    "pull_request.synchronize",
    "pull_request.unassigned",
    "pull_request.unlabeled",
    "pull_request.unlocked",
    "pull_request_review.dismissed",
    "pull_request_review.edited",
    "pull_request_review.submitted",
    "pull_request_review_comment.created",
    "pull_request_review_comment.deleted",
    "pull_request_review_comment.edited",
    "pull_request_review_thread.resolved",
    "pull_request_review_thread.unresolved",
    "push",
    "status",
    "sub_issues.parent_issue_added",
    "sub_issues.parent_issue_removed",
    "sub_issues.sub_issue_added",
    "sub_issues.sub_issue_removed",
];

fn payload(request: &Request) -> Value {
    serde_json::from_str(&request.body).expect("a payload is JSON")
}

fn event(request: &Request) -> &str {
    &request.headers["x-github-event"]
}

/// Returns the event, and what happened if there are several things that can.
fn name(request: &Request) -> String {
    match payload(request)["action"].as_str() {
        Some(action) => format!("{}.{action}", event(request)),
        None => event(request).to_owned(),
    }
}

#[test]
fn a_payload_that_breaks_its_schema_is_noticed() {
    let description = Description::load(&contract_dir());
    assert!(description.check_webhook("issues", &json!({ "action": "opened" })).is_err());
    assert!(description.check_webhook("issues", &json!({ "action": "melted" })).is_err());
    assert!(description.check_webhook("ping", &json!({ "zen": "text" })).is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_webhook_is_as_github_describes_it_and_parses_in_githubkit() {
    let forge = TestForge::start();
    let receiver = TestServer::start(|_| answer(200, &[], "")).await;
    let driver = Driver::new(&forge);
    let config = json!({ "url": receiver.url, "content_type": "json", "secret": SECRET });
    let hook = json!({ "name": "web", "events": ["*"], "config": config });
    driver.admin.must("POST", "/orgs/acme/hooks", &hook, 201).await;
    driver.all().await;
    wait_for_all(&receiver).await;
    let received = receiver.seen();
    validate(&received);
    parse_with_githubkit(&received, forge.dir());
}

/// Waits until everything that is expected has come; says what is missing otherwise.
async fn wait_for_all(receiver: &TestServer) {
    let started = Instant::now();
    loop {
        let seen: BTreeSet<String> = receiver.seen().iter().map(name).collect();
        let missing: Vec<_> = EXPECTED.iter().filter(|name| !seen.contains(**name)).collect();
        if missing.is_empty() {
            return;
        }
        assert!(started.elapsed() < SOON, "never told: {missing:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn validate(received: &[Request]) {
    let description = Description::load(&contract_dir());
    let wrong: Vec<String> = received
        .iter()
        .filter_map(|request| {
            let judged = description.check_webhook(event(request), &payload(request));
            judged.err().map(|why| format!("{}: {why}", name(request)))
        })
        .collect();
    println!("{} payloads validated", received.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn parse_with_githubkit(received: &[Request], directory: &Path) {
    let lines: String = received
        .iter()
        .map(|request| {
            let signature = &request.headers["x-hub-signature-256"];
            let line = json!({ "event": event(request), "signature": signature, "body": request.body });
            format!("{line}\n")
        })
        .collect();
    let file = directory.join("payloads.ndjson");
    std::fs::write(&file, lines).unwrap();
    let python = contract_dir().join("venv/bin/python");
    let script = repository_root().join("contract/githubkit_webhooks.py");
    let ran: CommandOutput = Command::new(python).arg(script).arg(&file).arg(SECRET).output().unwrap().into();
    assert_eq!(ran.code, 0, "githubkit disagrees:\n{}", ran.both());
    println!("{}", ran.out);
}

/// Brings everything about that is told.
struct Driver {
    admin: Client,
    second: Client,
}

impl Driver {
    fn new(forge: &TestForge) -> Self {
        forge.administer(&["user", "add", "second"]).exits(0);
        forge.administer(&["user", "add", "acme", "--kind", "organization"]).exits(0);
        let second = forge.client(&forge.token(&["--user", "second"]));
        Self { admin: forge.admin.clone(), second }
    }

    async fn all(&self) {
        self.repository().await;
        self.issues().await;
        self.links().await;
        self.labels_and_milestones().await;
        self.pulls().await;
        self.reviews().await;
        self.checks().await;
        self.boards().await;
    }

    async fn ok(&self, method: &str, path: &str, body: Value) -> Value {
        let answer = self.admin.ask(method, path, &body).await;
        assert!((200..300).contains(&answer.status), "{method} {path}: {} {}", answer.status, answer.text);
        answer.json()
    }

    async fn graph(&self, document: &str, variables: Value) -> Value {
        let body = json!({ "query": document, "variables": variables });
        let answer = self.ok("POST", "/graphql", body).await;
        assert!(answer.get("errors").is_none(), "{document}: {answer}");
        answer["data"].clone()
    }

    async fn write(&self, branch: &str, file: &str, text: &str) {
        let content = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
        let fields = json!({ "message": format!("write {file}"), "content": content, "branch": branch });
        self.ok("PUT", &format!("{REPO}/contents/{file}"), fields).await;
    }

    async fn repository(&self) {
        let settings = json!({ "name": "hooked", "auto_init": true, "allow_auto_merge": true });
        self.ok("POST", "/orgs/acme/repos", settings).await;
        self.ok("PATCH", REPO, json!({ "allow_auto_merge": true })).await;
        let second = json!({ "permission": "push" });
        self.ok("PUT", &format!("{REPO}/collaborators/second"), second).await;
        let main = self.ok("GET", &format!("{REPO}/git/ref/heads/main"), Value::Null).await;
        let sha = &main["object"]["sha"];
        self.ok("POST", &format!("{REPO}/git/refs"), json!({ "ref": "refs/heads/gone", "sha": sha })).await;
        self.ok("POST", &format!("{REPO}/git/refs"), json!({ "ref": "refs/tags/v1", "sha": sha })).await;
        self.ok("DELETE", &format!("{REPO}/git/refs/heads/gone"), Value::Null).await;
    }

    /// What issues and pull requests are told alike.
    async fn change_issue(&self, number: &Value) {
        let at = format!("{REPO}/issues/{number}");
        self.ok("PATCH", &at, json!({ "title": "edited", "body": "edited" })).await;
        self.ok("POST", &format!("{at}/labels"), json!({ "labels": ["bug", "made by the way"] })).await;
        self.ok("DELETE", &format!("{at}/labels/bug"), Value::Null).await;
        let second = || json!({ "assignees": ["second"] });
        self.ok("POST", &format!("{at}/assignees"), second()).await;
        self.ok("DELETE", &format!("{at}/assignees"), second()).await;
        let milestone = self.ok("POST", &format!("{REPO}/milestones"), json!({ "title": at })).await;
        self.ok("PATCH", &at, json!({ "milestone": milestone["number"] })).await;
        self.ok("PATCH", &at, json!({ "milestone": null })).await;
        self.ok("PUT", &format!("{at}/lock"), json!({ "lock_reason": "resolved" })).await;
        self.ok("DELETE", &format!("{at}/lock"), Value::Null).await;
        self.ok("PATCH", &at, json!({ "state": "closed" })).await;
        self.ok("PATCH", &at, json!({ "state": "open" })).await;
        let comment = self.ok("POST", &format!("{at}/comments"), json!({ "body": "said" })).await;
        let at = format!("{REPO}/issues/comments/{}", comment["id"]);
        self.ok("PATCH", &at, json!({ "body": "said better" })).await;
        self.ok("DELETE", &at, Value::Null).await;
    }

    async fn open_issue(&self, title: &str) -> Value {
        self.ok("POST", &format!("{REPO}/issues"), json!({ "title": title, "labels": ["question"] })).await
    }

    async fn issues(&self) {
        let issue = self.open_issue("an issue").await;
        self.change_issue(&issue["number"]).await;
        let elsewhere = self.ok("POST", "/orgs/acme/repos", json!({ "name": "elsewhere" })).await;
        let end =
            "mutation($i: ID!, $r: ID!, $d: ID!) { pinIssue(input: { issueId: $i }) { clientMutationId }
            unpinIssue(input: { issueId: $i }) { clientMutationId }
            transferIssue(input: { issueId: $i, repositoryId: $r }) { clientMutationId }
            deleteIssue(input: { issueId: $d }) { clientMutationId } }";
        let doomed = self.open_issue("doomed").await;
        let ids = json!({ "i": issue["node_id"], "r": elsewhere["node_id"], "d": doomed["node_id"] });
        self.graph(end, ids).await;
    }

    async fn links(&self) {
        let (one, two) = (self.open_issue("one").await, self.open_issue("two").await);
        let at = format!("{REPO}/issues/{}", one["number"]);
        let child = || json!({ "sub_issue_id": two["id"] });
        self.ok("POST", &format!("{at}/sub_issues"), child()).await;
        self.ok("DELETE", &format!("{at}/sub_issue"), child()).await;
        let at = format!("{at}/dependencies/blocked_by");
        self.ok("POST", &at, json!({ "issue_id": two["id"] })).await;
        self.ok("DELETE", &format!("{at}/{}", two["id"]), Value::Null).await;
    }

    async fn labels_and_milestones(&self) {
        self.ok("POST", &format!("{REPO}/labels"), json!({ "name": "new", "color": "ff0000" })).await;
        let change = json!({ "new_name": "newer", "color": "00ff00", "description": "text" });
        self.ok("PATCH", &format!("{REPO}/labels/new"), change).await;
        self.ok("DELETE", &format!("{REPO}/labels/newer"), Value::Null).await;
        let milestone = self.ok("POST", &format!("{REPO}/milestones"), json!({ "title": "soon" })).await;
        let at = format!("{REPO}/milestones/{}", milestone["number"]);
        let change = json!({ "title": "sooner", "description": "text", "due_on": "2030-01-01T00:00:00Z" });
        self.ok("PATCH", &at, change).await;
        self.ok("PATCH", &at, json!({ "state": "closed" })).await;
        self.ok("PATCH", &at, json!({ "state": "open" })).await;
        self.ok("DELETE", &at, Value::Null).await;
    }

    /// Opens a pull request from a new branch that changes one file.
    async fn pull(&self, branch: &str) -> Value {
        let main = self.ok("GET", &format!("{REPO}/git/ref/heads/main"), Value::Null).await;
        let fields = json!({ "ref": format!("refs/heads/{branch}"), "sha": main["object"]["sha"] });
        self.ok("POST", &format!("{REPO}/git/refs"), fields).await;
        self.write(branch, &format!("{branch}.txt"), "one\ntwo\nthree\n").await;
        let fields = json!({ "title": branch, "head": branch, "base": "main", "body": "text" });
        self.ok("POST", &format!("{REPO}/pulls"), fields).await
    }

    async fn pulls(&self) {
        let pull = self.pull("topic").await;
        self.change_issue(&pull["number"]).await;
        self.write("topic", "more.txt", "more\n").await;
        let at = format!("{REPO}/pulls/{}", pull["number"]);
        let reviewers = || json!({ "reviewers": ["second"] });
        self.ok("POST", &format!("{at}/requested_reviewers"), reviewers()).await;
        self.ok("DELETE", &format!("{at}/requested_reviewers"), reviewers()).await;
        let id = json!({ "id": pull["node_id"] });
        let draft = "mutation($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { clientMutationId } }";
        self.graph(draft, id.clone()).await;
        let ready = "mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }";
        self.graph(ready, id.clone()).await;
        self.auto_merge(&id).await;
        self.ok("PUT", &format!("{at}/merge"), json!({})).await;
    }

    /// Auto-merge is for what cannot be merged yet, so a check is required that nobody reports.
    async fn auto_merge(&self, id: &Value) {
        let at = format!("{REPO}/branches/main/protection");
        let protection = json!({
            "required_status_checks": { "strict": false, "contexts": ["never"] },
            "enforce_admins": false,
            "required_pull_request_reviews": null,
            "restrictions": null,
        });
        self.ok("PUT", &at, protection).await;
        let enable = "mutation($id: ID!) { enablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId } }";
        self.graph(enable, id.clone()).await;
        let disable = "mutation($id: ID!) { disablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId } }";
        self.graph(disable, id.clone()).await;
        self.ok("DELETE", &at, Value::Null).await;
    }

    async fn reviews(&self) {
        let pull = self.pull("reviewed").await;
        let at = format!("{REPO}/pulls/{}", pull["number"]);
        let line = json!({ "path": "reviewed.txt", "line": 2, "side": "RIGHT", "body": "why?" });
        let review = json!({ "event": "REQUEST_CHANGES", "body": "no", "comments": [line] });
        let review = self.second.must("POST", &format!("{at}/reviews"), &review, 200).await;
        let review_at = format!("{at}/reviews/{}", review["id"]);
        self.second.must("PUT", &review_at, &json!({ "body": "not yet" }), 200).await;
        self.ok("PUT", &format!("{review_at}/dismissals"), json!({ "message": "it is well" })).await;
        let comments = self.ok("GET", &format!("{at}/comments"), Value::Null).await;
        let reply = format!("{at}/comments/{}/replies", comments[0]["id"]);
        let reply = self.ok("POST", &reply, json!({ "body": "because" })).await;
        let comment_at = format!("{REPO}/pulls/comments/{}", reply["id"]);
        self.ok("PATCH", &comment_at, json!({ "body": "just because" })).await;
        self.ok("DELETE", &comment_at, Value::Null).await;
        self.threads(&pull["node_id"]).await;
    }

    async fn threads(&self, pull: &Value) {
        let query = "query($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 1) { nodes { id } } } } }";
        let found = self.graph(query, json!({ "id": pull })).await;
        let id = json!({ "id": found["node"]["reviewThreads"]["nodes"][0]["id"] });
        let resolve =
            "mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { clientMutationId } }";
        self.graph(resolve, id.clone()).await;
        let unresolve =
            "mutation($id: ID!) { unresolveReviewThread(input: { threadId: $id }) { clientMutationId } }";
        self.graph(unresolve, id).await;
    }

    async fn checks(&self) {
        let first = self.ok("GET", &format!("{REPO}/git/ref/tags/v1"), Value::Null).await;
        let suite = json!({ "head_sha": first["object"]["sha"] });
        self.ok("POST", &format!("{REPO}/check-suites"), suite).await;
        let main = self.ok("GET", &format!("{REPO}/git/ref/heads/main"), Value::Null).await;
        let sha = &main["object"]["sha"];
        let status = json!({ "state": "success", "context": "ci/one", "target_url": "http://ci.example/1" });
        self.ok("POST", &format!("{REPO}/statuses/{}", sha.as_str().unwrap()), status).await;
        let run = json!({ "name": "build", "head_sha": sha, "status": "in_progress" });
        let run = self.ok("POST", &format!("{REPO}/check-runs"), run).await;
        let at = format!("{REPO}/check-runs/{}", run["id"]);
        let output = json!({ "title": "done", "summary": "all well" });
        let done = json!({ "status": "completed", "conclusion": "success", "output": output });
        self.ok("PATCH", &at, done).await;
        self.ok("POST", &format!("{at}/rerequest"), Value::Null).await;
        let suite = format!("{REPO}/check-suites/{}", run["check_suite"]["id"]);
        self.ok("POST", &format!("{suite}/rerequest"), Value::Null).await;
    }

    async fn boards(&self) {
        let org = self.graph("{ organization(login: \"acme\") { id } }", json!({})).await;
        let create = "mutation($id: ID!) { createProjectV2(input: { ownerId: $id, title: \"board\" }) {
            projectV2 { id field(name: \"Status\") { ... on ProjectV2SingleSelectField { id options { id } } } } } }";
        let made = self.graph(create, json!({ "id": org["organization"]["id"] })).await;
        let project = &made["createProjectV2"]["projectV2"];
        let rename = "mutation($id: ID!) { updateProjectV2(input: { projectId: $id, title: \"renamed\" }) { clientMutationId } }";
        self.graph(rename, json!({ "id": project["id"] })).await;
        let issue = self.open_issue("on the board").await;
        let add = "mutation($id: ID!, $content: ID!) { addProjectV2ItemById(input: { projectId: $id, contentId: $content }) {
            item { id } } }";
        let added = self.graph(add, json!({ "id": project["id"], "content": issue["node_id"] })).await;
        let item = &added["addProjectV2ItemById"]["item"]["id"];
        self.change_item(project, item).await;
    }

    async fn change_item(&self, project: &Value, item: &Value) {
        let (field, both) = (&project["field"], json!({ "id": project["id"], "item": item }));
        let set = "mutation($id: ID!, $item: ID!, $field: ID!, $option: String!) { updateProjectV2ItemFieldValue(input: {
            projectId: $id, itemId: $item, fieldId: $field, value: { singleSelectOptionId: $option } }) { clientMutationId } }";
        let mut value = both.clone();
        value["field"] = field["id"].clone();
        value["option"] = field["options"][0]["id"].clone();
        self.graph(set, value).await;
        for name in ["archiveProjectV2Item", "unarchiveProjectV2Item", "deleteProjectV2Item"] {
            let change = format!(
                "mutation($id: ID!, $item: ID!) {{ {name}(input: {{ projectId: $id, itemId: $item }}) {{ clientMutationId }} }}"
            );
            self.graph(&change, both.clone()).await;
        }
    }
}
