//! Effects: decided once, handed out in order, never forgotten.

use baton_core::slot::effect::{AfterTry, Deed, EffectStatus, NewEffect, SettleAsk, Settled};
use baton_core::slot::finish::Fenced;
use baton_core::slot::{ItemMemory, RunEnd};
use baton_core::time::StoreTime;
use baton_ports::Store as _;
use baton_ports::store::{EffectFilter, TakenEffect};

use super::Ground;
use super::desk::{Desk, TTL, baton, comment, issue, seconds};

async fn take<G: Ground>(desk: &Desk<G>, worker: baton_core::slot::WorkerId) -> Option<TakenEffect> {
    desk.store().take_effect(worker, desk.relay.policy.stop_grace).await.unwrap()
}

fn body(taken: &TakenEffect) -> &str {
    match &taken.effect.deed {
        Deed::Comment { on: baton_core::pipeline::effect::Place::Issue, body } => body,
        other => panic!("{other:?}"),
    }
}

fn again(seconds_from: &TakenEffect, wait: u64, is_unclear: bool) -> AfterTry {
    let since = seconds_from.effect.sending_at.unwrap();
    AfterTry::Again { not_before: since.plus(seconds(wait)), error: "502".to_owned(), is_unclear }
}

/// The second waits until the first is done.
pub async fn effects_are_handed_out_in_order_one_at_a_time<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    assert_eq!(desk.settle(1, &["one", "two"]).await, Settled::Decided(1));
    let first = take(&desk, worker).await.unwrap();
    assert_eq!((body(&first), first.effect.attempts, first.unclear_since), ("one", 1, None));
    assert_eq!(take(&desk, worker).await, None);
    assert!(desk.store().effect_tried(first.effect.id, worker, &AfterTry::Done).await.unwrap());
    let second = take(&desk, worker).await.unwrap();
    assert_eq!(body(&second), "two");
    assert!(!desk.store().effect_tried(first.effect.id, worker, &AfterTry::Done).await.unwrap());
    assert!(desk.store().effect_tried(second.effect.id, worker, &AfterTry::Done).await.unwrap());
    assert_eq!(take(&desk, worker).await, None);
}

/// An item that is stuck keeps nobody else.
pub async fn effects_of_other_items_do_not_wait<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    for number in [1, 2] {
        desk.wake("dev", number).await;
        desk.settle(number, &["x", "y"]).await;
    }
    let (one, two) = (take(&desk, worker).await.unwrap(), take(&desk, worker).await.unwrap());
    assert_eq!((one.item.key, two.item.key), (issue(1), issue(2)));
    assert_eq!(take(&desk, worker).await, None);
}

/// What is listed of all items is what was asked for, newest first.
pub async fn effects_of_all_items_are_listed_by_status_and_time<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    for number in [1, 2] {
        desk.wake("dev", number).await;
        desk.settle(number, &["x", "y"]).await;
    }
    let first = take(&desk, worker).await.unwrap();
    assert!(desk.store().effect_tried(first.effect.id, worker, &AfterTry::Done).await.unwrap());
    let second = take(&desk, worker).await.unwrap();
    let dead = AfterTry::Dead("it was refused".to_owned());
    assert!(desk.store().effect_tried(second.effect.id, worker, &dead).await.unwrap());
    let list = async |statuses: Vec<EffectStatus>, finished_since, limit| {
        let filter = EffectFilter { statuses, finished_since, limit };
        let rows = desk.store().effect_rows(&filter).await.unwrap();
        rows.into_iter().map(|row| (row.item, row.effect.id)).collect::<Vec<_>>()
    };
    let ids: Vec<_> = list(vec![], None, 10).await.into_iter().map(|(_, id)| id).collect();
    assert!(ids.len() == 4 && ids.is_sorted_by(|newer, older| newer > older), "{ids:?}");
    assert_eq!(list(vec![], None, 3).await.len(), 3);
    assert_eq!(list(vec![EffectStatus::Dead], None, 10).await, [(second.item.key.clone(), second.effect.id)]);
    let now = desk.store().now().await.unwrap();
    let long_ago = StoreTime { ms: 0 };
    assert_eq!(list(vec![], Some(long_ago), 10).await.len(), 2, "what is not finished has no time");
    assert_eq!(list(vec![], Some(now.plus(seconds(60))), 10).await, []);
}

/// Two that decide on the same version: one of them is too late.
pub async fn a_decision_is_made_once<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let ask =
        SettleAsk { seen: 0, effects: vec![comment("hello")], memory: None, lease: None, settles: None };
    assert_eq!(desk.relay.settle(&issue(1), &ask).await.unwrap(), Settled::Decided(1));
    assert_eq!(desk.relay.settle(&issue(1), &ask).await.unwrap(), Settled::Stale(1));
    let effects = desk.store().effects(&issue(1)).await.unwrap();
    assert_eq!(effects.len(), 1);
    assert_eq!((effects[0].key.version, effects[0].key.step), (1, 0));
}

/// What was decided last must be done before the issue is looked at again.
pub async fn no_decision_is_made_while_effects_are_pending<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    desk.settle(1, &["one"]).await;
    assert_eq!(desk.settle(1, &["two"]).await, Settled::EffectsPending);
    let taken = take(&desk, worker).await.unwrap();
    assert_eq!(desk.settle(1, &["two"]).await, Settled::EffectsPending);
    desk.store().effect_tried(taken.effect.id, worker, &AfterTry::Done).await.unwrap();
    assert_eq!(desk.settle(1, &["two"]).await, Settled::Decided(2));
}

