//! Death at every request of a claim, a renewal and a release: the issue is free again one ttl and one margin later by
//! the server's clock, and not a second earlier.

use std::sync::Arc;

use crate::proxy::{Deed, Seen, Side, Strike};
use crate::seat::Seat;
use crate::standing::{Left, left_behind};
use crate::victim::Victim;
use crate::waiting::{AT_ONCE, SOON, eventually, in_parallel, is_group_alive};
use crate::world::{Protocol, World, wall_s};

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
pub(crate) async fn undisturbed(world: &World, seat: &Seat) -> Vec<Seen> {
    let issue = world.issue().await;
    let mut victim = Victim::start(world, seat, &format!("undisturbed-{issue}"), issue, None).await;
    victim.until_struck().await;
    victim.ended().await.exits(0).says("handed back as no-commit");
    assert_eq!(world.labels(issue).await, ["agent:implement"]);
    victim.proxy.seen()
}

async fn die(world: Arc<World>, seat: Seat, rival: Seat, issue: u64, strike: Strike) -> Death {
    let name = format!("{:?}-{}-{issue}", strike.side, strike.at);
    let mut victim = Victim::start(&world, &seat, &name, issue, Some(strike)).await;
    victim.until_struck().await;
    let died_s = wall_s();
    let request = victim.proxy.seen().last().map(Seen::name).unwrap_or_default();
    let ran = victim.ended().await;
    assert!(victim.proxy.is_struck(), "{name} ran to its end: {ran:?}");
    assert_eq!(ran.code, -1, "{name} was not killed: {ran:?}");
    if let Some(group) = victim.group() {
        eventually("the command dies with its holder", SOON, || (!is_group_alive(group)).then_some(())).await;
    }
    let left = left_behind(&world, issue).await;
    let rival = rival.elsewhere(&format!("rival-{name}"), &world.url);
    let second = world.claim(&rival, issue).await;
    match left {
        Some(_) => {
            assert_eq!((second.code, &second.json()["outcome"]), (1, &"lost".into()), "{name} {request}")
        }
        None => assert_eq!(second.code, 0, "nothing was left, and yet: {name} {request} {second:?}"),
    }
    Death { issue, at: strike.at, side: strike.side, request, died_s, left }
}

async fn killed_at_every_request(protocol: Protocol) {
    let world = Arc::new(World::new(protocol).await);
    let (seat, rival) = (world.worker("victim").await, world.worker("rival").await);
    let steps = undisturbed(&world, &seat).await;
    let strikes: Vec<_> = (1..=steps.len())
        .flat_map(|at| [Side::Before, Side::After].map(|side| Strike { at, side, deed: Deed::Kill }))
        .collect();
    let issues = world.issues(strikes.len()).await;
    let dying = strikes
        .into_iter()
        .zip(&issues)
        .map(|(strike, issue)| die(Arc::clone(&world), seat.clone(), rival.clone(), *issue, strike));
    let deaths = in_parallel(AT_ONCE, dying.collect::<Vec<_>>()).await;
    for death in &deaths {
        check_boundary(&world, &rival, death).await;
    }
    let last = deaths.iter().filter_map(|death| death.left).map(Left::honoured_until_s).max().unwrap();
    world.run_clock(last + 1 - wall_s()).await;
    let successions = deaths.iter().filter(|death| death.left.is_some()).map(|death| {
        let (world, issue) = (Arc::clone(&world), death.issue);
        let seat = rival.elsewhere(&format!("successor-{issue}"), &world.url);
        async move { (issue, world.claim(&seat, issue).await) }
    });
    for (issue, ran) in in_parallel(AT_ONCE, successions.collect::<Vec<_>>()).await {
        assert_eq!(ran.code, 0, "#{issue}: {ran:?}");
        assert_eq!(world.labels(issue).await, ["agent:in-flight"], "#{issue}");
    }
    print_recoveries(protocol, &deaths);
}

/// With the server's clock standing still, the dead holder is honoured until the last second and no longer.
async fn check_boundary(world: &World, rival: &Seat, death: &Death) {
    let Some(left) = death.left else { return };
    let name = format!("{:?} {} {}", death.side, death.at, death.request);
    world.freeze_clock(left.honoured_until_s()).await;
    let before = world.check(rival, death.issue).await;
    assert_eq!(before.code, 1, "{name}: {before:?}");
    assert_eq!(before.json()["holder"]["codename"], "victim", "{name}");
    world.freeze_clock(left.honoured_until_s() + 1).await;
    let after = world.check(rival, death.issue).await;
    assert_eq!(after.code, 0, "{name}: {after:?}");
}

fn print_recoveries(protocol: Protocol, deaths: &[Death]) {
    println!(
        "\n{protocol}: killed at request, side, what was left, server seconds from death to the next claim"
    );
    for death in deaths {
        let (what, seconds) = match death.left {
            None => ("nothing", 0),
            Some(left) => {
                let what = if left.is_bid { "a bid" } else { "a hold" };
                (what, (left.honoured_until_s() + 1 - death.died_s).max(0))
            }
        };
        println!("{:>3} {:42} {:7?} {what:8} {seconds:>3} s", death.at, death.request, death.side);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_claimant_killed_at_any_request_blocks_for_its_lease_and_no_longer() {
    killed_at_every_request(Protocol::Comment).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_claimant_killed_at_any_request_blocks_for_its_lease_and_no_longer() {
    killed_at_every_request(Protocol::Ref).await;
}
