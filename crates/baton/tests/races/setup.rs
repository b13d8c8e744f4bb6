//! Where races are run: a forge of their own, a repository, an account for each claimant, and issues to claim.

use baton_fixtures::{TestForge, TestRepo};
use serde_json::{Value, json};

use crate::rivals::Api;

/// A forge with the repository `admin/web`.
pub(crate) struct Setup {
    pub(crate) forge: TestForge,
    pub(crate) repo: TestRepo,
}

/// What the tracker shows of an issue after a race.
#[derive(Debug, Clone, Default)]
pub(crate) struct Aftermath {
    pub(crate) labels: Vec<String>,
    /// Who put a label on or took one off, in order: login and label.
    pub(crate) label_events: Vec<(String, String)>,
}

impl Setup {
    pub(crate) async fn new() -> Self {
        let (forge, repo) = TestForge::start_with_repo("web").await;
        Self { forge, repo }
    }

    /// Where a claimant of ours keeps its state.
    pub(crate) fn state_dir(&self, login: &str) -> String {
        self.forge.dir().join("state").join(login).display().to_string()
    }

    /// Makes an account that may write, and returns its way to the repository.
    pub(crate) async fn claimant(&self, login: &str) -> Api {
        let token = self.forge.account(login, "write");
        self.repo.permit(login, "push").await;
        Api::new(&self.forge.url, &token, &self.repo.name)
    }

    /// Opens an issue that every kind of claimant may claim, and returns its number.
    pub(crate) async fn issue(&self) -> u64 {
        self.repo.issue("something to do", &["agent:implement", "stage:ready"]).await
    }

    /// Makes every read answer as of now, whatever is written from here on.
    pub(crate) async fn stop_reads(&self) {
        self.forge.turn(json!({ "read_lag": { "min_ms": 600_000, "max_ms": 600_000 } })).await;
    }

    pub(crate) async fn aftermath(&self, issue: u64) -> Aftermath {
        let events = self.repo.pages(&format!("/issues/{issue}/events")).await;
        let label_events = events.iter().filter_map(label_event).collect();
        Aftermath { labels: self.repo.labels(issue).await, label_events }
    }
}

fn label_event(event: &Value) -> Option<(String, String)> {
    let kind = event["event"].as_str()?;
    let is_label = matches!(kind, "labeled" | "unlabeled");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    is_label.then(|| (text(&event["actor"]["login"]), text(&event["label"]["name"])))
}
