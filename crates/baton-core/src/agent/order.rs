//! What one invocation of an agent is ordered to do, whichever program it is.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::AgentConfig;
use crate::pipeline::stage::{Effort, KillGrace};
use crate::prompt::ContextFile;
use crate::slot::start::Started;
use crate::slot::{ItemKey, RunId};

/// One invocation of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentOrder {
    /// The agent, as it is configured.
    pub agent: AgentConfig,
    /// The run that it belongs to; one run may take several invocations.
    pub run: RunId,
    /// What is worked on.
    pub item: ItemKey,
    /// The stage, if it works for one.
    pub stage: Option<String>,
    /// The directory that it works in.
    pub cwd: PathBuf,
    /// Where git keeps what belongs to that directory; nothing when it is no work tree of ours.
    pub git_dir: Option<PathBuf>,
    /// What it is told.
    pub told: Told,
    /// The session that it goes on with.
    pub session: Option<String>,
    /// The model that the issue or the stage asks for; the agent's own outranks it where it has one.
    pub model: Option<String>,
    /// How hard the model thinks.
    pub effort: Option<Effort>,
    /// Whether adaptive thinking is switched off.
    pub disable_adaptive_thinking: bool,
    /// The tools that it may use instead of the usual ones.
    pub allowed_tools: Option<Vec<String>>,
    /// How many turns it may take.
    pub max_turns: Option<u32>,
    /// Whether files stay as they are.
    pub is_read_only: bool,
    /// Whether it may do whatever it wants to.
    pub is_unrestricted: bool,
    /// How long it may run, where its stage says so.
    pub max_wall_time: Option<Duration>,
    /// How long it has to stop, where its stage says so.
    pub kill_grace: KillGrace,
}

/// What an agent is told, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// On its standard input.
    pub prompt: String,
    /// In files, in this directory of its own.
    pub context_dir: String,
    /// Those files.
    pub context_files: Vec<ContextFile>,
    /// In variables.
    pub variables: Vec<(String, String)>,
}

/// An agent at its place of work, before it is known what its stage allows.
#[derive(Debug, Clone)]
pub struct Desk<'a> {
    /// The agent.
    pub agent: AgentConfig,
    /// The run.
    pub started: &'a Started,
    /// The directory that it works in.
    pub cwd: PathBuf,
    /// Where git keeps what belongs to that directory.
    pub git_dir: Option<PathBuf>,
    /// Whether it may do whatever it wants to.
    pub is_unrestricted: bool,
}

/// What can be told of an invocation while it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct RunNumbers {
    /// The turn that it is at.
    pub turns: u64,
    /// Tokens read so far.
    pub input_tokens: u64,
    /// Tokens written so far.
    pub output_tokens: u64,
    /// What the session has cost so far, in millionths of a US dollar.
    pub cost_micros: u64,
    /// How many bytes it has printed.
    pub output_bytes: u64,
    /// The last thing it said, on one line.
    pub last_line: String,
}
