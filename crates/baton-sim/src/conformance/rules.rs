//! The rules of the slot, as a store carries them out.

use baton_core::slot::effect::AfterTry;
use baton_core::slot::finish::{Fenced, OwnLease};
use baton_core::slot::heal::Healed;
use baton_core::slot::situation::TransferReason;
use baton_core::slot::wake::{WakeAsk, WakeOutcome};
use baton_core::slot::{
    AgentName, Change, Context, Decision, Disposition, Gates, ItemKey, Reason, RunEnd, RunStatus, Skip,
    WakeupStatus,
};
use baton_engine::relay::StartAnswer;
use baton_ports::Store as _;
use baton_ports::store::{Lookup, Target};

use super::Ground;
use super::desk::{Desk, ask, ask_about, baton, deferred, issue, persons_ask, queued, seconds};

/// Comment ids are united in order, and the newest word wins for the rest.
pub async fn a_wakeup_of_the_same_agent_is_merged_into_a_run_that_has_not_started<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let (first, run) = queued(&desk.wake_with(1, &ask_about("dev", &[3, 1])).await);
    let outcome = desk.wake_with(1, &ask_about("DEV ", &[1, 9])).await;
    let WakeOutcome::Coalesced { wakeup, run: merged } = outcome else { panic!("{outcome:?}") };
    assert_eq!(merged, run);
    let wakeup = desk.wakeup(wakeup).await;
    assert_eq!((wakeup.status, wakeup.disposition), (WakeupStatus::Coalesced, Some(Disposition::SameName)));
    assert_eq!((wakeup.merged_into, wakeup.run), (Some(first), Some(run)));
    let started = desk.start(desk.worker().await).await;
    assert_eq!(started.run.context.comment_ids(), [3, 1, 9]);
}

/// A run that has started would never see it; it gets a run of its own afterwards.
pub async fn nothing_is_merged_into_a_run_that_has_started<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake_with(1, &ask_about("dev", &[1])).await;
    let worker = desk.worker().await;
    let started = desk.start(worker).await;
    let waiting = deferred(&desk.wake_with(1, &ask_about("dev", &[2])).await);
    assert_eq!(desk.run(started.run.id).await.context.comment_ids(), [1]);
    desk.finish(&started, RunEnd::Succeeded).await;
    let next = desk.start(worker).await;
    assert_eq!((next.run.wakeup, next.run.context.comment_ids()), (waiting, vec![2]));
}

/// The second and third of the same agent are merged into the first that waits.
pub async fn one_follow_up_waits_for_each_agent_however_often_it_is_woken<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    desk.start(desk.worker().await).await;
    let dev = deferred(&desk.wake_with(1, &ask_about("dev", &[1])).await);
    let cto = deferred(&desk.wake_with(1, &ask_about("cto", &[1])).await);
    for (agent, into) in [("dev", dev), ("cto", cto)] {
        let outcome = desk.wake_with(1, &ask_about(agent, &[2])).await;
        let WakeOutcome::Deferred { merged_into, wakeup, .. } = outcome else { panic!("{outcome:?}") };
        assert_eq!(merged_into, Some(into));
        assert_eq!(desk.wakeup(wakeup).await.status, WakeupStatus::Coalesced);
    }
    let waiting = desk.waiting(1).await;
    assert_eq!(waiting.iter().map(|wakeup| wakeup.id).collect::<Vec<_>>(), [dev, cto]);
    assert!(waiting.iter().all(|wakeup| wakeup.context.comment_ids() == [1, 2]));
}

