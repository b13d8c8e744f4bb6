//! The person of the demo: she agrees to plans, reviews what is ready, wants one thing changed, and approves when it is.

use std::collections::{BTreeMap, BTreeSet};

use baton_core::labels::PLAN_PENDING_APPROVAL;
use serde_json::{Value, json};

use super::client::Client;
use super::ground::{REPO, REVIEWED};
use super::score::Score;
use super::tour::{Issue, Snapshot};
use crate::command_error::CommandError;

/// How far she is with a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Review {
    /// She wants something changed.
    Asked,
    /// She has approved.
    Approved,
}

/// A reviewer.
pub(super) struct Reviewer<'a> {
    client: &'a Client,
    reviews: BTreeMap<u64, Review>,
    /// The issues to whose plans she has agreed.
    agreed: BTreeSet<u64>,
}

impl<'a> Reviewer<'a> {
    pub(super) fn new(client: &'a Client) -> Self {
        Self { client, reviews: BTreeMap::new(), agreed: BTreeSet::new() }
    }

    /// Looks at what waits for a review.
    pub(super) async fn look(&mut self, snapshot: &Snapshot, score: &Score) -> Result<(), CommandError> {
        for issue in &snapshot.issues {
            let is_asked = issue.has_label(PLAN_PENDING_APPROVAL) && !self.agreed.contains(&issue.number);
            if is_asked && self.sees_question(issue.number).await? {
                self.agree(issue.number, score).await?;
            }
            let Some(pull) = issue.pull.filter(|_| !issue.is_closed) else { continue };
            match self.reviews.get(&issue.number) {
                None if is_waited_for(issue) => self.begin(issue.number, pull, score).await?,
                Some(Review::Asked) if self.is_answered(pull).await? => {
                    self.approve(issue.number, pull).await?;
                    score.note(issue.number, "the thread is resolved, mira approves");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns whether the question is on the issue. The label may be there before it, and an answer counts only after it.
    async fn sees_question(&self, issue: u64) -> Result<bool, CommandError> {
        let comments =
            self.client.get(&format!("/repos/{REPO}/issues/{issue}/comments?per_page=100")).await?;
        let mut comments = comments.as_array().into_iter().flatten();
        Ok(comments.any(|comment| {
            comment["body"].as_str().is_some_and(|body| body.contains("<!-- baton:approval="))
        }))
    }

    async fn agree(&mut self, issue: u64, score: &Score) -> Result<(), CommandError> {
        let comment = json!({ "body": "/approve Go ahead." });
        self.client.ask("POST", &format!("/repos/{REPO}/issues/{issue}/comments"), &comment).await?;
        self.agreed.insert(issue);
        score.note(issue, "mira agrees to the plan");
        Ok(())
    }

    async fn begin(&mut self, issue: u64, pull: u64, score: &Score) -> Result<(), CommandError> {
        if issue != REVIEWED {
            return self.approve(issue, pull).await;
        }
        let review = json!({
            "event": "REQUEST_CHANGES",
            "body": "Nearly there.",
            "comments": [{
                "path": "greetings/spanish.txt", "line": 1, "side": "RIGHT",
                "body": "Please greet the whole world: *¡Hola a todo el mundo!*",
            }],
        });
        self.client.ask("POST", &format!("/repos/{REPO}/pulls/{pull}/reviews"), &review).await?;
        self.reviews.insert(issue, Review::Asked);
        score.note(issue, "mira asks for a change in a thread");
        Ok(())
    }

    async fn approve(&mut self, issue: u64, pull: u64) -> Result<(), CommandError> {
        let review = json!({ "event": "APPROVE", "body": "Thank you." });
        self.client.ask("POST", &format!("/repos/{REPO}/pulls/{pull}/reviews"), &review).await?;
        self.reviews.insert(issue, Review::Approved);
        Ok(())
    }

    /// Returns whether all her threads are resolved.
    async fn is_answered(&self, pull: u64) -> Result<bool, CommandError> {
        let threads = threads(self.client, pull).await?;
        Ok(!threads.is_empty() && threads.iter().all(|is_resolved| *is_resolved))
    }
}

fn is_waited_for(issue: &Issue) -> bool {
    issue.has_label("baton:awaiting-review")
}

/// Returns which threads of a pull request are resolved.
pub(super) async fn threads(client: &Client, pull: u64) -> Result<Vec<bool>, CommandError> {
    let (owner, name) = REPO.split_once('/').unwrap_or_default();
    let query = "query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { \
                 pullRequest(number: $number) { reviewThreads(first: 50) { nodes { isResolved } } } } }";
    let variables = json!({ "owner": owner, "name": name, "number": pull });
    let answer = client.ask("POST", "/graphql", &json!({ "query": query, "variables": variables })).await?;
    let nodes = &answer["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"];
    let nodes = nodes.as_array().ok_or_else(|| {
        CommandError::OutOfReach(format!("the threads of pull request {pull} cannot be read: {answer}"))
    })?;
    Ok(nodes.iter().map(|node| node["isResolved"] == Value::Bool(true)).collect())
}
