//! Where a value came from.

use std::fmt;

/// Where a value came from, from the weakest to the strongest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Nobody said anything.
    Default,
    /// Nobody said anything, and the dialect has a default of its own.
    Dialect {
        /// The dialect.
        dialect: &'static str,
        /// Who chose it.
        at: Box<Source>,
    },
    /// `baton.yaml`, or a file that its dialect brings with it.
    File {
        /// The file, as it was named.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
    },
    /// `.env`.
    DotEnv {
        /// The file, as it was named.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The variable.
        variable: String,
    },
    /// The environment.
    Environment {
        /// The variable.
        variable: String,
    },
    /// The command line.
    Flag {
        /// The flag, such as `--ttl`.
        flag: String,
    },
}

impl Source {
    /// Returns the kind in one word, for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Dialect { .. } => "dialect",
            Self::File { .. } => "file",
            Self::DotEnv { .. } => "dotenv",
            Self::Environment { .. } => "environment",
            Self::Flag { .. } => "flag",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Dialect { dialect, at } => write!(f, "default of dialect {dialect} ({at})"),
            Self::File { path, line, column } => write!(f, "{path}:{line}:{column}"),
            Self::DotEnv { path, line, variable } => write!(f, "{variable} in {path}:{line}"),
            Self::Environment { variable } => write!(f, "{variable} in the environment"),
            Self::Flag { flag } => f.write_str(flag),
        }
    }
}