/// The disposition has a place of its own.
pub async fn the_reason_of_a_wakeup_is_never_overwritten<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    let because = |reason| WakeAsk { reason, ..ask("dev") };
    desk.wake_with(1, &because(Reason::StageReady)).await;
    desk.wake_with(1, &because(Reason::CiFailed)).await;
    let started = desk.start(worker).await;
    desk.wake_with(1, &because(Reason::ChildrenCompleted)).await;
    desk.finish(&started, RunEnd::Succeeded).await;
    let next = desk.start(worker).await;
    desk.finish(&next, RunEnd::Succeeded).await;
    let rows =
        desk.store().wakeups(&baton_ports::store::WakeupFilter { limit: 9, ..Default::default() }).await;
    let reasons: Vec<_> = rows.unwrap().iter().rev().map(|row| row.wakeup.reason).collect();
    assert_eq!(reasons, [Reason::StageReady, Reason::CiFailed, Reason::ChildrenCompleted]);
}

/// What a worker gets is what is stored.
pub async fn a_start_stamps_the_run_and_returns_its_context<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let context = Context::parse(r#"{"comment_ids":[5],"stage":"plan"}"#).unwrap();
    desk.wake_with(1, &WakeAsk { context: context.clone(), ..ask("dev") }).await;
    let worker = desk.worker().await;
    desk.advance(seconds(3)).await;
    let started = desk.start(worker).await;
    assert_eq!(started.run.context, context);
    let stored = desk.run(started.run.id).await;
    assert_eq!(stored.status, RunStatus::Running);
    assert_eq!((stored.worker, stored.fence), (Some(worker), started.item.fence));
    assert!(stored.started_at.unwrap() > stored.created_at);
    assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing);
}

/// Whatever stands against a start is looked at when it is asked for, and again when it is not there any more.
pub async fn a_run_that_is_not_due_gated_closed_or_unknown_is_not_started<G: Ground>() {
    let mut desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    let why = Some("because".to_owned());
    let gates = [
        Gates { paused: why.clone(), ..Gates::default() },
        Gates { held: why.clone(), ..Gates::default() },
        Gates { blocked: why, ..Gates::default() },
    ];
    for gates in gates {
        desk.relay.set_gates(&issue(1), &gates).await.unwrap();
        assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing, "{gates:?}");
    }
    desk.relay.set_gates(&issue(1), &Gates::default()).await.unwrap();
    desk.relay.policy.executes = Some([AgentName::from("cto").key()].into());
    assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing);
    desk.relay.policy.executes = None;
    let started = desk.start(worker).await;
    desk.finish(&started, RunEnd::Failed("x".to_owned())).await;
    desk.advance(seconds(30)).await;
    assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing);
    desk.store().heartbeat(worker, seconds(300)).await.unwrap();
    desk.advance(seconds(31)).await;
    desk.start(worker).await;
}

/// The tracker must show what was decided before an agent looks at it.
pub async fn an_issue_with_effects_to_perform_is_not_started<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    desk.settle(1, &["look"]).await;
    assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing);
    let taken = desk.store().take_effect(worker, seconds(10)).await.unwrap().unwrap();
    assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing);
    desk.store().effect_tried(taken.effect.id, worker, &AfterTry::Done).await.unwrap();
    desk.start(worker).await;
}

/// The oldest in line may not be valid any more; it does not hold up the others.
pub async fn an_invalid_deferred_wakeup_is_skipped_with_its_reason_and_the_next_is_tried<G: Ground>() {
    let mut desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    let started = desk.start(worker).await;
    let gone = deferred(&desk.wake("fired", 1).await);
    let valid = deferred(&desk.wake("cto", 1).await);
    desk.relay.policy.agents = Some(["dev", "cto"].map(|name| AgentName::from(name).key()).into());
    desk.finish(&started, RunEnd::Succeeded).await;
    let skipped = desk.wakeup(gone).await;
    assert_eq!((skipped.status, skipped.skip), (WakeupStatus::Skipped, Some(Skip::UnknownAgent)));
    assert_eq!(desk.start(worker).await.run.wakeup, valid);
}

