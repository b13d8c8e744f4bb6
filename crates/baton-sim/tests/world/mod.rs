//! Simulated worlds: fixed seeds keep the invariants, each life can be lived again, and bugs that are planted on purpose are
//! found.

mod planted;

use std::thread::available_parallelism;

use baton_sim::world::campaign;

/// How many seeds are lived every day, and in a full run.
const SEEDS: [u64; 2] = [60, 300];

#[expect(clippy::disallowed_methods, reason = "a test program: it asks the environment for its size")]
fn is_full() -> bool {
    std::env::var_os("BATON_TEST_FULL").is_some()
}

#[test]
fn every_seed_keeps_the_invariants_and_lives_the_same_life_twice() {
    let seeds = SEEDS[usize::from(is_full())];
    let threads = available_parallelism().map_or(1, usize::from);
    let tally = campaign(0..seeds, None, false, threads);
    println!("{}", tally.report(None));
    assert!(tally.failures.is_empty(), "{}", tally.report(None));
    for fault in [
        "engines killed",
        "errors after the write",
        "errors before the write",
        "webhooks lost",
        "writes that were forbidden",
        "runs of agents",
    ] {
        let count = tally.counts.get(fault).copied().unwrap_or_default();
        assert!(count > seeds, "there were only {count} {fault}: a world without faults shows nothing");
    }
}
