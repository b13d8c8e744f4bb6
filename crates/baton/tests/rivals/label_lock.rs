//! The shell worker that locks with a label and a comment, run as what it is: a script, `label_lock_worker.sh`.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::api::{Api, now_ms};
use super::{Identity, Verdict};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rivals/label_lock_worker.sh");

/// The script makes a handful of requests; what takes longer than this hangs.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// Claims an issue in one go.
pub(crate) async fn contend(api: &Api, issue: u64, who: &Identity) -> Verdict {
    let mut script = command(api, &who.codename, &[&issue.to_string()]);
    match tokio::time::timeout(ANSWER_WITHIN, script.output()).await {
        Ok(Ok(output)) => last_verdict(&String::from_utf8_lossy(&output.stdout)),
        Ok(Err(error)) => Verdict::error(now_ms(), format!("bash does not start: {error}")),
        Err(_) => Verdict::error(now_ms(), "the script hangs"),
    }
}

/// Runs it with any arguments to its end, and returns what it printed.
pub(crate) async fn run(api: &Api, worker: &str, arguments: &[&str]) -> String {
    let output = command(api, worker, arguments).output().await.expect("bash starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the verdict in its last line.
pub(crate) fn last_verdict(printed: &str) -> Verdict {
    let line = printed.lines().last().unwrap_or_default();
    let value: Value = serde_json::from_str(line).unwrap_or_default();
    let unread = || Verdict::error(now_ms(), format!("the script printed no verdict but {line:?}"));
    Verdict::from_json(&value, now_ms()).unwrap_or_else(unread)
}

fn command(api: &Api, worker: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("bash");
    command
        .arg(SCRIPT)
        .args(arguments)
        .env("FORGE_API", &api.url)
        .env("FORGE_TOKEN", &api.token)
        .env("FORGE_REPO", &api.repo)
        .env("WORKER_ID", worker)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// A script that waits before each of its steps: `scan`, `claim`, `verify`, `work`.
pub(crate) struct Stepped {
    _child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// Whether it waits to be told to go on.
    waits: bool,
}

impl Stepped {
    pub(crate) fn start(api: &Api, worker: &str, issue: u64, settings: &[(&str, &str)]) -> Self {
        let mut command = command(api, worker, &[&issue.to_string()]);
        command.env("LOCK_STEPS", "1").envs(settings.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("bash starts");
        let stdin = child.stdin.take().expect("stdin is piped");
        let lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        Self { _child: child, stdin, lines, waits: false }
    }

    /// Lets it run until it is about to take a step.
    pub(crate) async fn until(&mut self, step: &str) {
        let wanted = format!("@step {step}");
        while self.next().await.unwrap_or_else(|| panic!("it ended before {step}")) != wanted {}
    }

    /// Lets it run to its end.
    pub(crate) async fn finish(mut self) -> Verdict {
        let mut last = String::new();
        while let Some(line) = self.next().await {
            last = line;
        }
        last_verdict(&last)
    }

    async fn next(&mut self) -> Option<String> {
        if std::mem::take(&mut self.waits) {
            self.stdin.write_all(b"\n").await.expect("it listens");
        }
        let line = tokio::time::timeout(ANSWER_WITHIN, self.lines.next_line()).await;
        let line = line.expect("the script does not hang").expect("what it prints is text");
        self.waits = line.as_ref().is_some_and(|line| line.starts_with("@step "));
        line
    }
}
