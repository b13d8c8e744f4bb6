//! Processes that are killed between the commit, the effect and its acknowledgement, on SQLite and on PostgreSQL: another
//! process goes on, and everything is there exactly once and in order.

use std::sync::Arc;

use baton_core::slot::effect::{Deed, EffectStatus};
use baton_core::tracker::IssueKey;
use baton_fixtures::processes::{Signal, send};
use baton_fixtures::wait::{eventually, in_parallel};
use baton_fixtures::{Deed as Blow, Proxy, Side, Strike};

use crate::outbox::effects::{add, comment, remove};
use crate::outbox::setup::Setup;
use crate::outbox::worker::{First, LONG_LIFE, SHORT_LIFE, TempStore, Worker};

/// How many courses of events go on at a time. Most of what they do is waiting.
const AT_ONCE: usize = 8;

/// Lets a worker perform all that is left.
async fn recover(setup: &Setup, store: &TempStore, issue: &IssueKey) {
    Worker::start(store, &setup.forge.url, issue, First::Perform, LONG_LIFE).ends().await;
}

/// Starts a worker behind a proxy that strikes it, and waits for the blow.
async fn struck(setup: &Setup, store: &TempStore, issue: &IssueKey, strike: Strike) -> Worker {
    let proxy = Proxy::start(&setup.forge.url, Some(strike)).await;
    let worker = Worker::start(store, &proxy.url, issue, First::Perform, SHORT_LIFE);
    proxy.aim(worker.pid());
    eventually("the strike", || proxy.is_struck().then_some(())).await;
    worker
}

async fn killed_at(setup: &Setup, store: &TempStore, issue: &IssueKey, at: usize, side: Side) {
    let mut victim = struck(setup, store, issue, Strike { at, side, deed: Blow::Kill }).await;
    let status = victim.child.wait().await.unwrap();
    assert!(!status.success(), "it was not killed: {status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_between_commit_and_effect_loses_nothing_and_a_comment_appears_exactly_once() {
    let setup = Setup::new().await;
    for store in TempStore::both() {
        for first in [First::Decide, First::Take] {
            let issue = setup.issue().await;
            if first == First::Take {
                store.effects().await.decide(&issue, vec![comment("one"), comment("two")]).await;
            }
            let mut victim = Worker::start(&store, &setup.forge.url, &issue, first, SHORT_LIFE);
            victim.waits().await;
            victim.dies().await;
            assert!(setup.marked(&issue).await.is_empty(), "nothing was sent yet");
            recover(&setup, &store, &issue).await;
            assert_eq!(setup.marked(&issue).await, ["one", "two"], "{first:?} {}", store.address());
        }
    }
    setup.nothing_was_deleted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_between_effect_and_acknowledgement_makes_no_second_comment() {
    let setup = Setup::new().await;
    for store in TempStore::both() {
        let issue = setup.issue().await;
        store.effects().await.decide(&issue, vec![comment("one"), comment("two")]).await;
        killed_at(&setup, &store, &issue, 1, Side::After).await;
        assert_eq!(setup.marked(&issue).await, ["one"], "it took effect, and nobody was told");
        let statuses = store.effects().await.statuses(&issue).await;
        assert_eq!(statuses, [EffectStatus::Sending, EffectStatus::Pending]);
        recover(&setup, &store, &issue).await;
        assert_eq!(setup.marked(&issue).await, ["one", "two"], "{}", store.address());
    }
    setup.nothing_was_deleted().await;
}

/// What a worker does in one request each, when nothing happens to it.
fn deeds() -> Vec<Deed> {
    let label = "agent:in-flight";
    vec![comment("one"), add(label), comment("two"), remove("agent:implement"), Deed::CloseIssue]
}

async fn check(setup: &Setup, issue: &IssueKey, name: &str) {
    assert_eq!(setup.marked(issue).await, ["one", "two"], "{name}");
    assert_eq!(setup.repo.labels(issue.number).await, ["agent:in-flight"], "{name}");
    assert!(!setup.repo.is_open(issue.number).await, "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_killed_at_any_request_leave_the_rest_to_the_next_and_nothing_is_done_twice() {
    let setup = Arc::new(Setup::new().await);
    let sides = [Side::Before, Side::After];
    let once = (1..=deeds().len()).flat_map(|at| sides.map(|side| vec![(at, side)]));
    // The second victim dies while it looks for what the first has left: who it is, which comments there are.
    let twice = (1..=3).flat_map(|at| sides.map(|side| vec![(1, Side::After), (at, side)]));
    let lives: Vec<_> = once.chain(twice).collect();
    let cases = lives.into_iter().flat_map(|deaths| TempStore::both().map(|store| (store, deaths.clone())));
    let cases = cases.map(|(store, deaths)| {
        let setup = Arc::clone(&setup);
        async move {
            let issue = setup.issue().await;
            store.effects().await.decide(&issue, deeds()).await;
            for (at, side) in &deaths {
                killed_at(&setup, &store, &issue, *at, *side).await;
            }
            recover(&setup, &store, &issue).await;
            check(&setup, &issue, &format!("killed at {deaths:?} on {}", store.address())).await;
        }
    });
    in_parallel(AT_ONCE, cases.collect::<Vec<_>>()).await;
    setup.nothing_was_deleted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stood_still_past_its_lease_changes_nothing_when_it_goes_on() {
    let setup = Setup::new().await;
    for store in TempStore::both() {
        for side in [Side::Before, Side::After] {
            let issue = setup.issue().await;
            store.effects().await.decide(&issue, deeds()).await;
            let mut sleeper = struck(&setup, &store, &issue, Strike { at: 1, side, deed: Blow::Stop }).await;
            recover(&setup, &store, &issue).await;
            send(i32::try_from(sleeper.pid()).unwrap(), Signal::CONT);
            sleeper.ends().await;
            check(&setup, &issue, &format!("{side:?} {}", store.address())).await;
        }
    }
    setup.nothing_was_deleted().await;
}
