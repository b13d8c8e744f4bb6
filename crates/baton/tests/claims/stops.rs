//! A stop at every request, for longer than the lease: the command is dead by the deadline although its holder stands
//! still, and a holder that goes on when someone else has the issue changes nothing.

use std::sync::Arc;

use baton_testbed::processes::is_group_alive;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::claims::deaths::undisturbed;
use crate::claims::proxy::{Deed, Seen, Side, Strike};
use crate::claims::seat::Seat;
use crate::claims::standing::{Left, left_behind, value};
use crate::claims::victim::Victim;
use crate::claims::waiting::{AT_ONCE, SOON, boot_ms, eventually, in_parallel, is_full};
use crate::claims::world::{Past, Protocol, World, assert_same};

/// A claimant that stands still.
struct Stopped {
    victim: Victim,
    name: String,
    left: Option<Left>,
}

async fn stop(world: Arc<World>, seat: Seat, issue: u64, strike: Strike) -> Stopped {
    let name = format!("{:?}-{}-{issue}", strike.side, strike.at);
    let mut victim = Victim::start(&world, &seat, &name, issue, Some(strike)).await;
    victim.until_struck().await;
    assert!(victim.proxy.is_struck(), "{name} ran to its end: {:?}", victim.ended().await);
    let request = victim.proxy.seen().last().map(Seen::name).unwrap_or_default();
    let left = left_behind(&world, issue).await;
    Stopped { victim, name: format!("stopped {name} at {request}"), left }
}

impl Stopped {
    /// Waits for the holder's own deadline. Its command must be dead then, and must not have been before the holder
    /// stood still.
    async fn pass_deadline(self) -> Self {
        if let Some(group) = self.victim.group() {
            let Some(deadline) = self.victim.seat.deadline_ms() else {
                assert!(!is_group_alive(group), "{}: its command runs without a lease", self.name);
                return self;
            };
            let is_over = || (boot_ms() >= deadline).then_some(());
            eventually("the deadline", SOON, is_over).await;
            assert!(!is_group_alive(group), "{}: its command has outlived its lease", self.name);
            assert!(self.victim.ticks() > 0, "{}: its command never ran", self.name);
        }
        self
    }

    /// Lets it go on, and looks at what it does.
    async fn go_on(mut self, world: Arc<World>) {
        let (name, issue) = (self.name, self.victim.issue);
        let (before, seen) = (world.dump(issue).await, self.victim.proxy.seen().len());
        let ticks = self.victim.ticks();
        let pid = Pid::from_raw(i32::try_from(self.victim.pid()).unwrap()).unwrap();
        kill_process(pid, Signal::CONT).unwrap();
        let ran = self.victim.ended().await;
        assert_eq!(self.victim.ticks(), ticks, "{name}: its command ran on: {ran:?}");
        let after = world.dump(issue).await;
        // An unclear release on the claim ref is asked about again; the server refuses it from whoever was overtaken.
        let is_fenced = |seen: &Seen| seen.name() == "PATCH /git/refs/baton/claims/N";
        let seen = self.victim.proxy.seen().split_off(seen);
        let writes: Vec<_> =
            seen.iter().filter(|seen| seen.is_write() && !is_fenced(seen)).map(Seen::name).collect();
        if self.left.is_some() {
            assert!(ran.code > 0, "{name}: {ran:?}");
        }
        if self.victim.group().is_some() {
            assert!(writes.is_empty(), "{name}: a holder that was overtaken wrote {writes:?}; {ran:?}");
            assert_same(&before, &after, &name);
            return;
        }
        // One that never came to hold takes its own bid back, and nothing else.
        for key in ["tip", "events"] {
            assert_eq!(before[key], after[key], "{name}: {key} changed; {ran:?}");
        }
        assert_eq!(before["issue"]["labels"], after["issue"]["labels"], "{name}");
        let known = before["comments"].as_array().unwrap();
        assert_eq!(known[..], after["comments"].as_array().unwrap()[..known.len()], "{name}");
        for comment in &after["comments"].as_array().unwrap()[known.len()..] {
            assert!(is_own_release(comment), "{name}: {comment:#}");
        }
    }
}

fn is_own_release(comment: &Value) -> bool {
    let body = comment["body"].as_str().unwrap();
    body.starts_with("<!-- agent-release:") && value(body, "codename") == Some("victim")
}

async fn stopped_at_every_request(protocol: Protocol, past: Past) {
    let world = Arc::new(World::new(protocol).await);
    let (seat, rival) = (world.worker("victim").await, world.worker("rival").await);
    let steps = undisturbed(&world, &seat, past).await;
    let strikes: Vec<_> = (1..=steps.len())
        .flat_map(|at| [Side::Before, Side::After].map(|side| Strike { at, side, deed: Deed::Stop }))
        .collect();
    let issues = world.issues_with_past(past, &world.operator(), strikes.len()).await;
    let stopping = strikes.into_iter().zip(&issues);
    let stopping = stopping.map(|(strike, issue)| stop(Arc::clone(&world), seat.clone(), *issue, strike));
    let stopped = in_parallel(AT_ONCE, stopping.collect::<Vec<_>>()).await;
    let count = stopped.len();
    let stopped = in_parallel(count, stopped.into_iter().map(Stopped::pass_deadline)).await;
    let last = stopped.iter().filter_map(|it| it.left).map(Left::honoured_until_s).max().unwrap();
    world.run_clock_from(last + 1).await;
    let successions = issues.iter().map(|issue| {
        let (world, issue) = (Arc::clone(&world), *issue);
        let seat = rival.elsewhere(&format!("successor-{issue}"), &world.url);
        async move { world.claim(&seat, issue).await.exits(0) }
    });
    in_parallel(AT_ONCE, successions.collect::<Vec<_>>()).await;
    in_parallel(AT_ONCE, stopped.into_iter().map(|it| it.go_on(Arc::clone(&world)))).await;
    println!(
        "{protocol}, past {past:?}: stopped beyond the lease at each of {} requests, before and after",
        steps.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_claimant_stopped_at_any_request_beyond_its_lease_changes_nothing_more() {
    stopped_at_every_request(Protocol::Comment, Past::None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_claimant_stopped_at_any_request_beyond_its_lease_changes_nothing_more() {
    stopped_at_every_request(Protocol::Ref, Past::None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claimant_stopped_at_any_request_of_a_takeover_changes_nothing_more() {
    let protocols = if is_full() { &Protocol::BOTH[..] } else { &Protocol::BOTH[1..] };
    for protocol in protocols {
        stopped_at_every_request(*protocol, Past::Abandoned).await;
    }
}
