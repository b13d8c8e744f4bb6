//! The safeguards, each left out: random steps then violate what must hold. With all of them nothing is violated.

use baton_core::slot::Safeguards;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

use crate::slot::random::{Play, step};
use crate::slot::world::World;

/// Returns what random steps violate first, with these safeguards.
fn violated(safeguards: Safeguards) -> Option<String> {
    let config = Config { cases: 1000, failure_persistence: None, ..Config::default() };
    let rng = proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let tried = runner.run(&prop::collection::vec(step(), 1..60), |steps| {
        let mut world = World::new();
        world.policy.safeguards = safeguards;
        world.collects = true;
        let mut play = Play::new(world);
        for step in &steps {
            play.take(step);
            if let Some(wrong) = play.world.violations.first() {
                return Err(TestCaseError::fail(wrong.clone()));
            }
        }
        Ok(())
    });
    match tried {
        Ok(()) => None,
        Err(TestError::Fail(why, _)) => Some(why.message().to_owned()),
        Err(other) => panic!("{other}"),
    }
}

#[track_caller]
fn check(name: &str, safeguards: Safeguards, expected: &[&str]) {
    let found = violated(safeguards).unwrap_or_else(|| panic!("nothing was violated without {name}"));
    assert!(expected.iter().any(|expected| found.contains(expected)), "without {name}: {found}");
}

#[test]
fn with_all_safeguards_nothing_is_violated() {
    assert_eq!(violated(Safeguards::default()), None);
}

#[test]
fn without_draining_somebody_waits_for_a_free_slot() {
    check("drain", Safeguards { drain: false, ..Safeguards::default() }, &["wait for a free slot"]);
}

#[test]
fn without_the_rule_on_merging_a_running_run_is_told_more() {
    let safeguards = Safeguards { merge_only_before_the_start: false, ..Safeguards::default() };
    check("merge_only_before_the_start", safeguards, &["runs, and was told more", "is not told by"]);
}

#[test]
fn without_fences_a_run_is_ended_by_somebody_who_does_not_hold_it() {
    check("fences", Safeguards { fences: false, ..Safeguards::default() }, &["who does not hold it"]);
}

#[test]
fn without_healing_an_owner_that_is_lost_keeps_the_slot() {
    check("heal", Safeguards { heal: false, ..Safeguards::default() }, &["keeps the slot"]);
}

#[test]
fn without_stale_effects_a_committed_effect_is_dropped() {
    let safeguards = Safeguards { perform_stale_effects: false, ..Safeguards::default() };
    check("perform_stale_effects", safeguards, &["a committed effect was dropped"]);
}

#[test]
fn without_the_rule_on_effects_a_run_starts_before_they_are_performed() {
    let safeguards = Safeguards { effects_before_start: false, ..Safeguards::default() };
    check("effects_before_start", safeguards, &["started before the effects"]);
}

#[test]
fn without_the_rule_on_own_doings_an_agent_wakes_itself() {
    let safeguards = Safeguards { no_self_wake: false, ..Safeguards::default() };
    check("no_self_wake", safeguards, &["an agent woke itself"]);
}
