//! What must hold with every safeguard on: one holder at a time, nobody on what is finished, and nothing left behind.

use baton_core::claim::Protocol;
use baton_core::labels::{IMPLEMENT, PR_OPEN};

use crate::claims_model::search::{Found, explore};
use crate::claims_model::server::{Server, Tick};
use crate::claims_model::setup::Setup;

/// Returns one bound for every day and another for the long run.
fn daily_or_full<T>(daily: T, full: T) -> T {
    if std::env::var("BATON_TEST_FULL").is_ok_and(|value| value == "1") { full } else { daily }
}

/// Explores a setting in which nothing may go wrong, and asserts that the search went far enough to tell.
pub(crate) fn holds(name: &str, setup: &Setup, states_min: usize) -> Found {
    holds_from(name, setup, Server::with_labels(&[IMPLEMENT]), states_min)
}

fn holds_from(name: &str, setup: &Setup, server: Server, states_min: usize) -> Found {
    let found = explore(setup, server);
    println!("{name}: {found}");
    println!("  met: {:?}", found.met);
    if let Some((what, trace)) = &found.violation {
        panic!("{name}: {what}\n{trace}");
    }
    assert!(found.states >= states_min, "{name}: only {} states, so the search is broken", found.states);
    assert!(found.met.won > 0 && found.aftermaths > 0, "{name}: {:?}", found.met);
    found
}

fn three(protocol: Protocol) -> Setup {
    let horizon = Tick(daily_or_full(3, 4));
    Setup { horizon, handovers: vec![PR_OPEN, IMPLEMENT], ..Setup::new(protocol, 3) }
}

#[test]
fn three_bidders_by_comment_never_hold_at_the_same_time() {
    let met = holds("comment, 3 bidders", &three(Protocol::Comment), 100_000).met;
    assert!(met.contested > 1000 && met.lost > 1000 && met.refused > 0 && met.old_reads > 0, "{met:?}");
}

#[test]
fn three_claimants_by_ref_never_hold_at_the_same_time() {
    let met = holds("ref, 3 claimants", &three(Protocol::Ref), 30_000).met;
    assert!(met.contested > 1000 && met.lost > 1000 && met.refused > 0 && met.old_reads > 0, "{met:?}");
}

#[test]
fn by_ref_a_lag_beyond_the_settling_time_changes_nothing() {
    let met = holds("ref, 3 claimants, lag 2 s", &Setup { lag: 2, ..three(Protocol::Ref) }, 50_000).met;
    assert!(met.contested > 1000 && met.old_reads > 1000, "{met:?}");
}

#[test]
fn by_ref_a_first_claim_without_a_look_is_as_safe() {
    let two = Setup { horizon: Tick(daily_or_full(7, 8)), ..Setup::new(Protocol::Ref, 2) };
    for (name, setup) in [
        ("ref, guessing, 3 claimants", three(Protocol::Ref)),
        ("ref, guessing, stalls", Setup { stalls: 1, ..two.clone() }),
        ("ref, guessing, lost answers", Setup { losses: 1, ..two.clone() }),
        ("ref, guessing, with a sweeper and a crash", Setup { sweepers: 1, crashes: 1, ..two }),
    ] {
        let met = holds(name, &Setup { guesses: true, ..setup }, 30_000).met;
        assert!(met.contested > 1000 && met.lost > 1000, "{met:?}");
    }
}

#[test]
fn bids_of_the_same_second_have_one_winner() {
    let setup = Setup { horizon: Tick(daily_or_full(1, 2)), ..Setup::new(Protocol::Comment, 4) };
    let met = holds("comment, 4 bidders at once", &setup, 300_000).met;
    assert!(met.same_second > 1000, "{met:?}");
}

fn swept(protocol: Protocol, horizon: u32) -> Setup {
    let workers = daily_or_full(2, 3);
    Setup { sweepers: 1, crashes: 1, horizon: Tick(horizon), ..Setup::new(protocol, workers) }
}

#[test]
fn a_sweep_beside_bidders_by_comment_takes_nothing_from_the_living() {
    let met = holds("comment, with a sweeper and a crash", &swept(Protocol::Comment, 9), 80_000).met;
    assert!(met.swept > 1000 && met.takeovers > 0 && met.contested > 0, "{met:?}");
}

