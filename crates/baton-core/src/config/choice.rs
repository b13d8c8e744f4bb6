//! Settings that are one word of a few, where no other module owns the words.

use std::fmt;
use std::str::FromStr;

use crate::labels::dialect::Dialect;
use crate::words::words;

words! {
    /// Whose labels, markers, headings and directories the pipeline uses.
    PipelineDialect, "a dialect of the pipeline" {
        /// Ours.
        Baton = "baton",
        /// Fabrik's.
        Fabrik = "fabrik",
    }
}

impl From<PipelineDialect> for Dialect {
    fn from(dialect: PipelineDialect) -> Self {
        match dialect {
            PipelineDialect::Baton => Self::Baton,
            PipelineDialect::Fabrik => Self::Fabrik,
        }
    }
}

words! {
    /// How pull requests are merged.
    MergeMethod, "a way to merge" {
        /// With a commit that has both as parents.
        Merge = "merge",
        /// As one commit.
        Squash = "squash",
        /// Each commit anew.
        Rebase = "rebase",
    }
}

/// Where a pause of a repository is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PauseScope {
    /// In a file of this installation.
    Local,
    /// On the tracker, where all see it.
    Tracker,
}

/// What the pre-push hook does when the tracker cannot be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HookFail {
    /// Warns and lets the push go on.
    Open,
    /// Refuses the push.
    Closed,
}

words! {
    /// How an agent is run.
    Adapter, "an adapter" {
        /// Claude Code.
        Claude = "claude",
        /// Codex.
        Codex = "codex",
        /// Gemini.
        Gemini = "gemini",
        /// Any program: the prompt on its standard input, markers on its standard output.
        Command = "command",
        /// The agent that is built in and does what a script says.
        Script = "script",
    }
}

words! {
    /// What keeps an agent from writing where it should not.
    #[derive(Default)]
    Sandbox, "a sandbox" {
        /// Nothing but what its own program does.
        #[default]
        None = "none",
        /// Bubblewrap: it can write to its work tree and to nothing else that stays.
        Bubblewrap = "bubblewrap",
    }
}

words! {
    /// Where an agent works.
    #[derive(Default)]
    WorkspaceKind, "a workspace" {
        /// In a work tree of the repository.
        #[default]
        Worktree = "worktree",
        /// In the directory of `baton.yaml`: for agents that do not work with git.
        Directory = "directory",
    }
}

/// The word is none of those allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not one of the words allowed here")]
pub struct ChoiceError(pub String);

impl FromStr for PauseScope {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        match text {
            "local" => Ok(Self::Local),
            "tracker" => Ok(Self::Tracker),
            other => Err(ChoiceError(other.to_owned())),
        }
    }
}

impl FromStr for HookFail {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        match text {
            "open" => Ok(Self::Open),
            "closed" => Ok(Self::Closed),
            other => Err(ChoiceError(other.to_owned())),
        }
    }
}

impl fmt::Display for PauseScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "local",
            Self::Tracker => "tracker",
        })
    }
}

impl fmt::Display for HookFail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Closed => "closed",
        })
    }
}
