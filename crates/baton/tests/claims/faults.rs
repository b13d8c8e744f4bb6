//! Faults of the tracker at every request of a claim, a renewal and a release: never two holders, and after the lease
//! and one sweep nothing is wrong.

use std::sync::Arc;

use baton_fixtures::wait::in_parallel;
use baton_fixtures::{CommandOutput, Deed, Proxy, Side, Strike, TestEnv, is_full};

use crate::claims::setup::{
    AT_ONCE, GRACE_S, Past, Protocol, REPO, Setup, TTL_S, check, claim, elsewhere, reference,
};

const FAULTS: [(Deed, Side); 5] = [
    (Deed::Broken, Side::Before),
    (Deed::Broken, Side::After),
    (Deed::Limit, Side::Before),
    (Deed::Drop, Side::Before),
    (Deed::Drop, Side::After),
];

/// Claims, renews and releases as three commands, and returns how many requests the claim alone and all of them took.
async fn undisturbed(setup: &Setup, env: &TestEnv, past: Past) -> (usize, usize) {
    let issue = setup.issues_with_past(past, &setup.operator(), 1).await[0];
    let proxy = Proxy::start(&setup.forge.url, None).await;
    let env = elsewhere(env, "undisturbed", &proxy.url);
    claim(&env, issue).await.exits(0);
    let claim = proxy.seen().len();
    env.run_async(&["renew", &reference(issue)]).await.exits(0);
    release(&env, issue).await.exits(0);
    (claim, proxy.seen().len())
}

async fn release(env: &TestEnv, issue: u64) -> CommandOutput {
    env.run_async(&["release", &reference(issue), "--outcome", "cancelled"]).await
}

async fn holder(env: &TestEnv, issue: u64) -> Option<String> {
    check(env, issue).await.json()["holder"]["codename"].as_str().map(str::to_owned)
}

/// One claimant meets a fault; a second one tries after its claim and after its renewal.
async fn followed(setup: Arc<Setup>, env: TestEnv, rival: TestEnv, issue: u64, strike: Strike) {
    let name = format!("{:?}-{:?}-{}-{issue}", strike.deed, strike.side, strike.at);
    let proxy = Proxy::start(&setup.forge.url, Some(strike)).await;
    let env = elsewhere(&env, &name, &proxy.url);
    let rival = elsewhere(&rival, &format!("rival-{name}"), &setup.forge.url);
    let claimed = claim(&env, issue).await;
    assert!([0, 1, 3].contains(&claimed.code), "{name}: {claimed:?}");
    if claimed.code != 0 {
        // It may be there all the same, and then it blocks for its lease; but it is nobody's.
        let second = claim(&rival, issue).await;
        let renewed = env.run_async(&["renew", &reference(issue)]).await;
        assert_eq!(renewed.code, 1, "{name}: {claimed:?} {renewed:?}");
        if second.code == 0 {
            assert_eq!(holder(&rival, issue).await.as_deref(), Some("rival"), "{name}");
        }
        assert!(proxy.is_struck(), "{name}: {claimed:?}");
        return;
    }
    let renewed = env.run_async(&["renew", &reference(issue)]).await;
    assert!([0, 3].contains(&renewed.code), "{name}: {renewed:?}");
    assert_eq!(holder(&rival, issue).await.as_deref(), Some("victim"), "{name}");
    let second = claim(&rival, issue).await;
    assert_eq!(second.code, 1, "{name}: two holders; {claimed:?} {renewed:?} {second:?}");
    let released = release(&env, issue).await;
    assert!([0, 3].contains(&released.code), "{name}: {released:?}");
    if released.code == 0 {
        check(&rival, issue).await.exits(0);
    }
    assert!(proxy.is_struck(), "{name}: {claimed:?} {renewed:?} {released:?}");
}

/// One claimant meets a fault while a second one tries.
async fn contested(setup: Arc<Setup>, env: TestEnv, rival: TestEnv, issue: u64, strike: Strike) {
    let name = format!("{:?}-{:?}-{}-{issue}", strike.deed, strike.side, strike.at);
    let proxy = Proxy::start(&setup.forge.url, Some(strike)).await;
    let env = elsewhere(&env, &name, &proxy.url);
    let rival = elsewhere(&rival, &format!("rival-{name}"), &setup.forge.url);
    let (claimed, second) = tokio::join!(claim(&env, issue), claim(&rival, issue));
    assert!(claimed.code != 0 || second.code != 0, "{name}: two holders; {claimed:?} {second:?}");
    let expected = match (claimed.code, second.code) {
        (0, _) => Some("victim"),
        (_, 0) => Some("rival"),
        _ => return,
    };
    assert_eq!(holder(&rival, issue).await.as_deref(), expected, "{name}");
}

/// When every lease is over and one sweep has run, labels tell the truth and everything can be claimed.
async fn recovers(setup: &Arc<Setup>, rival: &TestEnv, issues: &[u64]) {
    setup.run_clock_from(setup.now_s() + TTL_S + GRACE_S + 1).await;
    // What died here died of the clock, and is nothing that a person should look at.
    let operator = setup.operator().with("BATON_CLAIMS_ATTEMPTS_MAX", "99");
    let swept = operator.run_async(&["sweep", "--repo", REPO, "--json"]).await.exits(0);
    assert_eq!(swept.json()["failures"].as_array().unwrap().len(), 0, "{swept:?}");
    for issue in issues {
        assert_eq!(
            setup.repo.labels(*issue).await,
            ["agent:implement"],
            "#{issue}: {:#?}",
            setup.repo.bodies(*issue).await
        );
    }
    let fresh = issues.iter().map(|issue| {
        let (setup, issue) = (Arc::clone(setup), *issue);
        let env = elsewhere(rival, &format!("fresh-{issue}"), &setup.forge.url);
        async move { claim(&env, issue).await.exits(0) }
    });
    in_parallel(AT_ONCE, fresh.collect::<Vec<_>>()).await;
}

async fn faulted_at_every_request(protocol: Protocol, past: Past, beside: &[(Deed, Side)]) {
    let setup = Arc::new(Setup::new(protocol).await);
    let (env, rival) = (setup.worker("victim").await, setup.worker("rival").await);
    let (of_claim, of_all) = undisturbed(&setup, &env, past).await;
    let at_each = |count: usize, faults: &[(Deed, Side)]| -> Vec<Strike> {
        let faults = faults.to_vec();
        let each = |at| faults.iter().map(move |(deed, side)| Strike { at, side: *side, deed: *deed });
        (1..=count).flat_map(each).collect()
    };
    let (alone, beside) = (at_each(of_all, &FAULTS), at_each(of_claim, beside));
    let count = alone.len() + beside.len();
    let issues = setup.issues_with_past(past, &setup.operator(), count).await;
    let (first, second) = issues.split_at(alone.len());
    println!(
        "{protocol}, past {past:?}: {} faults at {of_all} requests, {} beside a rival",
        alone.len(),
        beside.len()
    );
    let runs = alone.into_iter().zip(first);
    let runs =
        runs.map(|(strike, issue)| followed(Arc::clone(&setup), env.clone(), rival.clone(), *issue, strike));
    in_parallel(AT_ONCE, runs.collect::<Vec<_>>()).await;
    let runs = beside.into_iter().zip(second);
    let runs =
        runs.map(|(strike, issue)| contested(Arc::clone(&setup), env.clone(), rival.clone(), *issue, strike));
    in_parallel(AT_ONCE, runs.collect::<Vec<_>>()).await;
    recovers(&setup, &rival, &issues).await;
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
