//! Launching an agent from an engine.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use baton_core::agent::AgentExit;
use baton_core::time::{BootTime, millis};
use baton_ports::Clock;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStdout, Command};

use crate::agent_process::AgentProcess;
use crate::environment::Environment;
use crate::supervisor::group::Group;
use crate::supervisor::pipes;
use crate::wire::{Order, Report};

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
    /// The file that its output goes to, for its owner alone. Directories are made; an existing file is continued.
    pub log: PathBuf,
    /// How many bytes of output are kept there.
    pub log_cap: u64,
    /// Values that must be seen neither there nor in the last lines of an [`AgentEnd`](crate::AgentEnd).
    pub redact: Vec<String>,
    /// When its whole group is dead, unless it is [extended](AgentProcess::extend).
    pub deadline: BootTime,
    /// The time between two signals, the last of which comes at the deadline at the latest.
    pub kill_grace: Duration,
    /// How long it may run.
    pub wall_time: Option<Duration>,
    /// How long it may print nothing.
    pub inactivity: Option<Duration>,
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
    let (mut supervisor, control) = spawn(&launch)?;
    let stdout = supervisor.stdout.take().ok_or(LaunchError::Silent)?;
    let started = tokio::select! {
        started = start(&launch, BufReader::new(stdout).lines(), control) => started?,
        () = clock.sleep_until(launch.deadline) => {
            // It stands still. If it goes on one day, it must not start anything.
            let _ = supervisor.start_kill();
            return Err(LaunchError::TooLate);
        }
    };
    Ok(AgentProcess::new(supervisor, started, launch.deadline, clock))
}

/// An agent that has its group and its word, and the pipes to its supervisor.
pub(crate) struct Started {
    pub(crate) control: pipe::Sender,
    pub(crate) lines: Lines<BufReader<ChildStdout>>,
    pub(crate) group: Group,
}

fn spawn(launch: &Launch) -> Result<(Child, pipe::Sender), LaunchError> {
    let (control_read, control_write) = pipes::pipe().map_err(LaunchError::Speak)?;
    let control = pipe::Sender::from_owned_fd(control_write).map_err(LaunchError::Speak)?;
    let mut command = Command::new(&launch.supervisor);
    command.args(["__guard", "--control", "0", "--status", "1"]);
    command.args(["--grace-ms", &millis(launch.kill_grace).to_string()]);
    command.arg("--cwd").arg(&launch.cwd).arg("--log").arg(&launch.log);
    command.args(["--log-cap", &launch.log_cap.to_string()]);
    for (option, limit) in [("--wall-ms", launch.wall_time), ("--inactivity-ms", launch.inactivity)] {
        command.args(limit.iter().flat_map(|limit| [option.to_owned(), millis(*limit).to_string()]));
    }
    command.arg("--").args(&launch.argv).env_clear().envs(launch.env.iter());
    // Signals to the engine's group must not end the supervisor before it has ended the agent.
    command.stdin(control_read).stdout(Stdio::piped()).process_group(0);
    let spawned = command.spawn();
    let program = launch.supervisor.display().to_string();
    spawned.map(|child| (child, control)).map_err(|source| LaunchError::Spawn { program, source })
}

async fn start(
    launch: &Launch,
    mut lines: Lines<BufReader<ChildStdout>>,
    mut control: pipe::Sender,
) -> Result<Started, LaunchError> {
    let told = control.write_all(&brief(launch)).await;
    // A supervisor that has refused does not listen to the end, and says why.
    match lines.next_line().await.ok().flatten().as_deref().and_then(Report::read) {
        Some(Report::Group(group)) => {
            told.map_err(LaunchError::Speak)?;
            let group = Group::from_raw(group).ok_or(LaunchError::Silent)?;
            Ok(Started { control, lines, group })
        }
        Some(Report::Ended(end)) => Err(match end.exit {
            AgentExit::NotRun(why) => LaunchError::Refused(why),
            _ => LaunchError::Silent,
        }),
        Some(Report::Output(_)) | None => Err(LaunchError::Silent),
    }
}

/// Everything that the supervisor must know, the deadline last, because it is the sign to begin.
fn brief(launch: &Launch) -> Vec<u8> {
    let mut brief = Vec::new();
    for secret in &launch.redact {
        brief.extend(Order::Secret(secret.clone()).line().into_bytes());
    }
    brief.extend(Order::Prompt { bytes: launch.stdin.len() }.line().into_bytes());
    brief.extend(&launch.stdin);
    brief.extend(Order::until(launch.deadline).line().into_bytes());
    brief
}
