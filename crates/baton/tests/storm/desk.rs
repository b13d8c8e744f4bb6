//! A place where an engine is started: a directory with a `baton.yaml`, stages and a script for its agent.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use baton_core::time::StoreTime;
use baton_store::SqlStore;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Child;

use crate::storm::journal::Journal;
use crate::storm::waiting::{SOON, eventually};

/// Times that tests wait for are short.
const SETTINGS: &str = "poll: 1s
yolo: true
post_push_dwell: 0s
kill_grace: 500ms
workers: {heartbeat: 300ms, ttl: 3s}
retry: {base: 100ms, cap: 1s}
claims: {settle: 100ms, visible_within: 1s, margin: 2s, sweep_every: 5s}
";
const AGENT: &str = "  coder: {adapter: script, script: coder.yaml}\n";

/// The stages: the shipped ones in short. Nobody reviews, since the tests have no reviewers.
const STAGES: [(&str, &str); 8] = [
    ("backlog", "order: -1\nholding_stage: true"),
    ("specify", "order: 0\nread_only: true"),
    ("research", "order: 1\nread_only: true"),
    ("plan", "order: 2\nread_only: true"),
    ("implement", "order: 3\npost_to_pr: true\ncreate_draft_pr: true\nmark_pr_ready_on_complete: true"),
    ("review", "order: 4\npost_to_pr: true\nwait_for_reviews: true\nexpected_reviewers: []"),
    ("validate", "order: 5\npost_to_pr: true\nwait_for_ci: true"),
    ("done", "order: 99\ncleanup_worktree: true"),
];

/// How many stages have an agent.
pub(crate) const WORKING_STAGES: [&str; 6] =
    ["Specify", "Research", "Plan", "Implement", "Review", "Validate"];

/// What is different from desk to desk.
#[derive(Clone)]
pub(crate) struct Setup<'a> {
    /// The engine's name, which is also the operator's.
    pub(crate) name: &'a str,
    pub(crate) token: &'a str,
    pub(crate) api_url: &'a str,
    pub(crate) repo: &'a str,
    /// The value of `store`.
    pub(crate) store: &'a str,
    /// Further settings.
    pub(crate) more: &'a str,
}

pub(crate) struct Desk {
    root: PathBuf,
    name: String,
    token: String,
    variables: Vec<(String, String)>,
}

impl Desk {
    /// Makes a desk in a directory that is not there yet.
    pub(crate) fn new(root: &Path, setup: &Setup<'_>, journal: &Journal) -> Self {
        let Setup { name, token, api_url, repo, store, more } = setup;
        std::fs::create_dir_all(root.join(".baton/stages")).unwrap();
        std::fs::create_dir_all(root.join("home")).unwrap();
        let place = format!(
            "user: {name}\ntracker: {{api_url: '{api_url}'}}\nrepos: [{repo}]\nstore: '{store}'\n{more}\n"
        );
        std::fs::write(root.join("baton.yaml"), format!("{SETTINGS}agents:\n{AGENT}{place}")).unwrap();
        for (stage, settings) in STAGES {
            let titled = format!("{}{}", stage[..1].to_uppercase(), &stage[1..]);
            let has_agent = stage != "done" && stage != "backlog";
            let prompt = if has_agent { "prompt: Do it.\n" } else { "" };
            let text = format!("name: {titled}\n{settings}\n{prompt}");
            std::fs::write(root.join(format!(".baton/stages/{stage}.yaml")), text).unwrap();
        }
        std::fs::write(root.join("coder.yaml"), journal.script(name)).unwrap();
        Self {
            root: root.to_owned(),
            name: (*name).to_owned(),
            token: (*token).to_owned(),
            variables: Vec::new(),
        }
    }

    /// Gives its engines a variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A run of the binary that has not been started. Nothing of the test's own environment reaches it.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.root.join("home"))
            .env("BATON_TOKEN", &self.token)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.root)
            .stdin(Stdio::null());
        command
    }

    /// Lets its agent play another script.
    pub(crate) fn replace_script(&self, script: &str) {
        std::fs::write(self.root.join("coder.yaml"), script).unwrap();
    }

    /// Gives it another agent, as `baton.yaml` says it.
    pub(crate) fn replace_agent(&self, agent: &str) {
        let path = self.root.join("baton.yaml");
        let text = std::fs::read_to_string(&path).unwrap().replace(AGENT, agent);
        std::fs::write(path, text).unwrap();
    }

    /// Opens the store of a desk that keeps it in the usual file.
    pub(crate) async fn sqlite(&self) -> SqlStore {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let clock = move || StoreTime { ms: i64::try_from(now()).unwrap() };
        SqlStore::sqlite(&self.root.join(".baton/baton.db"), Arc::new(clock)).await.unwrap()
    }

    /// Starts an engine. What it prints is kept in a file of the desk.
    pub(crate) fn engine(&self) -> Engine {
        let log = File::options().create(true).append(true).open(self.root.join("engine.log")).unwrap();
        let mut command = self.command(&["engine", "--name", &self.name]);
        command.stdout(log.try_clone().unwrap()).stderr(log);
        let mut command = tokio::process::Command::from(command);
        Engine { child: command.kill_on_drop(true).spawn().unwrap() }
    }

    /// What its engines have printed.
    pub(crate) fn told(&self) -> String {
        let told = std::fs::read_to_string(self.root.join("engine.log")).unwrap_or_default();
        let lines: Vec<_> = told.lines().collect();
        let from = lines.len().saturating_sub(60);
        format!("\n-- {}\n{}", self.name, lines[from..].join("\n"))
    }
}

/// An engine's process; it is killed when dropped.
pub(crate) struct Engine {
    child: Child,
}

impl Engine {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Asks it to stop, and waits until it has. One that was started a moment ago would die of being asked.
    pub(crate) async fn stop(mut self) {
        eventually("the engine listens", SOON, || is_listening(self.pid()).then_some(())).await;
        let pid = Pid::from_raw(i32::try_from(self.pid()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        let status = tokio::time::timeout(SOON, self.child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{status}");
    }
}

/// Returns whether a process has said what it does when it is asked to stop.
fn is_listening(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
    caught & (1 << (Signal::TERM.as_raw() - 1)) != 0
}
