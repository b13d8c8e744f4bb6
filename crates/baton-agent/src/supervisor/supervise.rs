//! The supervisor: everything from the first order to the last notice.

use std::error::Error;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use baton_core::agent::AgentExit;
use baton_core::time::BootTime;
use baton_ports::Clock;

use super::events::{Event, watch_end};
use super::leash::Leash;
use super::log::Log;
use super::orders::{Brief, Orders};
use super::output::Output;
use super::progress::Progress;
use super::reading::Reading;
use super::recorder::{Births, Recorder};
use super::running::Running;
use super::second_watch::SecondWatch;
use super::start::{Kind, Waiting};
use super::{orphans, pipes};
use crate::graces::Graces;
use crate::redactor::Redactor;
use crate::wire::{AgentEnd, AgentTerms, CommandTerms, Notice};

/// A supervisor, and what it is to supervise.
#[derive(Debug)]
pub struct Supervision {
    /// The number of the pipe that orders come over.
    pub control: i32,
    /// The number of the pipe that notices go over.
    pub status: i32,
    /// A held command. Without one there will be an agent, about which everything is told over the pipe for orders.
    pub held: Option<HeldTerms>,
}

/// A command that shares the standard streams, the directory and the environment of this process.
#[derive(Debug)]
pub struct HeldTerms {
    /// The command.
    pub argv: Vec<OsString>,
    /// How long before the deadline the command is asked to stop, and the time between two signals.
    pub grace: Duration,
}

/// A command that is over.
#[derive(Debug)]
pub struct Supervised {
    /// What was told.
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
    /// Whoever had this supervisor wait is gone before there was an agent.
    #[error("there was no agent to supervise")]
    Unwanted,
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

/// Everything that can be there before it is known what is to run.
struct Blocks {
    waiting: Waiting,
    second_watch: SecondWatch,
    progress: Progress,
    births: Births,
}

/// What is drained of an agent, and what is kept of it.
struct Keeping {
    log: Log,
    recorder: Option<Recorder>,
}

impl Supervision {
    /// Runs the command until it is over, and tells how it ended.
    pub fn run<C: Clock + Clone + 'static>(&self, clock: &C) -> Result<Supervised, SuperviseError> {
        let mut status = pipes::inherited_to_write(self.status).map_err(start("the pipe for notices"))?;
        let attempt = self.attempt(&status, clock);
        let end = match &attempt {
            Ok(supervised) => supervised.end.clone(),
            Err(error) => AgentEnd::silent(AgentExit::NotRun(chain(error))),
        };
        // Nobody may be there to hear it.
        let _ = status.write_all(Notice::Ended(Box::new(end)).line().as_bytes());
        attempt
    }

    fn attempt<C: Clock + Clone + 'static>(
        &self,
        status: &File,
        clock: &C,
    ) -> Result<Supervised, SuperviseError> {
        let control = pipes::inherited_to_read(self.control).map_err(start("the pipe for orders"))?;
        let mut orders = Orders::new(control);
        let running = match &self.held {
            Some(held) => {
                // Nothing is started before it is known until when it may run: whoever says so may be stopped right here.
                let brief = orders.brief().ok_or(SuperviseError::TooLate)?;
                let leash = held.leash(brief.deadline, clock.boot_now())?;
                let blocks = Blocks::set(Kind::Held, status, clock)?;
                let command = CommandTerms { argv: held.argv.clone(), place: None };
                blocks.run_held(&command, leash, orders, status, clock)?
            }
            None => {
                orphans::adopt().map_err(start("the adoption of what an agent leaves behind"))?;
                // What waits here runs nothing, and is gone with this process.
                let blocks = Blocks::set(Kind::Agent, status, clock)?;
                let brief = orders.brief().ok_or(SuperviseError::Unwanted)?;
                blocks.run_agent(brief, orders, status, clock)?
            }
        };
        running.until_over().map_err(SuperviseError::Watch)
    }
}

impl HeldTerms {
    fn leash(&self, deadline: BootTime, now: BootTime) -> Result<Leash, SuperviseError> {
        in_time(Leash::new(deadline, Graces::both(self.grace)), now)
    }
}