/// It waits in the line itself, with what is charged to it, and comes when it is due.
pub async fn a_retry_that_is_not_due_lets_others_go_first_and_is_not_lost<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    let (wakeup, _) = queued(&desk.wake_with(1, &ask_about("dev", &[4])).await);
    let failed = desk.start(worker).await;
    let cto = deferred(&desk.wake("cto", 1).await);
    desk.finish(&failed, RunEnd::Failed("x".to_owned())).await;
    let next = desk.start(worker).await;
    assert_eq!(next.run.wakeup, cto);
    assert_eq!(desk.waiting(1).await[0].id, wakeup);
    desk.finish(&next, RunEnd::Succeeded).await;
    let reserved = desk.owner(1).await;
    assert_eq!((reserved.status, reserved.attempt), (RunStatus::ScheduledRetry, 1));
    desk.store().heartbeat(worker, seconds(300)).await.unwrap();
    desk.advance(seconds(61)).await;
    let retried = desk.start(worker).await;
    assert_eq!((retried.run.wakeup, retried.run.context.comment_ids()), (wakeup, vec![4]));
    desk.finish(&retried, RunEnd::Succeeded).await;
    assert_eq!(desk.wakeup(wakeup).await.status, WakeupStatus::Completed);
}

/// A minute, two, four, and then it has failed for good.
pub async fn retries_are_spread_counted_and_given_up<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let (wakeup, first) = queued(&desk.wake("dev", 1).await);
    let mut before = None;
    for (attempt, wait) in [(0, 0), (1, 60), (2, 120), (3, 240)] {
        desk.advance(seconds(wait)).await;
        let started = desk.start(desk.worker().await).await;
        assert_eq!((started.run.attempt, started.run.retry_of), (attempt, before));
        before = Some(started.run.id);
        desk.finish(&started, RunEnd::Failed("exit 1".to_owned())).await;
    }
    assert_eq!(desk.item(1).await.owner, None);
    assert_eq!(desk.wakeup(wakeup).await.status, WakeupStatus::Failed);
    assert_eq!(desk.run(first).await.error.as_deref(), Some("exit 1"));
}

/// The provider says when it will answer again; that is nobody's failure.
pub async fn a_provider_limit_waits_for_its_reset_and_is_not_charged<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let started = desk.start(desk.worker().await).await;
    let reset = desk.store().now().await.unwrap().plus(seconds(3_600));
    desk.finish(&started, RunEnd::ProviderLimit(Some(reset))).await;
    let waiting = desk.owner(1).await;
    assert_eq!((waiting.status, waiting.attempt), (RunStatus::ScheduledRetry, 0));
    assert_eq!(waiting.not_before, reset);
}

/// Neither the end of a run nor its lease can be written by one that has lost the slot.
pub async fn a_stale_fence_writes_nothing<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    let started = desk.start(worker).await;
    for wrong in [
        baton_core::slot::finish::Baton { fence: started.run.fence + 1, ..baton(&started) },
        baton_core::slot::finish::Baton { worker: desk.worker().await, ..baton(&started) },
        baton_core::slot::finish::Baton { run: baton_core::slot::RunId(999), ..baton(&started) },
    ] {
        let lease = desk.relay.keep_lease(&wrong, Some("mine".to_owned())).await.unwrap();
        assert_eq!(lease, Fenced::LostSlot);
    }
    assert_eq!(desk.item(1).await.lease, None);
    assert_eq!(desk.finish(&started, RunEnd::Succeeded).await, Fenced::Done(RunStatus::Succeeded));
    assert_eq!(desk.finish(&started, RunEnd::Failed("late".to_owned())).await, Fenced::LostSlot);
    assert_eq!(desk.run(started.run.id).await.status, RunStatus::Succeeded);
}

/// Whoever the person asks for, the retry that stands in the way is brought forward.
pub async fn a_persons_word_ends_a_backoff<G: Ground>() {
    let desk = Desk::<G>::new().await;
    for (number, agent) in [(1, "dev"), (2, "cto")] {
        desk.wake("dev", number).await;
        let worker = desk.worker().await;
        let started = desk.start(worker).await;
        desk.finish(&started, RunEnd::Failed("x".to_owned())).await;
        desk.wake(agent, number).await;
        assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing, "a program's word does not");
        desk.wake_with(number, &persons_ask(agent)).await;
        let retried = desk.start(worker).await;
        assert_eq!((retried.run.retry_of, retried.run.attempt), (Some(started.run.id), 1));
        desk.finish(&retried, RunEnd::Succeeded).await;
    }
}

