//! What the databases refuse, even if the program were wrong.

use baton_core::slot::effect::{Deed, Effect, EffectKey, EffectStatus};
use baton_core::slot::policy::Policy;
use baton_core::slot::wake::wake;
use baton_core::slot::{Change, Decision, EffectId, Situation};
use baton_ports::store::{Lookup, Target};
use baton_ports::{Store as _, StoreErrorKind};

use crate::store::support::{Ground, ask, both, key, woken};

const ITEM: &str = "INSERT INTO items (id, key, kind) VALUES (90, 'acme/web#90', 'issue')";

fn wakeup(id: i64, key: &str, status: &str) -> String {
    format!(
        "INSERT INTO wakeups (id, item_id, agent, agent_key, source, reason, context, asked_by, asked_by_person, key, \
         status, attempt, interruptions, not_before, created_at) \
         VALUES ({id}, 90, 'A', 'a', 'cli', 'manual', '{{}}', 'ada', true, {key}, '{status}', 0, 0, 0, 0)"
    )
}

fn run(id: i64, status: &str) -> String {
    format!(
        "INSERT INTO runs (id, item_id, wakeup_id, agent, agent_key, status, context, fence, attempt, interruptions, \
         not_before, created_at) VALUES ({id}, 90, 90, 'A', 'a', '{status}', '{{}}', 1, 0, 0, 0, 0)"
    )
}

fn effect(step: i64, status: &str) -> String {
    format!(
        "INSERT INTO effects (item_id, version, step, deed, fence, status, not_before, created_at) \
         VALUES (90, 1, {step}, '{{}}', 1, '{status}', 0, 0)"
    )
}

async fn assert_refused(ground: &Ground, statement: &str) {
    let refusal = ground.refusal(statement).await.unwrap_or_else(|| panic!("allowed: {statement}"));
    let refusal = refusal.to_lowercase();
    assert!(refusal.contains("unique") || refusal.contains("foreign key"), "{refusal}");
}

#[tokio::test]
async fn each_index_refuses_what_no_rule_may_do() {
    for (_store, ground) in both("refuse").await {
        ground.run(ITEM).await;
        ground.run(&wakeup(90, "NULL", "deferred_issue_execution")).await;
        assert_refused(&ground, &wakeup(91, "NULL", "deferred_issue_execution")).await;
        ground.run(&wakeup(92, "'k'", "completed")).await;
        assert_refused(&ground, &wakeup(93, "'k'", "completed")).await;
        ground.run(&wakeup(94, "NULL", "completed")).await;
        for status in ["queued", "scheduled_retry", "running"] {
            ground.run(&run(90, status)).await;
            for second in ["queued", "scheduled_retry", "running"] {
                assert_refused(&ground, &run(91, second)).await;
            }
            ground.run("DELETE FROM runs").await;
        }
        ground.run(&run(90, "failed")).await;
        ground.run(&run(91, "queued")).await;
        ground.run(&effect(0, "sending")).await;
        assert_refused(&ground, &effect(0, "pending")).await;
        assert_refused(&ground, &effect(1, "sending")).await;
        let delivery =
            "INSERT INTO deliveries (id, event, payload, received_at) VALUES ('d', 'issues', '{}', 0)";
        ground.run(delivery).await;
        assert_refused(&ground, delivery).await;
        // SQLite enforces references only for connections that ask for it, as the store's do; see the next test.
        ground.run("UPDATE items SET execution_run_id = 91 WHERE id = 90").await;
    }
}

#[tokio::test]
async fn a_run_that_is_removed_frees_its_slot() {
    for (store, ground) in both("remove").await {
        woken(&store, &key(1), &ask("builder", "{}")).await;
        ground.run("DELETE FROM runs").await;
        let item = store.item(&key(1)).await.unwrap().unwrap();
        assert_eq!(item.owner, None);
    }
}

#[tokio::test]
async fn a_rule_that_seats_two_is_refused_and_changes_nothing() {
    for (store, _ground) in both("two").await {
        woken(&store, &key(1), &ask("builder", "{}")).await;
        let policy = Policy::default();
        // It does not see that the slot is taken.
        let blind = |situation: &Situation| {
            let mut situation = situation.clone();
            situation.owner = None;
            situation.item.owner = None;
            wake(&situation, &ask("cto", "{}"), &policy)
        };
        let before = store.transfers(None).await.unwrap();
        let error = store.decide(&Target::Key(key(1)), &Lookup::default(), blind).await.unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Refused, "{error}");
        assert!(error.answer.contains("runs"), "{error}");
        assert_eq!(store.transfers(None).await.unwrap(), before);
        let ghost = |situation: &Situation| Decision {
            changes: vec![Change::AddEffect(Box::new(effect_of(situation, 9_999)))],
            outcome: (),
        };
        let error = store.decide(&Target::Key(key(1)), &Lookup::default(), ghost).await.unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Refused, "{error}");
    }
}

fn effect_of(situation: &Situation, item: i64) -> Effect {
    Effect {
        id: EffectId(0),
        key: EffectKey { item: baton_core::slot::ItemId(item), version: 1, step: 0 },
        deed: Deed::CloseIssue,
        lease: None,
        fence: 1,
        status: EffectStatus::Pending,
        attempts: 0,
        not_before: situation.now,
        sending_at: None,
        created_at: situation.now,
        finished_at: None,
        error: None,
    }
}
