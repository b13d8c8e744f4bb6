//! What is wrong with a configuration, in words that say where and what to do.

use std::fmt;

use super::choice::Adapter;
use super::source::Source;

/// One complaint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A value that the setting cannot have.
    #[error("{at}: `{key}` cannot be `{value}`: write {allowed}")]
    BadValue {
        /// The setting.
        key: Box<str>,
        /// What was said, without secrets.
        value: String,
        /// Where it was said.
        at: Source,
        /// What may be said.
        allowed: String,
    },
    /// A setting that the adapter of an agent has no use for.
    #[error("{at}: `{key}` means nothing to the adapter `{adapter}`, only to {others}: remove it{}", hint.unwrap_or_default())]
    Useless {
        /// The setting.
        key: String,
        /// Where it is.
        at: Source,
        /// The adapter.
        adapter: Adapter,
        /// The adapters that it means something to.
        others: String,
        /// What to do instead.
        hint: Option<&'static str>,
    },
    /// A setting that an agent cannot do without.
    #[error("{at}: `{key}` is missing: write `{example}`")]
    Missing {
        /// The setting.
        key: String,
        /// Where the agent is.
        at: Source,
        /// What could be there.
        example: &'static str,
    },
    /// A name that no agent can have.
    #[error("{at}: `{name}` is no name for an agent: write {allowed}")]
    AgentName {
        /// The name.
        name: String,
        /// Where it is.
        at: Source,
        /// What names look like.
        allowed: &'static str,
    },
    /// Two names of one agent.
    #[error(
        "{at}: `{name}` is the same agent as `{first}` ({first_at}), since case and spaces around a name do not count: rename one"
    )]
    SameAgent {
        /// The later name.
        name: String,
        /// Where it is.
        at: Source,
        /// The earlier name.
        first: String,
        /// Where that is.
        first_at: Box<Source>,
    },
    /// A key that no setting has.
    #[error("{at}: there is no setting `{key}`{}", suggestion(nearest.as_deref()))]
    UnknownKey {
        /// The key.
        key: String,
        /// Where it is.
        at: Source,
        /// The setting that was probably meant.
        nearest: Option<String>,
    },
    /// A group of settings that is no mapping.
    #[error("{at}: `{key}` must hold settings, such as `{key}:` and below it, indented, `{example}`")]
    NotAGroup {
        /// The group, or `baton.yaml` for all of it.
        key: String,
        /// Where it is.
        at: Source,
        /// What could be in it.
        example: String,
    },
    /// A secret where secrets must not be.
    #[error(
        "{at}: `{key}` is a secret, and this file is read by many: set BATON_TOKEN in the environment or in .env, or set `token_command`; and revoke the token if the file was committed"
    )]
    Secret {
        /// The key.
        key: String,
        /// Where it is.
        at: Source,
    },
    /// The password of a server where secrets must not be.
    #[error(
        "{at}: `{key}` holds a password, and this file is read by many: write the address without it and set PGPASSWORD or ~/.pgpass, or set BATON_STORE in the environment or in .env; and change the password if the file was committed"
    )]
    Password {
        /// The key.
        key: &'static str,
        /// Where it is.
        at: Source,
    },
    /// Values that are right alone and wrong together.
    #[error("{0}")]
    Conflict(String),
    /// The file is not YAML.
    #[error("{path}:{line}:{column}: {problem}")]
    Yaml {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// What the reader says.
        problem: String,
    },
    /// A line of `.env` cannot be read. What it says is not repeated, since it may be a secret.
    #[error("{path}:{line}: {problem}")]
    DotEnv {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
}

/// Says which setting was probably meant.
pub(super) fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

/// All complaints about a configuration; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl std::error::Error for ConfigErrors {}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}
