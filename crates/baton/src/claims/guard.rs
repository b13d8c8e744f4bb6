//! The guard of a command: it ends the command's process group when its lease is over, whatever becomes of the process
//! that holds the lease.
//!
//! It is told deadlines, by the boot clock, over a pipe; the end of the pipe means that nobody renews any more. It
//! knows nothing of trackers.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use baton_claims::machine::SystemClock;
use baton_ports::Clock as _;
use clap::Args;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::command_error::CommandError;

/// How often the guard looks at its child and at the clock.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What a shell says of a command that cannot be found.
pub(super) const EXIT_NOT_RUN: u8 = 127;
/// What is told in place of a process group when there is no command.
pub(super) const NOT_RUN: i32 = -1;

#[derive(Debug, Args)]
pub(crate) struct Guard {
    /// The pipe that deadlines come over.
    #[arg(long)]
    control: i32,
    /// The pipe over which the command's process group is told.
    #[arg(long)]
    status: i32,
    /// How long before the deadline the command is asked to stop.
    #[arg(long)]
    grace_ms: u64,
    /// The command.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl Guard {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let stop_at = Arc::new(AtomicU64::new(0));
        let deadline = Arc::new(AtomicU64::new(0));
        let control = inherited(self.control, OpenOptions::new().read(true))?;
        let mut stops = stops(control, self.grace_ms);
        // Nothing is started before it is known until when it may run: the holder may be stopped right here.
        let first = stops.next().unwrap_or(0);
        stop_at.store(first, Ordering::Release);
        deadline.store(first + self.grace_ms, Ordering::Release);
        if SystemClock.boot_now().ms >= stop_at.load(Ordering::Acquire) {
            return Err(CommandError::No(
                "the lease was over before the command could be started".to_owned(),
            ));
        }
        let (known, last, grace_ms) = (Arc::clone(&stop_at), Arc::clone(&deadline), self.grace_ms);
        std::thread::spawn(move || {
            let noted = stops.inspect(|stop| last.store(stop + grace_ms, Ordering::Release));
            follow(noted, &known);
        });
        let mut child = self.start()?;
        let status = self.watch(&mut child, &stop_at, &deadline)?;
        // What the command left behind in its group must not outlive the lease either.
        signal(&child, Signal::KILL);
        match status.code() {
            Some(0) => Ok(()),
            Some(code) => Err(CommandError::SaidWith(ExitCode::from(u8::try_from(code).unwrap_or(1)))),
            None => {
                let signal = status.signal().unwrap_or(0);
                Err(CommandError::SaidWith(ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))))
            }
        }
    }

    fn start(&self) -> Result<Child, CommandError> {
        let mut status = inherited(self.status, OpenOptions::new().write(true))?;
        let (go_read, go_write) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| reach(error.into()))?;
        fcntl_setfd(&go_read, FdFlags::empty()).map_err(|error| reach(error.into()))?;
        let mut command = Command::new(std::env::current_exe().map_err(reach)?);
        command.arg("__guarded").args(["--go", &go_read.as_raw_fd().to_string()]);
        command.args(["--status", &self.status.to_string()]).arg("--");
        let child = command.args(&self.command).process_group(0).spawn().map_err(reach)?;
        // The command runs only when the holder can end its group without this process.
        let told = writeln!(status, "{}", child.id());
        told.and_then(|()| File::from(go_write).write_all(b"\n")).map_err(reach)?;
        Ok(child)
    }

    fn watch(
        &self,
        child: &mut Child,
        stop_at: &AtomicU64,
        deadline: &AtomicU64,
    ) -> Result<ExitStatus, CommandError> {
        let lost = |error| CommandError::OutOfReach(format!("the command cannot be watched: {error}"));
        let mut kill_at = None;
        loop {
            if let Some(status) = child.try_wait().map_err(lost)? {
                return Ok(status);
            }
            let now = SystemClock.boot_now().ms;
            match kill_at {
                None if now >= stop_at.load(Ordering::Acquire) => {
                    signal(child, Signal::TERM);
                    // A command that was stopped must be woken to hear of it.
                    signal(child, Signal::CONT);
                    // Whoever slept through its deadline gets no grace: by then the group must be dead.
                    kill_at = Some((now + self.grace_ms).min(deadline.load(Ordering::Acquire)));
                }
                Some(at) if now >= at => signal(child, Signal::KILL),
                _ => {}
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// Waits for a word and becomes the command; without the word, because the guard is gone, there is no command.
#[derive(Debug, Args)]
pub(crate) struct Guarded {
    /// The pipe that the word comes over.
    #[arg(long)]
    go: i32,
    /// The pipe over which it is told that there is no such program.
    #[arg(long)]
    status: i32,
    /// The command.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl Guarded {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let mut word = [0];
        let mut go = inherited(self.go, OpenOptions::new().read(true))?;
        go.read_exact(&mut word).map_err(|_| CommandError::Said)?;
        let error = Command::new(&self.command[0]).args(&self.command[1..]).exec();
        eprintln!("error: `{}` cannot be run: {error}", self.command[0].to_string_lossy());
        if let Ok(mut status) = inherited(self.status, OpenOptions::new().write(true)) {
            let _ = writeln!(status, "{NOT_RUN}");
        }
        Err(CommandError::SaidWith(ExitCode::from(EXIT_NOT_RUN)))
    }
}

fn reach(error: std::io::Error) -> CommandError {
    CommandError::OutOfReach(format!("the command's start: {error}"))
}

/// When the command is to be asked to stop, each time that is told, until the pipe ends or says what cannot be
/// understood.
fn stops(control: File, grace_ms: u64) -> impl Iterator<Item = u64> {
    let lines = BufReader::new(control).lines().map_while(Result::ok);
    let deadlines = lines.map_while(|line| line.trim().parse::<u64>().ok());
    deadlines.map(move |deadline| deadline.saturating_sub(grace_ms))
}

/// Follows the deadlines. When there are no more, there is no time left.
fn follow(stops: impl Iterator<Item = u64>, stop_at: &AtomicU64) {
    for stop in stops {
        stop_at.store(stop, Ordering::Release);
    }
    stop_at.store(0, Ordering::Release);
}

fn signal(child: &Child, signal: Signal) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // The group may be gone already, which is what is wanted.
        let _ = kill_process_group(group, signal);
    }
}

/// Opens the end of a pipe that was inherited under a number.
fn inherited(number: i32, how: &OpenOptions) -> Result<File, CommandError> {
    let path = format!("/dev/fd/{number}");
    how.open(&path).map_err(|error| CommandError::Usage(format!("{path}: {error}")))
}