impl Blocks {
    /// Starts both other processes and tells the group.
    fn set<C: Clock>(kind: Kind, mut status: &File, clock: &C) -> Result<Self, SuperviseError> {
        let mut waiting = Waiting::start(kind).map_err(start("the process that waits"))?;
        let second_watch = SecondWatch::start(waiting.group).map_err(start("the second watch"))?;
        waiting.until_ready().map_err(start("the process that waits"))?;
        // The command runs only when the engine can end its group without this process.
        let told = status.write_all(Notice::Group(waiting.group.0.as_raw_nonzero().get()).line().as_bytes());
        told.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => SuperviseError::Unwanted,
            _ => start("the notice of the process group")(error),
        })?;
        let progress = Progress::start(status, clock.boot_now()).map_err(start("the pipe for notices"))?;
        let births = Births::of(waiting.group);
        Ok(Self { waiting, second_watch, progress, births })
    }

    fn run_held<'a, C: Clock>(
        mut self,
        command: &CommandTerms,
        leash: Leash,
        orders: Orders<File>,
        status: &File,
        clock: &'a C,
    ) -> Result<Running<'a, C>, SuperviseError> {
        self.waiting.tell(command).map_err(start("the command's terms"))?;
        let (running, _) = self.go(leash, orders, status, clock)?;
        Ok(running)
    }

    fn run_agent<'a, C: Clock + Clone + 'static>(
        mut self,
        brief: Brief,
        orders: Orders<File>,
        status: &File,
        clock: &'a C,
    ) -> Result<Running<'a, C>, SuperviseError> {
        let Brief { agent, prompt, deadline } = brief;
        let mut terms = agent.ok_or_else(|| start("its orders")(io::ErrorKind::InvalidData.into()))?;
        let leash = in_time(leash(&terms, deadline, clock.boot_now()), clock.boot_now())?;
        let recorder =
            Recorder::new(&mut terms, &self.births, clock.wall_now().0).map_err(start("its record"))?;
        // The waiting process gets ready while the disk is at work. Without the word, that comes to nothing.
        self.waiting.tell(&terms.command).map_err(start("the command's terms"))?;
        let keeping = Keeping::new(&terms, recorder)?;
        let (mut running, mut child) = self.go(leash, orders, status, clock)?;
        let reading = Reading::new(terms.program);
        // What it takes to find secrets is made while the agent starts; nothing is drained before.
        let drained = (keeping.log, reading, Redactor::new(&terms.secrets));
        running.output = Some(Output::start(&mut child, prompt, drained, &running.sender, clock));
        running.recorder = keeping.recorder;
        Ok(running)
    }

    /// Says the word, and tells it first.
    fn go<'a, C: Clock>(
        mut self,
        leash: Leash,
        orders: Orders<File>,
        mut status: &File,
        clock: &'a C,
    ) -> Result<(Running<'a, C>, Child), SuperviseError> {
        self.second_watch.tell(leash.deadline).map_err(start("the second watch"))?;
        let leash = in_time(leash, clock.boot_now())?;
        status.write_all(Notice::Going.line().as_bytes()).map_err(start("the notice of the start"))?;
        let group = self.waiting.group;
        let (child, news) = self.waiting.go().map_err(start("the command's word"))?;
        let (sender, events) = channel(group.0, orders);
        let (output, recorder) = (None, None);
        let (second_watch, progress) = (self.second_watch, self.progress);
        let running =
            Running { group, leash, second_watch, sender, events, output, recorder, news, progress, clock };
        Ok((running, child))
    }
}

impl Keeping {
    fn new(terms: &AgentTerms, mut recorder: Option<Recorder>) -> Result<Self, SuperviseError> {
        let cwd = terms.cwd();
        if !cwd.is_dir() {
            let source = io::Error::from(io::ErrorKind::NotADirectory);
            return Err(start(format!("its directory {}", cwd.display()))(source));
        }
        let path = Path::new(&terms.log);
        let log = Log::open(path, terms.log_cap).map_err(start(format!("its log {}", path.display())))?;
        recorder.as_mut().map_or(Ok(()), Recorder::begin).map_err(start("its record"))?;
        Ok(Self { log, recorder })
    }
}

fn channel(leader: rustix::process::Pid, orders: Orders<File>) -> (Sender<Event>, mpsc::Receiver<Event>) {
    let (sender, events) = mpsc::channel();
    orders.listen(sender.clone());
    watch_end(leader, sender.clone());
    (sender, events)
}

fn leash(terms: &AgentTerms, deadline: BootTime, now: BootTime) -> Leash {
    let mut leash = Leash::new(deadline, terms.graces);
    leash.wall_end = terms.wall_time.map(|limit| now.plus(limit));
    leash.inactivity = terms.inactivity;
    leash
}

fn in_time(leash: Leash, now: BootTime) -> Result<Leash, SuperviseError> {
    if leash.is_over(now) { Err(SuperviseError::TooLate) } else { Ok(leash) }
}

fn start(what: impl Into<String>) -> impl FnOnce(io::Error) -> SuperviseError {
    let what = what.into();
    |source| SuperviseError::Start { what, source }
}

/// Joins an error and its cause into one line.
fn chain(error: &SuperviseError) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}
