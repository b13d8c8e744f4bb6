//! Reads that trail writes: that a comment is not there is believed only when it would have to be seen.

use std::time::Duration;

use baton_engine::outbox::Performed;
use baton_fixtures::TOKEN;
use serde_json::json;

use crate::outbox::effects::{MemoryEffects, comment};
use crate::outbox::setup::Setup;

const LAG_MS: u64 = 600;

/// Loses the answer to a comment while reads lag, and returns how often it is there in the end.
async fn said_while_reads_lag(visible_within: Duration) -> usize {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    memory.effects.decide(&issue, vec![comment("once")]).await;
    let mut outbox = memory.free(setup.github(TOKEN));
    outbox.visible_within = visible_within;
    let matching = json!({ "method": "POST", "path_contains": "/comments" });
    setup.forge.turn(json!({ "read_lag": { "min_ms": LAG_MS, "max_ms": LAG_MS } })).await;
    setup.forge.fault(matching, "after", json!("drop"), 0, Some(1)).await;
    let performed = memory.perform_due(&outbox).await;
    assert!(matches!(&performed[..], [Performed::Later(..)]), "{performed:?}");
    // As soon as it may be tried again; the store's clock must not run ahead of the forge's lag.
    memory.advance(Duration::from_secs(2));
    let performed = memory.perform_due(&outbox).await;
    assert!(matches!(&performed[..], [Performed::Done(_)]), "{performed:?}");
    setup.forge.calm().await;
    setup.marked(&issue).await.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_that_is_not_seen_yet_is_not_posted_again() {
    assert_eq!(said_while_reads_lag(Duration::from_millis(2 * LAG_MS)).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_wait_a_lagging_read_would_make_a_copy() {
    assert_eq!(said_while_reads_lag(Duration::ZERO).await, 2, "the test above could not fail");
}

/// Loses the answers of two tries one after another: the second's comment is as fresh as the first's is old.
#[tokio::test(flavor = "multi_thread")]
async fn the_wait_counts_from_the_last_try_and_not_from_the_first() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    memory.effects.decide(&issue, vec![comment("once")]).await;
    let mut outbox = memory.free(setup.github(TOKEN));
    outbox.visible_within = Duration::from_millis(2 * LAG_MS);
    let matching = json!({ "method": "POST", "path_contains": "/comments" });
    let lost = |when: &str| json!({ "matching": matching, "when": when, "kind": "drop", "times": 1 });
    let lag = json!({ "min_ms": LAG_MS, "max_ms": LAG_MS });
    for when in ["before", "after"] {
        setup.forge.turn(json!({ "read_lag": lag, "faults": [lost(when)] })).await;
        let performed = memory.perform_due(&outbox).await;
        assert!(matches!(&performed[..], [Performed::Later(..)]), "{when}: {performed:?}");
        // By the store's clock the first try is long past.
        memory.advance(Duration::from_secs(3600));
    }
    let performed = memory.perform_all(&outbox).await;
    assert!(matches!(&performed[..], [Performed::Done(_)]), "{performed:?}");
    setup.forge.calm().await;
    assert_eq!(setup.marked(&issue).await, ["once"]);
}
