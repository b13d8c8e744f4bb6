//! The server's process: started, waited for, and ended by its own id.
//!
//! It stays in the process group of the tests, so that whoever ends a test's whole group ends its server too. What the
//! server is asked meanwhile is not looked at here.

use std::fs::{self, File};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::account::Account;
use crate::error::TestbedError;
use crate::home::Home;
use crate::programs::Programs;

/// How long a server may take to be ready; a busy machine and a recovery after a hard stop are allowed for.
const START_BOUND: Duration = Duration::from_secs(60);
/// How long a server may take to end its sessions and write everything down.
const FAST_STOP_BOUND: Duration = Duration::from_secs(20);
/// How long a server may take to drop everything.
const HARD_STOP_BOUND: Duration = Duration::from_secs(10);
const LOG_LINES_SHOWN: usize = 15;

/// What is needed to start a server, again and again.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) programs: Programs,
    pub(crate) account: Account,
    /// `name=value`, as `postgres -c` takes them.
    pub(crate) settings: Vec<String>,
}

/// A running server; it is stopped with this value.
#[derive(Debug)]
pub(crate) struct Postmaster {
    child: Child,
}

impl Launch {
    /// Starts the server on a data directory and waits until it takes connections.
    pub(crate) fn start(&self, home: &Home) -> Result<Postmaster, TestbedError> {
        let log = home.log();
        let failed = || TestbedError::io(format!("starting `postgres` in `{}`", home.path().display()));
        let file = File::options().create(true).append(true).open(&log).map_err(failed())?;
        let mut postgres = self.programs.command("postgres");
        postgres.arg("-D").arg(home.data()).arg("-k").arg(home.path()).current_dir(home.path());
        self.settings.iter().for_each(|setting| {
            postgres.args(["-c", setting]);
        });
        self.account.apply(&mut postgres);
        postgres.stdout(file.try_clone().map_err(failed())?).stderr(file);
        let mut postmaster = Postmaster { child: postgres.spawn().map_err(failed())? };
        postmaster.wait_until_ready(home)?;
        Ok(postmaster)
    }
}

impl Postmaster {
    fn wait_until_ready(&mut self, home: &Home) -> Result<(), TestbedError> {
        let mut ended = None;
        wait(START_BOUND, || {
            ended = self.child.try_wait().ok().flatten();
            ended.is_some() || self.is_ready(home)
        });
        if ended.is_none() && self.is_ready(home) {
            return Ok(());
        }
        let became = ended.map_or("did not become ready".to_owned(), |status| format!("ended with {status}"));
        let log = tail(&fs::read_to_string(home.log()).unwrap_or_default());
        Err(TestbedError::NotReady { became, waited: START_BOUND, log })
    }

    /// Reads the state that the server writes about itself, which costs less than a connection that is refused.
    fn is_ready(&self, home: &Home) -> bool {
        let text = fs::read_to_string(home.data().join("postmaster.pid"));
        text.is_ok_and(|text| says_ready(&text, self.child.id()))
    }

    /// Drops all sessions and everything unwritten, as a crash would; the next start recovers.
    pub(crate) fn stop_hard(mut self) {
        self.signal_and_wait(Signal::QUIT, HARD_STOP_BOUND);
    }

    /// Sends a signal, and tells whether the server ended in time.
    fn signal_and_wait(&mut self, signal: Signal, bound: Duration) -> bool {
        // The process has not been waited for, so its id cannot have been given to another.
        if let Ok(None) = self.child.try_wait() {
            let _ = kill_process(Pid::from_child(&self.child), signal);
        }
        wait(bound, || !matches!(self.child.try_wait(), Ok(None)))
    }
}

impl Drop for Postmaster {
    fn drop(&mut self) {
        let stopped = self.signal_and_wait(Signal::INT, FAST_STOP_BOUND)
            || self.signal_and_wait(Signal::QUIT, HARD_STOP_BOUND);
        if !stopped {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Looks for a condition until it holds or the time is up; tells whether it came to hold.
fn wait(bound: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    loop {
        if holds() {
            return true;
        }
        if started.elapsed() > bound {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Reads `postmaster.pid`: its first line is the server's id, and its eighth the state.
fn says_ready(text: &str, id: u32) -> bool {
    let mut lines = text.lines().map(str::trim);
    let is_this_server = lines.next().and_then(|line| line.parse().ok()) == Some(id);
    is_this_server && lines.nth(6) == Some("ready")
}

fn tail(log: &str) -> String {
    let lines: Vec<_> = log.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_ready_when_its_own_file_says_so() {
        let file = |id: u32, state: &str| format!("{id}\n/d\n1700000000\n5432\n/s\n\n  1 2\n{state}\n");
        assert!(says_ready(&file(7, "ready   "), 7));
        assert!(!says_ready(&file(7, "starting"), 7));
        assert!(!says_ready(&file(7, "stopping"), 7));
        assert!(!says_ready(&file(8, "ready   "), 7), "the file of an earlier server");
        assert!(!says_ready("7\n/d\n", 7), "a file that is being written");
        assert!(!says_ready("", 7));
    }

    #[test]
    fn only_the_end_of_a_long_log_is_shown() {
        let log: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        assert!(tail(&log).starts_with("line 6\n") && tail(&log).ends_with("line 20"));
        assert_eq!(tail("only\n"), "only");
    }
}
