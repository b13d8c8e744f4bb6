//! Faults of the tracker at every request of a claim, a renewal and a release: never two holders, and after the lease
//! and one sweep nothing is wrong.

use std::sync::Arc;

use crate::claims::proxy::{Deed, Proxy, Side, Strike};
use crate::claims::seat::{GRACE_S, Ran, Seat, TTL_S};
use crate::claims::waiting::{AT_ONCE, in_parallel, is_full};
use crate::claims::world::{Past, Protocol, REPO, World, reference};

const FAULTS: [(Deed, Side); 5] = [
    (Deed::Broken, Side::Before),
    (Deed::Broken, Side::After),
    (Deed::Limit, Side::Before),
    (Deed::Drop, Side::Before),
    (Deed::Drop, Side::After),
];

/// Claims, renews and releases as three commands, and returns how many requests the claim alone and all of them took.
async fn undisturbed(world: &World, seat: &Seat, past: Past) -> (usize, usize) {
    let issue = world.issues_with_past(past, &world.operator(), 1).await[0];
    let proxy = Proxy::start(&world.url, None).await;
    let seat = seat.elsewhere("undisturbed", &proxy.url);
    world.claim(&seat, issue).await.exits(0);
    let claim = proxy.seen().len();
    seat.run(&["renew", &reference(issue)]).await.exits(0);
    release(&seat, issue).await.exits(0);
    (claim, proxy.seen().len())
}

async fn release(seat: &Seat, issue: u64) -> Ran {
    seat.run(&["release", &reference(issue), "--outcome", "cancelled"]).await
}

async fn holder(world: &World, seat: &Seat, issue: u64) -> Option<String> {
    world.check(seat, issue).await.json()["holder"]["codename"].as_str().map(str::to_owned)
}

/// One claimant meets a fault; a second one tries after its claim and after its renewal.
async fn followed(world: Arc<World>, seat: Seat, rival: Seat, issue: u64, strike: Strike) {
    let name = format!("{:?}-{:?}-{}-{issue}", strike.deed, strike.side, strike.at);
    let proxy = Proxy::start(&world.url, Some(strike)).await;
    let seat = seat.elsewhere(&name, &proxy.url);
    let rival = rival.elsewhere(&format!("rival-{name}"), &world.url);
    let claimed = world.claim(&seat, issue).await;
    assert!([0, 1, 3].contains(&claimed.code), "{name}: {claimed:?}");
    if claimed.code != 0 {
        // It may be there all the same, and then it blocks for its lease; but it is nobody's.
        let second = world.claim(&rival, issue).await;
        let renewed = seat.run(&["renew", &reference(issue)]).await;
        assert_eq!(renewed.code, 1, "{name}: {claimed:?} {renewed:?}");
        if second.code == 0 {
            assert_eq!(holder(&world, &rival, issue).await.as_deref(), Some("rival"), "{name}");
        }
        assert!(proxy.is_struck(), "{name}: {claimed:?}");
        return;
    }
    let renewed = seat.run(&["renew", &reference(issue)]).await;
    assert!([0, 3].contains(&renewed.code), "{name}: {renewed:?}");
    assert_eq!(holder(&world, &rival, issue).await.as_deref(), Some("victim"), "{name}");
    let second = world.claim(&rival, issue).await;
    assert_eq!(second.code, 1, "{name}: two holders; {claimed:?} {renewed:?} {second:?}");
    let released = release(&seat, issue).await;
    assert!([0, 3].contains(&released.code), "{name}: {released:?}");
    if released.code == 0 {
        world.check(&rival, issue).await.exits(0);
    }
    assert!(proxy.is_struck(), "{name}: {claimed:?} {renewed:?} {released:?}");
}

/// One claimant meets a fault while a second one tries.
async fn contested(world: Arc<World>, seat: Seat, rival: Seat, issue: u64, strike: Strike) {
    let name = format!("{:?}-{:?}-{}-{issue}", strike.deed, strike.side, strike.at);
    let proxy = Proxy::start(&world.url, Some(strike)).await;
    let seat = seat.elsewhere(&name, &proxy.url);
    let rival = rival.elsewhere(&format!("rival-{name}"), &world.url);
    let (claimed, second) = tokio::join!(world.claim(&seat, issue), world.claim(&rival, issue));
    assert!(claimed.code != 0 || second.code != 0, "{name}: two holders; {claimed:?} {second:?}");
    let expected = match (claimed.code, second.code) {
        (0, _) => Some("victim"),
        (_, 0) => Some("rival"),
        _ => return,
    };
    assert_eq!(holder(&world, &rival, issue).await.as_deref(), expected, "{name}");
}

