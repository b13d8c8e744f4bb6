//! What becomes of pull requests beside the plain merge: opened again, edited, their branches gone, a crash in between.

use std::path::PathBuf;

use baton_fixtures::git::git;
use serde_json::{Value, json};

use crate::relay::auto_merge::{ENABLE, waiting};
use crate::relay::pulls::closing;
use crate::relay::receiver::{Received, Receiver};
use crate::relay::threads::threads;
use crate::relay::world::{REPO, World};

fn names(received: &[Received]) -> Vec<String> {
    received.iter().map(Received::name).collect()
}

/// Opens a pull request from a new branch on top of another, into that, as Ada.
async fn stacked(world: &World, name: &str, below: &str, body: &str) -> Value {
    let clone = world.clone_as(&format!("stack-{name}"), &world.ada);
    clone.git(&["checkout", "-q", "-b", name, &format!("origin/{below}")]);
    clone.commit(&format!("{name}.txt"), "one\ntwo\n");
    clone.git(&["push", "-q", "origin", name]);
    let fields = json!({ "title": name, "head": name, "base": below, "body": body });
    world.ok(&world.ada, "POST", &format!("{REPO}/pulls"), fields).await
}

async fn events(world: &World, number: &Value) -> Vec<Value> {
    let events = world.get(&format!("{REPO}/issues/{number}/events")).await;
    events.as_array().unwrap().iter().map(|event| event["event"].clone()).collect()
}

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
    assert_eq!(names(&all), ["pull_request.edited", "pull_request.closed"]);
    let expected = json!({
        "title": { "from": "topic" },
        "body": { "from": "old" },
        "base": { "ref": { "from": "main" }, "sha": { "from": pull["base"]["sha"] } },
    });
    assert_eq!(all[0].json()["changes"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_whose_base_goes_unmerged_is_closed_and_stays_so() {
    let world = World::new().await;
    world.branch("below", "below.txt", "x\n");
    stacked(&world, "above", "below", "").await;
    let clone = world.clone_as("remover", &world.ada);
    clone.git(&["push", "-q", "origin", ":below"]);
    let path = format!("{REPO}/pulls/1");
    let pull = world.get(&path).await;
    assert_eq!((&pull["state"], &pull["merged"]), (&json!("closed"), &json!(false)));
    assert_eq!(pull["base"]["ref"], "below");
    assert_eq!(events(&world, &json!(1)).await, ["closed"]);
    assert_eq!(world.ask(&world.ada, "PATCH", &path, json!({ "state": "open" })).await.0, 422);
    clone.git(&["push", "-q", "origin", "origin/main:refs/heads/below"]);
    assert_eq!(world.ok(&world.ada, "PATCH", &path, json!({ "state": "open" })).await["state"], "open");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_on_a_merged_branch_that_goes_is_turned_in_full() {
    let world = World::new().await;
    world.ok(&world.ada, "POST", &format!("{REPO}/issues"), json!({ "title": "bug" })).await;
    let below = world.pull("below", "").await;
    let above = stacked(&world, "above", "below", "Closes #1").await;
    let clone = world.clone_as("edit", &world.ada);
    clone.git(&["checkout", "-q", "above"]);
    clone.commit("below.txt", "ONE\ntwo\nthree\n");
    clone.git(&["push", "-q", "origin", "above"]);
    let tip = clone.git(&["rev-parse", "HEAD"]);
    // Of these lines the second is only in the old base.
    for (path, side, line) in [("above.txt", "RIGHT", 2), ("below.txt", "LEFT", 1)] {
        let comment = json!({ "path": path, "body": "b", "commit_id": tip, "line": line, "side": side });
        world.ok(&world.bob, "POST", &format!("{REPO}/pulls/{}/comments", above["number"]), comment).await;
    }
    assert_eq!(closing(&world, &above).await, json!([]));
    let receiver = Receiver::start().await;
    let squash = json!({ "merge_method": "squash" });
    assert_eq!(world.merge(&world.ada, below["number"].as_u64().unwrap(), squash).await.0, 200);
    receiver.hook(&world, REPO, "/turned", &["pull_request"]).await;
    world.ok(&world.bob, "DELETE", &format!("{REPO}/git/refs/heads/below"), Value::Null).await;
    let turned = world.get(&format!("{REPO}/pulls/{}", above["number"])).await;
    let main = world.get(&format!("{REPO}/commits/main")).await;
    assert_eq!((&turned["state"], &turned["base"]["ref"]), (&json!("open"), &json!("main")));
    assert_eq!(turned["base"]["sha"], main["sha"]);
    assert_eq!(closing(&world, &above).await, json!([1]));
    assert_eq!(events(&world, &above["number"]).await, ["base_ref_changed"]);
    let threads = threads(&world, &above).await;
    assert_eq!((&threads[0]["isOutdated"], &threads[0]["line"]), (&json!(false), &json!(2)));
    assert_eq!(threads[1]["isOutdated"], true);
    let told = receiver.wait(&world, "/turned", 1).await;
    assert_eq!(names(&told), ["pull_request.edited"]);
    let expected = json!({ "base": { "ref": { "from": "below" }, "sha": { "from": above["base"]["sha"] } } });
    assert_eq!(told[0].json()["changes"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_is_merged_and_removed_by_one_push_turns_what_stands_on_it() {
    let world = World::new().await;
    world.pull("below", "").await;
    stacked(&world, "above", "below", "").await;
    let clone = world.clone_as("merger", &world.bob);
    clone.git(&["merge", "-q", "--no-ff", "-m", "by hand", "origin/below"]);
    clone.git(&["push", "-q", "--atomic", "origin", "main", ":below"]);
    assert_eq!(world.get(&format!("{REPO}/pulls/1")).await["merged"], true);
    let turned = world.get(&format!("{REPO}/pulls/2")).await;
    assert_eq!((&turned["state"], &turned["base"]["ref"]), (&json!("open"), &json!("main")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_base_says_that_it_turns_auto_merge_off() {
    let (world, pull) = waiting().await;
    world.branch("other", "other.txt", "x\n");
    world.data(&world.ada, ENABLE, json!({ "i": { "pullRequestId": pull["node_id"] } })).await;
    let receiver = Receiver::start().await;
    receiver.hook(&world, REPO, "/off", &["pull_request"]).await;
    world.ok(&world.ada, "PATCH", &format!("{REPO}/pulls/1"), json!({ "base": "other" })).await;
    let mut told = names(&receiver.wait(&world, "/off", 2).await);
    told.sort();
    assert_eq!(told, ["pull_request.auto_merge_disabled", "pull_request.edited"]);
    let events = events(&world, &json!(1)).await;
    assert!(events.contains(&json!("auto_merge_disabled")), "{events:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_by_push_does_not_say_that_auto_merge_was_turned_off() {
    let (world, pull) = waiting().await;
    world.data(&world.ada, ENABLE, json!({ "i": { "pullRequestId": pull["node_id"] } })).await;
    let clone = world.clone_as("merger", &world.admin);
    clone.git(&["merge", "-q", "--no-ff", "-m", "by hand", "origin/feature"]);
    clone.git(&["push", "-q", "origin", "main"]);
    let merged = world.get(&format!("{REPO}/pulls/1")).await;
    assert_eq!((&merged["merged"], &merged["auto_merge"]), (&json!(true), &Value::Null));
    // What was closed while it waited is looked at in the order of the pull requests: the second comes after the first.
    let later = world.pull("later", "").await;
    world.data(&world.ada, ENABLE, json!({ "i": { "pullRequestId": later["node_id"] } })).await;
    world.ok(&world.ada, "PATCH", &format!("{REPO}/pulls/2"), json!({ "state": "closed" })).await;
    world
        .eventually("the second is turned off", async |world: &World| {
            events(world, &json!(2)).await.contains(&json!("auto_merge_disabled")).then_some(())
        })
        .await;
    let events = events(&world, &json!(1)).await;
    assert!(!events.contains(&json!("auto_merge_disabled")), "{events:?}");
}

/// Writes down that Bob was about to squash the only pull request; returns the commit that `main` was to move to.
fn intend_squash(world: &World, pull: &Value) -> String {
    let bare = bare(world);
    let tree = format!("{}^{{tree}}", pull["head"]["sha"].as_str().unwrap());
    let to = git(&bare, &["commit-tree", &tree, "-p", "refs/heads/main", "-m", "squashed"]);
    let from = git(&bare, &["rev-parse", "refs/heads/main"]);
    let sql = "INSERT INTO merge_intents (pull_id, from_oid, to_oid, method, by_id, created_at)
        SELECT p.id, ?1, ?2, 'squash', a.id, 1000 FROM pulls p, accounts a WHERE a.login = 'bob'";
    assert_eq!(tables(world).execute(sql, [&from, &to]).unwrap(), 1);
    to
}

fn bare(world: &World) -> PathBuf {
    let repos = world.directory().join("forge/repos");
    std::fs::read_dir(repos).unwrap().next().unwrap().unwrap().path()
}

fn tables(world: &World) -> rusqlite::Connection {
    rusqlite::Connection::open(world.directory().join("forge/forge.db")).unwrap()
}

fn intents(world: &World) -> i64 {
    tables(world).query_row("SELECT count(*) FROM merge_intents", [], |row| row.get(0)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_squash_that_a_crash_cut_in_two_is_finished_at_the_next_start() {
    let world = World::new().await;
    world.ok(&world.ada, "POST", &format!("{REPO}/issues"), json!({ "title": "bug" })).await;
    let pull = world.pull("topic", "Closes #1").await;
    let to = intend_squash(&world, &pull);
    git(&bare(&world), &["update-ref", "refs/heads/main", &to]);
    let world = world.restart(|_| {}).await;
    let merged = world.get(&format!("{REPO}/pulls/2")).await;
    assert_eq!((&merged["merged"], &merged["state"]), (&json!(true), &json!("closed")));
    assert_eq!((&merged["merged_by"]["login"], &merged["merge_commit_sha"]), (&json!("bob"), &json!(to)));
    assert_eq!(world.get(&format!("{REPO}/issues/1")).await["state"], "closed");
    assert_eq!(world.get(&format!("{REPO}/commits/main")).await["sha"], json!(to));
    assert_eq!(intents(&world), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_that_had_not_moved_its_base_before_a_crash_is_forgotten() {
    let world = World::new().await;
    let pull = world.pull("topic", "").await;
    intend_squash(&world, &pull);
    let world = world.restart(|_| {}).await;
    let open = world.get(&format!("{REPO}/pulls/1")).await;
    assert_eq!((&open["merged"], &open["state"]), (&json!(false), &json!("open")));
    assert_eq!(intents(&world), 0);
    assert_eq!(world.merge(&world.ada, 1, json!({ "merge_method": "squash" })).await.0, 200);
    assert_eq!(intents(&world), 0);
}
