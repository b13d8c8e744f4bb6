//! A forge of its own with one repository, and what its issues show.

use std::time::Duration;

use baton_core::tracker::IssueKey;
use baton_github::{Auth, GitHub, RetrySettings, Settings};
use serde_json::{Value, json};

use crate::support::{self, Client, ForgeProcess, TOKEN};

pub(crate) const REPO: &str = "admin/web";

const CREATION: &str = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
const DELETION: &str = "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}";

/// A forge with the repository `admin/web`; it ends with this value.
pub(crate) struct World {
    pub(crate) forge: ForgeProcess,
    pub(crate) admin: Client,
    pub(crate) directory: tempfile::TempDir,
}

/// What people see of a comment: its author and what it says, without the hidden mark.
pub(crate) type Said = (String, String);

impl World {
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let admin = Client::new(&forge.url, Some(TOKEN));
        admin.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        Self { forge, admin, directory }
    }

    /// Opens an issue that may be claimed.
    pub(crate) async fn issue(&self) -> IssueKey {
        let body = json!({ "title": "something to do", "labels": ["agent:implement"] });
        let number = self.post("/issues", body).await["number"].as_u64().unwrap();
        IssueKey { repo: REPO.parse().unwrap(), number }
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.admin.must("GET", &format!("/repos/{REPO}{path}"), &Value::Null, 200).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        self.admin.must("POST", &format!("/repos/{REPO}{path}"), &body, 201).await
    }

    pub(crate) async fn turn(&self, knobs: Value) {
        self.admin.must("PATCH", "/_forge/knobs", &knobs, 200).await;
    }

    /// Makes requests fail, after the first `skip` that match.
    pub(crate) async fn fault(&self, matching: Value, when: &str, kind: Value, skip: u64, times: u64) {
        let fault = json!({ "matching": matching, "when": when, "kind": kind, "skip": skip, "times": times });
        self.turn(json!({ "faults": [fault] })).await;
    }

    /// Turns faults and lag off.
    pub(crate) async fn calm(&self) {
        self.admin.must("DELETE", "/_forge/knobs", &Value::Null, 204).await;
    }

    /// Moves the forge's clock so many seconds away from this machine's.
    pub(crate) async fn shift(&self, offset_s: i64) {
        self.admin.must("PUT", "/_forge/clock", &json!({ "offset_s": offset_s }), 200).await;
    }

    /// Reads what was said on an issue, in order; the mark is taken off, and must be there at most once.
    pub(crate) async fn said(&self, issue: &IssueKey) -> Vec<Said> {
        let comments = self.get(&format!("/issues/{}/comments?per_page=100", issue.number)).await;
        comments.as_array().unwrap().iter().map(said).collect()
    }

    /// Reads what was said on an issue by comments with a mark.
    pub(crate) async fn marked(&self, issue: &IssueKey) -> Vec<String> {
        let comments = self.get(&format!("/issues/{}/comments?per_page=100", issue.number)).await;
        let is_marked = |comment: &&Value| comment["body"].as_str().unwrap().contains("<!-- baton:effect=");
        comments.as_array().unwrap().iter().filter(is_marked).map(|comment| said(comment).1).collect()
    }

    pub(crate) async fn labels(&self, issue: &IssueKey) -> Vec<String> {
        let labels = self.get(&format!("/issues/{}/labels", issue.number)).await;
        let name = |label: &Value| label["name"].as_str().unwrap().to_owned();
        let mut names: Vec<_> = labels.as_array().unwrap().iter().map(name).collect();
        names.sort();
        names
    }

    pub(crate) async fn is_open(&self, issue: &IssueKey) -> bool {
        self.get(&format!("/issues/{}", issue.number)).await["state"] == "open"
    }

    /// Insists that no copy had to be removed: what must not be there twice was never sent twice.
    pub(crate) async fn nothing_was_deleted(&self) {
        let rows = self.admin.must("GET", "/_forge/meter", &Value::Null, 200).await;
        let rows = rows.as_array().unwrap();
        let is_one = |row: &&Value| row["endpoint"].as_str().unwrap().contains(DELETION);
        assert_eq!(rows.iter().find(is_one), None);
        let is_comment = |row: &Value| row["endpoint"].as_str().unwrap().contains(CREATION);
        assert!(rows.iter().any(is_comment), "the meter has other words: {rows:?}");
    }

    /// Makes an account, and returns its token. One that may write can push as well.
    pub(crate) async fn account(&self, login: &str, role: &str) -> String {
        let data = self.forge.data.to_str().unwrap();
        let run = |arguments: &[&str]| {
            let (code, printed, complaint) = support::baton(&[arguments, &["--data", data]].concat());
            assert_eq!(code, 0, "{complaint}");
            printed
        };
        run(&["forge", "user", "add", login]);
        let token = run(&["forge", "token", "create", "--user", login, "--role", role]);
        if role == "write" {
            let path = format!("/repos/{REPO}/collaborators/{login}");
            self.admin.must("PUT", &path, &json!({ "permission": "push" }), 204).await;
        }
        token
    }

    pub(crate) fn github(&self, token: &str) -> GitHub {
        github(&self.forge.url, token)
    }
}

fn said(comment: &Value) -> Said {
    let body = comment["body"].as_str().unwrap();
    let (text, rest) = body.split_once("\n\n<!-- baton:effect=").unwrap_or((body, ""));
    assert!(!rest.contains("baton:effect"), "{body}");
    (comment["user"]["login"].as_str().unwrap().to_owned(), text.to_owned())
}

/// A client whose pauses are short, because tests wait for them.
pub(crate) fn github(url: &str, token: &str) -> GitHub {
    GitHub::new(settings(url, token)).unwrap()
}

pub(crate) fn settings(url: &str, token: &str) -> Settings {
    let retry = RetrySettings { pause_first: Duration::from_millis(2), ..RetrySettings::default() };
    Settings { api_url: url.to_owned(), auth: Auth::token(token), retry, ..Settings::default() }
}
