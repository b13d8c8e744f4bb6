//! The second watch: a process that kills the group when the supervisor is gone, or stands still past the deadline.
//!
//! It is told deadlines over a pipe, and a word when the group is gone. The end of the pipe without the word means that
//! the supervisor was killed. It gives no grace: whoever watches the watchers has no time for politeness.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use baton_core::time::BootTime;
use baton_ports::Clock;
use rustix::process::Pid;

use super::LOOK_EVERY;
use super::group::Group;
use crate::wire::StopHow;

/// How long before the deadline the group is killed, so that it is dead by then: time for a second look.
const KILL_AHEAD: Duration = LOOK_EVERY.saturating_mul(2);

/// What is told when there is nothing left to watch.
const DONE: &str = "done";

/// The second watch, as the supervisor sees it.
#[derive(Debug)]
pub(super) struct SecondWatch {
    pub(super) pid: Pid,
    told: ChildStdin,
}

impl SecondWatch {
    /// Starts a watch over a group that exists, or will in a moment. It has no deadline yet.
    pub(super) fn start(group: Group) -> io::Result<Self> {
        let mut watcher = Command::new(std::env::current_exe()?)
            .args(["__watch", "--group", &group.0.as_raw_nonzero().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()?;
        let told = watcher.stdin.take().ok_or_else(|| io::Error::other("the second watch has no input"))?;
        let pid = i32::try_from(watcher.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("the second watch is no process"))?;
        Ok(Self { pid, told })
    }

    pub(super) fn tell(&mut self, deadline: BootTime) -> io::Result<()> {
        writeln!(self.told, "{}", deadline.ms)
    }

    /// Ends the watch, because the group is gone.
    pub(super) fn end(mut self) {
        let _ = writeln!(self.told, "{DONE}");
    }
}

/// Watches a group until it is told over `input` that there is none any more, or kills it.
pub fn watch(group: i32, input: impl Read + Send + 'static, clock: &impl Clock) {
    let Some(group) = Group::from_raw(group) else { return };
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(input).lines().map_while(Result::ok);
        lines.for_each(|line| drop(sender.send(line)));
    });
    let mut deadline = None;
    loop {
        // Without a deadline nothing runs yet, and there is nothing to look at.
        let wait = deadline.map_or(Duration::MAX, |_| LOOK_EVERY);
        match lines.recv_timeout(wait) {
            Ok(line) if line == DONE => return,
            Ok(line) => deadline = line.parse().ok().map(|ms| BootTime { ms }),
            Err(RecvTimeoutError::Disconnected) => return group.stop(StopHow::Kill),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if deadline.is_some_and(|deadline| clock.boot_now().plus(KILL_AHEAD) >= deadline) {
            group.stop(StopHow::Kill);
        }
    }
}
