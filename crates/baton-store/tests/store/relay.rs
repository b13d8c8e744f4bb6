//! A run from its wakeup to its end, by the core's rules, on both databases.

use baton_core::slot::effect::{AfterTry, Deed, EffectStatus};
use baton_core::slot::finish::Fenced;
use baton_core::slot::heal::{Healed, heal};
use baton_core::slot::limits::Limit;
use baton_core::slot::policy::Policy;
use baton_core::slot::wake::WakeOutcome;
use baton_core::slot::{Change, Decision, ItemMemory, NewEffect, RunEnd, RunStatus, WakeupStatus};
use baton_core::time::StoreTime;
use baton_ports::Store as _;
use baton_ports::store::{Accepted, Delivery, Heartbeat, Lookup, RunFilter, Target, Verdict, WakeupFilter};

use crate::store::support::{
    GRACE, TTL, ask, both, committed, enlisted, finished, key, started, try_start, woken,
};

#[tokio::test]
async fn a_wakeup_is_started_finished_and_handed_to_the_next() {
    for (store, _ground) in both("relay").await {
        let item = key(1);
        let WakeOutcome::Queued { run: first, .. } = woken(&store, &item, &ask("Builder", "{}")).await else {
            panic!("the slot was free")
        };
        let deferred = woken(&store, &item, &ask("CTO", r#"{"comment_ids":[7]}"#)).await;
        assert!(matches!(deferred, WakeOutcome::Deferred { behind, .. } if behind == first));
        let worker = enlisted(&store).await;
        let run = started(&store, worker).await;
        assert_eq!((run.run.id, run.run.status), (first, RunStatus::Running));
        assert_eq!(try_start(&store, worker).await, Verdict::NoItem);
        let comment = NewEffect::free(Deed::Comment {
            on: baton_core::pipeline::effect::Place::Issue,
            body: "done".to_owned(),
        });
        let release = NewEffect::leased(Deed::ReleaseLease {
            outcome: "done".to_owned(),
            leaving: baton_core::slot::effect::Leaving::AsTheyAre,
        });
        let end = finished(&store, &run, RunEnd::Succeeded, vec![comment, release]).await;
        assert_eq!(end, Fenced::Done(RunStatus::Succeeded));
        assert_eq!(finished(&store, &run, RunEnd::Succeeded, Vec::new()).await, Fenced::LostSlot);

        assert_eq!(try_start(&store, worker).await, Verdict::NoItem, "effects come first");
        for _ in 0..2 {
            let taken = store.take_effect(worker, GRACE).await.unwrap().unwrap();
            assert_eq!(store.take_effect(worker, GRACE).await.unwrap(), None, "one at a time");
            assert!(store.effect_tried(taken.effect.id, worker, &AfterTry::Done).await.unwrap());
            assert!(!store.effect_tried(taken.effect.id, worker, &AfterTry::Done).await.unwrap());
        }
        let effects = store.effects(&item).await.unwrap();
        assert_eq!(effects.iter().map(|effect| effect.key.step).collect::<Vec<_>>(), [0, 1]);
        assert!(effects.iter().all(|effect| effect.status == EffectStatus::Done && effect.attempts == 1));

        let next = started(&store, worker).await;
        assert_eq!((next.run.agent.0.as_str(), next.run.fence), ("CTO", 2));
        assert_eq!(next.run.context.comment_ids(), [7]);
        assert!(matches!(
            store.heartbeat(worker, TTL).await.unwrap(),
            Heartbeat::Alive { running, .. } if running == [next.run.id]
        ));
        finished(&store, &next, RunEnd::Succeeded, Vec::new()).await;
        let item = store.item(&item).await.unwrap().unwrap();
        assert_eq!((item.owner, item.fence, item.version), (None, 2, 1));
        assert_lists(&store).await;
    }
}

async fn assert_lists(store: &baton_store::SqlStore) {
    let filter = RunFilter { item: Some(key(1)), limit: 10, ..RunFilter::default() };
    let runs = store.runs(&filter).await.unwrap();
    assert_eq!(runs.len(), 2);
    assert!(runs.iter().all(|row| row.host.as_deref() == Some("host") && row.run.cost_micros == 1_500));
    assert!(runs[0].run.id > runs[1].run.id);
    let statuses = vec![WakeupStatus::Completed, WakeupStatus::Skipped];
    let filter = WakeupFilter { statuses, limit: 1, ..WakeupFilter::default() };
    assert_eq!(store.wakeups(&filter).await.unwrap().len(), 1);
    let transfers = store.transfers(Some(&key(1))).await.unwrap();
    let reasons: Vec<_> = transfers.iter().map(|transfer| transfer.reason.as_str()).collect();
    assert_eq!(reasons, ["taken", "issue_execution_promoted", "freed"]);
    let counters = store.counters().await.unwrap();
    let in_use = |name: &str| counters.iter().find(|row| row.name == name).unwrap().in_use;
    assert_eq!((in_use("all"), in_use("agent:builder"), in_use("repo:acme/web")), (0, 0, 0));
}

#[tokio::test]
async fn a_full_counter_leaves_everything_as_it_was() {
    for (store, _ground) in both("full").await {
        let limit = |name: &str, max| Limit { name: name.to_owned(), max };
        store.set_limits(&[limit("all", Some(5)), limit("repo:", Some(1))]).await.unwrap();
        for number in 1..=2 {
            woken(&store, &key(number), &ask("builder", "{}")).await;
        }
        let worker = enlisted(&store).await;
        let first = started(&store, worker).await;
        assert_eq!(try_start(&store, worker).await, Verdict::NoItem, "the search leaves it out");
        let policy = Policy::default();
        let rule = |situation: &baton_core::slot::Situation| {
            let mut situation = situation.clone();
            let lease =
                baton_core::slot::WorkerLease { worker, until: StoreTime { ms: i64::MAX }, is_buried: false };
            situation.looked_up.worker = Some(lease);
            baton_core::slot::start::start(&situation, worker, &policy)
        };
        let verdict = store.decide(&Target::Key(key(2)), &Lookup::default(), rule).await.unwrap();
        assert_eq!(verdict, Verdict::Full("repo:acme/web".to_owned()));
        let counters = store.counters().await.unwrap();
        assert!(counters.iter().all(|row| row.in_use <= 1), "{counters:?}");
        store.set_limits(&[limit("repo:", Some(2))]).await.unwrap();
        let second = started(&store, worker).await;
        assert_ne!(first.run.id, second.run.id);
        store.set_limits(&[limit("repo:", Some(0))]).await.unwrap();
        woken(&store, &"other/repo#1".parse().unwrap(), &ask("builder", "{}")).await;
        assert_eq!(try_start(&store, worker).await, Verdict::NoItem, "nor may a new one of none be made");
    }
}

#[tokio::test]
async fn a_retired_workers_run_is_healed_and_its_effect_is_told_to_be_unclear() {
    for (store, _ground) in both("heal").await {
        woken(&store, &key(1), &ask("builder", "{}")).await;
        let (worker, other) = (enlisted(&store).await, enlisted(&store).await);
        let run = started(&store, worker).await;
        store.retire(worker).await.unwrap();
        assert_eq!(store.heartbeat(worker, TTL).await.unwrap(), Heartbeat::Lost);
        let policy = Policy::default();
        let target = Target::ToHeal { stop_grace: policy.stop_grace };
        let rule = |situation: &_| heal(situation, &policy);
        let healed = store.decide(&target, &Lookup::default(), rule).await.unwrap();
        assert_eq!(healed, Verdict::Committed(Healed::Freed(run.run.id)));
        assert_eq!(store.decide(&target, &Lookup::default(), rule).await.unwrap(), Verdict::NoItem);

        let retry = started(&store, other).await;
        assert_eq!((retry.run.retry_of, retry.run.interruptions), (Some(run.run.id), 1));
        let close = NewEffect::free(Deed::CloseIssue);
        finished(&store, &retry, RunEnd::Succeeded, vec![close]).await;
        let taken = store.take_effect(other, GRACE).await.unwrap().unwrap();
        assert_eq!((taken.unclear_since, taken.effect.attempts), (None, 1));
        store.retire(other).await.unwrap();
        let third = enlisted(&store).await;
        let again = store.take_effect(third, GRACE).await.unwrap().unwrap();
        assert_eq!(again.effect.attempts, 2);
        assert_eq!(again.unclear_since, taken.effect.sending_at);
        let after =
            AfterTry::Again { not_before: StoreTime { ms: 0 }, error: "502".into(), is_unclear: false };
        assert!(store.effect_tried(again.effect.id, third, &after).await.unwrap());
        let last = store.take_effect(third, GRACE).await.unwrap().unwrap();
        assert_eq!(last.unclear_since, taken.effect.sending_at, "unclear stays unclear");
    }
}

#[tokio::test]
async fn a_worker_that_came_back_makes_the_decision_be_made_again() {
    for (store, ground) in both("bury").await {
        woken(&store, &key(1), &ask("builder", "{}")).await;
        let worker = enlisted(&store).await;
        let asked = std::sync::atomic::AtomicU32::new(0);
        let rule = |situation: &baton_core::slot::Situation| {
            let times = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let lease =
                baton_core::slot::WorkerLease { worker, until: StoreTime { ms: 0 }, is_buried: false };
            let stale = Change::BuryWorker(lease);
            let changes = if times == 0 { vec![Change::SetVersion(9), stale] } else { Vec::new() };
            Decision { changes, outcome: situation.item.version }
        };
        let verdict = store.decide(&Target::Key(key(1)), &Lookup::default(), rule).await.unwrap();
        assert_eq!((committed(verdict), asked.into_inner()), (0, 2));
        assert!(matches!(store.heartbeat(worker, TTL).await.unwrap(), Heartbeat::Alive { .. }));
        ground.run("DELETE FROM counters").await;
    }
}

#[tokio::test]
async fn words_survive_whatever_they_are() {
    let words = r#"{"say":"a\u0000b, Zürich, 東京, 🏃"}"#;
    for (store, _ground) in both("words").await {
        let item = baton_core::slot::ItemKey::task(&"Ünïcode".into(), "nächtlich: 1");
        let mut ask = ask("Ünïcode", words);
        ask.key = Some("comment:1@2".to_owned());
        let outcome = woken(&store, &item, &ask).await;
        let WakeOutcome::Queued { wakeup, .. } = outcome else { panic!("{outcome:?}") };
        let again = woken(&store, &item, &ask).await;
        assert_eq!(again, WakeOutcome::Duplicate { wakeup, status: WakeupStatus::Queued });
        let worker = enlisted(&store).await;
        let run = started(&store, worker).await;
        assert_eq!(run.run.context.get("say").unwrap(), "a\u{0}b, Zürich, 東京, 🏃");
        assert_eq!(run.item.key, item);
        // PostgreSQL cannot keep a zero character outside of JSON; what is said instead must not fail.
        finished(&store, &run, RunEnd::Failed("exit\0 1 – ☃".to_owned()), Vec::new()).await;
        let filter = RunFilter { id: Some(run.run.id), limit: 1, ..RunFilter::default() };
        let error = store.runs(&filter).await.unwrap()[0].run.error.clone().unwrap();
        assert_eq!(error.replace('\u{2400}', "\0"), "exit\0 1 – ☃");
        let memory = ItemMemory { processed_comments: [7].into(), ..ItemMemory::default() };
        let set =
            |_: &_| Decision { changes: vec![Change::SetMemory(Box::new(memory.clone()))], outcome: () };
        for _ in 0..2 {
            store.decide(&Target::Key(item.clone()), &Lookup::default(), set).await.unwrap();
        }
        assert_eq!(store.memory(run.item.id).await.unwrap(), memory);
    }
}

#[tokio::test]
async fn a_delivery_is_accepted_once_and_forgotten_when_it_was_read() {
    for (store, _ground) in both("inbox").await {
        let delivery = |id: &str| Delivery { id: id.into(), event: "issues".into(), payload: "{}".into() };
        assert_eq!(store.accept(&delivery("b")).await.unwrap(), Accepted::New);
        assert_eq!(store.accept(&delivery("a")).await.unwrap(), Accepted::New);
        assert_eq!(store.accept(&delivery("b")).await.unwrap(), Accepted::Seen);
        assert_eq!(store.unread(9).await.unwrap(), [delivery("b"), delivery("a")]);
        store.mark_read("b").await.unwrap();
        assert_eq!(store.unread(9).await.unwrap(), [delivery("a")]);
        assert_eq!(store.forget_deliveries(TTL).await.unwrap(), 0, "it is too young");
        assert_eq!(store.accept(&delivery("b")).await.unwrap(), Accepted::Seen);
    }
}
