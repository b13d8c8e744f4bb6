//! A world with something of everything that a forge can hold: made as clients make it, over REST, GraphQL and git.

use baton_forge::admin::{Admin, Kind, Role};
use serde_json::{Value, json};

use crate::relay::boards::Board;
use crate::relay::world::{REPO, World};

/// What the walk asks by.
pub(crate) struct Population {
    /// Ids that no field leads to in few steps: an annotated tag, and the events of a pull request.
    pub(crate) nodes: Vec<Value>,
    pub(crate) issue: Value,
    /// The number of the pull request that waits for its checks.
    pub(crate) pull: i64,
}

/// Makes everything. The order matters: a protected branch takes no pushes, and boards show what is there already.
pub(crate) async fn populate(world: &World) -> Population {
    let issue = issues(world).await;
    let mut nodes = refs(world).await;
    merged(world).await;
    let pull = world.pull("topic", "Closes #1").await;
    let number = pull["number"].as_i64().unwrap();
    people(world).await;
    subject(world, number).await;
    reviews(world, &pull).await;
    checks(world, &pull).await;
    protection(world, &pull).await;
    board(world, &issue, &pull).await;
    events(world, number, &mut nodes).await;
    Population { nodes, issue, pull: number }
}

async fn events(world: &World, pull: i64, nodes: &mut Vec<Value>) {
    let events = world.get(&format!("{REPO}/issues/{pull}/events?per_page=100")).await;
    // What happens to pull requests alone has no type in this schema.
    let is_shared = |event: &&Value| {
        let kinds = ["labeled", "assigned", "milestoned", "renamed", "locked", "closed", "reopened"];
        kinds.iter().any(|kind| event["event"].as_str().unwrap().ends_with(kind))
    };
    nodes.extend(events.as_array().unwrap().iter().filter(is_shared).map(|event| event["node_id"].clone()));
}

/// Issues in every relation, with every kind of entry in their timelines.
async fn issues(world: &World) -> Value {
    let ada = &world.ada;
    let milestone = json!({ "title": "m", "description": "d", "due_on": "2030-01-01T00:00:00Z" });
    world.ok(ada, "POST", &format!("{REPO}/milestones"), milestone).await;
    let second = json!({ "title": "done", "state": "closed" });
    world.ok(ada, "POST", &format!("{REPO}/milestones"), second).await;
    let open = async |fields: Value| world.ok(ada, "POST", &format!("{REPO}/issues"), fields).await;
    let fields = json!({ "title": "first", "labels": ["bug"], "assignees": ["ada"], "milestone": 1 });
    let first = open(fields).await;
    let child = open(json!({ "title": "child" })).await;
    let blocker = open(json!({ "title": "see #1" })).await;
    world.ok(ada, "POST", &format!("{REPO}/issues/3/comments"), json!({ "body": "also #1" })).await;
    relations(world, &child, &blocker).await;
    for number in [1, 2] {
        talk(world, number).await;
    }
    lock(world, 1).await;
    change(world, 1).await;
    pins(world, &first, &child).await;
    first
}

/// Ties issues together, apart, and together again.
async fn relations(world: &World, child: &Value, blocker: &Value) {
    let ada = &world.ada;
    let (children, blocked) =
        (format!("{REPO}/issues/1/sub_issues"), format!("{REPO}/issues/1/dependencies/blocked_by"));
    let child = json!({ "sub_issue_id": child["id"] });
    world.ok(ada, "POST", &children, child.clone()).await;
    world.ok(ada, "POST", &blocked, json!({ "issue_id": blocker["id"] })).await;
    world.ok(ada, "DELETE", &format!("{REPO}/issues/1/sub_issue"), child.clone()).await;
    world.ok(ada, "POST", &children, child).await;
    world.ok(ada, "DELETE", &format!("{blocked}/{}", blocker["id"]), Value::Null).await;
    world.ok(ada, "POST", &blocked, json!({ "issue_id": blocker["id"] })).await;
}

