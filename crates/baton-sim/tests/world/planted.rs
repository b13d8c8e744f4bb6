//! Each planted bug is found within a bounded number of seeds, and not where it was not planted.

use std::thread::available_parallelism;

use baton_sim::world::{PLANTS, Plant, campaign, live_without};

/// Within how many seeds a bug must be found.
const SEEDS_MAX: u64 = 12;
/// The bugs that were seen to be found within so many, each with the invariant that it breaks.
const FOUND: [(Plant, &str); 9] = [
    (Plant::UnclearIsUnavailable, "I3"),
    (Plant::StopIgnored, "I5"),
    (Plant::PauseUnseen, "I5"),
    (Plant::NoHealing, "I2"),
    (Plant::NoDraining, "I2"),
    (Plant::NoClaims, "I1"),
    (Plant::OwnCommentsUnseen, "I3"),
    (Plant::SettlingDropped, "I4"),
    (Plant::TriesForgotten, "I3"),
];

#[test]
fn planted_bugs_are_found() {
    let threads = available_parallelism().map_or(1, usize::from);
    let mut wrong = Vec::new();
    for (plant, invariant) in FOUND {
        let named = PLANTS.into_iter().find(|(known, ..)| *known == plant);
        let (_, name, what) = named.expect("every bug is in the list");
        let tally = campaign(0..SEEDS_MAX, Some(plant), true, threads);
        let Some((seed, failure)) = tally.failures.first_key_value() else {
            wrong.push(format!("{name} was not found within {SEEDS_MAX} seeds"));
            continue;
        };
        let found = failure.lines().next().unwrap_or_default();
        println!("{name}: {what}: found after {} seeds, by seed {seed}: {found}", tally.seeds);
        if !found.contains(&format!("{invariant}: ")) {
            wrong.push(format!("{name} was to break {invariant}, and not this: {found}"));
        }
        let violations = live_without(*seed, plant).violations;
        if !violations.is_empty() {
            wrong.push(format!("seed {seed} goes wrong without {name} too: {violations:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
