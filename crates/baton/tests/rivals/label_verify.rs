//! The lock made of labels alone: each puts on a label with its name, waits, looks again, and the lower name wins.
//!
//! Nothing orders the labels in time, so the wait is all there is between two holders.

use std::time::Duration;

use serde_json::Value;

use super::api::{Api, Attempt, label_names};
use super::{Identity, Outcome, Verdict};

const PREFIX: &str = "fabrik:locked:";

/// How long it waits for others before it looks again.
pub(crate) const VERIFY_DELAY: Duration = Duration::from_secs(2);

/// Returns the label that says that this one holds an issue.
pub(crate) fn lock_label(user: &str) -> String {
    format!("{PREFIX}{user}")
}

/// Claims an issue in one go.
pub(crate) async fn contend(api: &Api, issue: u64, who: &Identity, delay: Duration) -> Verdict {
    LabelVerify::new(api, issue, &who.codename).claim(delay).await
}

/// One claim in progress.
pub(crate) struct LabelVerify {
    attempt: Attempt,
    user: String,
}

impl LabelVerify {
    pub(crate) fn new(api: &Api, issue: u64, user: &str) -> Self {
        Self { attempt: api.attempt(issue), user: user.to_owned() }
    }

    /// All steps, one after the other, with the wait.
    pub(crate) async fn claim(mut self, delay: Duration) -> Verdict {
        if let Some(why) = self.look().await {
            return self.attempt.verdict(Outcome::Refused, Some(why));
        }
        if !self.lock().await {
            return self.attempt.verdict(Outcome::Error, Some("the label could not be put on".to_owned()));
        }
        tokio::time::sleep(delay).await;
        self.verify().await
    }

    /// Reads the issue; returns whose lock forbids to go on.
    pub(crate) async fn look(&mut self) -> Option<String> {
        let issue = self.attempt.on_issue("GET", "", &Value::Null).await.success();
        self.attempt.has_read();
        match issue {
            None => Some("the issue could not be read".to_owned()),
            Some(issue) => self.lowest_other(&label_names(&issue["labels"])),
        }
    }

    pub(crate) async fn lock(&mut self) -> bool {
        let locked = self.attempt.add_label(&lock_label(&self.user)).await;
        if locked {
            self.attempt.has_bid();
        }
        locked
    }

    /// Looks again: a lower name wins, and so does whoever cannot look.
    pub(crate) async fn verify(mut self) -> Verdict {
        let labels = self.attempt.on_issue("GET", "/labels", &Value::Null).await.success();
        let other = labels.and_then(|labels| self.lowest_other(&label_names(&labels)));
        let Some(lower) = other.filter(|other| *other < self.user) else {
            return self.attempt.verdict(Outcome::Won, None);
        };
        let verdict = self.attempt.verdict(Outcome::Lost, Some(lower));
        self.attempt.remove_label(&lock_label(&self.user)).await;
        verdict
    }

    fn lowest_other(&self, labels: &[String]) -> Option<String> {
        let users = labels.iter().filter_map(|label| label.strip_prefix(PREFIX));
        users.filter(|user| *user != self.user).min().map(str::to_owned)
    }
}
