//! `baton forge serve` in a process of its own.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Client, CommandOutput, TestRepo, baton};

/// The token of the account `admin`, which owns everything.
pub const TOKEN: &str = "bft_end_to_end";

/// A forge on a port of its own; it is killed when dropped.
pub struct TestForge {
    child: Child,
    /// Where it listens.
    pub url: String,
    /// Its data directory.
    pub data: PathBuf,
    /// A client of the account `admin`.
    pub admin: Client,
    directory: TempDir,
}

impl TestForge {
    /// Starts a forge that has nothing yet.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a forge with further options of `baton forge serve`.
    pub fn start_with(options: &[&str]) -> Self {
        // Short, because unix sockets lie beside files of the directory.
        let directory = tempfile::Builder::new().prefix("bt").tempdir_in("/tmp").unwrap();
        let data = directory.path().join("data");
        let (child, url) = serve(&data, options);
        let admin = Client::new(&url, Some(TOKEN));
        Self { child, url, data, admin, directory }
    }

    /// Starts a forge that has a repository of `admin` with a first commit.
    pub async fn start_with_repo(name: &str) -> (Self, TestRepo) {
        let forge = Self::start();
        let repo = forge.repo(name).await;
        (forge, repo)
    }

    /// Starts a forge with a configuration file (`ci: …`).
    pub fn start_configured(yaml: &str) -> Self {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), yaml).unwrap();
        Self::start_with(&["--config", file.path().to_str().unwrap()])
    }

    /// Kills it as a crash would, and starts it again on the same data, at another address.
    pub fn restart(&mut self, options: &[&str]) {
        self.kill();
        (self.child, self.url) = serve(&self.data, options);
        self.admin = Client::new(&self.url, Some(TOKEN));
    }

    /// Ends it as a crash would. Its data stays.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Returns its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the directory that ends with it; a test may keep its own things there.
    pub fn dir(&self) -> &Path {
        self.directory.path()
    }

    /// Makes a repository of `admin` with a first commit.
    pub async fn repo(&self, name: &str) -> TestRepo {
        let body = json!({ "name": name, "auto_init": true });
        self.admin.must("POST", "/user/repos", &body, 201).await;
        self.at(name)
    }

    /// Returns a repository of `admin` that is there.
    pub fn at(&self, name: &str) -> TestRepo {
        TestRepo { client: self.admin.clone(), name: format!("admin/{name}") }
    }

    /// Runs `baton forge …` on its data.
    pub fn administer(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = Command::new(baton());
        command.arg("forge").args(arguments).arg("--data").arg(&self.data);
        command.output().unwrap().into()
    }

    /// Makes an account without a permission anywhere, and returns its token.
    pub fn account(&self, login: &str, role: &str) -> String {
        self.administer(&["user", "add", login]).exits(0);
        self.token(&["--user", login, "--role", role])
    }

    /// Makes a token.
    pub fn token(&self, options: &[&str]) -> String {
        self.administer(&[&["token", "create"], options].concat()).exits(0).out
    }

    /// Returns a client with a token.
    pub fn client(&self, token: &str) -> Client {
        Client::new(&self.url, Some(token))
    }

    /// Turns knobs: lag, latency, faults, limits.
    pub async fn turn(&self, knobs: Value) {
        self.admin.must("PATCH", "/_forge/knobs", &knobs, 200).await;
    }

    /// Makes requests fail: those that match, after the first `skip`, so many times or from now on.
    pub async fn fault(&self, matching: Value, when: &str, kind: Value, skip: u64, times: Option<u64>) {
        let fault = json!({ "matching": matching, "when": when, "kind": kind, "skip": skip, "times": times });
        self.turn(json!({ "faults": [fault] })).await;
    }

    /// Turns all knobs back.
    pub async fn calm(&self) {
        self.admin.must("DELETE", "/_forge/knobs", &Value::Null, 204).await;
    }

    /// Moves its clock so many seconds away from this machine's.
    pub async fn shift_clock(&self, offset_s: i64) {
        self.admin.must("PUT", "/_forge/clock", &json!({ "offset_s": offset_s }), 200).await;
    }

    /// Stops its clock at so many seconds since 1970.
    pub async fn freeze_clock(&self, at_s: i64) {
        self.admin.must("PUT", "/_forge/clock", &json!({ "frozen_at": at_s }), 200).await;
    }

    /// Returns what it has counted since the meter was cleared: endpoint, status, count.
    pub async fn meter(&self) -> Vec<Value> {
        let rows = self.admin.must("GET", "/_forge/meter", &Value::Null, 200).await;
        rows.as_array().unwrap().clone()
    }

    /// Starts counting anew.
    pub async fn clear_meter(&self) {
        self.admin.must("DELETE", "/_forge/meter", &Value::Null, 204).await;
    }
}

impl Drop for TestForge {
    fn drop(&mut self) {
        self.kill();
    }
}

fn serve(data: &Path, options: &[&str]) -> (Child, String) {
    let mut child = Command::new(baton())
        .args(["forge", "serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .args(options)
        .env("BATON_FORGE_TOKEN", TOKEN)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut first = String::new();
    let stdout = child.stdout.take().expect("stdout is piped");
    BufReader::new(stdout).read_line(&mut first).expect("the binary says where it listens");
    let url = first.trim().strip_prefix("forge listening on ").expect("the first line names the address");
    (child, url.to_owned())
}
