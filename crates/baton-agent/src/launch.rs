//! Launching an agent from an engine.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use baton_core::agent::AgentExit;
use baton_core::agent_lines::Program;
use baton_core::time::BootTime;
use baton_ports::Clock;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStdout, Command};

use crate::agent_process::AgentProcess;
use crate::environment::Environment;
use crate::graces::Graces;
use crate::records::RecordTerms;
use crate::supervisor::group::Group;
use crate::supervisor::pipes;
use crate::wire::{AgentTerms, CommandTerms, Notice, Order, Place};

/// An agent that is to be started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The `baton` program, which is the supervisor.
    pub supervisor: PathBuf,
    /// The agent's program and its arguments.
    pub argv: Vec<OsString>,
    /// Where it works.
    pub cwd: PathBuf,
    /// Its whole environment.
    pub env: Environment,
    /// What it reads: the prompt.
    pub stdin: Vec<u8>,
    /// Whose lines it prints.
    pub program: Program,
    /// The file that its output goes to, for its owner alone. Directories are made; an existing file is continued.
    pub log: PathBuf,
    /// How many bytes of output are kept there.
    pub log_cap: u64,
    /// Values that must be seen neither there nor in an [`AgentEnd`](crate::AgentEnd).
    pub redact: Vec<String>,
    /// When its whole group is dead, unless it is [extended](AgentProcess::extend).
    pub deadline: BootTime,
    /// The time between two signals, the last of which comes at the deadline at the latest.
    pub kill_grace: Graces,
    /// How long it may run.
    pub wall_time: Option<Duration>,
    /// How long it may print nothing.
    pub inactivity: Option<Duration>,
    /// The record that is kept of it. With one, it also gets `BATON_RUN_ID` and `BATON_RUN_MARK`.
    pub record: Option<RecordTerms>,
}

/// Why an agent was not started. Nothing of it runs.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The supervisor's program could not be started.
    #[error("`{program}` cannot be started as the supervisor of an agent; is it the baton program?")]
    Spawn {
        /// Its path.
        program: String,
        /// What came back.
        #[source]
        source: io::Error,
    },
    /// The supervisor could not be told what to do.
    #[error("the supervisor of an agent cannot be spoken to")]
    Speak(#[source] io::Error),
    /// The supervisor would not start the agent.
    #[error("the agent was not started: {0}")]
    Refused(String),
    /// The supervisor has ended without a word.
    #[error("the supervisor of an agent ended before it had started anything; its standard error tells more")]
    Silent,
    /// The deadline came first.
    #[error("the agent was not started before its deadline")]
    TooLate,
}

/// Starts an agent under a supervisor of its own. When this returns, the agent has its process group and its word.
///
/// # Errors
///
/// When the agent could not be started; one whose program does not exist is started and
/// [ends](AgentProcess::wait) as [`AgentExit::NotRun`].
pub async fn launch<C: Clock>(launch: Launch, clock: C) -> Result<AgentProcess<C>, LaunchError> {
    Standby::start(&launch.supervisor)?.launch(&launch, clock).await
}

/// A supervisor that waits for its agent. It and all that it has started end at once when this is dropped.
#[derive(Debug)]
pub(crate) struct Standby {
    supervisor: Child,
    control: pipe::Sender,
    notices: Notices,
}

/// An agent that has its group and its word, and the pipes to its supervisor.
pub(crate) struct Started {
    pub(crate) supervisor: Child,
    pub(crate) control: pipe::Sender,
    pub(crate) notices: Notices,
    pub(crate) group: Group,
}

pub(crate) type Notices = Lines<BufReader<ChildStdout>>;

impl Standby {
    pub(crate) fn start(program: &Path) -> Result<Self, LaunchError> {
        let (control_read, control_write) = pipes::pipe().map_err(LaunchError::Speak)?;
        let control = pipe::Sender::from_owned_fd(control_write).map_err(LaunchError::Speak)?;
        let mut command = Command::new(program);
        // It needs nothing of the engine's environment, and what it does not have it cannot tell.
        command.args(["__guard", "--control", "0", "--status", "1"]).env_clear();
        // Signals to the engine's group must not end the supervisor before it has ended the agent.
        command.stdin(control_read).stdout(Stdio::piped()).process_group(0);
        let program = program.display().to_string();
        let mut supervisor = command.spawn().map_err(|source| LaunchError::Spawn { program, source })?;
        let stdout = supervisor.stdout.take().ok_or(LaunchError::Silent)?;
        Ok(Self { supervisor, control, notices: BufReader::new(stdout).lines() })
    }

    /// Has it start an agent. What is not answered was not started.
    pub(crate) async fn launch<C: Clock>(
        mut self,
        launch: &Launch,
        clock: C,
    ) -> Result<AgentProcess<C>, LaunchError> {
        let group = tokio::select! {
            group = self.brief(launch) => group?,
            () = clock.sleep_until(launch.deadline) => {
                // It stands still. If it goes on one day, it must not start anything.
                let _ = self.supervisor.start_kill();
                return Err(LaunchError::TooLate);
            }
        };
        let Self { supervisor, control, notices } = self;
        let started = Started { supervisor, control, notices, group };
        Ok(AgentProcess::new(started, launch.deadline, clock))
    }

    async fn brief(&mut self, launch: &Launch) -> Result<Group, LaunchError> {
        let told = self.control.write_all(&brief(launch)).await;
        let mut group = None;
        // A supervisor that has refused does not listen to the end, and says why.
        loop {
            match self.notices.next_line().await.ok().flatten().as_deref().and_then(Notice::read) {
                Some(Notice::Group(number)) => group = Group::from_raw(number),
                Some(Notice::Going) => {
                    told.map_err(LaunchError::Speak)?;
                    return group.ok_or(LaunchError::Silent);
                }
                Some(Notice::Ended(end)) => {
                    return Err(match end.exit {
                        AgentExit::NotRun(why) => LaunchError::Refused(why),
                        _ => LaunchError::Silent,
                    });
                }
                Some(Notice::Numbers(_)) | None => return Err(LaunchError::Silent),
            }
        }
    }
}

/// Everything that the supervisor must know, the deadline last, because it is the sign to begin.
fn brief(launch: &Launch) -> Vec<u8> {
    let mut brief = Order::Agent(Box::new(terms(launch))).line().into_bytes();
    brief.extend(Order::Prompt { bytes: launch.stdin.len() }.line().into_bytes());
    brief.extend(&launch.stdin);
    brief.extend(Order::until(launch.deadline).line().into_bytes());
    brief
}

fn terms(launch: &Launch) -> AgentTerms {
    let env = launch.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let place = Place { cwd: launch.cwd.clone().into(), env };
    AgentTerms {
        command: CommandTerms { argv: launch.argv.clone(), place: Some(place) },
        program: launch.program,
        log: launch.log.clone().into(),
        log_cap: launch.log_cap,
        secrets: launch.redact.clone(),
        graces: launch.kill_grace,
        wall_time: launch.wall_time,
        inactivity: launch.inactivity,
        record: launch.record.clone(),
    }
}
