//! Deciding once, effects, and the tracker's lease that goes on with the slot.

use baton_core::slot::effect::{Deed, EffectKey, EffectStatus, NewEffect, SettleAsk, Settled};
use baton_core::slot::finish::{Baton, Fenced, OwnLease, keep_lease, own_lease};
use baton_core::slot::ids::{ItemId, RunId};
use baton_core::slot::situation::Change;
use baton_core::slot::{ItemMemory, RunEnd};

use crate::slot::world::{Lookup, World};

fn comment() -> NewEffect {
    NewEffect::free(Deed::Comment { on: baton_core::pipeline::effect::Place::Issue, body: "done".to_owned() })
}

fn release_lease() -> NewEffect {
    NewEffect::leased(Deed::ReleaseLease {
        outcome: "done".to_owned(),
        leaving: baton_core::slot::effect::Leaving::AsTheyAre,
    })
}

fn decided(seen: i64, effects: Vec<NewEffect>) -> SettleAsk {
    SettleAsk { seen, effects, memory: None, lease: None, settles: None }
}

fn keep(world: &mut World, baton: &Baton, token: &str) -> Fenced<()> {
    world.decide(&Lookup::default(), |s, policy| keep_lease(s, baton, Some(token.to_owned()), policy))
}

fn claim(world: &World, run: RunId) -> OwnLease {
    own_lease(&world.situation(&Lookup::default()), run)
}

#[test]
fn of_two_decisions_on_the_same_version_the_second_is_stale() {
    let mut world = World::new();
    assert_eq!(world.settle(&decided(0, Vec::new())), Settled::Decided(1));
    assert_eq!((world.settle(&decided(0, vec![comment()])), world.last.len()), (Settled::Stale(1), 0));
    assert_eq!(world.settle(&decided(1, Vec::new())), Settled::Decided(2));
    assert_eq!(world.item.version, 2);
}

#[test]
fn nothing_is_decided_while_effects_are_pending() {
    let mut world = World::new();
    assert_eq!(world.settle(&decided(0, vec![comment(), comment()])), Settled::Decided(1));
    assert_eq!((world.settle(&decided(1, Vec::new())), world.last.len()), (Settled::EffectsPending, 0));
    world.perform();
    assert_eq!(world.settle(&decided(1, Vec::new())), Settled::EffectsPending);
    world.perform();
    assert_eq!(world.settle(&decided(1, Vec::new())), Settled::Decided(2));
}

#[test]
fn effects_are_keyed_by_item_version_and_step_in_their_order() {
    let mut world = World::new();
    world.settle(&decided(0, vec![comment(), release_lease()]));
    world.perform();
    world.perform();
    world.settle(&decided(1, vec![comment()]));
    let keys: Vec<_> = world.effects.iter().map(|effect| effect.key).collect();
    let key = |version, step| EffectKey { item: ItemId(1), version, step };
    assert_eq!(keys, [key(1, 0), key(1, 1), key(2, 0)]);
    let second = &world.effects[1];
    assert_eq!((&second.deed, second.status), (&release_lease().deed, EffectStatus::Done));
}

#[test]
fn a_decision_is_remembered_with_its_effects_or_not_at_all() {
    let mut world = World::new();
    let mut memory = ItemMemory::default();
    memory.processed_comments.insert(7);
    let ask = SettleAsk {
        seen: 0,
        effects: vec![comment()],
        memory: Some(memory.clone()),
        lease: None,
        settles: None,
    };
    world.settle(&SettleAsk { seen: 5, ..ask.clone() });
    assert_eq!(world.memory, ItemMemory::default());
    world.settle(&ask);
    assert_eq!(world.memory, memory);
}

#[test]
fn the_end_of_a_run_writes_its_effects_before_the_slot_goes_on() {
    let mut world = World::new();
    world.wake("ada");
    let baton = world.started();
    world.wake("bea");
    keep(&mut world, &baton, "token-1");
    world.finish_as(baton, RunEnd::Succeeded, vec![comment(), release_lease()]);
    let (version, leases): (_, Vec<_>) =
        (world.item.version, world.effects.iter().map(|effect| effect.lease.as_deref()).collect());
    assert_eq!(
        (version, leases),
        (1, vec![None, Some("token-1")]),
        "only what needs the lease is bound to it"
    );
    assert!(
        world.effects.iter().all(|effect| effect.fence == baton.fence && effect.fence < world.item.fence)
    );
    let at = |is: fn(&Change) -> bool| world.last.iter().position(is).unwrap();
    assert!(
        at(|change| matches!(change, Change::AddEffect(_)))
            < at(|change| matches!(change, Change::Transfer(_)))
    );
    world.perform();
    world.perform();
    assert!(world.effects.iter().all(|effect| effect.status == EffectStatus::Done));
}

#[test]
fn an_end_without_effects_makes_no_new_version() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    world.finish(RunEnd::Succeeded);
    assert_eq!((world.item.version, world.effects.len()), (0, 0));
}

#[test]
fn a_run_that_lost_its_slot_writes_no_effects_and_keeps_no_lease() {
    let mut world = World::new();
    world.wake("ada");
    let baton = world.started();
    world.lose_workers();
    world.heal();
    assert_eq!(world.finish_as(baton, RunEnd::Succeeded, vec![comment()]), Fenced::LostSlot);
    assert_eq!(keep(&mut world, &baton, "token-1"), Fenced::LostSlot);
    assert_eq!((world.effects.len(), world.item.lease.as_deref()), (0, None));
}

#[test]
fn the_owner_that_runs_has_its_own_lease_and_nobody_else() {
    let mut world = World::new();
    world.wake("ada");
    assert_eq!(claim(&world, RunId(1)), OwnLease::NotYours, "it has not started");
    let baton = world.started();
    assert_eq!(claim(&world, baton.run), OwnLease::Yours(None));
    assert_eq!(keep(&mut world, &baton, "token-1"), Fenced::Done(()));
    assert_eq!(claim(&world, baton.run), OwnLease::Yours(Some("token-1".to_owned())));
    assert_eq!(claim(&world, RunId(2)), OwnLease::NotYours);
    world.finish(RunEnd::Succeeded);
    assert_eq!(claim(&world, baton.run), OwnLease::NotYours);
}

#[test]
fn a_retry_adopts_the_lease_with_the_slot() {
    let mut world = World::new();
    world.wake("ada");
    let baton = world.started();
    keep(&mut world, &baton, "token-1");
    world.finish(RunEnd::GivenBack);
    let retry = world.started();
    assert_eq!(claim(&world, retry.run), OwnLease::Yours(Some("token-1".to_owned())));
    assert_eq!(keep(&mut world, &baton, "token-2"), Fenced::LostSlot);
    let given_back = world.decide(&Lookup::default(), |s, policy| keep_lease(s, &retry, None, policy));
    assert_eq!((given_back, claim(&world, retry.run)), (Fenced::Done(()), OwnLease::Yours(None)));
}