/// A comment, and reactions to it and to what it is about.
async fn talk(world: &World, number: i64) {
    let path = format!("{REPO}/issues/{number}/comments");
    let comment = world.ok(&world.ada, "POST", &path, json!({ "body": "hello" })).await;
    let path = format!("{REPO}/issues/comments/{}/reactions", comment["id"]);
    world.ok(&world.bob, "POST", &path, json!({ "content": "heart" })).await;
    let path = format!("{REPO}/issues/{number}/reactions");
    world.ok(&world.ada, "POST", &path, json!({ "content": "eyes" })).await;
}

async fn lock(world: &World, number: i64) {
    let path = format!("{REPO}/issues/{number}/lock");
    world.ok(&world.ada, "PUT", &path, json!({ "lock_reason": "too heated" })).await;
    world.ok(&world.ada, "DELETE", &path, Value::Null).await;
}

async fn change(world: &World, number: i64) {
    for change in [
        json!({ "title": "renamed" }),
        json!({ "state": "closed" }),
        json!({ "state": "open", "milestone": null, "labels": [], "assignees": [] }),
        json!({ "milestone": 1, "labels": ["bug"], "assignees": ["ada"] }),
    ] {
        world.ok(&world.ada, "PATCH", &format!("{REPO}/issues/{number}"), change).await;
    }
}

async fn pins(world: &World, first: &Value, child: &Value) {
    let pin = "mutation($i: ID!) { pinIssue(input: { issueId: $i }) { issue { isPinned } } }";
    let unpin = "mutation($i: ID!) { unpinIssue(input: { issueId: $i }) { issue { isPinned } } }";
    for (mutation, issue) in [(pin, child), (unpin, child), (pin, first)] {
        world.data(&world.ada, mutation, json!({ "i": issue["node_id"] })).await;
    }
}

/// Branches, tags of both kinds, a directory and a file that is no text. Returns the id of the annotated tag.
async fn refs(world: &World) -> Vec<Value> {
    let clone = world.clone_as("refs", &world.ada);
    std::fs::create_dir(clone.path.join("src")).unwrap();
    std::fs::write(clone.path.join("src/image.bin"), [0, 159, 146, 150]).unwrap();
    clone.commit("src/lib.rs", "//! Nothing.\n");
    clone.git(&["tag", "-a", "-m", "one", "v1"]);
    clone.git(&["tag", "light"]);
    clone.git(&["push", "-q", "origin", "main", "main:release/1", "v1", "light"]);
    let tag = world.get(&format!("{REPO}/git/ref/tags/v1")).await;
    let tag = tag["object"]["sha"].as_str().unwrap();
    vec![world.get(&format!("{REPO}/git/tags/{tag}")).await["node_id"].clone()]
}

/// A pull request that was merged, from a branch that is gone, and one that is a draft.
async fn merged(world: &World) {
    let pull = world.pull("early", "See #1").await;
    let number = pull["number"].as_u64().unwrap();
    world.judged(number).await;
    assert_eq!(world.merge(&world.bob, number, json!({})).await.0, 200);
    world.ok(&world.ada, "DELETE", &format!("{REPO}/git/refs/heads/early"), Value::Null).await;
    world.branch("sketch", "sketch.txt", "x\n");
    let fields = json!({ "title": "sketch", "head": "sketch", "base": "main", "draft": true });
    world.ok(&world.ada, "POST", &format!("{REPO}/pulls"), fields).await;
}

impl World {
    /// An account of a program that may write; returns its token.
    pub(crate) async fn robot(&self) -> String {
        let data = self.directory().join("forge");
        let made = tokio::task::spawn_blocking(move || {
            let admin = Admin::open(&data).unwrap();
            admin.add_account("robot", Kind::Bot).unwrap();
            admin.create_token("robot", Role::Write, &[]).unwrap()
        });
        let push = json!({ "permission": "push" });
        let token = made.await.unwrap();
        self.ok(&self.admin, "PUT", &format!("{REPO}/collaborators/robot"), push).await;
        token
    }
}

