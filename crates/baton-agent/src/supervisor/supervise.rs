//! The supervisor: everything from the first order to the last report.

use std::error::Error;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use baton_core::agent::AgentExit;
use baton_core::time::BootTime;
use baton_ports::Clock;

use super::leash::Leash;
use super::log::Log;
use super::orders::{Brief, Orders};
use super::output::Output;
use super::progress::Progress;
use super::redactor::Redactor;
use super::running::Running;
use super::second_watch::SecondWatch;
use super::start::Waiting;
use super::{orphans, pipes};
use crate::wire::{AgentEnd, Report};

/// A command, and how it is supervised.
#[derive(Debug)]
pub struct Supervision {
    /// The number of the pipe that orders come over.
    pub control: i32,
    /// The number of the pipe that reports go over.
    pub status: i32,
    /// How long before the deadline the command is asked to stop, and the time between two signals.
    pub grace: Duration,
    /// The command.
    pub argv: Vec<OsString>,
    /// How it is kept as an agent. Without it, it shares the standard streams and the directory of this process.
    pub agent: Option<AgentTerms>,
}

/// What an agent has that a held command has not.
#[derive(Debug)]
pub struct AgentTerms {
    /// Where it works.
    pub cwd: PathBuf,
    /// Where its output goes.
    pub log: PathBuf,
    /// How many bytes of it.
    pub log_cap: u64,
    /// How long it may run.
    pub wall_time: Option<Duration>,
    /// How long it may print nothing.
    pub inactivity: Option<Duration>,
}

/// A command that is over.
#[derive(Debug)]
pub struct Supervised {
    /// What was reported.
    pub end: AgentEnd,
    /// How its first process ended.
    pub status: ExitStatus,
}

/// Why a command was not run.
#[derive(Debug, thiserror::Error)]
pub enum SuperviseError {
    /// Nobody is there to extend the deadline, or it has come.
    #[error("the lease was over before the command could be started")]
    TooLate,
    /// Something that it needs could not be had.
    #[error("the command's start: {what}")]
    Start {
        /// What was tried.
        what: String,
        /// What came back.
        #[source]
        source: io::Error,
    },
    /// It runs and cannot be waited for; the second watch ends it.
    #[error("the command cannot be watched")]
    Watch(#[source] io::Error),
}

impl Supervision {
    /// Runs the command until it is over, and reports how it ended.
    pub fn run<C: Clock + Clone + 'static>(&self, clock: &C) -> Result<Supervised, SuperviseError> {
        let mut status = pipes::inherited_to_write(self.status).map_err(start("the pipe for reports"))?;
        let attempt = self.attempt(&status, clock);
        let end = match &attempt {
            Ok(supervised) => supervised.end.clone(),
            Err(error) => AgentEnd::silent(AgentExit::NotRun(chain(error))),
        };
        // Nobody may be there to hear it.
        let _ = status.write_all(Report::Ended(end).line().as_bytes());
        attempt
    }

    fn attempt<C: Clock + Clone + 'static>(
        &self,
        status: &File,
        clock: &C,
    ) -> Result<Supervised, SuperviseError> {
        let control = pipes::inherited_to_read(self.control).map_err(start("the pipe for orders"))?;
        let mut orders = Orders::new(control);
        // Nothing is started before it is known until when it may run: whoever says so may be stopped right here.
        let brief = orders.brief().ok_or(SuperviseError::TooLate)?;
        let leash = self.leash(brief.deadline, clock.boot_now());
        if leash.is_over(clock.boot_now()) {
            return Err(SuperviseError::TooLate);
        }
        let running = self.start(brief, leash, orders, status, clock)?;
        running.until_over().map_err(SuperviseError::Watch)
    }

    fn start<'a, C: Clock + Clone + 'static>(
        &self,
        brief: Brief,
        leash: Leash,
        orders: Orders<File>,
        mut status: &File,
        clock: &'a C,
    ) -> Result<Running<'a, C>, SuperviseError> {
        let log = self.open_log(&brief.secrets)?;
        if self.agent.is_some() {
            orphans::adopt().map_err(start("the adoption of what an agent leaves behind"))?;
        }
        let waiting = Waiting::start(self).map_err(start(format!("{:?}", self.argv)))?;
        let group = waiting.group;
        let second_watch = SecondWatch::start(group, brief.deadline).map_err(start("the second watch"))?;
        // The command runs only when the engine can end its group without this process.
        let told = status.write_all(Report::Group(group.0.as_raw_nonzero().get()).line().as_bytes());
        told.map_err(start("the report of the process group"))?;
        let progress = Progress::start(status, clock.boot_now()).map_err(start("the pipe for reports"))?;
        if leash.is_over(clock.boot_now()) {
            return Err(SuperviseError::TooLate);
        }
        let (mut child, news) = waiting.go().map_err(start("the command's word"))?;
        let output = log.map(|log| Output::start(&mut child, brief.prompt, log, clock));
        Ok(Running { group, leash, second_watch, orders: orders.listen(), output, news, progress, clock })
    }

    fn leash(&self, deadline: BootTime, now: BootTime) -> Leash {
        let mut leash = Leash::new(deadline, self.grace);
        if let Some(terms) = &self.agent {
            leash.wall_end = terms.wall_time.map(|limit| now.plus(limit));
            leash.inactivity = terms.inactivity;
        }
        leash
    }

    fn open_log(&self, secrets: &[String]) -> Result<Option<Log>, SuperviseError> {
        let Some(terms) = &self.agent else { return Ok(None) };
        if !terms.cwd.is_dir() {
            let source = io::Error::from(io::ErrorKind::NotADirectory);
            return Err(start(format!("its directory {}", terms.cwd.display()))(source));
        }
        let log = Log::open(&terms.log, terms.log_cap, Redactor::new(secrets));
        log.map(Some).map_err(start(format!("its log {}", terms.log.display())))
    }
}

fn start(what: impl Into<String>) -> impl FnOnce(io::Error) -> SuperviseError {
    let what = what.into();
    |source| SuperviseError::Start { what, source }
}

/// Joins an error and its cause into one line.
fn chain(error: &SuperviseError) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}
