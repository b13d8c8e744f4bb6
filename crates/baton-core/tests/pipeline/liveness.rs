//! Nothing goes on for ever: whatever agents, reviewers and checks do or fail to do, an issue that nobody touches comes to
//! stand still, and where it stands a person can see why.

use std::time::Duration;

use baton_core::pipeline::effect::Job;
use baton_core::pipeline::names::Flag;
use baton_core::pipeline::{Effect, End, Step};

use crate::world::{World, ended};

/// Runs and days after which everything must stand still.
const ROUNDS_MAX: usize = 120;

/// What an agent does each time that it is woken.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Habit {
    /// Says nothing.
    Silent,
    /// Runs out of turns.
    Endless,
    /// Says that it is done, and changes nothing.
    Boastful,
    /// Asks people.
    Curious,
    /// Crashes, until nobody tries again.
    Broken,
}

impl Habit {
    pub(crate) const ALL: [Self; 5] =
        [Self::Silent, Self::Endless, Self::Boastful, Self::Curious, Self::Broken];

    fn end(self) -> (End, &'static str) {
        match self {
            Self::Silent => (End::Finished, "I looked around."),
            Self::Endless => (End::TurnLimit, ""),
            Self::Boastful => (End::Finished, "All done.\nBATON_STAGE_COMPLETE\n"),
            Self::Curious => (
                End::Finished,
                "BATON_SUMMARY_BEGIN\nWhich one?\nBATON_SUMMARY_END\nBATON_BLOCKED_ON_INPUT\n",
            ),
            Self::Broken => (End::FailedForGood, ""),
        }
    }
}

/// Lets an issue live with an agent of one habit until two days pass in which nothing happens, and returns how many
/// rounds that took.
pub(crate) fn live(world: &mut World, habit: Habit) -> usize {
    let mut still_days = 0;
    for round in 0..ROUNDS_MAX {
        let before = world.performed.len();
        world.look_until_rest();
        if world.item.runner.is_some() {
            end_last_wake(world, habit);
            still_days = 0;
            continue;
        }
        still_days = if world.performed.len() == before { still_days + 1 } else { 0 };
        if still_days == 2 {
            return round;
        }
        world.wait(Duration::from_hours(24));
    }
    panic!(
        "{habit:?}: it goes on for ever: {:#?}\n{:#?}",
        world.performed.iter().rev().take(30).collect::<Vec<_>>(),
        world.item
    )
}

fn end_last_wake(world: &mut World, habit: Habit) {
    let wake = world.performed.iter().rev().find_map(|effect| match effect {
        Effect::Wake { job, comments, threads, .. } => Some((*job, comments.clone(), threads.clone())),
        _ => None,
    });
    let (job, comments, threads) = wake.unwrap_or((Job::Stage, Vec::new(), Vec::new()));
    let (end, text) = habit.end();
    let mut outcome = ended(job, end, text);
    (outcome.comments, outcome.threads) = (comments, threads);
    world.end_run(&outcome);
}

/// Says that a person can see why an issue stands still.
pub(crate) fn check_still(world: &World) {
    let step = world.step();
    assert!(matches!(step, Step::Rest(_) | Step::HoldAtGate(_)), "{step:?}");
    if let Step::HoldAtGate(hold) = step {
        // Other issues, and only they, are waited for without a limit.
        assert_eq!(hold, baton_core::pipeline::step::Hold::Dependencies, "{:#?}", world.item);
    }
    let is_waiting = [Flag::AwaitingReview, Flag::AwaitingCi].into_iter().any(|flag| world.has(flag));
    let is_told = world.has(Flag::Paused) || world.view().signs.is_plan_pending;
    assert!(!is_waiting || is_told, "it waits, and nobody is told: {:#?}", world.item);
}