/// A poll and a webhook for the same comment are one; another agent's, or a new round, is not.
pub async fn a_wake_with_the_same_key_is_one_wake<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let keyed = |agent: &str, key: &str| WakeAsk { key: Some(key.to_owned()), ..ask(agent) };
    let (first, run) = queued(&desk.wake_with(1, &keyed("dev", "comment-5@1")).await);
    let again = desk.wake_with(1, &keyed("DEV", "comment-5@1")).await;
    assert_eq!(again, WakeOutcome::Duplicate { wakeup: first, status: WakeupStatus::Queued });
    let started = desk.start(desk.worker().await).await;
    assert_eq!(started.run.id, run);
    desk.finish(&started, RunEnd::Succeeded).await;
    let late = desk.wake_with(1, &keyed("dev", "comment-5@1")).await;
    assert_eq!(late, WakeOutcome::Duplicate { wakeup: first, status: WakeupStatus::Completed });
    queued(&desk.wake_with(1, &keyed("dev", "comment-5@2")).await);
    deferred(&desk.wake_with(1, &keyed("cto", "comment-5@1")).await);
    queued(&desk.wake_with(2, &keyed("dev", "comment-5@1")).await);
}

/// An agent that claims what it works on has it already.
pub async fn a_claim_by_the_run_that_owns_the_slot_returns_its_own_lease<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let started = desk.start(desk.worker().await).await;
    let run = started.run.id;
    assert_eq!(desk.relay.own_lease(&issue(1), run).await.unwrap(), OwnLease::Yours(None));
    desk.relay.keep_lease(&baton(&started), Some("t1".to_owned())).await.unwrap();
    let own = desk.relay.own_lease(&issue(1), run).await.unwrap();
    assert_eq!(own, OwnLease::Yours(Some("t1".to_owned())));
    assert_eq!(desk.relay.own_lease(&issue(2), run).await.unwrap(), OwnLease::NotYours);
    desk.finish(&started, RunEnd::Succeeded).await;
    assert_eq!(desk.relay.own_lease(&issue(1), run).await.unwrap(), OwnLease::NotYours);
}

/// The lease belongs to the installation, so a retry does not meet it as somebody else's.
pub async fn the_lease_is_adopted_with_the_slot<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let first = desk.start(desk.worker().await).await;
    desk.relay.keep_lease(&baton(&first), Some("t1".to_owned())).await.unwrap();
    desk.finish(&first, RunEnd::GivenBack).await;
    let second = desk.start(desk.worker().await).await;
    assert_eq!(second.item.lease.as_deref(), Some("t1"));
}

/// Nothing is half written: neither the wakeup nor the merge.
pub async fn a_context_that_would_grow_too_large_is_refused_and_nothing_is_written<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let large = |key: &str| {
        let text = format!(r#"{{"{key}":"{}"}}"#, "x".repeat(700_000));
        WakeAsk { context: Context::parse(&text).unwrap(), ..ask("dev") }
    };
    let (_, run) = queued(&desk.wake_with(1, &large("a")).await);
    let before = desk.run(run).await;
    let outcome = desk.wake_with(1, &large("b")).await;
    assert!(matches!(outcome, WakeOutcome::Refused(_)));
    assert_eq!(desk.run(run).await, before);
    let rows =
        desk.store().wakeups(&baton_ports::store::WakeupFilter { limit: 9, ..Default::default() }).await;
    assert_eq!(rows.unwrap().len(), 1);
}

