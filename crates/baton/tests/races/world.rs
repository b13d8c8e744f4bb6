//! Where races are run: a forge of their own, a repository, an account for each claimant, and issues to claim.

use serde_json::{Value, json};

use crate::rivals::Api;
use crate::rivals::api::label_names;
use crate::support::{self, Client, ForgeProcess, TOKEN};

pub(crate) const REPO: &str = "admin/web";

const PAGES_MAX: usize = 20;

/// A forge process with what a race needs; it ends with this value.
pub(crate) struct World {
    forge: ForgeProcess,
    admin: Client,
    directory: tempfile::TempDir,
}

/// What the tracker shows of an issue after a race.
#[derive(Debug, Clone, Default)]
pub(crate) struct Aftermath {
    pub(crate) labels: Vec<String>,
    /// Who put a label on or took one off, in order: login and label.
    pub(crate) label_events: Vec<(String, String)>,
}

impl World {
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let admin = Client::new(&forge.url, Some(TOKEN));
        admin.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        Self { forge, admin, directory }
    }

    /// Where a claimant of ours keeps its state.
    pub(crate) fn state_dir(&self, login: &str) -> String {
        self.directory.path().join("state").join(login).display().to_string()
    }

    /// Makes an account that may write, and returns its way to the repository.
    pub(crate) async fn claimant(&self, login: &str) -> Api {
        let data = self.forge.data.to_str().expect("a path in UTF-8");
        let run = |arguments: &[&str]| {
            let (code, printed, complaint) = support::baton(&[arguments, &["--data", data]].concat());
            assert_eq!(code, 0, "{complaint}");
            printed
        };
        run(&["forge", "user", "add", login]);
        let token = run(&["forge", "token", "create", "--user", login, "--role", "write"]);
        let path = format!("/repos/{REPO}/collaborators/{login}");
        self.admin.must("PUT", &path, &json!({ "permission": "push" }), 204).await;
        Api::new(&self.forge.url, &token, REPO)
    }

    /// Opens an issue that every kind of claimant may claim, and returns its number.
    pub(crate) async fn issue(&self) -> u64 {
        let body = json!({ "title": "something to do", "labels": ["agent:implement", "stage:ready"] });
        let issue = self.admin.must("POST", &format!("/repos/{REPO}/issues"), &body, 201).await;
        issue["number"].as_u64().expect("a number")
    }

    pub(crate) async fn turn(&self, knobs: Value) {
        self.admin.must("PATCH", "/_forge/knobs", &knobs, 200).await;
    }

    /// Makes every read answer as of now, whatever is written from here on.
    pub(crate) async fn stop_reads(&self) {
        self.turn(json!({ "read_lag": { "min_ms": 600_000, "max_ms": 600_000 } })).await;
    }

    /// Turns lag, latency and faults off.
    pub(crate) async fn calm(&self) {
        self.admin.must("DELETE", "/_forge/knobs", &Value::Null, 204).await;
    }

    /// Stops the forge's clock at so many seconds since 1970.
    pub(crate) async fn freeze(&self, at_s: i64) {
        self.admin.must("PUT", "/_forge/clock", &json!({ "frozen_at": at_s }), 200).await;
    }

    /// Moves the forge's clock so many seconds away from this machine's.
    pub(crate) async fn shift(&self, offset_s: i64) {
        self.admin.must("PUT", "/_forge/clock", &json!({ "offset_s": offset_s }), 200).await;
    }

    /// Reads the bodies of an issue's comments, however many there are.
    pub(crate) async fn comments(&self, issue: u64) -> Vec<String> {
        let mut bodies = Vec::new();
        for page in 1..=PAGES_MAX {
            let path = format!("/repos/{REPO}/issues/{issue}/comments?per_page=100&page={page}");
            let comments = self.admin.must("GET", &path, &Value::Null, 200).await;
            let comments = comments.as_array().expect("a list");
            bodies.extend(comments.iter().filter_map(|it| it["body"].as_str()).map(str::to_owned));
            if comments.len() < 100 {
                break;
            }
        }
        bodies
    }

    /// Writes as the owner of everything, by hand.
    pub(crate) async fn by_hand_at(&self, method: &str, path: &str, body: Value) {
        let answer = self.admin.ask(method, path, &body).await;
        assert!(answer.status < 300, "{method} {path}: {}", answer.text);
    }

    /// Writes on an issue as its owner, by hand.
    pub(crate) async fn by_hand(&self, method: &str, issue: u64, path: &str, body: Value) {
        let answer = self.admin.ask(method, &format!("/repos/{REPO}/issues/{issue}{path}"), &body).await;
        assert!(answer.status < 300, "{}", answer.text);
    }

    pub(crate) async fn aftermath(&self, issue: u64) -> Aftermath {
        let labels = self.get(&format!("/issues/{issue}/labels?per_page=100")).await;
        let mut aftermath = Aftermath { labels: label_names(&labels), label_events: Vec::new() };
        for page in 1..=PAGES_MAX {
            let events = self.get(&format!("/issues/{issue}/events?per_page=100&page={page}")).await;
            let events = events.as_array().cloned().unwrap_or_default();
            aftermath.label_events.extend(events.iter().filter_map(label_event));
            if events.len() < 100 {
                break;
            }
        }
        aftermath
    }

    async fn get(&self, path: &str) -> Value {
        self.admin.must("GET", &format!("/repos/{REPO}{path}"), &Value::Null, 200).await
    }
}

fn label_event(event: &Value) -> Option<(String, String)> {
    let kind = event["event"].as_str()?;
    let is_label = matches!(kind, "labeled" | "unlabeled");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    is_label.then(|| (text(&event["actor"]["login"]), text(&event["label"]["name"])))
}