/// When every lease is over and one sweep has run, labels tell the truth and everything can be claimed.
async fn recovers(world: &Arc<World>, rival: &Seat, issues: &[u64]) {
    world.run_clock_from(world.now_s() + TTL_S + GRACE_S + 1).await;
    // What died here died of the clock, and is nothing that a person should look at.
    let operator = world.operator().with("BATON_CLAIMS_ATTEMPTS_MAX", "99");
    let swept = operator.run(&["sweep", "--repo", REPO, "--json"]).await.exits(0);
    assert_eq!(swept.json()["failures"].as_array().unwrap().len(), 0, "{swept:?}");
    for issue in issues {
        assert_eq!(
            world.labels(*issue).await,
            ["agent:implement"],
            "#{issue}: {:#?}",
            world.bodies(*issue).await
        );
    }
    let fresh = issues.iter().map(|issue| {
        let (world, issue) = (Arc::clone(world), *issue);
        let seat = rival.elsewhere(&format!("fresh-{issue}"), &world.url);
        async move { world.claim(&seat, issue).await.exits(0) }
    });
    in_parallel(AT_ONCE, fresh.collect::<Vec<_>>()).await;
}

async fn faulted_at_every_request(protocol: Protocol, past: Past, beside: &[(Deed, Side)]) {
    let world = Arc::new(World::new(protocol).await);
    let (seat, rival) = (world.worker("victim").await, world.worker("rival").await);
    let (of_claim, of_all) = undisturbed(&world, &seat, past).await;
    let at_each = |count: usize, faults: &[(Deed, Side)]| -> Vec<Strike> {
        let faults = faults.to_vec();
        let each = |at| faults.iter().map(move |(deed, side)| Strike { at, side: *side, deed: *deed });
        (1..=count).flat_map(each).collect()
    };
    let (alone, beside) = (at_each(of_all, &FAULTS), at_each(of_claim, beside));
    let count = alone.len() + beside.len();
    let issues = world.issues_with_past(past, &world.operator(), count).await;
    let (first, second) = issues.split_at(alone.len());
    println!(
        "{protocol}, past {past:?}: {} faults at {of_all} requests, {} beside a rival",
        alone.len(),
        beside.len()
    );
    let runs = alone.into_iter().zip(first);
    let runs =
        runs.map(|(strike, issue)| followed(Arc::clone(&world), seat.clone(), rival.clone(), *issue, strike));
    in_parallel(AT_ONCE, runs.collect::<Vec<_>>()).await;
    let runs = beside.into_iter().zip(second);
    let runs = runs
        .map(|(strike, issue)| contested(Arc::clone(&world), seat.clone(), rival.clone(), *issue, strike));
    in_parallel(AT_ONCE, runs.collect::<Vec<_>>()).await;
    recovers(&world, &rival, &issues).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_that_fails_at_any_request_of_a_comment_claim_makes_no_second_holder_and_no_wrong_label() {
    faulted_at_every_request(Protocol::Comment, Past::None, &FAULTS[1..2]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_that_fails_at_any_request_of_a_ref_claim_makes_no_second_holder_and_no_wrong_label() {
    faulted_at_every_request(Protocol::Ref, Past::None, &FAULTS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_that_fails_at_any_request_of_a_takeover_makes_no_second_holder_and_no_wrong_label() {
    faulted_at_every_request(Protocol::Ref, Past::Abandoned, &FAULTS[..1]).await;
    if is_full() {
        faulted_at_every_request(Protocol::Ref, Past::HandedBack, &FAULTS).await;
        faulted_at_every_request(Protocol::Comment, Past::Abandoned, &FAULTS).await;
        faulted_at_every_request(Protocol::Comment, Past::HandedBack, &FAULTS).await;
    }
}
