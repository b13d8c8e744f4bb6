//! Review comments and their threads: places in the difference, followed through pushes.

use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

const THREADS: &str = "query($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 20) { nodes {
    id isResolved isOutdated line originalLine startLine path resolvedBy { login } comments(first: 9) { totalCount
    nodes { databaseId body replyTo { databaseId } } } } } } } }";

pub(crate) async fn threads(world: &World, pull: &Value) -> Vec<Value> {
    let data = world.data(&world.ada, THREADS, json!({ "id": pull["node_id"] })).await;
    data["node"]["reviewThreads"]["nodes"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_stands_where_the_real_difference_has_its_line() {
    let world = World::new().await;
    let pull = world.pull("topic", "").await;
    let path = format!("{REPO}/pulls/{}/comments", pull["number"]);
    let at = |line: Value| json!({ "path": "topic.txt", "body": "b", "commit_id": pull["head"]["sha"], "line": line });
    let comment = world.ok(&world.bob, "POST", &path, at(json!(3))).await;
    assert_eq!(
        (&comment["position"], &comment["line"], &comment["side"]),
        (&json!(3), &json!(3), &json!("RIGHT"))
    );
    assert_eq!(comment["diff_hunk"], "@@ -0,0 +1,3 @@\n+one\n+two\n+three");
    let by_position =
        json!({ "path": "topic.txt", "body": "b", "commit_id": pull["head"]["sha"], "position": 1 });
    assert_eq!(world.ok(&world.bob, "POST", &path, by_position).await["line"], 1);
    let mut range = at(json!(3));
    range["start_line"] = json!(1);
    let comment = world.ok(&world.bob, "POST", &path, range).await;
    assert_eq!((&comment["start_line"], &comment["start_side"]), (&json!(1), &json!("RIGHT")));
    let file =
        json!({ "path": "topic.txt", "body": "b", "commit_id": pull["head"]["sha"], "subject_type": "file" });
    assert_eq!(world.ok(&world.bob, "POST", &path, file).await["subject_type"], "file");
    for (field, value) in
        [("line", json!(9)), ("path", json!("none.txt")), ("start_line", json!(3)), ("line", Value::Null)]
    {
        let mut wrong = at(json!(3));
        wrong[field] = value;
        let (status, answer) = world.ask(&world.bob, "POST", &path, wrong).await;
        assert_eq!(status, 422, "{field}: {answer}");
    }
    assert_eq!(world.get(&path).await.as_array().unwrap().len(), 4);
    assert_eq!(world.get(&format!("{REPO}/pulls/{}", pull["number"])).await["review_comments"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_moves_threads_along_and_outdates_those_whose_line_is_gone() {
    let world = World::new().await;
    let pull = world.pull("topic", "").await;
    let path = format!("{REPO}/pulls/{}/comments", pull["number"]);
    for line in [1, 2, 3] {
        let comment =
            json!({ "path": "topic.txt", "body": "b", "commit_id": pull["head"]["sha"], "line": line });
        world.ok(&world.bob, "POST", &path, comment).await;
    }
    let clone = world.clone_as("pusher", &world.ada);
    clone.git(&["checkout", "-q", "topic"]);
    clone.commit("topic.txt", "zero\none\nTWO\nthree\n");
    clone.git(&["push", "-q", "origin", "topic"]);
    let found = threads(&world, &pull).await;
    let lines: Vec<_> =
        found.iter().map(|thread| (thread["isOutdated"].clone(), thread["line"].clone())).collect();
    assert_eq!(lines, [(json!(false), json!(2)), (json!(true), Value::Null), (json!(false), json!(4))]);
    assert_eq!(found[2]["originalLine"], 3);
    let comments = world.get(&path).await;
    assert_eq!((comments[1].get("line"), comments[1].get("position")), (None, None));
    assert_eq!((&comments[2]["position"], &comments[2]["original_position"]), (&json!(4), &json!(3)));
    assert_eq!(comments[2]["commit_id"], clone.git(&["rev-parse", "HEAD"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_is_answered_settled_and_opened_again() {
    let world = World::new().await;
    let pull = world.pull("topic", "").await;
    let path = format!("{REPO}/pulls/{}/comments", pull["number"]);
    let comment = json!({ "path": "topic.txt", "body": "b", "commit_id": pull["head"]["sha"], "line": 1 });
    let comment = world.ok(&world.bob, "POST", &path, comment).await;
    let reply = world
        .ok(&world.ada, "POST", &format!("{path}/{}/replies", comment["id"]), json!({ "body": "r" }))
        .await;
    assert_eq!((&reply["in_reply_to_id"], &reply["line"]), (&comment["id"], &json!(1)));
    let thread = threads(&world, &pull).await.remove(0);
    assert_eq!(thread["comments"]["totalCount"], 2);
    let id = json!({ "i": { "threadId": thread["id"] } });
    let resolve = "mutation($i: ResolveReviewThreadInput!) { resolveReviewThread(input: $i) {
        thread { isResolved resolvedBy { login } viewerCanUnresolve } } }";
    let refused = world.graph(&world.eve, resolve, id.clone()).await;
    assert_eq!(refused["errors"][0]["type"], "FORBIDDEN");
    let data = world.data(&world.ada, resolve, id.clone()).await;
    let settled = json!({ "isResolved": true, "resolvedBy": { "login": "ada" }, "viewerCanUnresolve": true });
    assert_eq!(data["resolveReviewThread"]["thread"], settled);
    let answer =
        "mutation($i: AddPullRequestReviewThreadReplyInput!) { addPullRequestReviewThreadReply(input: $i) {
        comment { body replyTo { databaseId } } } }";
    let input = json!({ "i": { "pullRequestReviewThreadId": thread["id"], "body": "done" } });
    let data = world.data(&world.ada, answer, input).await;
    assert_eq!(data["addPullRequestReviewThreadReply"]["comment"]["replyTo"]["databaseId"], comment["id"]);
    let unresolve = "mutation($i: UnresolveReviewThreadInput!) { unresolveReviewThread(input: $i) { thread { isResolved } } }";
    let data = world.data(&world.bob, unresolve, id).await;
    assert_eq!(data["unresolveReviewThread"]["thread"]["isResolved"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_is_edited_reacted_to_and_deleted_with_what_it_leaves_empty() {
    let world = World::new().await;
    let pull = world.pull("topic", "").await;
    let path = format!("{REPO}/pulls/{}/comments", pull["number"]);
    let comment = json!({ "path": "topic.txt", "body": "b", "commit_id": pull["head"]["sha"], "line": 1 });
    let comment = world.ok(&world.bob, "POST", &path, comment).await;
    let own = format!("{REPO}/pulls/comments/{}", comment["id"]);
    let (status, _) = world.ask(&world.eve, "PATCH", &own, json!({ "body": "mine" })).await;
    assert_eq!(status, 403);
    assert_eq!(world.ok(&world.bob, "PATCH", &own, json!({ "body": "c" })).await["body"], "c");
    let reactions = format!("{own}/reactions");
    assert_eq!(world.ask(&world.ada, "POST", &reactions, json!({ "content": "eyes" })).await.0, 201);
    let (status, reaction) = world.ask(&world.ada, "POST", &reactions, json!({ "content": "eyes" })).await;
    assert_eq!(status, 200);
    assert_eq!(world.get(&own).await["reactions"]["eyes"], 1);
    world.ok(&world.ada, "DELETE", &format!("{reactions}/{}", reaction["id"]), Value::Null).await;
    assert_eq!(world.get(&reactions).await, json!([]));
    world.ok(&world.bob, "DELETE", &own, Value::Null).await;
    assert_eq!(threads(&world, &pull).await, Vec::<Value>::new());
    assert_eq!(world.get(&format!("{REPO}/pulls/{}/reviews", pull["number"])).await, json!([]));
}

const SAY: &str = "mutation($i: AddPullRequestReviewCommentInput!) { addPullRequestReviewComment(input: $i) {
    comment { body replyTo { databaseId } } } }";

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_stays_with_its_pull_request_and_outside_of_a_locked_conversation() {
    let world = World::new().await;
    let (pull, other) = (world.pull("topic", "").await, world.pull("other", "").await);
    let path = format!("{REPO}/pulls/{}/comments", pull["number"]);
    let comment = json!({ "path": "topic.txt", "body": "b", "commit_id": pull["head"]["sha"], "line": 1 });
    let comment = world.ok(&world.bob, "POST", &path, comment).await;
    let reply = |pull: &Value| {
        let fields =
            json!({ "pullRequestId": pull["node_id"], "inReplyTo": comment["node_id"], "body": "r" });
        json!({ "i": fields })
    };
    let begin = "mutation($i: AddPullRequestReviewInput!) { addPullRequestReview(input: $i) { pullRequestReview { id } } }";
    let review = world.data(&world.eve, begin, json!({ "i": { "pullRequestId": other["node_id"] } })).await;
    let review = &review["addPullRequestReview"]["pullRequestReview"]["id"];
    let by_review =
        json!({ "i": { "pullRequestReviewId": review, "inReplyTo": comment["node_id"], "body": "r" } });
    for input in [reply(&other), by_review] {
        let refused = world.graph(&world.eve, SAY, input.clone()).await;
        assert_eq!(refused["errors"][0]["type"], "NOT_FOUND", "{input}: {refused}");
    }
    let said = world.data(&world.eve, SAY, reply(&pull)).await;
    let said = &said["addPullRequestReviewComment"]["comment"];
    assert_eq!(said["replyTo"]["databaseId"], comment["id"]);

    world.ok(&world.ada, "PUT", &format!("{REPO}/issues/{}/lock", pull["number"]), Value::Null).await;
    let refused = world.graph(&world.eve, SAY, reply(&pull)).await;
    assert_eq!(refused["errors"][0]["type"], "FORBIDDEN", "a pending review does not open it: {refused}");
    let submit = "mutation($i: SubmitPullRequestReviewInput!) { submitPullRequestReview(input: $i) { clientMutationId } }";
    let input = json!({ "i": { "pullRequestId": pull["node_id"], "event": "COMMENT", "body": "mine" } });
    let refused = world.graph(&world.eve, submit, input).await;
    assert_eq!(refused["errors"][0]["type"], "FORBIDDEN", "{refused}");
    world.data(&world.bob, SAY, reply(&pull)).await;
    let found = threads(&world, &pull).await;
    assert_eq!(
        (found.len(), &found[0]["comments"]["totalCount"]),
        (1, &json!(1)),
        "what is pending is not shown"
    );
}
