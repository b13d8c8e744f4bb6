//! What the measurements share: a forge with many issues, and signed deliveries of webhooks.

use std::sync::Arc;

use reqwest::StatusCode;
use ring::hmac;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{Client, TOKEN};
use crate::world::World;

pub(crate) const SECRET: &str = "only we know";
const MAKERS: usize = 8;

/// Makes issues with these labels, several at a time. Returns their numbers.
pub(crate) async fn issues(world: &World, repo: &str, count: usize, labels: &[&str]) -> Vec<u64> {
    let (path, body) = (format!("/repos/{repo}/issues"), json!({ "title": "A wish", "labels": labels }));
    let (path, body) = (Arc::new(path), Arc::new(body));
    let mut makers = JoinSet::new();
    for maker in 0..MAKERS {
        let (client, path, body) = (world.admin.clone(), Arc::clone(&path), Arc::clone(&body));
        let share = count / MAKERS + usize::from(maker < count % MAKERS);
        makers.spawn(async move {
            let mut numbers = Vec::new();
            for _ in 0..share {
                let made = client.must("POST", &path, &body, 201).await;
                numbers.push(made["number"].as_u64().unwrap());
            }
            numbers
        });
    }
    let mut numbers: Vec<_> = makers.join_all().await.into_iter().flatten().collect();
    numbers.sort_unstable();
    numbers
}

/// A port that nobody has at the moment.
pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
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

/// How many requests and points a token has used.
pub(crate) async fn used(world: &World, token: &str) -> (u64, u64) {
    let limits =
        Client::new(&world.forge.url, Some(token)).must("GET", "/rate_limit", &Value::Null, 200).await;
    let used = |resource: &str| limits["resources"][resource]["used"].as_u64().unwrap();
    (used("core"), used("graphql"))
}

/// How much memory a process has.
pub(crate) fn resident_bytes(pid: u32) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

pub(crate) fn admin_token() -> &'static str {
    TOKEN
}