/// All of JSON, also what databases do not like in texts.
pub async fn a_context_comes_back_as_it_was_given<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let text = r#"{"nul":"a\u0000b","quote":"'\"\\","wide":"🏃‍♀️ ü","deep":{"a":[1,2.5,null,true]},"big":18446744073709551615}"#;
    let context = Context::parse(text).unwrap();
    let asker = baton_core::slot::Asker { who: "O'Hara 🏃".to_owned(), is_person: true, run: None };
    let ask = WakeAsk { context: context.clone(), asked_by: asker.clone(), ..ask("dev") };
    let (wakeup, run) = queued(&desk.wake_with(1, &ask).await);
    assert_eq!(desk.run(run).await.context, context);
    let wakeup = desk.wakeup(wakeup).await;
    assert_eq!((wakeup.context, wakeup.asked_by), (context, asker));
}

/// From whom, to whom, and why.
pub async fn every_transfer_of_a_slot_is_kept<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    let one = desk.start(worker).await;
    desk.wake("cto", 1).await;
    desk.finish(&one, RunEnd::GivenBack).await;
    let two = desk.start(worker).await;
    desk.finish(&two, RunEnd::Succeeded).await;
    let three = desk.start(worker).await;
    desk.finish(&three, RunEnd::Succeeded).await;
    let transfers = desk.store().transfers(Some(&issue(1))).await.unwrap();
    let told: Vec<_> = transfers.iter().map(|it| (it.from, it.to, it.agent.0.as_str(), it.reason)).collect();
    let ids = [one.run.id, two.run.id, three.run.id].map(Some);
    assert_eq!(
        told,
        [
            (None, ids[0], "dev", TransferReason::Taken),
            (ids[0], ids[1], "dev", TransferReason::Retried),
            (ids[1], ids[2], "cto", TransferReason::Promoted),
            (ids[2], None, "cto", TransferReason::Freed),
        ]
    );
    assert!(transfers.windows(2).all(|pair| pair[0].fence <= pair[1].fence && pair[0].at <= pair[1].at));
    desk.wake("dev", 2).await;
    assert_eq!(desk.store().transfers(None).await.unwrap().len(), 5);
}

/// Somebody waits, and nobody has the slot: a program that died in an older version could leave that.
pub async fn a_scan_drains_what_a_crash_left_behind<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    let started = desk.start(worker).await;
    let waiting = deferred(&desk.wake("cto", 1).await);
    let crash = |situation: &baton_core::slot::Situation| {
        let run = situation.owner.clone().unwrap();
        let transfer = baton_core::slot::Transfer {
            at: situation.now,
            item: situation.item.id,
            from: Some(run.id),
            to: None,
            agent: run.agent.key(),
            fence: situation.item.fence,
            reason: TransferReason::Freed,
            after: None,
        };
        let ended = Change::EndRun {
            id: run.id,
            status: RunStatus::Failed,
            cause: None,
            error: None,
            cost_micros: 0,
        };
        Decision { changes: vec![ended, Change::Transfer(transfer)], outcome: () }
    };
    desk.store().decide(&Target::OfRun(started.run.id), &Lookup::default(), crash).await.unwrap();
    assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing);
    assert_eq!(desk.relay.heal(10).await.unwrap(), [Healed::Drained]);
    assert_eq!(desk.start(worker).await.run.wakeup, waiting);
    assert_eq!(desk.relay.heal(10).await.unwrap(), []);
}

/// Without an issue, what is merged is what has the same agent and task.
pub async fn tasks_of_one_agent_are_merged_by_their_key<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let wake = |agent: &str, task: &str| {
        let item = ItemKey::task(&agent.into(), task);
        let ask = ask(agent);
        let desk = &desk;
        async move { desk.relay.wake(&item, &ask).await.unwrap() }
    };
    let (_, run) = queued(&wake("dev", "a").await);
    assert!(matches!(wake("dev", "a").await, WakeOutcome::Coalesced { run: into, .. } if into == run));
    queued(&wake("dev", "b").await);
    queued(&wake("cto", "a").await);
    let worker = desk.worker().await;
    for _ in 0..3 {
        desk.start(worker).await;
    }
}
