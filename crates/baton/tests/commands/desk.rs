//! A place to work: a forge with a repository and an issue, a directory with a `baton.yaml`, and engines.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, ForgeProcess, TOKEN};

/// Long enough for anything that must happen, however busy the machine is.
const SOON: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub(crate) const ISSUE: &str = "admin/web#1";

pub(crate) const SETTINGS: &str = "user: ann
repos: [admin/web]
poll: 2s
workers: {heartbeat: 300ms, ttl: 60s}
retry: {base: 100ms, cap: 1s}
claims: {settle: 100ms, visible_within: 1s}
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
    pub(crate) err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Desk {
    /// A desk with one agent, and an issue with these labels.
    pub(crate) async fn new(more: &str, labels: &[&str]) -> Self {
        let directory = tempfile::Builder::new().prefix("commands").tempdir_in("/tmp").unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let client = Client::new(&forge.url, Some(TOKEN));
        client.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        let issue = json!({ "title": "A button", "body": "It is missing.", "labels": labels });
        client.must("POST", "/repos/admin/web/issues", &issue, 201).await;
        let desk = Self { forge, client, directory };
        std::fs::create_dir_all(desk.path("home")).unwrap();
        desk.configure(more);
        desk
    }

    /// Writes `baton.yaml` anew.
    pub(crate) fn configure(&self, more: &str) {
        let tracker = format!("tracker: {{api_url: '{}'}}\n", self.forge.url);
        std::fs::write(self.path("baton.yaml"), format!("{SETTINGS}{tracker}{more}")).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("desk").join(name)
    }

    /// A run that has not been started. Nothing of the test's own environment reaches it.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("BATON_TOKEN", TOKEN)
            .current_dir(self.path(""))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).output().unwrap())
    }

    pub(crate) fn engine(&self, arguments: &[&str]) -> Engine {
        let mut child = self.command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Arc::new(Mutex::new(Vec::new()));
        let (lines, heard) = (BufReader::new(child.stderr.take().unwrap()).lines(), Arc::clone(&said));
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| heard.lock().unwrap().push(line))
        });
        Engine { child, said }
    }

    pub(crate) async fn labels(&self) -> Vec<String> {
        let issue = self.client.must("GET", "/repos/admin/web/issues/1", &Value::Null, 200).await;
        issue["labels"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) async fn comments(&self) -> Vec<String> {
        let comments = self.client.must("GET", "/repos/admin/web/issues/1/comments", &Value::Null, 200).await;
        comments.as_array().unwrap().iter().map(|it| it["body"].as_str().unwrap().to_owned()).collect()
    }

    /// The runs, newest first.
    pub(crate) fn runs(&self) -> Vec<Value> {
        self.run(&["runs", "--json"]).exits(0).json()["runs"].as_array().unwrap().clone()
    }
}

/// An engine that runs, killed when dropped.
pub(crate) struct Engine {
    child: Child,
    said: Arc<Mutex<Vec<String>>>,
}

impl Engine {
    pub(crate) fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }

    /// Waits for a line with these words, and returns how many there are.
    #[track_caller]
    pub(crate) fn hears(&self, words: &str) -> usize {
        wait_for(&format!("`{words}`"), || {
            let count = self.said().iter().filter(|line| line.contains(words)).count();
            (count > 0).then_some(count)
        })
    }

    pub(crate) fn terminate(&self) {
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn ends(mut self) -> (i32, Vec<String>) {
        let status = wait_for("its end", || self.child.try_wait().unwrap());
        (status.code().unwrap_or(-1), self.said())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < SOON, "it never came to {what}");
        std::thread::sleep(LOOK_EVERY);
    }
}
