//! What happens without each safeguard: the search that finds nothing with all of them on finds a violation at once.

use baton_core::claim::Protocol;
use baton_core::claim::step::Safeguards;
use baton_core::labels::IMPLEMENT;

use crate::claims_model::scenarios::holds;
use crate::claims_model::search::explore;
use crate::claims_model::server::{Server, Tick};
use crate::claims_model::setup::Setup;

/// Explores a setting with and without a safeguard.
fn is_needed(name: &str, setup: &Setup, without: Safeguards, expected: &str) {
    holds(&format!("{name}, with it"), setup, 500);
    is_missed(name, setup, without, expected);
}

/// Explores a setting without a safeguard.
fn is_missed(name: &str, setup: &Setup, without: Safeguards, expected: &str) {
    let found = explore(&setup.clone().guarded_by(without), Server::with_labels(&[IMPLEMENT]));
    let Some((what, trace)) = &found.violation else {
        panic!("{name}: nothing was found without it: {found}")
    };
    println!("{name}, without it: {what} ({found})\n{trace}");
    assert!(what.contains(expected), "{name}: {what}");
}

fn two(protocol: Protocol) -> Setup {
    Setup { horizon: Tick(3), ..Setup::new(protocol, 2) }
}

#[test]
fn without_the_nonce_namesakes_hold_at_the_same_time() {
    let without = Safeguards { nonce: false, ..Safeguards::ALL };
    let comment = Setup { are_namesakes: true, ..two(Protocol::Comment) };
    is_needed("nonce, comment", &comment, without, "two holders");
    let by_ref = Setup {
        are_namesakes: true,
        handovers: vec![IMPLEMENT],
        ..Setup { workers: 3, ..two(Protocol::Ref) }
    };
    is_needed("nonce, ref", &by_ref, without, "two holders");
}

#[test]
fn without_the_order_of_ids_bidders_of_one_second_hold_at_the_same_time() {
    let without = Safeguards { id_tie_break: false, ..Safeguards::ALL };
    is_needed("id tie-break, comment", &two(Protocol::Comment), without, "two holders");
}

#[test]
fn without_settling_a_bidder_misses_whoever_was_first() {
    let without = Safeguards { settle: false, ..Safeguards::ALL };
    is_needed("settle, comment", &two(Protocol::Comment), without, "two holders");
}

#[test]
fn without_its_deadline_a_holder_works_on_after_it_was_replaced() {
    let without = Safeguards { deadline: false, ..Safeguards::ALL };
    for (name, protocol, horizon) in
        [("deadline, comment", Protocol::Comment, 9), ("deadline, ref", Protocol::Ref, 8)]
    {
        // With the deadline, the scenario of late renewals explores more than this.
        let setup = Setup { horizon: Tick(horizon), stalls: 1, ..two(protocol) };
        is_missed(name, &setup, without, "two holders");
    }
}

#[test]
fn without_reading_again_a_winner_works_on_what_is_finished() {
    let without = Safeguards { reread: false, ..Safeguards::ALL };
    for (name, protocol) in [("re-read, comment", Protocol::Comment), ("re-read, ref", Protocol::Ref)] {
        let setup = Setup { stalls: 1, ..two(protocol) };
        is_needed(name, &setup, without, "finished");
    }
}

#[test]
fn with_the_release_before_the_labels_the_next_holder_comes_too_early() {
    let without = Safeguards { release_last: false, ..Safeguards::ALL };
    for (name, protocol) in
        [("release last, comment", Protocol::Comment), ("release last, ref", Protocol::Ref)]
    {
        let setup = Setup { handovers: vec![IMPLEMENT], ..two(protocol) };
        is_needed(name, &setup, without, "two holders");
    }
}
