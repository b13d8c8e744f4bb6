//! An engine's process.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::processes::{Signal, send};
use crate::wait::wait_for;

/// An engine that runs; it is killed when dropped.
pub struct TestEngine {
    child: Child,
    log: PathBuf,
    /// Where its own words begin in the log, which engines of one place share.
    from: usize,
}

impl TestEngine {
    /// Starts a program whose output is appended to a file.
    pub fn start(mut command: Command, log: &Path) -> Self {
        let file = File::options().create(true).append(true).open(log).unwrap();
        let from = usize::try_from(file.metadata().unwrap().len()).unwrap();
        command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file);
        Self { child: command.spawn().unwrap(), log: log.to_owned(), from }
    }

    /// Returns its process id.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// Returns the lines that it has printed so far.
    pub fn said(&self) -> Vec<String> {
        let bytes = fs::read(&self.log).unwrap_or_default();
        let own = String::from_utf8_lossy(bytes.get(self.from..).unwrap_or_default()).into_owned();
        own.lines().map(str::to_owned).collect()
    }

    /// Waits for a line with these words, and returns how many there are.
    #[track_caller]
    pub fn hears(&self, words: &str) -> usize {
        wait_for(&format!("the engine says `{words}`"), || {
            let count = self.said().iter().filter(|line| line.contains(words)).count();
            (count > 0).then_some(count)
        })
    }

    /// Returns whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Asks it to stop.
    pub fn terminate(&self) {
        send(self.pid(), Signal::TERM);
    }

    /// Waits for its end, and returns its exit code and what it printed.
    #[track_caller]
    pub fn ends(mut self) -> (i32, Vec<String>) {
        let status = self.wait();
        (status.code().unwrap_or(-1), self.said())
    }

    /// Asks it to stop as a service manager would, and insists that it ends well.
    ///
    /// One that was started a moment ago would die of being asked, so this waits until it listens.
    #[track_caller]
    pub fn stop(mut self) {
        wait_for("the engine listens for signals", || is_listening(self.pid()).then_some(()));
        self.terminate();
        let status = self.wait();
        assert!(status.success(), "the engine ended with {status}:\n{}", self.said().join("\n"));
    }

    /// Stops it as [`Self::stop`] does, beside other things that the test does.
    pub async fn stop_async(self) {
        tokio::task::spawn_blocking(move || self.stop()).await.expect("it stops");
    }

    /// Ends it as a crash would.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    #[track_caller]
    fn wait(&mut self) -> ExitStatus {
        wait_for("the engine's end", || self.child.try_wait().unwrap())
    }
}

impl Drop for TestEngine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns whether a process has said what it does when it is asked to stop. Only Linux tells.
#[cfg(target_os = "linux")]
fn is_listening(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    // One that is gone is not waited for.
    let Some(caught) = status.lines().find_map(|line| line.strip_prefix("SigCgt:")) else { return true };
    let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
    caught & (1 << (Signal::TERM.as_raw() - 1)) != 0
}

#[cfg(not(target_os = "linux"))]
fn is_listening(_pid: i32) -> bool {
    true
}
