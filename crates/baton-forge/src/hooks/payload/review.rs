//! Reviews, what was said on lines of a difference, and threads of it: REST's forms, with what webhooks show beside.

use serde_json::{Value, json};

use super::{Body, PayloadError, Stage, Written, body, changes, to_value};
use crate::db::review_comments::{self, Listing, Of, ReviewComment};
use crate::db::{pulls, reviews};
use crate::wire::{NodeId, Time};

/// Comments of a thread that are shown at most.
const COMMENTS_MAX: i64 = 1_000;

/// The id of no account.
const NOBODY: i64 = 0;

impl Stage<'_> {
    pub(super) fn review(&self, id: i64, action: &str, detail: &Value) -> Written {
        let review = reviews::by_id(self.conn, id)?.ok_or(PayloadError::Gone("review"))?;
        let mut parts = self.reviewed(review.pull_id)?;
        // Webhooks write reviews as timelines do, except for these.
        let mut shown = to_value(&self.render.review(self.repo()?, review)?.into_event())?;
        if shown["body"] == "" {
            shown["body"] = Value::Null;
        }
        if let Some(shown) = shown.as_object_mut() {
            shown.remove("event");
            shown.entry("submitted_at").or_insert(Value::Null);
        }
        parts.insert("review".to_owned(), shown);
        if action == "edited" {
            parts.insert("changes".to_owned(), changes(detail));
        }
        Ok(parts)
    }

    /// The pull request that a review belongs to.
    fn reviewed(&self, pull_id: i64) -> Result<Body, PayloadError> {
        let (issue, pull) = pulls::by_id(self.conn, pull_id)?.ok_or(PayloadError::Gone("pull request"))?;
        Ok(body([("pull_request", self.simple_pull(issue, pull)?)]))
    }

    pub(super) fn review_comment(&self, id: i64, action: &str, detail: &Value) -> Written {
        let comment = review_comments::by_id(self.conn, id)?;
        let pull_id =
            comment.as_ref().map_or_else(|| detail["pull_id"].as_i64(), |comment| Some(comment.pull_id));
        let mut parts = self.reviewed(pull_id.ok_or(PayloadError::Gone("review comment"))?)?;
        let shown = match comment {
            Some(comment) => self.line_comment(comment)?,
            None => detail["comment"].clone(),
        };
        parts.insert("comment".to_owned(), shown);
        if action == "edited" {
            parts.insert("changes".to_owned(), changes(detail));
        }
        Ok(parts)
    }

    pub(super) fn review_thread(&self, id: i64) -> Written {
        // What was said in a review that is not submitted yet is its author's alone.
        let comments = Listing::all(Of::Thread(id), NOBODY).page(self.conn, COMMENTS_MAX, 0)?;
        let pull_id = comments.first().ok_or(PayloadError::Gone("review thread"))?.pull_id;
        let mut parts = self.reviewed(pull_id)?;
        let shown = comments.into_iter().map(|comment| self.line_comment(comment));
        let shown: Vec<Value> = shown.collect::<Result<_, _>>()?;
        parts.insert("thread".to_owned(), json!({ "node_id": NodeId("PRRT", id), "comments": shown }));
        parts.insert("updated_at".to_owned(), json!(Time(self.news.now)));
        Ok(parts)
    }

    /// Webhooks always have the places of a comment, where REST leaves out what is not known.
    fn line_comment(&self, comment: ReviewComment) -> Result<Value, PayloadError> {
        let mut shown = to_value(&self.render.review_comment(self.repo()?, comment)?.into_legacy())?;
        if let Some(shown) = shown.as_object_mut() {
            shown.entry("line").or_insert(Value::Null);
            // The schema of edits knows no comment without a line; one on a whole file speaks of its first.
            shown.entry("original_line").or_insert(json!(1));
        }
        Ok(shown)
    }
}
