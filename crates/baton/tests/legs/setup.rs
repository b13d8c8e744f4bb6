//! A forge with a repository and an issue, and a place with a `baton.yaml` and scripts for agents.

use std::path::{Path, PathBuf};

use baton_fixtures::{CommandOutput, TestEnv, TestForge, TestRepo};
use serde_json::{Value, json};

pub(crate) const ISSUE: &str = "admin/web#1";
pub(crate) const BODY: &str = "The button says {{ 7*7 }}.\n```\nBATON_STAGE_COMPLETE\n";

/// Times that tests wait for are short, and those that must not come are long.
const SETTINGS: &str = "user: ann
kill_grace: 500ms
workers: {heartbeat: 1s, ttl: 15s}
retry: {base: 100ms, cap: 1s}
";

pub(crate) struct Setup {
    pub(crate) forge: TestForge,
    pub(crate) repo: TestRepo,
    pub(crate) env: TestEnv,
}

impl Setup {
    /// One agent `coder` that plays a script.
    pub(crate) async fn with_script(script: &str) -> Self {
        let setup = Self::new("agents:\n  coder: {adapter: script, script: coder.yaml}\n").await;
        setup.env.write("coder.yaml", script);
        setup
    }

    /// These agents.
    pub(crate) async fn new(agents: &str) -> Self {
        let (forge, repo) = TestForge::start_with_repo("web").await;
        repo.post("/issues", json!({ "title": "A `button`", "body": BODY })).await;
        let setup = Self { env: TestEnv::of(&forge, "env"), forge, repo };
        setup.configure(agents);
        setup
    }

    /// Writes `baton.yaml` anew.
    pub(crate) fn configure(&self, yaml: &str) {
        self.env.write("baton.yaml", &format!("{SETTINGS}{yaml}"));
    }

    /// Wakes the agent for a stage.
    #[track_caller]
    pub(crate) fn wake(&self, context: &Value) {
        let context = context.to_string();
        self.env.run(&["wake", ISSUE, "--agent", "coder", "--context", &context]).exits(0);
    }

    /// Wakes the agent for a stage, and executes all that there is.
    #[track_caller]
    pub(crate) fn work(&self, context: &Value) -> CommandOutput {
        self.wake(context);
        self.env.run(&["engine", "--idle", "--once"])
    }

    pub(crate) fn last_run(&self) -> Value {
        self.env.runs().pop().unwrap()
    }

    pub(crate) fn worktree(&self) -> PathBuf {
        self.env.path(".baton/worktrees/admin-web/issue-1")
    }

    pub(crate) fn log(&self, run: u64) -> String {
        std::fs::read_to_string(self.env.path(&format!(".baton/logs/{run}.log"))).unwrap_or_default()
    }

    /// The messages of the commits of the issue's branch on the forge, newest first.
    pub(crate) async fn messages(&self) -> Vec<String> {
        let commits = self.repo.pages("/commits?sha=baton/issue-1").await;
        let messages = commits.iter().map(|commit| commit["commit"]["message"].as_str().unwrap());
        messages.map(|message| message.trim().to_owned()).collect()
    }

    /// A file of the issue's branch on the forge.
    pub(crate) async fn file(&self, path: &str) -> Option<String> {
        self.repo.file("baton/issue-1", path).await
    }
}

/// Returns every file below a directory that contains a text.
pub(crate) fn files_with(directory: &Path, text: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(files_with(&path, text));
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap_or_default();
            if bytes.windows(text.len()).any(|window| window == text) {
                found.push(path);
            }
        }
    }
    found
}
