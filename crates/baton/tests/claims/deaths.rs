//! Death at every request of a claim, a renewal and a release: the issue is free again one ttl and one margin later by
//! the server's clock, and not a second earlier.

use std::sync::Arc;

use baton_fixtures::processes::is_group_alive;
use baton_fixtures::wait::{eventually, in_parallel};
use baton_fixtures::{Deed, Seen, Side, Strike, TestEnv, is_full};

use crate::claims::setup::{AT_ONCE, Past, Protocol, Setup, check, claim, elsewhere};
use crate::claims::standing::{Left, left_behind};
use crate::claims::victim::Victim;

/// What a death left behind.
pub(crate) struct Death {
    issue: u64,
    at: usize,
    side: Side,
    request: String,
    died_s: i64,
    left: Option<Left>,
}

/// Runs a claim, a renewal and a release that nothing happens to, and returns their requests.
pub(crate) async fn undisturbed(setup: &Setup, env: &TestEnv, past: Past) -> Vec<Seen> {
    let issue = setup.issues_with_past(past, &setup.operator(), 1).await[0];
    let mut victim = Victim::start(setup, env, &format!("undisturbed-{issue}"), issue, None).await;
    victim.until_struck().await;
    victim.ended().await.exits(0).says("handed back as no-commit");
    assert_eq!(setup.repo.labels(issue).await, ["agent:implement"]);
    victim.proxy.seen()
}

async fn die(setup: Arc<Setup>, env: TestEnv, rival: TestEnv, issue: u64, strike: Strike) -> Death {
    let name = format!("{:?}-{}-{issue}", strike.side, strike.at);
    let mut victim = Victim::start(&setup, &env, &name, issue, Some(strike)).await;
    victim.until_struck().await;
    let died_s = setup.now_s();
    let request = victim.proxy.seen().last().map(Seen::name).unwrap_or_default();
    let ran = victim.ended().await;
    assert!(victim.proxy.is_struck(), "{name} ran to its end: {ran:?}");
    assert_eq!(ran.code, -1, "{name} was not killed: {ran:?}");
    if let Some(group) = victim.group() {
        eventually("the command dies with its holder", || (!is_group_alive(group)).then_some(())).await;
    }
    let left = left_behind(&setup, issue).await;
    let rival = elsewhere(&rival, &format!("rival-{name}"), &setup.forge.url);
    let second = claim(&rival, issue).await;
    match left {
        Some(_) => {
            assert_eq!((second.code, &second.json()["outcome"]), (1, &"lost".into()), "{name} {request}")
        }
        None => assert_eq!(second.code, 0, "nothing was left, and yet: {name} {request} {second:?}"),
    }
    Death { issue, at: strike.at, side: strike.side, request, died_s, left }
}

async fn killed_at_every_request(protocol: Protocol, past: Past) {
    let setup = Arc::new(Setup::new(protocol).await);
    let (env, rival) = (setup.worker("victim").await, setup.worker("rival").await);
    let steps = undisturbed(&setup, &env, past).await;
    let strikes: Vec<_> = (1..=steps.len())
        .flat_map(|at| [Side::Before, Side::After].map(|side| Strike { at, side, deed: Deed::Kill }))
        .collect();
    let issues = setup.issues_with_past(past, &setup.operator(), strikes.len()).await;
    let dying = strikes
        .into_iter()
        .zip(&issues)
        .map(|(strike, issue)| die(Arc::clone(&setup), env.clone(), rival.clone(), *issue, strike));
    let deaths = in_parallel(AT_ONCE, dying.collect::<Vec<_>>()).await;
    for death in &deaths {
        check_boundary(&setup, &rival, death).await;
    }
    let last = deaths.iter().filter_map(|death| death.left).map(Left::honoured_until_s).max().unwrap();
    setup.run_clock_from(last + 1).await;
    let successions = deaths.iter().filter(|death| death.left.is_some()).map(|death| {
        let (setup, issue) = (Arc::clone(&setup), death.issue);
        let env = elsewhere(&rival, &format!("successor-{issue}"), &setup.forge.url);
        async move { (issue, claim(&env, issue).await) }
    });
    for (issue, ran) in in_parallel(AT_ONCE, successions.collect::<Vec<_>>()).await {
        assert_eq!(ran.code, 0, "#{issue}: {ran:?}");
        assert_eq!(setup.repo.labels(issue).await, ["agent:in-flight"], "#{issue}");
    }
    print_recoveries(protocol, past, &deaths);
}

/// With the server's clock standing still, the dead holder is honoured until the last second and no longer.
async fn check_boundary(setup: &Setup, rival: &TestEnv, death: &Death) {
    let Some(left) = death.left else { return };
    let name = format!("{:?} {} {}", death.side, death.at, death.request);
    setup.forge.freeze_clock(left.honoured_until_s()).await;
    let before = check(rival, death.issue).await;
    assert_eq!(before.code, 1, "{name}: {before:?}");
    assert_eq!(before.json()["holder"]["codename"], "victim", "{name}");
    setup.forge.freeze_clock(left.honoured_until_s() + 1).await;
    let after = check(rival, death.issue).await;
    assert_eq!(after.code, 0, "{name}: {after:?}");
}

impl Death {
    /// What was left, and the server's seconds from the death to the next claim.
    fn recovery(&self) -> (&'static str, i64) {
        let Some(left) = self.left else { return ("nothing", 0) };
        let what = if left.is_bid { "a bid" } else { "a hold" };
        (what, (left.honoured_until_s() + 1 - self.died_s).max(0))
    }
}

fn print_recoveries(protocol: Protocol, past: Past, deaths: &[Death]) {
    println!("\n{protocol}, past {past:?}: server seconds from a death to the next claim");
    for what in ["nothing", "a bid", "a hold"] {
        let seconds = deaths.iter().map(Death::recovery).filter(|(left, _)| *left == what);
        let seconds: Vec<_> = seconds.map(|(_, seconds)| seconds).collect();
        if let (Some(least), Some(most)) = (seconds.iter().min(), seconds.iter().max()) {
            println!("{:>3} deaths left {what:8} {least:>3} to {most:>3} s", seconds.len());
        }
    }
    for death in deaths.iter().filter(|_| is_full()) {
        let (what, seconds) = death.recovery();
        println!("{:>3} {:42} {:?} {what} {seconds} s", death.at, death.request, death.side);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_claimant_killed_at_any_request_blocks_for_its_lease_and_no_longer() {
    killed_at_every_request(Protocol::Comment, Past::None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_claimant_killed_at_any_request_blocks_for_its_lease_and_no_longer() {
    killed_at_every_request(Protocol::Ref, Past::None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claimant_killed_at_any_request_of_a_takeover_blocks_for_its_lease_and_no_longer() {
    killed_at_every_request(Protocol::Ref, Past::Abandoned).await;
    if is_full() {
        killed_at_every_request(Protocol::Comment, Past::Abandoned).await;
        for protocol in Protocol::BOTH {
            killed_at_every_request(protocol, Past::HandedBack).await;
        }
    }
}
