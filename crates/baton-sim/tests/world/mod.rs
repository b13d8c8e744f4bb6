//! Simulated worlds: a fixed few hundred seeds keep the invariants, each life can be lived again, and bugs that are planted
//! on purpose are found.

mod planted;

use std::thread::available_parallelism;

use baton_sim::world::campaign;

/// How many seeds continuous integration lives.
const SEEDS: u64 = 300;

#[test]
fn three_hundred_seeds_keep_the_invariants_and_live_the_same_life_twice() {
    let threads = available_parallelism().map_or(1, usize::from);
    let tally = campaign(0..SEEDS, None, false, threads);
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
        assert!(count > SEEDS, "there were only {count} {fault}: a world without faults shows nothing");
    }
}
