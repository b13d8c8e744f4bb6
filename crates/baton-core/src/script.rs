//! Scripts: what the built-in agent does, as a file of scenes and steps.
//!
//! An agent that does what a file says makes the demo, tests and simulations deterministic, without a model and without an
//! account. A script is YAML: scenes, each for some situations and with steps in order. The first scene that fits is played.
//! Mistakes are told with file, line and column, and with the word that was probably meant.
//!
//! Deliberately absent: playing a script, which takes files and processes.

mod path;
mod read;
mod situation;

use std::path::PathBuf;
use std::time::Duration;

use crate::config::PipelineDialect;
use crate::pipeline::effect::Job;
use crate::time::ServerTime;
use crate::words::words;

pub use situation::{Situation, fill};

/// A script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The date of its commits: that of the first, each further one a second later; nothing for the time of day.
    pub clock: Option<ServerTime>,
    /// In whose words its markers are.
    pub dialect: PipelineDialect,
    /// Its scenes.
    pub scenes: Vec<Scene>,
}

/// What is done in some situations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scene {
    /// The situations.
    pub when: When,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// Situations: all that is said must be so, and what is not said may be anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct When {
    /// The stage.
    pub stage: Option<String>,
    /// What is to be done in it.
    pub job: Option<Job>,
    /// Which try it is, from 1.
    pub attempt: Option<u32>,
    /// The issue, as `owner/name#7` or as its number.
    pub issue: Option<String>,
    /// The repository.
    pub repo: Option<String>,
    /// What the prompt has in it.
    pub prompt_contains: Option<String>,
}

/// One thing that is done. Texts may name what [`fill`] knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Writes a file.
    Write {
        /// Which.
        path: String,
        /// What is in it then.
        text: String,
    },
    /// Adds to the end of a file.
    Append {
        /// Which.
        path: String,
        /// What is added.
        text: String,
    },
    /// Replaces a text in a file wherever it is; it must be there.
    Replace {
        /// Which file.
        path: String,
        /// What is replaced.
        from: String,
        /// By what.
        to: String,
    },
    /// Deletes a file or a directory.
    Delete(String),
    /// Runs a program in the work tree; one that fails ends the run.
    Run(Vec<String>),
    /// Commits everything; nothing happens when nothing has changed.
    Commit(String),
    /// Says something.
    Say(String),
    /// Waits.
    Sleep(Duration),
    /// Begins another turn.
    Turn,
    /// Says a marker.
    Marker(Marker),
    /// Says a summary, or a question to a person.
    Summary(String),
    /// Says a new text for the issue.
    IssueUpdate(String),
    /// Asks for another issue.
    SubIssue {
        /// Where; nothing for where its parent is.
        repo: Option<String>,
        /// Its title.
        title: String,
        /// Its text.
        body: String,
    },
    /// Ends with an error.
    Fail(String),
    /// Ends, or goes on, as the program of an agent would after this error.
    Error(ScriptedError),
    /// Ends as if there were no more turns.
    HitTurnLimit,
    /// Prints this many bytes that mean nothing.
    Flood(u64),
    /// Kills itself.
    Crash,
    /// Does nothing more, and does not end.
    Hang,
    /// Adds a line to a file when it gets here and another when it ends, so that it can be seen who worked when. The path
    /// starts at the directory of the script, and may lead anywhere.
    Log(PathBuf),
}

words! {
    /// A marker without a block.
    Marker, "a marker" {
        /// The stage is complete.
        Complete = "complete",
        /// A person must answer.
        Blocked = "blocked",
        /// The issue was taken apart.
        Decomposed = "decomposed",
    }
}

impl Marker {
    /// Returns the line, without the prefix of a dialect.
    pub fn word(self) -> &'static str {
        match self {
            Self::Complete => "STAGE_COMPLETE",
            Self::Blocked => "BLOCKED_ON_INPUT",
            Self::Decomposed => "DECOMPOSED",
        }
    }
}

/// An error of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptedError {
    /// The model cannot be reached.
    Api {
        /// The status of HTTP; nothing for a cut connection.
        status: Option<u16>,
    },
    /// The account may not do more for now.
    Limit {
        /// When it may again; nothing when that is not told.
        resets_in: Option<Duration>,
    },
    /// A tool is denied; the agent goes on.
    Permission {
        /// Which.
        tool: String,
    },
    /// The session to go on with is not known.
    Session,
}

/// One mistake in a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ScriptMistake(pub String);

/// Everything that is wrong with a script; at least one mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ScriptError(pub Vec<ScriptMistake>);

impl Script {
    /// Reads a script; `path` is how mistakes should name it.
    pub fn read(path: &str, text: &str) -> Result<Self, ScriptError> {
        read::read(path, text)
    }

    /// Returns the scene for a situation.
    pub fn scene(&self, situation: &Situation) -> Option<&Scene> {
        self.scenes.iter().find(|scene| situation.is_of(&scene.when))
    }
}

#[cfg(test)]
mod tests;
