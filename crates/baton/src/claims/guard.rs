//! The hidden subcommands that are the supervisor of a command or an agent: arguments in, exit code out.
//!
//! What they do is in `baton-agent`; they are the other side of what is launched there.

use std::ffi::OsString;
use std::process::{ExitCode, ExitStatus};
use std::time::Duration;

use baton_agent::supervisor::{self, EXIT_NOT_RUN, HeldTerms, SuperviseError, Supervision};
use baton_claims::machine::SystemClock;
use clap::Args;

use crate::command_error::CommandError;

#[derive(Debug, Args)]
pub(crate) struct Guard {
    /// The pipe that orders come over.
    #[arg(long)]
    control: i32,
    /// The pipe that reports go over.
    #[arg(long)]
    status: i32,
    /// How long before the deadline a held command is asked to stop.
    #[arg(long, requires = "command")]
    grace_ms: Option<u64>,
    /// A held command. Without one there will be an agent, about which everything comes over the pipe for orders.
    #[arg(last = true, requires = "grace_ms")]
    command: Vec<OsString>,
}

impl Guard {
    pub(crate) fn run(self) -> Result<(), CommandError> {
        let Self { control, status, grace_ms, command: argv } = self;
        let held = grace_ms.map(|ms| HeldTerms { argv, grace: Duration::from_millis(ms) });
        let supervision = Supervision { control, status, held };
        match supervision.run(&SystemClock) {
            Ok(supervised) if supervised.status.success() => Ok(()),
            Ok(supervised) => Err(CommandError::SaidWith(exit_code(supervised.status))),
            // It waited for nothing, which is nobody's mistake.
            Err(SuperviseError::Unwanted) => Ok(()),
            Err(error @ SuperviseError::TooLate) => Err(CommandError::No(error.to_string())),
            Err(error) => Err(CommandError::out_of_reach(&error)),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Guarded {
    /// The pipe that the word comes over.
    #[arg(long)]
    go: i32,
    /// The pipe that is told when the process group is there, and why the command cannot be run.
    #[arg(long)]
    news: i32,
    /// Whether it gets a session of its own.
    #[arg(long)]
    in_session: bool,
}

impl Guarded {
    pub(crate) fn run(self) -> Result<(), CommandError> {
        let Self { go, news, in_session } = self;
        let why = supervisor::Guarded { go, news, in_session }.run();
        // Without the word there is nobody left to tell.
        if why.kind() != std::io::ErrorKind::UnexpectedEof {
            eprintln!("error: {why}");
        }
        Err(CommandError::SaidWith(ExitCode::from(EXIT_NOT_RUN)))
    }
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The process group that must not outlive its guard.
    #[arg(long)]
    group: i32,
}

impl Watch {
    pub(crate) fn run(&self) {
        supervisor::watch(self.group, std::io::stdin(), &SystemClock);
    }
}

/// Returns what a shell would say of how a command ended.
pub(super) fn exit_code(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
