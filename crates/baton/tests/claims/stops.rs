//! A stop at every request, for longer than the lease: the command is dead by the deadline although its holder stands
//! still, and a holder that goes on when someone else has the issue changes nothing.

use std::sync::Arc;

use baton_fixtures::clock::boot_ms;
use baton_fixtures::processes::{Signal, is_group_alive, send};
use baton_fixtures::wait::{eventually, in_parallel};
use baton_fixtures::{Deed, Seen, Side, Strike, TestEnv, is_full};
use serde_json::Value;

use crate::claims::deaths::undisturbed;
use crate::claims::setup::{AT_ONCE, Past, Protocol, Setup, assert_same, claim, elsewhere};
use crate::claims::standing::{Left, left_behind, value};
use crate::claims::victim::Victim;

/// A claimant that stands still.
struct Stopped {
    victim: Victim,
    name: String,
    left: Option<Left>,
}

async fn stop(setup: Arc<Setup>, env: TestEnv, issue: u64, strike: Strike) -> Stopped {
    let name = format!("{:?}-{}-{issue}", strike.side, strike.at);
    let mut victim = Victim::start(&setup, &env, &name, issue, Some(strike)).await;
    victim.until_struck().await;
    assert!(victim.proxy.is_struck(), "{name} ran to its end: {:?}", victim.ended().await);
    let request = victim.proxy.seen().last().map(Seen::name).unwrap_or_default();
    let left = left_behind(&setup, issue).await;
    Stopped { victim, name: format!("stopped {name} at {request}"), left }
}

impl Stopped {
    /// Waits for the holder's own deadline. Its command must be dead then, and must not have been before the holder
    /// stood still.
    async fn pass_deadline(self) -> Self {
        if let Some(group) = self.victim.group() {
            let Some(deadline) = deadline_ms(&self.victim.env) else {
                assert!(!is_group_alive(group), "{}: its command runs without a lease", self.name);
                return self;
            };
            let is_over = || (boot_ms() >= deadline).then_some(());
            eventually("the deadline", is_over).await;
            assert!(!is_group_alive(group), "{}: its command has outlived its lease", self.name);
            assert!(self.victim.ticks() > 0, "{}: its command never ran", self.name);
        }
        self
    }

    /// Lets it go on, and looks at what it does.
    async fn go_on(mut self, setup: Arc<Setup>) {
        let (name, issue) = (self.name, self.victim.issue);
        let (before, seen) = (setup.dump(issue).await, self.victim.proxy.seen().len());
        let ticks = self.victim.ticks();
        send(self.victim.pid(), Signal::CONT);
        let ran = self.victim.ended().await;
        assert_eq!(self.victim.ticks(), ticks, "{name}: its command ran on: {ran:?}");
        let after = setup.dump(issue).await;
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

/// The deadline of a machine's hold, by the boot clock.
fn deadline_ms(env: &TestEnv) -> Option<u64> {
    let files = std::fs::read_dir(env.path("leases")).ok()?;
    let texts = files.filter_map(|file| std::fs::read_to_string(file.ok()?.path()).ok());
    let mut leases = texts.filter_map(|text| serde_json::from_str::<Value>(&text).ok());
    leases.find_map(|lease| find(&lease, "deadline_ms"))
}

/// Finds a number under a key, however deep.
fn find(value: &Value, key: &str) -> Option<u64> {
    let map = value.as_object()?;
    map.get(key).and_then(Value::as_u64).or_else(|| map.values().find_map(|inner| find(inner, key)))
}

fn is_own_release(comment: &Value) -> bool {
    let body = comment["body"].as_str().unwrap();
    body.starts_with("<!-- agent-release:") && value(body, "codename") == Some("victim")
}

async fn stopped_at_every_request(protocol: Protocol, past: Past) {
    let setup = Arc::new(Setup::new(protocol).await);
    let (env, rival) = (setup.worker("victim").await, setup.worker("rival").await);
    let steps = undisturbed(&setup, &env, past).await;
    let strikes: Vec<_> = (1..=steps.len())
        .flat_map(|at| [Side::Before, Side::After].map(|side| Strike { at, side, deed: Deed::Stop }))
        .collect();
    let issues = setup.issues_with_past(past, &setup.operator(), strikes.len()).await;
    let stopping = strikes.into_iter().zip(&issues);
    let stopping = stopping.map(|(strike, issue)| stop(Arc::clone(&setup), env.clone(), *issue, strike));
    let stopped = in_parallel(AT_ONCE, stopping.collect::<Vec<_>>()).await;
    let count = stopped.len();
    let stopped = in_parallel(count, stopped.into_iter().map(Stopped::pass_deadline)).await;
    let last = stopped.iter().filter_map(|it| it.left).map(Left::honoured_until_s).max().unwrap();
    setup.run_clock_from(last + 1).await;
    let successions = issues.iter().map(|issue| {
        let (setup, issue) = (Arc::clone(&setup), *issue);
        let env = elsewhere(&rival, &format!("successor-{issue}"), &setup.forge.url);
        async move { claim(&env, issue).await.exits(0) }
    });
    in_parallel(AT_ONCE, successions.collect::<Vec<_>>()).await;
    in_parallel(AT_ONCE, stopped.into_iter().map(|it| it.go_on(Arc::clone(&setup)))).await;
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
