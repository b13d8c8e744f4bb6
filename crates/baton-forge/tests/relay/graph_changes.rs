//! Mutations of issues and refs, each seen in what REST and git say afterwards.

use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

impl World {
    /// Carries out a mutation that must succeed; returns its payload.
    pub(crate) async fn change(&self, token: &str, name: &str, input: Value, payload: &str) -> Value {
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let query = format!("mutation($i: {kind}!) {{ {name}(input: $i) {{ {payload} }} }}");
        self.data(token, &query, json!({ "i": input })).await[name].clone()
    }

    /// Carries out a mutation that must be refused; returns the first error.
    pub(crate) async fn refused(&self, token: &str, name: &str, input: Value) -> Value {
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let query = format!("mutation($i: {kind}!) {{ {name}(input: $i) {{ clientMutationId }} }}");
        let answer = self.graph(token, &query, json!({ "i": input })).await;
        assert!(answer["errors"].is_array(), "{name}: {answer}");
        answer["errors"][0].clone()
    }

    pub(crate) async fn issue(&self, title: &str) -> Value {
        self.ok(&self.ada, "POST", &format!("{REPO}/issues"), json!({ "title": title })).await
    }

    pub(crate) async fn repo_id(&self) -> Value {
        self.get(REPO).await["node_id"].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_come_and_go_by_their_ids() {
    let world = World::new().await;
    let issue = world.issue("one").await["node_id"].clone();
    let mut ids = Vec::new();
    for name in ["bug", "question"] {
        ids.push(world.get(&format!("{REPO}/labels/{name}")).await["node_id"].clone());
    }
    let shown = "labelable { __typename labels(first: 9) { nodes { name } } }";
    let names = |payload: &Value| payload["labelable"]["labels"]["nodes"].clone();
    let input = json!({ "labelableId": issue, "labelIds": ids });
    let added = world.change(&world.bob, "addLabelsToLabelable", input.clone(), shown).await;
    assert_eq!(names(&added), json!([{ "name": "bug" }, { "name": "question" }]));
    assert_eq!(world.refused(&world.eve, "addLabelsToLabelable", input).await["type"], "FORBIDDEN");
    for _ in 0..2 {
        let input = json!({ "labelableId": issue, "labelIds": [ids[0]] });
        let left = world.change(&world.bob, "removeLabelsFromLabelable", input, shown).await;
        assert_eq!(names(&left), json!([{ "name": "question" }]));
    }
    let cleared =
        world.change(&world.bob, "clearLabelsFromLabelable", json!({ "labelableId": issue }), shown).await;
    assert_eq!(names(&cleared), json!([]));
    let unknown = json!({ "labelableId": issue, "labelIds": ["LA_AAAAAAAAA_8"] });
    assert_eq!(world.refused(&world.bob, "addLabelsToLabelable", unknown).await["type"], "NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_and_reactions_are_made_changed_and_taken_back() {
    let world = World::new().await;
    let issue = world.issue("one").await["node_id"].clone();
    let input = json!({ "subjectId": issue, "body": "hello" });
    let shown = "commentEdge { cursor node { id body } } timelineEdge { node { __typename } } subject { id }";
    let made = world.change(&world.bob, "addComment", input, shown).await;
    assert_eq!(made["commentEdge"]["node"]["body"], "hello");
    assert_eq!(
        (&made["timelineEdge"]["node"]["__typename"], &made["subject"]["id"]),
        (&json!("IssueComment"), &issue)
    );
    let comment = made["commentEdge"]["node"]["id"].clone();
    let input = json!({ "id": comment, "body": "changed" });
    let changed = world.change(&world.bob, "updateIssueComment", input, "issueComment { body }").await;
    assert_eq!(changed["issueComment"]["body"], "changed");
    let heart = json!({ "subjectId": comment, "content": "HEART" });
    let groups = "reaction { content user { login } } reactionGroups { content reactors { totalCount } viewerHasReacted }";
    let reacted = world.change(&world.ada, "addReaction", heart.clone(), groups).await;
    assert_eq!(reacted["reaction"], json!({ "content": "HEART", "user": { "login": "ada" } }));
    let hearts = json!({ "content": "HEART", "reactors": { "totalCount": 1 }, "viewerHasReacted": true });
    assert!(reacted["reactionGroups"].as_array().unwrap().contains(&hearts));
    let gone = world.change(&world.ada, "removeReaction", heart, groups).await;
    assert_eq!(gone["reactionGroups"].as_array().unwrap().len(), 8);
    assert!(!gone["reactionGroups"].as_array().unwrap().contains(&hearts));
    let input = json!({ "id": comment });
    assert_eq!(world.refused(&world.eve, "deleteIssueComment", input.clone()).await["type"], "FORBIDDEN");
    world.change(&world.bob, "deleteIssueComment", input, "clientMutationId").await;
    assert_eq!(world.get(&format!("{REPO}/issues/1/comments")).await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_lives_from_its_creation_to_its_deletion() {
    let world = World::new().await;
    let bob = world.ok(&world.bob, "GET", "/user", Value::Null).await["node_id"].clone();
    let parent = world.issue("parent").await;
    let input = json!({ "repositoryId": world.repo_id().await, "title": "made", "body": "b", "assigneeIds": [bob], "parentIssueId": parent["node_id"] });
    let shown = "issue { id number parent { number } assignees(first: 5) { nodes { login } } }";
    let made = world.change(&world.ada, "createIssue", input, shown).await["issue"].clone();
    assert_eq!((&made["number"], &made["parent"]["number"]), (&json!(2), &json!(1)));
    assert_eq!(made["assignees"]["nodes"], json!([{ "login": "bob" }]));
    let id = made["id"].clone();
    let input = json!({ "id": id, "title": "other", "assigneeIds": [] });
    let changed = world
        .change(&world.ada, "updateIssue", input, "issue { title assignees(first: 1) { totalCount } }")
        .await;
    assert_eq!(changed["issue"], json!({ "title": "other", "assignees": { "totalCount": 0 } }));
    let close = json!({ "issueId": id, "stateReason": "NOT_PLANNED" });
    let closed = world.change(&world.ada, "closeIssue", close, "issue { state stateReason closed }").await;
    assert_eq!(closed["issue"], json!({ "state": "CLOSED", "stateReason": "NOT_PLANNED", "closed": true }));
    let opened = world.change(&world.ada, "reopenIssue", json!({ "issueId": id }), "issue { state }").await;
    assert_eq!(opened["issue"]["state"], "OPEN");
    let lock = json!({ "lockableId": id, "lockReason": "OFF_TOPIC" });
    let locked =
        world.change(&world.ada, "lockLockable", lock, "lockedRecord { locked activeLockReason }").await;
    assert_eq!(locked["lockedRecord"], json!({ "locked": true, "activeLockReason": "OFF_TOPIC" }));
    world
        .change(&world.ada, "unlockLockable", json!({ "lockableId": id }), "unlockedRecord { locked }")
        .await;
    world.ok(&world.ada, "POST", &format!("{REPO}/issues/2/comments"), json!({ "body": "c" })).await;
    let delete = json!({ "issueId": id });
    assert_eq!(world.refused(&world.ada, "deleteIssue", delete.clone()).await["type"], "FORBIDDEN");
    world.change(&world.admin, "deleteIssue", delete.clone(), "repository { nameWithOwner }").await;
    assert_eq!(world.refused(&world.admin, "deleteIssue", delete).await["type"], "NOT_FOUND");
    let (status, _) = world.ask(&world.ada, "GET", &format!("{REPO}/issues/2"), Value::Null).await;
    assert_eq!(status, 404);
    assert_eq!(world.get(&format!("{REPO}/issues?state=all")).await.as_array().unwrap().len(), 1);
    assert_eq!(world.get(&format!("{REPO}/issues/1/timeline")).await.as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_three_issues_are_pinned_at_once() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for title in ["a", "b", "c", "d"] {
        ids.push(world.issue(title).await["node_id"].clone());
    }
    for id in &ids[..3] {
        world.change(&world.ada, "pinIssue", json!({ "issueId": id }), "issue { isPinned }").await;
    }
    assert_eq!(
        world.refused(&world.ada, "pinIssue", json!({ "issueId": ids[3] })).await["type"],
        "UNPROCESSABLE"
    );
    let gone =
        world.change(&world.ada, "unpinIssue", json!({ "issueId": ids[0] }), "id issue { isPinned }").await;
    assert_eq!(gone["issue"]["isPinned"], false);
    world.change(&world.ada, "pinIssue", json!({ "issueId": ids[3] }), "issue { isPinned }").await;
    let pinned = "{ repository(owner: \"acme\", name: \"web\") { pinnedIssues(first: 3) { nodes { issue { title } } } } }";
    let data = world.data(&world.ada, pinned, json!({})).await;
    let titles =
        json!([{ "issue": { "title": "b" } }, { "issue": { "title": "c" } }, { "issue": { "title": "d" } }]);
    assert_eq!(data["repository"]["pinnedIssues"]["nodes"], titles);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_between_issues_are_made_ordered_and_cut() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for title in ["parent", "first", "second"] {
        ids.push(world.issue(title).await["node_id"].clone());
    }
    let children = "issue { subIssues(first: 5) { nodes { title } } subIssuesSummary { total completed percentCompleted } }";
    for child in &ids[1..] {
        world
            .change(
                &world.ada,
                "addSubIssue",
                json!({ "issueId": ids[0], "subIssueId": child }),
                "issue { id }",
            )
            .await;
    }
    let input = json!({ "issueId": ids[0], "subIssueId": ids[2], "beforeId": ids[1] });
    let moved = world.change(&world.ada, "reprioritizeSubIssue", input, children).await;
    assert_eq!(moved["issue"]["subIssues"]["nodes"], json!([{ "title": "second" }, { "title": "first" }]));
    let cut = json!({ "issueId": ids[0], "subIssueId": ids[2] });
    let left = world.change(&world.ada, "removeSubIssue", cut, children).await;
    assert_eq!(
        left["issue"]["subIssuesSummary"],
        json!({ "total": 1, "completed": 0, "percentCompleted": 0 })
    );
    let block = json!({ "issueId": ids[1], "blockingIssueId": ids[2] });
    let shown = "issue { blockedBy(first: 5) { nodes { title } } } blockingIssue { blocking(first: 5) { totalCount } }";
    let blocked = world.change(&world.ada, "addBlockedBy", block.clone(), shown).await;
    assert_eq!(blocked["issue"]["blockedBy"]["nodes"], json!([{ "title": "second" }]));
    assert_eq!(blocked["blockingIssue"]["blocking"]["totalCount"], 1);
    let circle = json!({ "issueId": ids[2], "blockingIssueId": ids[1] });
    assert_eq!(world.refused(&world.ada, "addBlockedBy", circle).await["type"], "UNPROCESSABLE");
    let free = world.change(&world.ada, "removeBlockedBy", block, shown).await;
    assert_eq!(free["issue"]["blockedBy"]["nodes"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_refs_move_together_or_not_at_all() {
    let world = World::new().await;
    let zero = "0".repeat(40);
    let (repo, next) = (world.repo_id().await, world.branch("next", "a.txt", "a\n"));
    let other = world.branch("other", "b.txt", "b\n");
    let main = world.get(&format!("{REPO}/git/ref/heads/main")).await["object"]["sha"].clone();
    let send = |updates: Value| json!({ "repositoryId": repo, "refUpdates": updates });
    let make = json!([{ "name": "refs/heads/x", "beforeOid": zero, "afterOid": main }, { "name": "refs/baton/y", "afterOid": main }]);
    world.change(&world.ada, "updateRefs", send(make.clone()), "clientMutationId").await;
    let at = async |name: &str| {
        world.ask(&world.ada, "GET", &format!("{REPO}/git/ref/{name}"), Value::Null).await.1["object"]["sha"]
            .clone()
    };
    assert_eq!((at("heads/x").await, at("baton/y").await), (main.clone(), main.clone()));
    // One expectation is wrong, so neither moves.
    let half = json!([{ "name": "refs/heads/x", "beforeOid": main, "afterOid": next }, { "name": "refs/baton/y", "beforeOid": other, "afterOid": next }]);
    assert_eq!(world.refused(&world.ada, "updateRefs", send(half)).await["type"], "UNPROCESSABLE");
    assert_eq!((at("heads/x").await, at("baton/y").await), (main.clone(), main.clone()));
    assert_eq!(world.refused(&world.ada, "updateRefs", send(make)).await["type"], "UNPROCESSABLE");
    let both = json!([{ "name": "refs/heads/x", "beforeOid": main, "afterOid": next }, { "name": "refs/baton/y", "afterOid": next }]);
    world.change(&world.ada, "updateRefs", send(both), "clientMutationId").await;
    assert_eq!((at("heads/x").await, at("baton/y").await), (json!(next), json!(next)));
    let aside = |force: bool| send(json!([{ "name": "refs/heads/x", "afterOid": other, "force": force }]));
    assert_eq!(world.refused(&world.ada, "updateRefs", aside(false)).await["type"], "UNPROCESSABLE");
    world.change(&world.ada, "updateRefs", aside(true), "clientMutationId").await;
    assert_eq!(at("heads/x").await, json!(other));
    assert_eq!(world.refused(&world.eve, "updateRefs", aside(true)).await["type"], "FORBIDDEN");
    let gone = json!([{ "name": "refs/heads/x", "beforeOid": other, "afterOid": zero }]);
    world.change(&world.ada, "updateRefs", send(gone), "clientMutationId").await;
    assert_eq!(at("heads/x").await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_is_made_moved_and_deleted_by_its_id() {
    let world = World::new().await;
    let next = world.branch("next", "a.txt", "a\n");
    let main = world.get(&format!("{REPO}/git/ref/heads/main")).await["object"]["sha"].clone();
    let input = json!({ "repositoryId": world.repo_id().await, "name": "refs/heads/x", "oid": main });
    let shown = "ref { id name prefix target { oid ... on Commit { messageHeadline history(first: 1) { totalCount } } } }";
    let made = world.change(&world.ada, "createRef", input, shown).await["ref"].clone();
    assert_eq!(
        (&made["name"], &made["prefix"], &made["target"]["oid"]),
        (&json!("x"), &json!("refs/heads/"), &main)
    );
    let rest = world.get(&format!("{REPO}/git/ref/heads/x")).await["node_id"].clone();
    assert_eq!(rest, made["id"]);
    let moved = world.change(&world.ada, "updateRef", json!({ "refId": rest, "oid": next }), shown).await;
    assert_eq!(
        (&moved["ref"]["target"]["oid"], &moved["ref"]["target"]["history"]["totalCount"]),
        (&json!(next), &json!(2))
    );
    world.change(&world.ada, "deleteRef", json!({ "refId": rest }), "clientMutationId").await;
    let (status, _) = world.ask(&world.ada, "GET", &format!("{REPO}/git/ref/heads/x"), Value::Null).await;
    assert_eq!(status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_is_transferred_with_its_comments_and_keeps_labels_that_exist_there() {
    let world = World::new().await;
    let other = world.ok(&world.admin, "POST", "/orgs/acme/repos", json!({ "name": "other" })).await;
    let fields = json!({ "title": "to move", "labels": ["bug", "only here"] });
    let issue = world.ok(&world.admin, "POST", &format!("{REPO}/issues"), fields).await;
    world.ok(&world.admin, "POST", &format!("{REPO}/issues/1/comments"), json!({ "body": "along" })).await;
    let mutation = "mutation($i: ID!, $r: ID!) { transferIssue(input: { issueId: $i, repositoryId: $r }) {
        issue { number repository { name } labels(first: 5) { nodes { name } } comments(first: 5) { nodes { body } } } } }";
    let variables = json!({ "i": issue["node_id"], "r": other["node_id"] });
    let refused = world.graph(&world.eve, mutation, variables.clone()).await;
    assert_eq!(refused["errors"][0]["type"], "FORBIDDEN", "{refused}");
    let moved = world.data(&world.admin, mutation, variables).await;
    let expected = json!({
        "number": 1,
        "repository": { "name": "other" },
        "labels": { "nodes": [{ "name": "bug" }] },
        "comments": { "nodes": [{ "body": "along" }] },
    });
    assert_eq!(moved["transferIssue"]["issue"], expected);
    let (status, _) = world.ask(&world.admin, "GET", &format!("{REPO}/issues/1"), json!(null)).await;
    assert_eq!(status, 404);
    let counted = world.get("/repos/acme/other").await;
    assert_eq!(counted["open_issues_count"], 1);
    assert_eq!(world.get(REPO).await["open_issues_count"], 0);
}
