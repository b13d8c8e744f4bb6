//! Nothing goes on for ever: whatever agents, reviewers and checks do or fail to do, an issue that nobody touches comes to
//! stand still, and where it stands a person can see why.

use std::time::Duration;

use baton_core::pipeline::names::Flag;
use baton_core::pipeline::step::{Hold, Rest};
use baton_core::pipeline::{End, Step};

use crate::pipeline::world::{World, comment, thread};

/// Runs and days after which everything must stand still.
const ROUNDS_MAX: u64 = 120;

/// What an agent does each time that it is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    /// Says nothing.
    Silent,
    /// Runs out of turns.
    Endless,
    /// Says that it is done, and changes nothing.
    Boastful,
    /// The same, and a reviewer finds something new each time.
    Nagged,
    /// The same, and a program comments each time.
    Echoed,
    /// Asks people.
    Curious,
    /// Crashes, until nobody tries again.
    Broken,
    /// Takes too long.
    Late,
    /// Cannot be started.
    Missing,
    /// Is ended by a person.
    Unwanted,
}

impl Habit {
    pub(crate) const ALL: [Self; 10] = [
        Self::Silent,
        Self::Endless,
        Self::Boastful,
        Self::Nagged,
        Self::Echoed,
        Self::Curious,
        Self::Broken,
        Self::Late,
        Self::Missing,
        Self::Unwanted,
    ];

    fn end(self) -> (End, &'static str) {
        match self {
            Self::Silent => (End::Finished, "I looked around."),
            Self::Endless => (End::TurnLimit, ""),
            Self::Boastful | Self::Nagged | Self::Echoed => {
                (End::Finished, "All done.\nBATON_STAGE_COMPLETE\n")
            }
            Self::Curious => (End::Finished, "Which one?\nBATON_BLOCKED_ON_INPUT\n"),
            Self::Broken => (End::FailedForGood, ""),
            Self::Late => (End::TimedOut, "I am nearly"),
            Self::Missing => (End::NotStarted, ""),
            Self::Unwanted => (End::Cancelled, ""),
        }
    }

    /// What others do each time that the agent has worked.
    fn is_answered(self, world: &mut World, round: u64) {
        if let (Self::Nagged, Some(pull)) = (self, &mut world.item.pull) {
            pull.threads.push(thread(&format!("T{round}"), "src/lib.rs", 1000 + round));
        }
        if self == Self::Echoed {
            let mut said = comment(5000 + round, "acme-bot", "Found something.");
            (said.is_bot, said.created_at) = (true, world.now.server);
            world.item.comments.push(said);
        }
    }
}

/// Lets an issue live with an agent of one habit until two days pass in which nothing happens.
pub(crate) fn live(world: &mut World, habit: Habit) {
    let mut still_days = 0;
    for round in 0..ROUNDS_MAX {
        let before = world.performed.len();
        world.look_until_rest();
        if world.item.runner.is_some() {
            let (end, text) = habit.end();
            world.end_run(&world.ended(end, text));
            habit.is_answered(world, round);
            still_days = 0;
            continue;
        }
        still_days = if world.performed.len() == before { still_days + 1 } else { 0 };
        if still_days == 2 {
            return;
        }
        world.wait(Duration::from_hours(24));
    }
    let last: Vec<_> = world.performed.iter().rev().take(30).collect();
    panic!("{habit:?}: it goes on for ever: {last:#?}\n{:#?}", world.item)
}

/// Says that a person can see why an issue stands still.
pub(crate) fn check_still(world: &World) {
    let step = world.step();
    assert!(matches!(step, Step::Rest(_) | Step::HoldAtGate(_)), "{step:?}");
    assert!(
        !matches!(step, Step::Rest(Rest::Editing | Rest::Running)),
        "nobody is at work: {:#?}",
        world.item
    );
    if let Step::HoldAtGate(hold) = step {
        // Other issues, and only they, are waited for without a limit.
        assert_eq!(hold, Hold::Dependencies, "{:#?}", world.item);
    }
    let is_waiting = [Flag::AwaitingReview, Flag::AwaitingCi].into_iter().any(|flag| world.has(flag));
    let is_told = world.has(Flag::Paused) || world.view().signs.is_plan_pending;
    assert!(!is_waiting || is_told, "it waits, and nobody is told: {:#?}", world.item);
}
