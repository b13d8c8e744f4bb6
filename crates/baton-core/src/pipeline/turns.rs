//! How many turns a run may take, and when it is given more.
//!
//! A run that came to its limit is given another share as long as it can be seen to get somewhere, and never more than
//! three in all.

use super::effect::Job;
use super::markers;
use super::outcome::{End, Outcome, Word};
use super::stage::Stage;
use crate::labels::dialect::Dialect;

/// The most shares that a run gets.
pub const SHARES_MAX: u32 = 3;

/// The turns of one invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// How many; nothing for any number.
    pub turns: Option<u32>,
    /// How many shares of the stage's own number were given so far, this one included.
    pub shares: u32,
}

/// What becomes of a run that came to its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// It goes on with another share.
    Granted(Budget),
    /// It had all the shares there are.
    AtTheCap,
    /// It did not get anywhere, or nobody could tell.
    NoProgress,
    /// Runs over comments are given more only where a label asks for it.
    NotAskedFor,
    /// The stage gives no number of turns, so there is no share of it: the agent has a limit of its own.
    NoShares,
}

/// What can be seen of a run's progress.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// The commit at the head of the branch.
    pub head: String,
    /// Whether there are changes that are not committed.
    pub is_dirty: bool,
    /// How many comments there are.
    pub comments: u64,
    /// How many review threads are settled.
    pub resolved_threads: u64,
}

/// Returns the turns of a run's first invocation. The label gives two shares at once.
pub fn first(stage: &Stage, job: Job, has_label: bool) -> Budget {
    let shares = if has_label { 2 } else { 1 };
    Budget { turns: share(stage, job).map(|turns| turns.saturating_mul(shares)), shares }
}

/// Returns whether a run was cut off at its limit before it said how it went: only such a run is given more.
pub fn is_cut_off(outcome: &Outcome, dialect: Dialect) -> bool {
    let marks = markers::read(&outcome.text, dialect);
    outcome.end == End::TurnLimit && outcome.word(&marks) == Word::Nothing
}

/// Returns what becomes of a run that was cut off at its limit.
pub fn at_the_limit(
    stage: &Stage,
    job: Job,
    has_label: bool,
    given: Budget,
    has_progress: bool,
) -> Extension {
    if job != Job::Stage && !has_label {
        return Extension::NotAskedFor;
    }
    match share(stage, job) {
        None => Extension::NoShares,
        _ if given.shares >= SHARES_MAX => Extension::AtTheCap,
        _ if !has_progress => Extension::NoProgress,
        turns => Extension::Granted(Budget { turns, shares: given.shares + 1 }),
    }
}

fn share(stage: &Stage, job: Job) -> Option<u32> {
    match job {
        Job::Stage => stage.max_turns,
        Job::Comments | Job::Review | Job::CiFix | Job::Rebase => Some(stage.comment_turns()),
    }
}

/// Returns whether a run got anywhere, by what its stage is there to change. A stage that changes nothing cannot show
/// it. Changes that were there before do not count.
pub fn has_progressed(stage: &Stage, before: &Progress, after: &Progress) -> bool {
    let has_committed = before.head != after.head;
    let has_edited = !before.is_dirty && after.is_dirty;
    let has_settled = after.resolved_threads > before.resolved_threads;
    match stage {
        _ if stage.read_only || !stage.is_working() => false,
        _ if stage.create_draft_pr => has_committed || has_edited,
        _ if stage.wait_for_ci => after.comments > before.comments,
        _ if stage.wait_for_reviews => has_committed || has_settled,
        _ => false,
    }
}