/// A team, a program that takes part, and members of the organisation.
async fn people(world: &World) {
    let (admin, robot) = (&world.admin, world.robot().await);
    world.ok(&robot, "POST", &format!("{REPO}/issues/1/comments"), json!({ "body": "beep" })).await;
    world.ok(&robot, "POST", &format!("{REPO}/issues/1/reactions"), json!({ "content": "rocket" })).await;
    world.ok(admin, "POST", &format!("{REPO}/issues/2/assignees"), json!({ "assignees": ["robot"] })).await;
    world.ok(admin, "PUT", "/orgs/acme/memberships/robot", json!({ "role": "member" })).await;
    world.ok(admin, "POST", "/orgs/acme/teams", json!({ "name": "core", "description": "all of it" })).await;
    world.ok(admin, "PUT", "/orgs/acme/teams/core/memberships/bob", json!({})).await;
    world.ok(admin, "PUT", "/orgs/acme/memberships/ada", json!({ "role": "member" })).await;
    world.ok(admin, "POST", "/user/repos", json!({ "name": "own", "private": true })).await;
}

/// What a pull request has in common with an issue.
async fn subject(world: &World, number: i64) {
    talk(world, number).await;
    lock(world, number).await;
    change(world, number).await;
}

/// Reviews of every state, threads in every state, and requests for more.
async fn reviews(world: &World, pull: &Value) {
    let path = format!("{REPO}/pulls/{}", pull["number"]);
    let reviews = format!("{path}/reviews");
    let review = world.ok(&world.bob, "POST", &reviews, json!({ "event": "APPROVE", "body": "a" })).await;
    let dismissal = json!({ "message": "too early" });
    world.ok(&world.ada, "PUT", &format!("{reviews}/{}/dismissals", review["id"]), dismissal).await;
    let comment = json!({ "path": "topic.txt", "start_line": 1, "line": 2, "body": "why two?" });
    let asked = json!({ "event": "REQUEST_CHANGES", "body": "no", "comments": [comment] });
    world.ok(&world.bob, "POST", &reviews, asked).await;
    world.ok(&world.admin, "POST", &reviews, json!({ "event": "COMMENT", "body": "hm" })).await;
    threads(world, pull, &path).await;
    let draft = json!({ "path": "topic.txt", "line": 3, "body": "unsaid" });
    world.ok(&world.admin, "POST", &reviews, json!({ "body": "soon", "comments": [draft] })).await;
    let asked = json!({ "reviewers": ["bob", "admin"], "team_reviewers": ["core"] });
    world.ok(&world.ada, "POST", &format!("{path}/requested_reviewers"), asked).await;
}

async fn threads(world: &World, pull: &Value, path: &str) {
    let comments = format!("{path}/comments");
    let at = json!({ "path": "topic.txt", "body": "b", "commit_id": pull["head"]["sha"] });
    let with = |key: &str, value: Value| {
        let mut place = at.clone();
        place[key] = value;
        place
    };
    let comment = world.ok(&world.bob, "POST", &comments, with("line", json!(1))).await;
    world.ok(&world.bob, "POST", &comments, with("subject_type", json!("file"))).await;
    let replies = format!("{comments}/{}/replies", comment["id"]);
    world.ok(&world.ada, "POST", &replies, json!({ "body": "r" })).await;
    let reactions = format!("{REPO}/pulls/comments/{}/reactions", comment["id"]);
    world.ok(&world.ada, "POST", &reactions, json!({ "content": "rocket" })).await;
    let find = "query($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 1) { nodes { id } } } } }";
    let found = world.data(&world.ada, find, json!({ "id": pull["node_id"] })).await;
    let thread = &found["node"]["reviewThreads"]["nodes"][0]["id"];
    let resolve =
        "mutation($i: ID!) { resolveReviewThread(input: { threadId: $i }) { thread { isResolved } } }";
    world.data(&world.ada, resolve, json!({ "i": thread })).await;
}

/// Runs in every phase, one with annotations, and statuses.
async fn checks(world: &World, pull: &Value) {
    let head = &pull["head"]["sha"];
    let runs = format!("{REPO}/check-runs");
    let note = json!({ "path": "topic.txt", "start_line": 1, "end_line": 1, "start_column": 1, "end_column": 2,
        "annotation_level": "warning", "message": "hm", "title": "t", "raw_details": "r" });
    let output = json!({ "title": "t", "summary": "s", "text": "x", "annotations": [note] });
    for run in [
        json!({ "name": "lint", "head_sha": head, "conclusion": "failure", "output": output }),
        json!({ "name": "build", "head_sha": head, "status": "in_progress" }),
        json!({ "name": "docs", "head_sha": head }),
    ] {
        world.ok(&world.ada, "POST", &runs, run).await;
    }
    let statuses = format!("{REPO}/statuses/{}", head.as_str().unwrap());
    for (state, context) in [("pending", "slow"), ("success", "quick")] {
        let status =
            json!({ "state": state, "context": context, "description": "d", "target_url": "http://x/" });
        world.ok(&world.ada, "POST", &statuses, status).await;
    }
    world.ok(&world.ada, "POST", &statuses, json!({ "state": "error" })).await;
}

