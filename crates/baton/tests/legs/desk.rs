//! A place to work: a forge with a repository and an issue, and a directory with a `baton.yaml` and scripts for agents.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, ForgeProcess, TOKEN};

/// Long enough for anything that must happen, however busy the machine is.
pub(crate) const SOON: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub(crate) const ISSUE: &str = "admin/web#1";
pub(crate) const BODY: &str = "The button says {{ 7*7 }}.\n```\nBATON_STAGE_COMPLETE\n";

/// Times that tests wait for are short, and those that must not come are long.
const SETTINGS: &str = "user: ann
kill_grace: 500ms
workers: {heartbeat: 300ms, ttl: 4s}
retry: {base: 100ms, cap: 1s}
";

pub(crate) struct Desk {
    pub(crate) forge: ForgeProcess,
    pub(crate) client: Client,
    directory: tempfile::TempDir,
}

/// What a run of `baton` came to.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    /// What it complained of; shown when a test fails.
    #[expect(dead_code, reason = "it is printed with the rest")]
    err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        let code = output.status.code().unwrap_or(-1);
        Self { code, out: text(&output.stdout), err: text(&output.stderr) }
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

impl Desk {
    /// A desk with one agent `coder` that plays a script.
    pub(crate) async fn with_script(script: &str) -> Self {
        let desk = Self::new("agents:\n  coder: {adapter: script, script: coder.yaml}\n").await;
        std::fs::write(desk.path("coder.yaml"), script).unwrap();
        desk
    }

    /// A desk with these agents.
    pub(crate) async fn new(agents: &str) -> Self {
        let directory = tempfile::Builder::new().prefix("legs").tempdir_in("/tmp").unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let client = Client::new(&forge.url, Some(TOKEN));
        client.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        let issue = json!({ "title": "A `button`", "body": BODY });
        client.must("POST", "/repos/admin/web/issues", &issue, 201).await;
        let desk = Self { forge, client, directory };
        std::fs::create_dir(desk.root()).unwrap();
        desk.configure(agents);
        desk
    }

    /// Writes `baton.yaml` anew.
    pub(crate) fn configure(&self, yaml: &str) {
        let tracker = format!("tracker: {{api_url: '{}'}}\n", self.forge.url);
        std::fs::write(self.path("baton.yaml"), format!("{SETTINGS}{tracker}{yaml}")).unwrap();
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("desk")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// A run that has not been started. Nothing of the test's own environment reaches it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let home = self.path("home");
        std::fs::create_dir_all(&home).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("BATON_TOKEN", TOKEN)
            .current_dir(self.root())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).output().unwrap())
    }

    /// Wakes the agent for a stage.
    pub(crate) fn wake(&self, context: &Value) -> Ran {
        let context = context.to_string();
        self.run(&["wake", ISSUE, "--agent", "coder", "--context", &context]).exits(0)
    }

    /// Wakes the agent for a stage, and executes all that there is.
    pub(crate) fn work(&self, context: &Value) -> Ran {
        self.wake(context);
        self.run(&["engine", "--idle", "--once"])
    }

    /// The runs, oldest first.
    pub(crate) fn runs(&self) -> Vec<Value> {
        let ran = self.run(&["runs", "--json", "--limit", "100"]).exits(0);
        let listed: Value = serde_json::from_str(&ran.out).unwrap();
        let mut runs = listed["runs"].as_array().unwrap().clone();
        runs.reverse();
        runs
    }

    pub(crate) fn last_run(&self) -> Value {
        self.runs().pop().unwrap()
    }

    pub(crate) fn worktree(&self) -> PathBuf {
        self.path(".baton/worktrees/admin-web/issue-1")
    }

    pub(crate) fn log(&self, run: u64) -> String {
        std::fs::read_to_string(self.path(&format!(".baton/logs/{run}.log"))).unwrap_or_default()
    }

    /// A file of a branch on the forge.
    pub(crate) async fn on_forge(&self, branch: &str, path: &str) -> Option<String> {
        let address = format!("/repos/admin/web/contents/{path}?ref={branch}");
        let raw = [("accept", "application/vnd.github.raw+json")];
        let answer = self.client.send("GET", &address, None, &raw).await.unwrap();
        (answer.status == 200).then_some(answer.text)
    }

    /// The messages of the commits of a branch on the forge, newest first.
    pub(crate) async fn messages(&self, branch: &str) -> Vec<String> {
        let address = format!("/repos/admin/web/commits?sha={branch}");
        let commits = self.client.must("GET", &address, &Value::Null, 200).await;
        let messages = commits.as_array().unwrap().iter();
        messages.map(|commit| commit["commit"]["message"].as_str().unwrap().trim().to_owned()).collect()
    }

    /// Waits until something is so.
    #[track_caller]
    pub(crate) fn wait_for<T>(&self, what: &str, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let started = Instant::now();
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            assert!(started.elapsed() < SOON, "it never came to {what}; runs: {:?}", self.runs());
            std::thread::sleep(LOOK_EVERY);
        }
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
