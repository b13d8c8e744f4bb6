//! The agents: programs by name, under `agents:` in `baton.yaml`.
//!
//! An agent's name is free, so its settings are no rows of the flat table; they have a table of their own, which the
//! reader, the errors, `baton config show` and the reference page share. No variable and no flag sets them.
//!
//! Deliberately absent: running an agent, and looking whether its program is there.

pub(super) mod read;
pub mod table;

use std::path::PathBuf;

use super::choice::{Adapter, Sandbox, WorkspaceKind};
use super::resolve::Effective;
use crate::pipeline::stage::Effort;
use crate::slot::AgentName;

/// The longest name.
const NAME_LEN_MAX: usize = 64;

/// What a name looks like, for errors.
pub(super) const NAME_ALLOWED: &str =
    "1 to 64 letters, digits, spaces, dots, underscores and hyphens, with a letter or a digit first";

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    /// Its name, as it was written.
    pub name: String,
    /// What tells it from other agents; see [`agent_key`].
    pub key: String,
    /// How it is run.
    pub adapter: Adapter,
    /// The program and its arguments; nothing for the program that the adapter is named after.
    pub command: Vec<String>,
    /// Arguments besides those of the adapter.
    pub args: Vec<String>,
    /// The model; nothing for that of the stage or the program.
    pub model: Option<String>,
    /// How hard the model thinks where neither the stage nor the issue says.
    pub effort: Option<Effort>,
    /// How many turns a run may take where the stage does not say.
    pub max_turns: Option<u32>,
    /// The tools that it may use instead of the usual ones, where the stage does not say.
    pub allowed_tools: Option<Vec<String>>,
    /// A directory with a plugin, as it was written; relative to the directory of `baton.yaml`.
    pub plugin_dir: Option<PathBuf>,
    /// The script of a scripted agent, as it was written; relative to the directory of `baton.yaml`.
    pub script: Option<PathBuf>,
    /// What keeps it from writing where it should not.
    pub sandbox: Sandbox,
    /// The same, if it was said for this agent.
    pub own_sandbox: Option<Sandbox>,
    /// Where it works.
    pub workspace: WorkspaceKind,
    /// Its runs at one time; nothing for no limit of its own.
    pub max_concurrent: Option<u64>,
    /// Its runs in a day; nothing for no limit.
    pub runs_per_day: Option<u64>,
    /// What it may cost in a day, in millionths of a US dollar; nothing for no limit.
    pub cost_per_day_micros: Option<u64>,
    /// The variables of our environment that reach it.
    pub env: Vec<String>,
}

/// The settings of an agent with their sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveAgent {
    /// Its name.
    pub name: String,
    /// What tells it from others.
    pub key: String,
    /// Its settings in the order of their table.
    pub settings: Vec<Effective>,
}

/// Returns what tells agents apart: names that differ in case, or in spaces around them, are one agent.
pub fn agent_key(name: &str) -> String {
    AgentName::from(name).key().0
}

pub(super) fn is_agent_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-');
    begins && name.len() <= NAME_LEN_MAX && name.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        let longest = "a".repeat(64);
        for name in ["coder", "Coder 2", "a", "9", "claude-4.5_x", longest.as_str()] {
            assert!(is_agent_name(name), "{name}");
        }
        let too_long = "a".repeat(65);
        for name in ["", " coder", "-x", ".x", "a/b", "a:b", "ä", "a\nb", "a,b", too_long.as_str()] {
            assert!(!is_agent_name(name), "{name}");
        }
    }

    #[test]
    fn case_and_spaces_around_tell_no_agents_apart() {
        assert_eq!(agent_key(" Coder 2 "), "coder 2");
        assert_ne!(agent_key("coder2"), agent_key("coder 2"));
    }
}