/// A protected branch, and a pull request that waits until it may go in.
async fn protection(world: &World, pull: &Value) {
    world.settings(json!({ "allow_auto_merge": true })).await;
    let reviews = json!({ "required_approving_review_count": 1, "dismiss_stale_reviews": true });
    let checks = json!({ "strict": true, "contexts": ["test"] });
    world
        .protect(json!({ "required_status_checks": checks, "required_pull_request_reviews": reviews }))
        .await;
    world.judged(pull["number"].as_u64().unwrap()).await;
    let enable = "mutation($i: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $i) {
        pullRequest { autoMergeRequest { mergeMethod } } } }";
    let input =
        json!({ "pullRequestId": pull["node_id"], "mergeMethod": "SQUASH", "commitHeadline": "At last" });
    world.data(&world.ada, enable, json!({ "i": input })).await;
}

/// Boards with every kind of field, and items of every kind with values in all of them.
async fn board(world: &World, issue: &Value, pull: &Value) {
    let board = Board::new(world, "work").await;
    let mut items = Vec::new();
    for content in [issue, pull] {
        let input = json!({ "projectId": board.id, "contentId": content["node_id"] });
        items.push(board.does("addProjectV2ItemById", input, "item { id }").await["item"]["id"].clone());
    }
    let draft = json!({ "projectId": board.id, "title": "think", "body": "first" });
    let made = board.does("addProjectV2DraftIssue", draft, "projectItem { id }").await;
    items.push(made["projectItem"]["id"].clone());
    for (name, kind, value) in [
        ("Notes", "TEXT", json!({ "text": "words" })),
        ("Points", "NUMBER", json!({ "number": 2.5 })),
        ("Due", "DATE", json!({ "date": "2026-02-28" })),
    ] {
        let input = json!({ "projectId": board.id, "name": name, "dataType": kind });
        let selection = "projectV2Field { ... on ProjectV2Field { id } }";
        let field = board.does("createProjectV2Field", input, selection).await;
        write(&board, &items, &field["projectV2Field"]["id"], &value).await;
    }
    let status = "query($id: ID!) { node(id: $id) { ... on ProjectV2 { field(name: \"Status\") {
        ... on ProjectV2SingleSelectField { id } } } } }";
    let field = world.data(&world.admin, status, json!({ "id": board.id })).await;
    let value = json!({ "singleSelectOptionId": "98236657" });
    write(&board, &items, &field["node"]["field"]["id"], &value).await;
    boards_elsewhere(world, &board).await;
}

async fn write(board: &Board<'_>, items: &[Value], field: &Value, value: &Value) {
    for item in items {
        let input = json!({ "projectId": board.id, "itemId": item, "fieldId": field, "value": value });
        board.does("updateProjectV2ItemFieldValue", input, "projectV2Item { id }").await;
    }
}

/// A board of a repository, and one of a person that is closed.
async fn boards_elsewhere(world: &World, board: &Board<'_>) {
    let repo = world.get(REPO).await["node_id"].clone();
    let link = json!({ "projectId": board.id, "repositoryId": repo });
    board.does("linkProjectV2ToRepository", link, "repository { id }").await;
    let owner = world.data(&world.admin, "{ viewer { id } }", json!({})).await["viewer"]["id"].clone();
    let copy =
        json!({ "projectId": board.id, "ownerId": owner, "title": "copy", "includeDraftIssues": true });
    let copied = board.does("copyProjectV2", copy, "projectV2 { id }").await;
    let close = json!({ "projectId": copied["projectV2"]["id"], "closed": true, "readme": "r", "shortDescription": "s" });
    board.does("updateProjectV2", close, "projectV2 { closed }").await;
}