/// Attempts, cycles, cooldowns and comments are kept with the decision that changed them.
pub async fn what_is_remembered_is_committed_with_the_decision<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let item = desk.item(1).await.id;
    assert_eq!(desk.store().memory(item).await.unwrap(), ItemMemory::default());
    let mut memory = ItemMemory::default();
    ItemMemory::count(&mut memory.attempts, "plan");
    ItemMemory::count(&mut memory.cycles, "review");
    memory.cooldowns.insert("ci".to_owned(), desk.store().now().await.unwrap());
    memory.processed_comments.extend([7, 9]);
    let ask = |seen| SettleAsk {
        seen,
        effects: Vec::new(),
        memory: Some(memory.clone()),
        lease: None,
        settles: None,
    };
    assert_eq!(desk.relay.settle(&issue(1), &ask(0)).await.unwrap(), Settled::Decided(1));
    assert_eq!(desk.store().memory(item).await.unwrap(), memory);
    let forgotten = SettleAsk { memory: Some(ItemMemory::default()), ..ask(0) };
    assert_eq!(desk.relay.settle(&issue(1), &forgotten).await.unwrap(), Settled::Stale(1));
    assert_eq!(desk.store().memory(item).await.unwrap(), memory);
}

/// A sender that died may have done it: whoever is next must look first.
pub async fn an_effect_whose_sender_was_lost_is_handed_out_as_unclear<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let dead = desk.worker().await;
    desk.wake("dev", 1).await;
    desk.settle(1, &["one"]).await;
    let first = take(&desk, dead).await.unwrap();
    desk.advance(TTL + seconds(5)).await;
    let worker = desk.worker().await;
    assert_eq!(take(&desk, worker).await, None, "the sender may still be sending");
    desk.advance(seconds(5)).await;
    let second = take(&desk, worker).await.unwrap();
    assert_eq!(second.unclear_since, first.effect.sending_at);
    assert_eq!(second.effect.attempts, 2);
    assert!(!desk.store().effect_tried(first.effect.id, dead, &AfterTry::Done).await.unwrap());
    assert!(desk.store().effect_tried(first.effect.id, worker, &AfterTry::Done).await.unwrap());
}

/// A failed try waits, and says why.
pub async fn an_effect_is_tried_again_not_before_its_time<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    desk.settle(1, &["one", "two"]).await;
    let first = take(&desk, worker).await.unwrap();
    desk.store().effect_tried(first.effect.id, worker, &again(&first, 20, false)).await.unwrap();
    assert_eq!(take(&desk, worker).await, None, "neither it nor what comes after it");
    let waiting = desk.store().effects(&issue(1)).await.unwrap();
    assert_eq!((waiting[0].status, waiting[0].error.as_deref()), (EffectStatus::Pending, Some("502")));
    desk.advance(seconds(20)).await;
    let second = take(&desk, worker).await.unwrap();
    assert_eq!((body(&second), second.effect.attempts, second.unclear_since), ("one", 2, None));
}

/// One unclear try makes all later ones look first, however clearly those failed.
pub async fn an_effect_that_may_have_happened_stays_so_until_it_is_known<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    desk.settle(1, &["one"]).await;
    let first = take(&desk, worker).await.unwrap();
    desk.store().effect_tried(first.effect.id, worker, &again(&first, 10, true)).await.unwrap();
    desk.advance(seconds(10)).await;
    let second = take(&desk, worker).await.unwrap();
    assert_eq!(second.unclear_since, first.effect.sending_at);
    desk.store().effect_tried(first.effect.id, worker, &again(&second, 20, false)).await.unwrap();
    desk.advance(seconds(20)).await;
    assert_eq!(take(&desk, worker).await.unwrap().unclear_since, first.effect.sending_at);
}

/// What can never be done is kept with its reason, and the next goes on.
pub async fn a_dead_effect_keeps_its_reason_and_blocks_nothing<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    desk.settle(1, &["one", "two"]).await;
    let first = take(&desk, worker).await.unwrap();
    let dead = AfterTry::Dead("403".to_owned());
    desk.store().effect_tried(first.effect.id, worker, &dead).await.unwrap();
    assert_eq!(body(&take(&desk, worker).await.unwrap()), "two");
    let effects = desk.store().effects(&issue(1)).await.unwrap();
    assert_eq!((effects[0].status, effects[0].error.as_deref()), (EffectStatus::Dead, Some("403")));
}

/// The lease at the time of the decision is what must be held when it is performed.
pub async fn effects_carry_the_lease_they_were_decided_under<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let started = desk.start(desk.worker().await).await;
    let token = Some("lease-7".to_owned());
    assert_eq!(desk.relay.keep_lease(&baton(&started), token.clone()).await.unwrap(), Fenced::Done(()));
    let release = Deed::ReleaseLease {
        outcome: "success".to_owned(),
        leaving: baton_core::slot::effect::Leaving::AsTheyAre,
    };
    let effects = vec![comment("free"), NewEffect::leased(release)];
    desk.finish_with(&started, RunEnd::Succeeded, effects, 0).await;
    let effects = desk.store().effects(&issue(1)).await.unwrap();
    assert_eq!((&effects[0].lease, &effects[1].lease), (&None, &token));
    assert_eq!(effects[1].fence, started.run.fence);
}
