//! How a command fails: what was tried, what came back, and the exit code that scripts can rely on.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// The answer is no: refused, taken, not there.
    No(String),
    /// The command or its configuration cannot be meant as it is.
    Usage(String),
    /// Something that must be reached could not be: data, an address, a program.
    OutOfReach(String),
    /// The answer is no, and it was printed already.
    Said,
    /// Everything was printed already; this is the exit code.
    SaidWith(ExitCode),
}

impl CommandError {
    /// Something out of reach, with the chain of its causes.
    pub(crate) fn out_of_reach(error: &dyn Error) -> Self {
        Self::OutOfReach(chain(error))
    }

    /// Returns whether there is anything left to print.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Self::Said | Self::SaidWith(_))
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::No(_) | Self::Said => ExitCode::from(1),
            Self::Usage(_) => ExitCode::from(2),
            Self::OutOfReach(_) => ExitCode::from(3),
            Self::SaidWith(code) => *code,
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::No(message) | Self::Usage(message) | Self::OutOfReach(message) => {
                write!(f, "error: {message}")
            }
            Self::Said | Self::SaidWith(_) => Ok(()),
        }
    }
}

/// Joins an error and its causes into one line.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
