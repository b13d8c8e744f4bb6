//! How a run ended, as far as the pipeline cares; and what its words come to.

use serde::{Deserialize, Serialize};

use super::effect::Job;
use super::markers::Marks;

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// What it was for.
    pub job: Job,
    /// How it ended.
    pub end: End,
    /// What the agent said: its final result, or after a time-out that left none, all that it said.
    #[serde(default)]
    pub text: String,
    /// The comments that it was told.
    #[serde(default)]
    pub comments: Vec<u64>,
    /// The review threads that it was told, by id.
    #[serde(default)]
    pub threads: Vec<String>,
    /// The comments in them that it was told.
    #[serde(default)]
    pub thread_comments: Vec<u64>,
    /// Where it worked.
    #[serde(default)]
    pub workplace: Option<Workplace>,
    /// What it took.
    #[serde(default)]
    pub effort: Effort,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// By itself, with a result.
    Finished,
    /// By itself, with a result that says that something went wrong.
    FinishedWithError,
    /// It took too long, or said nothing for too long.
    TimedOut,
    /// It ran out of turns. When it is settled, it was given no more.
    TurnLimit,
    /// It crashed, or the service behind it failed, and it will be tried again.
    Failed,
    /// The same, and it will not be tried again.
    FailedForGood,
    /// It never began.
    NotStarted,
    /// It was stopped because the engine stops; it is taken up again.
    Stopped,
    /// A person ended it.
    Cancelled,
}

/// Where a run worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workplace {
    /// The branch.
    pub branch: String,
    /// The commit that it left.
    pub commit: String,
    /// The commit of the base branch.
    pub base: String,
}

/// What a run took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Effort {
    /// Turns.
    pub turns: u32,
    /// How many there could have been.
    pub turns_max: Option<u32>,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

/// What the words of a run come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// The stage is complete.
    Complete,
    /// The issue was taken apart.
    Decomposed,
    /// A person has to answer.
    Blocked,
    /// Nothing was said.
    Nothing,
}

impl Outcome {
    /// Returns what its words come to. Complete counts however the run ended, since the work is done: a run that said so is
    /// not tried again. The others count only without an error, since then something may have been left out; and an issue is
    /// taken apart only into parts that can be made.
    pub fn word(&self, marks: &Marks) -> Word {
        let is_fine = self.end == End::Finished;
        let is_asked_to_judge = matches!(self.job, Job::Stage | Job::Comments | Job::Review);
        match (marks.complete, marks.decomposed, marks.blocked) {
            (true, ..) if self.has_words() && is_asked_to_judge => Word::Complete,
            (_, true, _) if is_fine && self.job == Job::Stage && marks.has_all_sub_issues() => {
                Word::Decomposed
            }
            (.., true) if is_fine => Word::Blocked,
            _ => Word::Nothing,
        }
    }

    /// Returns whether the agent got to say something.
    pub fn has_words(&self) -> bool {
        !matches!(self.end, End::NotStarted | End::Stopped | End::Cancelled)
    }
}
