//! A command that holds an issue, as its holder sees it.
//!
//! It shares the holder's standard streams, so orders and notices go over pipes of their own. Whoever starts one must
//! not start other processes at the same moment, which would inherit these pipes; an engine [launches](crate::launch)
//! agents instead.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use baton_core::agent::AgentExit;
use baton_core::time::{BootTime, millis};
use tokio::sync::mpsc;

use crate::supervisor::group::Group;
use crate::supervisor::pipes;
use crate::wire::{Notice, Order, StopHow};

/// How much longer than it may take a supervisor is waited for, and its last notice.
const PATIENCE: Duration = Duration::from_secs(1);

/// A command that is to be held.
#[derive(Debug)]
pub struct HeldLaunch<'a> {
    /// The `baton` program, which is the supervisor.
    pub supervisor: PathBuf,
    /// The command.
    pub argv: &'a [OsString],
    /// What it finds in its environment besides that of the holder.
    pub env: Vec<(&'static str, String)>,
    /// Whether it reads what the holder could read.
    pub has_stdin: bool,
    /// When its whole group is dead, unless it is extended.
    pub deadline: BootTime,
    /// How long before the deadline it is asked to stop.
    pub kill_grace: Duration,
}

/// A command that is held.
#[derive(Debug)]
pub struct HeldProcess {
    supervisor: tokio::process::Child,
    reins: HeldReins,
    notices: mpsc::UnboundedReceiver<Notice>,
}

/// What extends the deadline of a held command. The command ends when all of them are dropped.
#[derive(Debug)]
pub struct HeldReins {
    control: File,
}

/// Whether there was a command at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldEnd {
    /// It was run, whatever came of it.
    Run,
    /// There is no such program.
    NotRun,
}

impl HeldProcess {
    /// Starts a command under a supervisor of its own.
    pub fn start(launch: HeldLaunch<'_>) -> io::Result<Self> {
        let (control_read, control_write) = pipes::pipe()?;
        let (status_read, status_write) = pipes::pipe()?;
        let mut supervisor = std::process::Command::new(launch.supervisor);
        supervisor
            .args(["__guard", "--control", &pipes::bequeath(&control_read)?])
            .args(["--status", &pipes::bequeath(&status_write)?])
            .args(["--grace-ms", &millis(launch.kill_grace).to_string()])
            .arg("--")
            .args(launch.argv)
            .envs(launch.env)
            .process_group(0);
        if !launch.has_stdin {
            supervisor.stdin(Stdio::null());
        }
        let supervisor = tokio::process::Command::from(supervisor).spawn()?;
        let mut reins = HeldReins { control: File::from(control_write) };
        reins.extend(launch.deadline);
        Ok(Self { supervisor, reins, notices: listen(status_read) })
    }

    /// Returns what extends the deadline from elsewhere.
    pub fn reins(&self) -> io::Result<HeldReins> {
        Ok(HeldReins { control: self.reins.control.try_clone()? })
    }

    /// Waits until the command is over, and returns its exit code as the supervisor's.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.supervisor.wait().await
    }

    /// Ends the command, if it has not ended, and waits until all of its group is gone.
    pub async fn stop(mut self, within: Duration) -> HeldEnd {
        // The end of the control pipe is what tells the supervisor to stop.
        drop(self.reins);
        let ended = tokio::time::timeout(within + PATIENCE, self.supervisor.wait()).await;
        let was_clean = matches!(ended, Ok(Ok(status)) if status.code().is_some());
        let (group, end) = told(&mut self.notices, was_clean).await;
        if let (false, Some(group)) = (was_clean, group) {
            group.stop(StopHow::Kill);
        }
        if ended.is_err() {
            let _ = self.supervisor.kill().await;
        }
        end
    }
}

impl HeldReins {
    /// Lets the command run until another deadline.
    pub fn extend(&mut self, deadline: BootTime) {
        // A supervisor that is gone has ended the command, which is noticed elsewhere.
        let _ = self.control.write_all(Order::until(deadline).line().as_bytes());
    }
}

/// Returns the group and how it ended, by what was noticeed. A supervisor that ended cleanly has told everything, and
/// it is waited for; of another one, only what has arrived counts.
async fn told(notices: &mut mpsc::UnboundedReceiver<Notice>, is_complete: bool) -> (Option<Group>, HeldEnd) {
    let mut group = None;
    loop {
        let notice = if is_complete {
            tokio::time::timeout(PATIENCE, notices.recv()).await.ok().flatten()
        } else {
            notices.try_recv().ok()
        };
        match notice {
            Some(Notice::Group(number)) => group = Group::from_raw(number),
            Some(Notice::Going | Notice::Numbers(_)) => {}
            Some(Notice::Ended(end)) => {
                let was_run = !matches!(end.exit, AgentExit::NotRun(_));
                return (group, if was_run { HeldEnd::Run } else { HeldEnd::NotRun });
            }
            None => return (group, HeldEnd::Run),
        }
    }
}

/// Reads notices in a thread of its own: the command may keep the pipe open, so its end says nothing.
fn listen(status: OwnedFd) -> mpsc::UnboundedReceiver<Notice> {
    let (sender, notices) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in BufReader::new(File::from(status)).lines().map_while(Result::ok) {
            if let Some(notice) = Notice::read(&line) {
                let _ = sender.send(notice);
            }
        }
    });
    notices
}
