//! What the pipeline remembers of an issue, by names of its own.

use super::step::Cause;
use crate::slot::ItemMemory;
use crate::words::words;

words! {
    /// Something that goes round, and must not do so for ever.
    Loop, "a loop" {
        /// Review threads.
        Review = "review",
        /// Failing checks.
        CiFix = "ci_fix",
        /// Conflicts.
        Rebase = "rebase",
        /// Tries to merge.
        Merge = "merge",
    }
}

/// The cooldown between two tries to merge.
pub(super) const MERGE_COOLDOWN: &str = "merge";

/// The wait for what the tracker finds out about a pull request: whether it merges, and how its checks end.
pub(super) const PULL_WAIT: &str = "pull";
/// The wait for reviewers.
pub(super) const REVIEW_WAIT: &str = "review";
/// The wait for bots that were asked once more.
pub(super) const REPROMPT_WAIT: &str = "reprompt";

impl Loop {
    /// Returns the name under which it is counted in a stage.
    pub fn key(self, stage: &str) -> String {
        format!("{self}:{stage}")
    }

    /// Returns whether it is counted in a stage under this name.
    pub(super) fn is_key(self, key: &str, stage: &str) -> bool {
        key.strip_prefix(self.as_str()).and_then(|rest| rest.strip_prefix(':')) == Some(stage)
    }
}

impl From<Cause> for Loop {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Review => Self::Review,
            Cause::CiFix => Self::CiFix,
            Cause::Rebase => Self::Rebase,
        }
    }
}

/// Forgets how often a stage was tried in vain.
pub(super) fn forget_tries(memory: &mut ItemMemory, stage: &str) {
    memory.attempts.remove(stage);
    memory.attempts.remove(&start_key(stage));
    memory.attempts.remove(&answer_key(stage));
    memory.slices.remove(stage);
    memory.cooldowns.remove(stage);
    memory.paused_by_engine = None;
}

/// Forgets everything that was counted against a stage, rounds included. A run that says that all is well is no reason for
/// that: two programs that answer each other always do.
pub(super) fn forget_failures(memory: &mut ItemMemory, stage: &str) {
    forget_tries(memory, stage);
    memory.cooldowns.remove(MERGE_COOLDOWN);
    for turn in Loop::ALL {
        memory.cycles.remove(&turn.key(stage));
    }
    memory.comment_runs.clear();
}

/// The name under which runs are counted that could not begin.
pub(super) fn start_key(stage: &str) -> String {
    format!("start:{stage}")
}

/// The name under which runs over comments are counted that gave no answer.
pub(super) fn answer_key(stage: &str) -> String {
    format!("answer:{stage}")
}
