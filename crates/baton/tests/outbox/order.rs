//! Effects of one issue keep their order, those of others go on, and none is lost because its run is over.

use baton_claims::machine::SystemClock;
use baton_core::slot::effect::{Deed, EffectStatus, NewEffect, SettleAsk};
use baton_core::slot::{AgentName, ItemKey, Safeguards};
use baton_engine::outbox::{Performed, Turn};
use baton_fixtures::TOKEN;
use baton_ports::{Clock as _, Store as _};
use serde_json::json;

use crate::outbox::effects::{MemoryEffects, add, comment, remove, turn};
use crate::outbox::setup::Setup;

#[tokio::test(flavor = "multi_thread")]
async fn the_effects_of_one_issue_are_performed_in_order() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    let deeds = vec![
        comment("first"),
        add("agent:in-flight"),
        comment("second"),
        remove("agent:implement"),
        Deed::CloseIssue,
        comment("last"),
    ];
    memory.effects.decide(&issue, deeds).await;
    let performed = memory.perform_due(&memory.free(setup.github(TOKEN))).await;
    assert!(performed.iter().all(|it| matches!(it, Performed::Done(_))), "{performed:?}");
    assert_eq!(setup.marked(&issue).await, ["first", "second", "last"]);
    assert_eq!(setup.repo.labels(issue.number).await, ["agent:in-flight"]);
    assert!(!setup.repo.is_open(issue.number).await);
    assert_eq!(memory.effects.statuses(&issue).await, [EffectStatus::Done; 6]);
    let said = &setup.said(&issue).await[0];
    assert_eq!(said, &("admin".to_owned(), "first".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn while_an_issue_waits_for_its_next_try_the_effects_of_others_go_on() {
    let setup = Setup::new().await;
    let (memory, stuck, free) = (MemoryEffects::new().await, setup.issue().await, setup.issue().await);
    for issue in [&stuck, &free] {
        memory.effects.decide(issue, vec![comment("one"), comment("two")]).await;
    }
    let path = format!("/issues/{}/comments", stuck.number);
    let matching = json!({ "method": "POST", "path_contains": path });
    setup.forge.fault(matching, "before", json!({ "status": 502 }), 0, Some(1)).await;
    let outbox = memory.free(setup.github(TOKEN));
    let performed = memory.perform_due(&outbox).await;
    assert!(matches!(&performed[0], Performed::Later(_, why) if why.contains("502")), "{performed:?}");
    assert_eq!(setup.marked(&free).await, ["one", "two"]);
    assert_eq!(setup.marked(&stuck).await.len(), 0, "the second waits for the first");
    memory.perform_all(&outbox).await;
    assert_eq!(setup.marked(&stuck).await, ["one", "two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_near_the_end_of_its_lease_sends_nothing() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    memory.effects.decide(&issue, vec![comment("said")]).await;
    let github = setup.github(TOKEN);
    let outbox = memory.free(github.clone());
    let late = Turn {
        write_until: SystemClock.boot_now().plus(outbox.request_timeout),
        ..turn(memory.effects.worker)
    };
    let performed = outbox.perform_next(&late).await.unwrap();
    assert!(matches!(&performed, Performed::Later(_, why) if why.contains("lease")), "{performed:?}");
    assert_eq!(github.requests_sent(), 0);
    memory.perform_all(&outbox).await;
    assert_eq!(setup.marked(&issue).await, ["said"]);
}

/// Ends a run with a last word while another agent waits for the slot, and returns what was said.
async fn last_words(setup: &Setup, safeguards: Safeguards) -> (Vec<String>, Vec<Performed>) {
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    let started = memory.effects.start(&issue, "builder").await;
    memory.effects.wake(&issue, "reviewer").await;
    memory.effects.finish(&started, vec![NewEffect::free(comment("built"))]).await;
    let item = memory.effects.store().item(&ItemKey::issue(&issue)).await.unwrap().unwrap();
    assert!(item.fence > started.run.fence && item.owner.is_some(), "the slot has passed on");
    let mut outbox = memory.free(setup.github(TOKEN));
    outbox.safeguards = safeguards;
    let performed = memory.perform_due(&outbox).await;
    (setup.marked(&issue).await, performed)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_effects_of_a_run_are_performed_although_the_slot_has_passed_on() {
    let setup = Setup::new().await;
    assert_eq!(last_words(&setup, Safeguards::default()).await.0, ["built"]);
    // Without the safeguard they are lost, as they were where this rule comes from.
    let off = Safeguards { perform_stale_effects: false, ..Safeguards::default() };
    let (said, performed) = last_words(&setup, off).await;
    assert!(said.is_empty() && matches!(&performed[..], [Performed::Dead(..)]), "{said:?} {performed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_effect_of_a_task_without_an_issue_is_dead_with_a_reason() {
    let setup = Setup::new().await;
    let memory = MemoryEffects::new().await;
    let key = ItemKey::task(&AgentName::from("builder"), "nightly");
    let effects = vec![NewEffect::free(comment("to nobody"))];
    memory
        .effects
        .relay
        .settle(&key, &SettleAsk { seen: 0, effects, memory: None, lease: None, settles: None })
        .await
        .unwrap();
    let performed = memory.perform_due(&memory.free(setup.github(TOKEN))).await;
    assert!(
        matches!(&performed[..], [Performed::Dead(_, why)] if why.contains("task:builder:nightly")),
        "{performed:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_at_once_perform_each_effect_once_and_in_order() {
    let setup = Setup::new().await;
    let memory = MemoryEffects::new().await;
    let mut issues = Vec::new();
    for _ in 0..4 {
        let issue = setup.issue().await;
        memory.effects.decide(&issue, ["1", "2", "3", "4"].map(comment).to_vec()).await;
        issues.push(issue);
    }
    let second = memory.effects.store().enlist("second", "there", std::time::Duration::from_secs(60)).await;
    let workers = [memory.effects.worker, second.unwrap().worker];
    let work = |worker| {
        let outbox = memory.free(setup.github(TOKEN));
        async move {
            let mut done = 0;
            loop {
                match outbox.perform_next(&turn(worker)).await.unwrap() {
                    Performed::Done(_) => done += 1,
                    Performed::Nothing => return done,
                    other => panic!("{other:?}"),
                }
            }
        }
    };
    let (first, second) = tokio::join!(work(workers[0]), work(workers[1]));
    assert_eq!(first + second, 16);
    assert!(first > 0 && second > 0, "both had something to do");
    for issue in &issues {
        assert_eq!(setup.marked(issue).await, ["1", "2", "3", "4"]);
    }
}
