//! Alfred's way to claim an issue: label, comment, one look back.
//!
//! Its steps are those of its `claim_issue` and `release_issue`, with `gh` replaced by the same requests over REST. What
//! it does wrong is kept: a failed view reads as a clean open issue, ties of one second have two winners, and a loser
//! takes off the label that the winner shares.

use baton_core::time::ServerTime;
use serde_json::{Value, json};

use super::alfred_words::{self, Comment, IMPLEMENT, IN_FLIGHT};
use super::api::{Api, Attempt, label_names, now_ms};
use super::{Identity, Outcome, Verdict};

/// How long a claim counts: four hours.
pub(crate) const WINDOW_S: i64 = 4 * 3_600;

/// Claims an issue in one go.
pub(crate) async fn contend(api: &Api, issue: u64, who: &Identity) -> Verdict {
    Alfred::new(api, issue, who).claim().await
}

/// An issue as it sees it.
pub(crate) struct View {
    pub(crate) labels: Vec<String>,
    pub(crate) is_open: bool,
    pub(crate) comments: Vec<Comment>,
}

impl View {
    /// What a failed request reads as.
    fn clean() -> Self {
        Self { labels: Vec::new(), is_open: true, comments: Vec::new() }
    }

    pub(crate) fn has(&self, label: &str) -> bool {
        self.labels.iter().any(|own| own == label)
    }
}

/// Reads an issue with its comments; whatever fails, it is open and has nothing on it.
pub(crate) async fn view(attempt: &mut Attempt) -> View {
    read(attempt).await.unwrap_or_else(View::clean)
}

async fn read(attempt: &mut Attempt) -> Option<View> {
    let issue = attempt.on_issue("GET", "", &Value::Null).await.success()?;
    let comments = attempt.comments().await?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let comment =
        |value: &Value| Comment { body: text(&value["body"]), created_at: text(&value["created_at"]) };
    Some(View {
        labels: label_names(&issue["labels"]),
        is_open: issue["state"] == "open",
        comments: comments.iter().map(comment).collect(),
    })
}

/// Puts one label on and takes another off: two requests, and the second is sent whatever became of the first.
pub(crate) async fn edit(attempt: &mut Attempt, add: &str, remove: &str) -> bool {
    let added = attempt.add_label(add).await;
    attempt.remove_label(remove).await && added
}

pub(crate) fn now() -> ServerTime {
    ServerTime(i64::try_from(now_ms() / 1_000).unwrap_or_default())
}

/// One claim in progress.
pub(crate) struct Alfred {
    attempt: Attempt,
    who: Identity,
}

impl Alfred {
    pub(crate) fn new(api: &Api, issue: u64, who: &Identity) -> Self {
        Self { attempt: api.attempt(issue), who: who.clone() }
    }

    /// All steps, one after the other.
    pub(crate) async fn claim(mut self) -> Verdict {
        if let Some(why) = self.look().await {
            return self.attempt.verdict(Outcome::Refused, Some(why));
        }
        if !self.mark().await {
            return self.attempt.verdict(Outcome::Error, Some("the labels could not be changed".to_owned()));
        }
        if !self.bid().await {
            return self.attempt.verdict(Outcome::Error, Some("the claim could not be posted".to_owned()));
        }
        self.settle().await
    }

    /// Views the issue; returns why it may not be claimed.
    pub(crate) async fn look(&mut self) -> Option<String> {
        let view = view(&mut self.attempt).await;
        self.attempt.has_read();
        if !view.is_open {
            return Some("closed".to_owned());
        }
        alfred_words::blocker(&view.labels).cloned()
    }

    /// Swaps the labels. A process defines them before its first swap and does not look at the answers.
    pub(crate) async fn mark(&mut self) -> bool {
        if std::mem::take(&mut self.attempt.is_first) {
            for label in alfred_words::DEFINED {
                let body = json!({ "name": label, "color": "ededed" });
                self.attempt.ask("POST", "/labels", &body).await;
            }
        }
        edit(&mut self.attempt, IN_FLIGHT, IMPLEMENT).await
    }

    /// Posts the claim; a failure is taken for certain, and the labels are swapped back.
    pub(crate) async fn bid(&mut self) -> bool {
        let posted = self.attempt.comment(&alfred_words::claim(&self.who, now())).await;
        if posted {
            self.attempt.has_bid();
        } else {
            edit(&mut self.attempt, IMPLEMENT, IN_FLIGHT).await;
        }
        posted
    }

    /// Looks back, and gives way to an earlier claim.
    pub(crate) async fn settle(mut self) -> Verdict {
        let verdict = self.verify().await;
        self.give_way(&verdict).await;
        verdict
    }

    /// Looks back at once; has won unless an earlier claim is there.
    pub(crate) async fn verify(&mut self) -> Verdict {
        let view = view(&mut self.attempt).await;
        let to = alfred_words::contested_by(&view.comments, &self.who, now(), WINDOW_S);
        let outcome = if to.is_some() { Outcome::Lost } else { Outcome::Won };
        self.attempt.verdict(outcome, to)
    }

    /// Swaps the labels back and says whom it yields to, if it lost; neither answer is looked at.
    pub(crate) async fn give_way(mut self, verdict: &Verdict) {
        let Some(to) = &verdict.lost_to else { return };
        edit(&mut self.attempt, IMPLEMENT, IN_FLIGHT).await;
        let outcome = format!("race-yielded-to={to}");
        self.attempt.comment(&alfred_words::release(&self.who, &outcome, &[], now())).await;
    }
}

/// Gives an issue back, whoever holds it by then; returns whether both the labels and the comment were written.
pub(crate) async fn release(api: &Api, issue: u64, who: &Identity, outcome: &str, label: &str) -> bool {
    let mut attempt = api.attempt(issue);
    let edited = edit(&mut attempt, label, IN_FLIGHT).await;
    attempt.comment(&alfred_words::release(who, outcome, &[], now())).await && edited
}
