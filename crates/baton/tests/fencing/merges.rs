//! A merge names the head that it means, so a stale holder cannot merge what a successor has pushed.

use baton_core::tracker::Merge;
use baton_engine::claims::FencedMerge;
use serde_json::{Value, json};

use crate::fencing::{LONG_TTL_S, REPO, World, issue};

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_holders_merge_is_refused_once_the_successor_has_pushed() {
    let world = World::new().await;
    let (stale, successor) = (world.machine("ada", LONG_TTL_S), world.machine("bob", LONG_TTL_S));
    let epoch = stale.claim();
    let known = stale.commit("a.txt");
    stale.must_push();
    let lease = stale.lease();
    let body = json!({ "title": "Topic", "head": "topic", "base": "main", "body": "Closes #1" });
    let pull = world.client.must("POST", &format!("{REPO}/pulls"), &body, 201).await;
    let pull = pull["number"].as_u64().unwrap();
    world.turn_clock_to(LONG_TTL_S + 60).await;
    assert_eq!(successor.claim(), epoch + 1);
    successor.follow_topic();
    let head = successor.commit("b.txt");
    successor.must_push();
    let main = world.tip("refs/heads/main").await;
    let refused = stale.fleet().claims.merge(&issue(), &lease, pull, known.as_str()).await.unwrap();
    assert_eq!(refused, FencedMerge::Asked(Merge::HeadMoved));
    let shown = world.client.must("GET", &format!("{REPO}/pulls/{pull}"), &Value::Null, 200).await;
    assert_eq!((&shown["merged"], &shown["state"]), (&json!(false), &json!("open")));
    assert_eq!(world.tip("refs/heads/main").await, main, "nothing was merged");
    let merged =
        successor.fleet().claims.merge(&issue(), &successor.lease(), pull, head.as_str()).await.unwrap();
    assert!(matches!(merged, FencedMerge::Asked(Merge::Merged(_))), "{merged:?}");
}
