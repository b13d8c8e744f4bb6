//! A `baton demo` that stays, ended when dropped.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

pub(crate) struct Demo {
    child: Child,
    directory: TempDir,
    /// Where the dashboard is.
    pub(crate) dashboard: String,
    /// Where the forge is.
    pub(crate) forge: String,
}

impl Demo {
    /// Starts it, and waits until it says where it listens.
    pub(crate) fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_baton"))
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

    pub(crate) fn directory(&self) -> std::path::PathBuf {
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

impl Drop for Demo {
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
