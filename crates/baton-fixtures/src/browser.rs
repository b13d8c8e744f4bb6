//! `baton demo` that stays, and a real browser in front of a dashboard.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// A demo that stays; it is ended as Ctrl-C does when dropped.
pub struct TestDemo {
    child: Child,
    directory: TempDir,
    /// Where the dashboard is.
    pub dashboard: String,
    /// Where the forge is.
    pub forge: String,
}

impl TestDemo {
    /// Starts it, and waits until it says where it listens.
    pub fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(crate::baton())
            .args(["demo", "--listen", "127.0.0.1:0", "--keep"])
            .arg(directory.path().join("demo"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let [dashboard, forge] = ["dashboard:", "forge:"].map(|name| address(&mut said, name));
        // What it says later is not needed, but must be read for it to go on.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Self { child, directory, dashboard, forge }
    }

    /// Where its parts are.
    pub fn directory(&self) -> PathBuf {
        Path::new(self.directory.path()).join("demo")
    }
}

/// Reads on until a line names an address.
fn address(said: &mut BufReader<ChildStdout>, name: &str) -> String {
    let mut heard = String::new();
    loop {
        let mut line = String::new();
        let read = said.read_line(&mut line).unwrap();
        assert!(read > 0, "the demo ended without a line that begins with `{name}`:\n{heard}");
        if let Some(address) = line.strip_prefix(name) {
            return address.trim().to_owned();
        }
        heard.push_str(&line);
    }
}

impl Drop for TestDemo {
    fn drop(&mut self) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        // As Ctrl-C does, so that it takes its agents with it.
        let asked = id.is_some_and(|id| kill_process(id, Signal::INT).is_ok());
        if !asked {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Chromium, driven by a script for Node.js over the drivers that `cargo xtask test` has installed.
pub struct Browser {
    /// Where the script leaves pictures of the pages.
    pub shots: PathBuf,
}

impl Browser {
    /// Runs a script in front of a dashboard, insists that it succeeds, and returns what it reports.
    #[track_caller]
    pub fn walk(&self, script: &Path, dashboard: &str, plan: &serde_json::Value) -> String {
        let mut node = Command::new("node");
        node.arg(script).arg(dashboard).arg(&self.shots).arg(plan.to_string());
        let ran: crate::CommandOutput =
            node.current_dir(crate::contract_dir().join("browser")).output().unwrap().into();
        assert_eq!(ran.code, 0, "the walk failed; pictures are in {}\n{}", self.shots.display(), ran.both());
        ran.both()
    }
}
