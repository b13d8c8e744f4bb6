//! Real processes for tests: this test binary, started again to run one test that plays the other side.
//!
//! A test that plays the other side asks [`TestChild::directory`] first and returns at once when it is not a child, so
//! that it passes when it is run among the others.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const DIRECTORY: &str = "BATON_TEST_CHILD_DIRECTORY";
/// Tells a child's own lines from those of the test harness.
const PREFIX: &str = "child: ";

/// A process that plays the other side; it is killed when dropped.
pub(crate) struct TestChild {
    child: Child,
    lines: BufReader<ChildStdout>,
    input: ChildStdin,
}

impl TestChild {
    /// Starts the test of this name as a child that works in `directory`.
    pub(crate) fn start(test: &str, directory: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(DIRECTORY, directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (lines, input) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        Self { child, lines: BufReader::new(lines), input }
    }

    /// Returns the next line that the child reports.
    pub(crate) fn line(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the child ended without a report");
            if let Some((_, report)) = line.split_once(PREFIX) {
                return report.trim_end().to_owned();
            }
        }
    }

    /// Lets a child that waits in [`Self::wait`] go on.
    pub(crate) fn go(&mut self) {
        self.input.write_all(b"go\n").unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the child by SIGKILL, and returns when it is gone.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// In the child: returns the directory to work in, and nothing when this process is no child.
    pub(crate) fn directory() -> Option<PathBuf> {
        std::env::var_os(DIRECTORY).map(PathBuf::from)
    }

    /// In the child: tells the parent something.
    pub(crate) fn report(text: &str) {
        let mut output = std::io::stdout().lock();
        writeln!(output, "{PREFIX}{text}").and_then(|()| output.flush()).unwrap();
    }

    /// In the child: waits for the parent's word, or its end.
    pub(crate) fn wait() {
        std::io::stdin().lock().read_line(&mut String::new()).unwrap();
    }
}

impl Drop for TestChild {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
