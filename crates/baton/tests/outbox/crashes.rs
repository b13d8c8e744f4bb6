//! Processes that are killed between the commit, the effect and its acknowledgement, on SQLite and on PostgreSQL: another
//! process goes on, and everything is there exactly once and in order.

use std::sync::Arc;

use baton_core::slot::effect::{Deed, EffectStatus};
use baton_core::tracker::IssueKey;
use rustix::process::{Pid, Signal, kill_process};

use crate::outbox::desk::{add, comment, remove};
use crate::outbox::proxy::{Deed as Blow, Proxy, Side, Strike};
use crate::outbox::waiting::{AT_ONCE, SOON, eventually, in_parallel};
use crate::outbox::worker::{First, LONG_LIFE, Place, SHORT_LIFE, Worker};
use crate::outbox::world::World;

/// Lets a worker perform all that is left.
async fn recover(world: &World, place: &Place, issue: &IssueKey) {
    Worker::start(place, &world.forge.url, issue, First::Perform, LONG_LIFE).ends().await;
}

/// Starts a worker behind a proxy that strikes it, and waits for the blow.
async fn struck(world: &World, place: &Place, issue: &IssueKey, strike: Strike) -> Worker {
    let proxy = Proxy::start(&world.forge.url, Some(strike)).await;
    let worker = Worker::start(place, &proxy.url, issue, First::Perform, SHORT_LIFE);
    proxy.aim(worker.pid());
    eventually("the strike", SOON, || proxy.is_struck().then_some(())).await;
    worker
}

async fn killed_at(world: &World, place: &Place, issue: &IssueKey, at: usize, side: Side) {
    let mut victim = struck(world, place, issue, Strike { at, side, deed: Blow::Kill }).await;
    let status = victim.child.wait().await.unwrap();
    assert!(!status.success(), "it was not killed: {status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_between_commit_and_effect_loses_nothing_and_a_comment_appears_exactly_once() {
    let world = World::new().await;
    for place in Place::both() {
        for first in [First::Decide, First::Take] {
            let issue = world.issue().await;
            if first == First::Take {
                place.desk().await.decide(&issue, vec![comment("one"), comment("two")]).await;
            }
            let mut victim = Worker::start(&place, &world.forge.url, &issue, first, SHORT_LIFE);
            victim.waits().await;
            victim.dies().await;
            assert!(world.marked(&issue).await.is_empty(), "nothing was sent yet");
            recover(&world, &place, &issue).await;
            assert_eq!(world.marked(&issue).await, ["one", "two"], "{first:?} {}", place.address());
        }
    }
    world.nothing_was_deleted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_between_effect_and_acknowledgement_makes_no_second_comment() {
    let world = World::new().await;
    for place in Place::both() {
        let issue = world.issue().await;
        place.desk().await.decide(&issue, vec![comment("one"), comment("two")]).await;
        killed_at(&world, &place, &issue, 1, Side::After).await;
        assert_eq!(world.marked(&issue).await, ["one"], "it took effect, and nobody was told");
        let statuses = place.desk().await.statuses(&issue).await;
        assert_eq!(statuses, [EffectStatus::Sending, EffectStatus::Pending]);
        recover(&world, &place, &issue).await;
        assert_eq!(world.marked(&issue).await, ["one", "two"], "{}", place.address());
    }
    world.nothing_was_deleted().await;
}

/// What a worker does in one request each, when nothing happens to it.
fn deeds() -> Vec<Deed> {
    let label = "agent:in-flight";
    vec![comment("one"), add(label), comment("two"), remove("agent:implement"), Deed::CloseIssue]
}

async fn check(world: &World, issue: &IssueKey, name: &str) {
    assert_eq!(world.marked(issue).await, ["one", "two"], "{name}");
    assert_eq!(world.labels(issue).await, ["agent:in-flight"], "{name}");
    assert!(!world.is_open(issue).await, "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_killed_at_any_request_leave_the_rest_to_the_next_and_nothing_is_done_twice() {
    let world = Arc::new(World::new().await);
    let sides = [Side::Before, Side::After];
    let once = (1..=deeds().len()).flat_map(|at| sides.map(|side| vec![(at, side)]));
    // The second victim dies while it looks for what the first has left: who it is, which comments there are.
    let twice = (1..=3).flat_map(|at| sides.map(|side| vec![(1, Side::After), (at, side)]));
    let lives: Vec<_> = once.chain(twice).collect();
    let cases = lives.into_iter().flat_map(|deaths| Place::both().map(|place| (place, deaths.clone())));
    let cases = cases.map(|(place, deaths)| {
        let world = Arc::clone(&world);
        async move {
            let issue = world.issue().await;
            place.desk().await.decide(&issue, deeds()).await;
            for (at, side) in &deaths {
                killed_at(&world, &place, &issue, *at, *side).await;
            }
            recover(&world, &place, &issue).await;
            check(&world, &issue, &format!("killed at {deaths:?} on {}", place.address())).await;
        }
    });
    in_parallel(AT_ONCE, cases.collect::<Vec<_>>()).await;
    world.nothing_was_deleted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stood_still_past_its_lease_changes_nothing_when_it_goes_on() {
    let world = World::new().await;
    for place in Place::both() {
        for side in [Side::Before, Side::After] {
            let issue = world.issue().await;
            place.desk().await.decide(&issue, deeds()).await;
            let mut sleeper = struck(&world, &place, &issue, Strike { at: 1, side, deed: Blow::Stop }).await;
            recover(&world, &place, &issue).await;
            let pid = Pid::from_raw(i32::try_from(sleeper.pid()).unwrap()).unwrap();
            kill_process(pid, Signal::CONT).unwrap();
            sleeper.ends().await;
            check(&world, &issue, &format!("{side:?} {}", place.address())).await;
        }
    }
    world.nothing_was_deleted().await;
}
