//! Runs a command in a process group of its own, with a clean environment and a bound on its time and its output.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStdout, Command};

use super::output::Tail;

/// How long what is left in the pipe is waited for when the command itself has ended. A process that has left the group can
/// hold the pipe open for ever.
const DRAIN_MAX: Duration = Duration::from_millis(500);

/// How a command ended.
#[derive(Debug)]
pub(super) enum Ending {
    Exited(ExitStatus),
    TimedOut,
    /// It could not be started or watched.
    Failed(io::Error),
}

/// Where and with what a command runs.
pub(super) struct Shell<'a> {
    pub(super) script: &'a str,
    pub(super) work_tree: &'a Path,
    pub(super) home: &'a Path,
    pub(super) variables: &'a [(&'static str, String)],
    pub(super) time_limit: Duration,
}

/// Kills a whole group when it goes out of scope, whatever the reason.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // Nothing is left to kill when every process has ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Shell<'_> {
    /// Runs to the end or to the limit; nothing of the group is alive afterwards.
    pub(super) async fn run(&self) -> (Ending, Tail) {
        let mut tail = Tail::default();
        let mut child = match self.command().spawn() {
            Ok(child) => child,
            Err(error) => return (Ending::Failed(error), tail),
        };
        let group = Group(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw));
        let Some(mut stdout) = child.stdout.take() else {
            return (Ending::Failed(io::Error::other("the command has no output")), tail);
        };
        let ending = self.watch(&mut child, &mut stdout, &mut tail).await;
        drop(group);
        // A limit says nothing here: either the pipe is empty soon, or somebody else holds it.
        drop(tokio::time::timeout(DRAIN_MAX, drain(&mut stdout, &mut tail)).await);
        drop(child.wait().await);
        (ending, tail)
    }

    fn command(&self) -> Command {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            // Both streams go into one pipe, in the order in which they were written.
            .arg(format!("exec 2>&1\n{}", self.script))
            .current_dir(self.work_tree)
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.home)
            .env("TMPDIR", self.home)
            .env("CI", "true")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        command
    }

    async fn watch(&self, child: &mut Child, stdout: &mut ChildStdout, tail: &mut Tail) -> Ending {
        let limit = tokio::time::sleep(self.time_limit);
        tokio::pin!(limit);
        let mut buffer = vec![0; 16 * 1024];
        let mut is_open = true;
        loop {
            tokio::select! {
                () = &mut limit => return Ending::TimedOut,
                ended = child.wait() => return ended.map_or_else(Ending::Failed, Ending::Exited),
                read = stdout.read(&mut buffer), if is_open => match read {
                    Ok(0) | Err(_) => is_open = false,
                    Ok(count) => tail.push(&buffer[..count]),
                },
            }
        }
    }
}

async fn drain(stdout: &mut ChildStdout, tail: &mut Tail) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count) = stdout.read(&mut buffer).await {
        if count == 0 {
            return;
        }
        tail.push(&buffer[..count]);
    }
}
