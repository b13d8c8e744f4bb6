//! A tracker that fails, at every call and in every way: the end is the same as if it had not.

use std::time::Duration;

use baton_core::slot::effect::{Deed, EffectStatus};
use baton_engine::outbox::Performed;
use baton_fixtures::TOKEN;
use baton_ports::Store as _;
use serde_json::{Value, json};

use crate::outbox::effects::{MemoryEffects, add, comment, remove};
use crate::outbox::setup::Setup;

fn kinds() -> [Value; 4] {
    [json!({ "status": 500 }), json!({ "status": 502 }), json!({ "status": 503 }), json!("drop")]
}

fn posts() -> Value {
    json!({ "method": "POST", "path_contains": "/comments" })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_whose_answer_is_lost_or_broken_appears_exactly_once() {
    let setup = Setup::new().await;
    for when in ["before", "after"] {
        for kind in kinds() {
            let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
            memory.effects.decide(&issue, vec![comment("once")]).await;
            let outbox = memory.free(setup.github(TOKEN));
            setup.forge.fault(posts(), when, kind.clone(), 0, Some(1)).await;
            let performed = memory.perform_due(&outbox).await;
            assert!(matches!(&performed[..], [Performed::Later(..)]), "{when} {kind}: {performed:?}");
            setup.forge.calm().await;
            let performed = memory.perform_all(&outbox).await;
            assert!(matches!(&performed[..], [Performed::Done(_)]), "{when} {kind}: {performed:?}");
            assert_eq!(setup.marked(&issue).await, ["once"], "{when} {kind}");
        }
    }
    setup.nothing_was_deleted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_at_any_call_changes_nothing_about_the_end() {
    let setup = Setup::new().await;
    let deeds = || {
        vec![
            comment("one"),
            add("agent:in-flight"),
            remove("agent:implement"),
            comment("two"),
            Deed::CloseIssue,
        ]
    };
    let mut calls = 0;
    // Struck so often that the client's own repetitions do not hide it, at ever later calls, until none is struck.
    for times in [1, 5] {
        for at in 0.. {
            for (when, kind) in
                ["before", "after"].into_iter().flat_map(|when| kinds().map(|kind| (when, kind)))
            {
                let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
                memory.effects.decide(&issue, deeds()).await;
                let tracker = setup.github(TOKEN);
                setup
                    .forge
                    .fault(json!({ "path_contains": REPO_PATH }), when, kind.clone(), at, Some(times))
                    .await;
                let performed = memory.perform_all(&memory.free(tracker.clone())).await;
                setup.forge.calm().await;
                calls = tracker.requests_sent();
                let name = format!("{times} from call {at}, {when} {kind}: {performed:?}");
                assert_eq!(memory.effects.statuses(&issue).await, [EffectStatus::Done; 5], "{name}");
                assert_eq!(setup.marked(&issue).await, ["one", "two"], "{name}");
                assert_eq!(setup.repo.labels(issue.number).await, ["agent:in-flight"], "{name}");
                assert!(!setup.repo.is_open(issue.number).await, "{name}");
            }
            if at >= calls {
                break;
            }
        }
    }
    // A call for each deed, and one for the sign on each comment.
    assert_eq!(calls, 7, "the last of them met no fault");
    setup.nothing_was_deleted().await;
}

const REPO_PATH: &str = "/repos/admin/web";

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_that_asks_for_a_pause_gets_it() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    memory.effects.decide(&issue, vec![comment("later")]).await;
    let outbox = memory.free(setup.github(TOKEN));
    setup
        .forge
        .fault(posts(), "before", json!({ "too_many_requests": { "retry_after_s": 900 } }), 0, Some(1))
        .await;
    let now = memory.effects.store().now().await.unwrap();
    let performed = memory.perform_due(&outbox).await;
    assert!(matches!(&performed[..], [Performed::Later(..)]), "{performed:?}");
    let waits = memory.effects.of(&issue).await[0].not_before.since(now);
    assert_eq!(waits, Duration::from_secs(900));
    memory.advance(waits);
    // A client keeps to the pause by the machine's clock, which has not moved.
    let outbox = memory.free(setup.github(TOKEN));
    let performed = memory.perform_due(&outbox).await;
    assert!(matches!(&performed[..], [Performed::Done(_)]), "{performed:?}");
    assert_eq!(setup.marked(&issue).await, ["later"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_not_valid_is_tried_again_and_a_renewed_one_goes_on() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    memory.effects.decide(&issue, vec![comment("said")]).await;
    let performed = memory.perform_due(&memory.free(setup.github("bft_expired"))).await;
    assert!(matches!(&performed[..], [Performed::Later(_, why)] if why.contains("401")), "{performed:?}");
    memory.advance(Duration::from_secs(2));
    memory.perform_due(&memory.free(setup.github(TOKEN))).await;
    assert_eq!(setup.marked(&issue).await, ["said"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_never_be_done_is_dead_with_its_reason_and_blocks_nothing() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    memory.effects.decide(&issue, vec![remove(".."), comment("after it")]).await;
    let performed = memory.perform_due(&memory.free(setup.github(TOKEN))).await;
    assert!(matches!(&performed[..], [Performed::Dead(..), Performed::Done(_)]), "{performed:?}");
    let effects = memory.effects.of(&issue).await;
    assert!(effects[0].error.is_some(), "{effects:?}");
    assert_eq!(setup.marked(&issue).await, ["after it"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_that_stays_away_for_hours_is_asked_again_until_it_answers() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    memory.effects.decide(&issue, vec![add("agent:done")]).await;
    setup
        .forge
        .fault(json!({ "path_contains": REPO_PATH }), "before", json!({ "status": 503 }), 0, Some(1_000))
        .await;
    let outbox = memory.free(setup.github(TOKEN));
    for _ in 0..20 {
        let tried = memory.perform_due(&outbox).await;
        assert!(matches!(&tried[..], [Performed::Later(_, why)] if why.contains("503")), "{tried:?}");
        memory.advance(Duration::from_secs(300));
    }
    setup.forge.calm().await;
    let performed = memory.perform_all(&outbox).await;
    assert!(matches!(&performed[..], [Performed::Done(_)]), "{performed:?}");
}
