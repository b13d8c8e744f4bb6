//! A forge of its own with repositories whose boards are labels, and accounts that engines act as.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{self, Client, ForgeProcess, TOKEN};

/// How often the forge is asked whether something has come about.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// A forge; it ends with this value.
pub(crate) struct World {
    pub(crate) forge: ForgeProcess,
    pub(crate) admin: Client,
    directory: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("storm").tempdir_in("/tmp").unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let admin = Client::new(&forge.url, Some(TOKEN));
        Self { forge, admin, directory }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Makes a repository of the administrator's.
    pub(crate) async fn repo(&self, name: &str) -> Repo<'_> {
        self.admin.must("POST", "/user/repos", &json!({ "name": name }), 201).await;
        // The same first commit everywhere, so that trees can be compared; `auto_init` would write the name into it.
        let file = json!({ "message": "Begin", "content": "QSBwbGFjZS4K" });
        self.admin.must("PUT", &format!("/repos/admin/{name}/contents/README.md"), &file, 201).await;
        Repo { world: self, name: format!("admin/{name}") }
    }

    /// Makes an account that may write to a repository, and returns its token.
    pub(crate) async fn account(&self, login: &str, repo: &Repo<'_>) -> String {
        let data = self.forge.data.to_str().unwrap();
        let run = |arguments: &[&str]| {
            let (code, printed, complaint) = support::baton(&[arguments, &["--data", data]].concat());
            assert_eq!(code, 0, "{complaint}");
            printed
        };
        run(&["forge", "user", "add", login]);
        let token = run(&["forge", "token", "create", "--user", login, "--role", "write"]);
        let path = format!("/repos/{}/collaborators/{login}", repo.name);
        self.admin.must("PUT", &path, &json!({ "permission": "push" }), 204).await;
        token
    }

    pub(crate) async fn turn(&self, knobs: Value) {
        self.admin.must("PATCH", "/_forge/knobs", &knobs, 200).await;
    }

    /// Moves the forge's clock so many seconds away from this machine's.
    pub(crate) async fn shift(&self, offset_s: i64) {
        self.admin.must("PUT", "/_forge/clock", &json!({ "offset_s": offset_s }), 200).await;
    }
}

/// A repository and its issues.
#[derive(Clone)]
pub(crate) struct Repo<'a> {
    pub(crate) world: &'a World,
    pub(crate) name: String,
}

impl Repo<'_> {
    /// Chooses how the repository decides who holds an issue.
    pub(crate) fn set_protocol(&self, protocol: &str) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        let output = command
            .args(["protocol", "set", protocol, "--repo", &self.name])
            .env("BATON_TOKEN", TOKEN)
            .env("BATON_GITHUB_API_URL", &self.world.forge.url)
            .current_dir(self.world.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let path = format!("/repos/{}{path}", self.name);
        self.world.admin.must("GET", &path, &Value::Null, 200).await
    }

    /// Opens an issue in the first column of the board, which is to go all the way by itself.
    pub(crate) async fn issue(&self, title: &str) -> u64 {
        let body =
            json!({ "title": title, "body": "Please do it.", "labels": ["stage:Specify", "baton:yolo"] });
        let made = self.world.admin.must("POST", &format!("/repos/{}/issues", self.name), &body, 201).await;
        made["number"].as_u64().unwrap()
    }

    pub(crate) async fn label(&self, number: u64, label: &str) {
        let path = format!("/repos/{}/issues/{number}/labels", self.name);
        self.world.admin.must("POST", &path, &json!({ "labels": [label] }), 200).await;
    }

    /// How many open issues carry a label.
    pub(crate) async fn count_labelled(&self, label: &str) -> usize {
        let mut count = 0;
        for page in 1.. {
            let path = format!("/issues?labels={label}&per_page=100&page={page}");
            let found = self.get(&path).await.as_array().unwrap().len();
            count += found;
            if found < 100 {
                break;
            }
        }
        count
    }

    pub(crate) async fn labels(&self, number: u64) -> Vec<String> {
        let labels = self.get(&format!("/issues/{number}/labels?per_page=100")).await;
        let name = |label: &Value| label["name"].as_str().unwrap().to_owned();
        let mut names: Vec<_> = labels.as_array().unwrap().iter().map(name).collect();
        names.sort();
        names
    }

    /// Every comment of an issue or pull request, oldest first.
    pub(crate) async fn comments(&self, number: u64) -> Vec<Value> {
        let mut all = Vec::new();
        for page in 1.. {
            let path = format!("/issues/{number}/comments?per_page=100&page={page}");
            let Value::Array(comments) = self.get(&path).await else { panic!("{path} is no list") };
            let is_last = comments.len() < 100;
            all.extend(comments);
            if is_last {
                break;
            }
        }
        all
    }

    /// Every pull request, open or not.
    pub(crate) async fn pulls(&self) -> Vec<Value> {
        let pulls = self.get("/pulls?state=all&per_page=100").await;
        let pulls = pulls.as_array().unwrap().clone();
        assert!(pulls.len() < 100, "there may be more");
        pulls
    }

    /// Returns whether an issue has come to its end: closed, in the last column, and with nothing left to do.
    pub(crate) async fn is_done(&self, number: u64) -> bool {
        let is_closed = self.get(&format!("/issues/{number}")).await["state"] == "closed";
        let labels = self.labels(number).await;
        let has = |label: &str| labels.iter().any(|it| it == label);
        // The last write of all says that the claim was handed back.
        is_closed
            && has("stage:Done:complete")
            && has("agent:done")
            && !labels.iter().any(|it| is_passing(it))
    }

    /// Waits until something is so of all these issues. `show` is asked for what to print when it never is.
    pub(crate) async fn until_done(&self, issues: &[u64], within: Duration, show: impl Fn() -> String) {
        let started = Instant::now();
        let mut left = issues.to_vec();
        while !left.is_empty() {
            let mut still = Vec::new();
            for number in left {
                if !self.is_done(number).await {
                    still.push(number);
                }
            }
            left = still;
            if started.elapsed() >= within {
                panic!("not done within {within:?}: {}{}", self.described(&left).await, show());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// What stands on issues, for the reader of a failure.
    pub(crate) async fn described(&self, issues: &[u64]) -> String {
        let mut text = String::new();
        for number in issues {
            let labels = self.labels(*number).await;
            text.push_str(&format!("\n{}#{number} {labels:?}", self.name));
            for comment in self.comments(*number).await {
                let body: String = comment["body"].as_str().unwrap().chars().take(300).collect();
                text.push_str(&format!("\n  {}: {body:?}", comment["user"]["login"]));
            }
        }
        text
    }
}

/// Whether a label says that somebody is at work, so that it must go in the end.
pub(crate) fn is_passing(label: &str) -> bool {
    label.starts_with("baton:locked") || label.ends_with(":in_progress") || label.ends_with(":editing")
}
