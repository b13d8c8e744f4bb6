//! What the measurements share: a forge with many issues, and signed deliveries of webhooks.

use std::sync::Arc;

use baton_fixtures::{TestEnv, TestForge, TestRepo};
use reqwest::StatusCode;
use ring::hmac;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::storm::journal::Journal;
use crate::storm::setup::{SQLITE, Settings, engine_env, repo_with_protocol, writer};

pub(crate) const SECRET: &str = "only we know";
const MAKERS: usize = 8;

/// A forge with a repository, and what the engine of `ann` needs.
pub(crate) struct Site {
    pub(crate) forge: TestForge,
    pub(crate) repo: TestRepo,
    pub(crate) token: String,
    pub(crate) journal: Journal,
}

impl Site {
    pub(crate) async fn new() -> Self {
        let forge = TestForge::start();
        let repo = repo_with_protocol(&forge, "web", "ref").await;
        let token = writer(&forge, "ann", &repo).await;
        let journal = Journal::new(forge.dir(), "agents");
        Self { forge, repo, token, journal }
    }

    /// Makes the place of the engine, which reaches the forge at an address.
    pub(crate) fn engine_env(&self, api_url: &str, more: &str) -> TestEnv {
        let (repo, token) = (&self.repo, &self.token);
        let settings = Settings { name: "ann", token, api_url, repo, store: SQLITE, more };
        engine_env(&self.forge.dir().join("ann"), &settings, &self.journal)
    }

    /// How many requests and points the engine has used.
    pub(crate) async fn used(&self) -> (u64, u64) {
        let limits = self.forge.client(&self.token).must("GET", "/rate_limit", &Value::Null, 200).await;
        let used = |resource: &str| limits["resources"][resource]["used"].as_u64().unwrap();
        (used("core"), used("graphql"))
    }
}

/// Makes issues with these labels, several at a time. Returns their numbers.
pub(crate) async fn issues(repo: &TestRepo, count: usize, labels: &[&str]) -> Vec<u64> {
    let body = Arc::new(json!({ "title": "A wish", "labels": labels }));
    let mut makers = JoinSet::new();
    for maker in 0..MAKERS {
        let (repo, body) = (repo.clone(), Arc::clone(&body));
        let share = count / MAKERS + usize::from(maker < count % MAKERS);
        makers.spawn(async move {
            let mut numbers = Vec::new();
            for _ in 0..share {
                let made = repo.post("/issues", body.as_ref().clone()).await;
                numbers.push(made["number"].as_u64().unwrap());
            }
            numbers
        });
    }
    let mut numbers: Vec<_> = makers.join_all().await.into_iter().flatten().collect();
    numbers.sort_unstable();
    numbers
}

/// Delivers webhooks to an engine.
#[derive(Clone)]
pub(crate) struct Hooks {
    http: reqwest::Client,
    url: String,
    key: hmac::Key,
}

impl Hooks {
    pub(crate) fn to(port: u16) -> Self {
        baton_github::install_tls_provider();
        Self {
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            url: format!("http://127.0.0.1:{port}/webhooks/github"),
            key: hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()),
        }
    }

    pub(crate) async fn deliver(&self, event: &str, id: &str, payload: &Value) -> Option<StatusCode> {
        let payload = payload.to_string();
        let tag = hmac::sign(&self.key, payload.as_bytes());
        let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        let request =
            self.http.post(&self.url).header("X-GitHub-Event", event).header("X-GitHub-Delivery", id);
        let request = request.header("X-Hub-Signature-256", format!("sha256={digits}"));
        let answer = request.header("content-type", "application/json").body(payload).send().await.ok()?;
        Some(answer.status())
    }

    /// Waits until the endpoint answers.
    pub(crate) async fn until_open(&self) {
        let health = self.url.replace("/webhooks/github", "/healthz");
        loop {
            if self.http.get(&health).send().await.is_ok_and(|answer| answer.status().is_success()) {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

/// An `issues` event: a label was put on.
pub(crate) fn labelled(repo: &str, issue: &Value, label: &str) -> Value {
    json!({
        "action": "labeled",
        "issue": issue,
        "label": { "name": label },
        "repository": { "full_name": repo, "name": repo.split('/').nth(1), "owner": { "login": repo.split('/').next() } },
        "sender": { "login": "admin", "type": "User" },
    })
}

/// How much memory a process has.
pub(crate) fn resident_bytes(pid: i32) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}
