//! The tracker as the rivals use it: plain REST, with every request of an attempt counted and timed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::verdict::{Outcome, Verdict};

const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const PAGE: usize = 100;
const PAGES_MAX: usize = 50;

/// Returns the wall clock in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    u64::try_from(baton_fixtures::clock::wall_ms()).unwrap_or_default()
}

/// One account's way to one repository.
#[derive(Clone)]
pub(crate) struct Api {
    http: reqwest::Client,
    pub(crate) url: String,
    pub(crate) token: String,
    /// `owner/name`.
    pub(crate) repo: String,
    attempts: Arc<AtomicU32>,
}

/// What came back; status 0 stands for no answer at all.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) json: Value,
}

impl Reply {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the content of a success.
    pub(crate) fn success(self) -> Option<Value> {
        self.is_success().then_some(self.json)
    }
}

impl Api {
    pub(crate) fn new(url: &str, token: &str, repo: &str) -> Self {
        baton_github::install_tls_provider();
        let builder = reqwest::Client::builder().user_agent("baton-rivals").no_proxy();
        Self {
            http: builder.timeout(REQUEST_TIMEOUT).build().expect("a client"),
            url: url.to_owned(),
            token: token.to_owned(),
            repo: repo.to_owned(),
            attempts: Arc::default(),
        }
    }

    /// Sends one request; `path` is below the repository.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: &Value) -> Reply {
        let address = format!("{}/repos/{}{path}", self.url, self.repo);
        let mut request =
            self.http.request(method.parse().expect("a method"), address).bearer_auth(&self.token);
        if !body.is_null() {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let none = Reply { status: 0, json: Value::Null };
        let Ok(response) = request.send().await else { return none };
        let status = response.status().as_u16();
        let Ok(text) = response.text().await else { return none };
        Reply { status, json: serde_json::from_str(&text).unwrap_or_default() }
    }

    /// Begins an attempt at an issue.
    pub(crate) fn attempt(&self, issue: u64) -> Attempt {
        Attempt {
            is_first: self.attempts.fetch_add(1, Ordering::Relaxed) == 0,
            api: self.clone(),
            issue,
            calls: 0,
            started_ms: now_ms(),
            first_read_ms: None,
            decisive_write_ms: None,
        }
    }
}

/// One attempt at one issue.
pub(crate) struct Attempt {
    pub(crate) api: Api,
    pub(crate) issue: u64,
    /// Whether this process had not tried before.
    pub(crate) is_first: bool,
    calls: u32,
    started_ms: u64,
    first_read_ms: Option<u64>,
    decisive_write_ms: Option<u64>,
}

impl Attempt {
    /// Sends one request below the repository.
    pub(crate) async fn ask(&mut self, method: &str, path: &str, body: &Value) -> Reply {
        self.calls += 1;
        self.api.ask(method, path, body).await
    }

    /// Sends one request below the issue.
    pub(crate) async fn on_issue(&mut self, method: &str, path: &str, body: &Value) -> Reply {
        let path = format!("/issues/{}{path}", self.issue);
        self.ask(method, &path, body).await
    }

    /// Returns all comments of the issue, or nothing when any page failed.
    pub(crate) async fn comments(&mut self) -> Option<Vec<Value>> {
        let mut all = Vec::new();
        for page in 1..=PAGES_MAX {
            let path = format!("/comments?per_page={PAGE}&page={page}");
            let Value::Array(more) = self.on_issue("GET", &path, &Value::Null).await.success()? else {
                return None;
            };
            let is_last = more.len() < PAGE;
            all.extend(more);
            if is_last {
                break;
            }
        }
        Some(all)
    }

    pub(crate) async fn add_label(&mut self, label: &str) -> bool {
        let body = serde_json::json!({ "labels": [label] });
        self.on_issue("POST", "/labels", &body).await.is_success()
    }

    /// Takes a label off; one that is not there is fine, as it is for the command line clients of the rivals.
    pub(crate) async fn remove_label(&mut self, label: &str) -> bool {
        let path = format!("/labels/{}", label.replace(':', "%3A"));
        let reply = self.on_issue("DELETE", &path, &Value::Null).await;
        reply.is_success() || reply.status == 404
    }

    pub(crate) async fn comment(&mut self, body: &str) -> bool {
        self.on_issue("POST", "/comments", &serde_json::json!({ "body": body })).await.is_success()
    }

    /// Remembers when the first read was answered.
    pub(crate) fn has_read(&mut self) {
        self.first_read_ms.get_or_insert_with(now_ms);
    }

    /// Remembers when the write that decides was acknowledged.
    pub(crate) fn has_bid(&mut self) {
        self.decisive_write_ms.get_or_insert_with(now_ms);
    }

    /// Returns the verdict as of now.
    pub(crate) fn verdict(&self, outcome: Outcome, to: Option<String>) -> Verdict {
        Verdict {
            outcome,
            lost_to: to,
            calls_to_decision: self.calls,
            started_ms: self.started_ms,
            first_read_ms: self.first_read_ms,
            decisive_write_ms: self.decisive_write_ms,
            decided_ms: now_ms(),
        }
    }
}

/// Returns the names of the labels in an issue or in a list of labels.
pub(crate) fn label_names(labels: &Value) -> Vec<String> {
    let labels = labels.as_array().map(Vec::as_slice).unwrap_or_default();
    labels.iter().filter_map(|label| label["name"].as_str()).map(str::to_owned).collect()
}
