//! A merge names the head that it means, so a stale holder cannot merge what a successor has pushed.

use baton_core::tracker::Merge;
use baton_engine::claims::FencedMerge;
use serde_json::json;

use crate::fencing::{LONG_TTL_S, PAST_LEASE_S, Setup, issue};

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_holders_merge_is_refused_once_the_successor_has_pushed() {
    let setup = Setup::new().await;
    let (stale, successor) = (setup.machine("ada", LONG_TTL_S), setup.machine("bob", LONG_TTL_S));
    let epoch = stale.claim();
    let known = stale.commit("a.txt");
    stale.push(&[]).exits(0);
    let lease = stale.lease();
    let body = json!({ "title": "Topic", "head": "topic", "base": "main", "body": "Closes #1" });
    let pull = setup.repo.post("/pulls", body).await;
    let pull = pull["number"].as_u64().unwrap();
    setup.forge.shift_clock(PAST_LEASE_S).await;
    assert_eq!(successor.claim(), epoch + 1);
    successor.follow_topic();
    let head = successor.commit("b.txt");
    successor.push(&[]).exits(0);
    let main = setup.repo.tip("refs/heads/main").await;
    let refused = stale.fleet().claims.merge(&issue(), &lease, pull, known.as_str()).await.unwrap();
    assert_eq!(refused, FencedMerge::Asked(Merge::HeadMoved));
    let shown = setup.repo.get(&format!("/pulls/{pull}")).await;
    assert_eq!((&shown["merged"], &shown["state"]), (&json!(false), &json!("open")));
    assert_eq!(setup.repo.tip("refs/heads/main").await, main, "nothing was merged");
    let merged =
        successor.fleet().claims.merge(&issue(), &successor.lease(), pull, head.as_str()).await.unwrap();
    assert!(matches!(merged, FencedMerge::Asked(Merge::Merged(_))), "{merged:?}");
}
