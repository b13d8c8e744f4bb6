//! What becomes of pull requests beside the plain merge: opened again, edited, their branches gone, a crash in between.

use serde_json::{Value, json};

use crate::receiver::Receiver;
use crate::world::{REPO, World};

#[tokio::test(flavor = "multi_thread")]
async fn neither_a_merged_pull_request_nor_one_without_its_branch_is_opened_again_as_an_issue() {
    let world = World::new().await;
    world.pull("first", "").await;
    world.pull("second", "").await;
    assert_eq!(world.merge(&world.ada, 1, json!({})).await.0, 200);
    world.ok(&world.ada, "DELETE", &format!("{REPO}/git/refs/heads/second"), Value::Null).await;
    for number in [1, 2] {
        for noun in ["issues", "pulls"] {
            let path = format!("{REPO}/{noun}/{number}");
            let (status, answer) = world.ask(&world.ada, "PATCH", &path, json!({ "state": "open" })).await;
            assert_eq!((status, &answer["errors"][0]["field"]), (422, &json!("state")), "{path}: {answer}");
            assert_eq!(world.get(&path).await["state"], "closed", "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_is_opened_again_as_an_issue_takes_up_its_branch_as_it_is_now() {
    let world = World::new().await;
    world.pull("topic", "").await;
    let path = format!("{REPO}/issues/1");
    world.ok(&world.ada, "PATCH", &path, json!({ "state": "closed" })).await;
    let clone = world.clone_as("more", &world.ada);
    clone.git(&["checkout", "-q", "topic"]);
    clone.commit("more.txt", "x\n");
    clone.git(&["push", "-q", "origin", "topic"]);
    let tip = clone.git(&["rev-parse", "HEAD"]);
    world.ok(&world.ada, "PATCH", &path, json!({ "state": "open" })).await;
    let pull = world.get(&format!("{REPO}/pulls/1")).await;
    assert_eq!((&pull["state"], &pull["head"]["sha"]), (&json!("open"), &json!(tip)));
    assert!(clone.git(&["ls-remote", "origin", "refs/pull/1/head"]).starts_with(&tip));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_pull_request_is_told_once_with_everything_that_it_changed() {
    let world = World::new().await;
    let pull = world.pull("topic", "old").await;
    world.branch("other", "other.txt", "x\n");
    let receiver = Receiver::start().await;
    receiver.hook(&world, REPO, "/edits", &["pull_request"]).await;
    let path = format!("{REPO}/pulls/1");
    let edit = json!({ "title": "new", "body": "text", "base": "other" });
    world.ok(&world.ada, "PATCH", &path, edit).await;
    world.ok(&world.ada, "PATCH", &path, json!({ "state": "closed" })).await;
    let all = receiver.wait(&world, "/edits", 2).await;
    let names: Vec<String> = all.iter().map(crate::receiver::Received::name).collect();
    assert_eq!(names, ["pull_request.edited", "pull_request.closed"]);
    let expected = json!({
        "title": { "from": "topic" },
        "body": { "from": "old" },
        "base": { "ref": { "from": "main" }, "sha": { "from": pull["base"]["sha"] } },
    });
    assert_eq!(all[0].json()["changes"], expected);
}