#[test]
fn a_sweep_beside_claimants_by_ref_takes_nothing_from_the_living() {
    let met = holds("ref, with a sweeper and a crash", &swept(Protocol::Ref, 8), 80_000).met;
    assert!(met.swept > 1000 && met.takeovers > 0 && met.contested > 0, "{met:?}");
}

#[test]
fn a_sweep_and_claimants_that_stall_over_a_dead_holder_leave_one_holder() {
    for (name, protocol) in
        [("comment, stalls over the dead", Protocol::Comment), ("ref, stalls over the dead", Protocol::Ref)]
    {
        let horizon = Tick(daily_or_full(4, 6));
        let setup = Setup { sweepers: 1, stalls: 1, horizon, ..Setup::new(protocol, 2) };
        let met = holds_from(name, &setup, Server::with_dead_holder(&setup), 100_000).met;
        assert!(met.swept > 1000 && met.contested > 0 && met.lost > 1000, "{met:?}");
    }
}

#[test]
fn whoever_dies_at_any_step_blocks_the_issue_for_its_lease_and_no_longer() {
    for (name, protocol) in [("comment, crashes", Protocol::Comment), ("ref, crashes", Protocol::Ref)] {
        let setup = Setup {
            crashes: daily_or_full(1, 2),
            horizon: Tick(daily_or_full(9, 10)),
            renewals: 1,
            handovers: daily_or_full(vec![PR_OPEN], vec![PR_OPEN, IMPLEMENT]),
            ..Setup::new(protocol, 2)
        };
        let met = holds(name, &setup, 25_000).met;
        assert!(met.takeovers > 0 && met.stopped > 0, "{met:?}");
    }
}

#[test]
fn whoever_stalls_at_any_step_does_no_harm_on_waking() {
    for (name, protocol) in [("comment, stalls", Protocol::Comment), ("ref, stalls", Protocol::Ref)] {
        let setup = Setup { stalls: daily_or_full(1, 2), horizon: Tick(8), ..Setup::new(protocol, 2) };
        let met = holds(name, &setup, 100_000).met;
        assert!(met.late_sends > 1000 && met.takeovers > 0 && met.stopped > 0, "{met:?}");
    }
}

#[test]
fn a_stall_among_three_leaves_one_holder() {
    for (name, protocol) in
        [("comment, 3 and a stall", Protocol::Comment), ("ref, 3 and a stall", Protocol::Ref)]
    {
        let setup = Setup { stalls: 1, horizon: Tick(daily_or_full(2, 3)), ..Setup::new(protocol, 3) };
        let met = holds(name, &setup, 60_000).met;
        assert!(met.contested > 1000, "{met:?}");
    }
}

#[test]
fn a_renewal_that_comes_late_revives_nothing() {
    for (name, protocol) in
        [("comment, late renewals", Protocol::Comment), ("ref, late renewals", Protocol::Ref)]
    {
        let setup = Setup {
            renewals: daily_or_full(1, 2),
            stalls: 1,
            horizon: Tick(daily_or_full(8, 11)),
            ..Setup::new(protocol, 2)
        };
        let met = holds(name, &setup, 60_000).met;
        assert!(met.renewed > 1000 && met.late_sends > 0 && met.takeovers > 0, "{met:?}");
    }
}

#[test]
fn an_answer_that_is_lost_or_late_makes_no_second_holder() {
    for (name, protocol) in
        [("comment, lost answers", Protocol::Comment), ("ref, lost answers", Protocol::Ref)]
    {
        let setup = Setup {
            losses: 1,
            stalls: daily_or_full(0, 1),
            horizon: Tick(8),
            renewals: daily_or_full(1, 0),
            ..Setup::new(protocol, 2)
        };
        let met = holds(name, &setup, 60_000).met;
        assert!(met.failed > 1000 && met.takeovers > 0, "{met:?}");
    }
}

#[test]
fn whoever_read_the_issue_before_it_was_finished_does_not_work_on_it() {
    for (name, protocol) in
        [("comment, finished meanwhile", Protocol::Comment), ("ref, finished meanwhile", Protocol::Ref)]
    {
        let setup = Setup { stalls: 1, horizon: Tick(daily_or_full(4, 6)), ..Setup::new(protocol, 2) };
        let met = holds(name, &setup, 20_000).met;
        assert!(met.refused > 1000 && met.released > 1000, "{met:?}");
    }
}
