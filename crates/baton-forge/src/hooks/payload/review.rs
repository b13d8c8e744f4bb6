//! Reviews, what was said on lines of a difference, and threads of it.

use rusqlite::{OptionalExtension, Row};
use serde_json::{Value, json};

use super::{Body, PayloadError, Stage, Written, body, changes};
use crate::db::reactions::CONTENTS;
use crate::db::{pulls, repos};
use crate::wire::{NodeId, Time};

/// A row of `reviews`.
struct Review {
    id: i64,
    pull_id: i64,
    author_id: i64,
    state: String,
    body: String,
    commit_oid: String,
    updated_at: i64,
    submitted_at: Option<i64>,
}

fn review_from(row: &Row<'_>) -> rusqlite::Result<Review> {
    Ok(Review {
        id: row.get(0)?,
        pull_id: row.get(1)?,
        author_id: row.get(2)?,
        state: row.get(3)?,
        body: row.get(4)?,
        commit_oid: row.get(5)?,
        updated_at: row.get(6)?,
        submitted_at: row.get(7)?,
    })
}

/// A row of `review_comments` with the place of its thread.
struct LineComment {
    id: i64,
    pull_id: i64,
    review_id: i64,
    author_id: i64,
    in_reply_to: Option<i64>,
    body: String,
    created_at: i64,
    updated_at: i64,
    path: String,
    subject: String,
    side: String,
    start_side: Option<String>,
    line: Option<i64>,
    start_line: Option<i64>,
    original_line: Option<i64>,
    original_start_line: Option<i64>,
    commit_oid: String,
    original_commit_oid: String,
    diff_hunk: String,
}

const LINE_COMMENT: &str = "SELECT c.id, c.pull_id, c.review_id, c.author_id, c.in_reply_to, c.body, c.created_at,
    c.updated_at, t.path, t.subject, t.side, t.start_side, t.line, t.start_line, t.original_line, t.original_start_line,
    t.commit_oid, t.original_commit_oid, t.diff_hunk FROM review_comments c JOIN review_threads t ON t.id = c.thread_id";

fn line_comment_from(row: &Row<'_>) -> rusqlite::Result<LineComment> {
    Ok(LineComment {
        id: row.get(0)?,
        pull_id: row.get(1)?,
        review_id: row.get(2)?,
        author_id: row.get(3)?,
        in_reply_to: row.get(4)?,
        body: row.get(5)?,
        created_at: row.get(6)?,
        updated_at: row.get(7)?,
        path: row.get(8)?,
        subject: row.get(9)?,
        side: row.get(10)?,
        start_side: row.get(11)?,
        line: row.get(12)?,
        start_line: row.get(13)?,
        original_line: row.get(14)?,
        original_start_line: row.get(15)?,
        commit_oid: row.get(16)?,
        original_commit_oid: row.get(17)?,
        diff_hunk: row.get(18)?,
    })
}

impl LineComment {
    /// The hunk ends with the line that is spoken of, so its length is the line's place in it.
    fn position(&self) -> usize {
        self.diff_hunk.lines().count().saturating_sub(1).max(1)
    }
}

impl Stage<'_> {
    pub(super) fn review(&self, id: i64, action: &str, detail: &Value) -> Written {
        let sql =
            "SELECT id, pull_id, author_id, state, body, commit_oid, updated_at, submitted_at FROM reviews
                   WHERE id = ?1";
        let review = self.conn.prepare_cached(sql)?.query_row([id], review_from).optional()?;
        let review = review.ok_or(PayloadError::Gone("review"))?;
        let (number, mut parts) = self.reviewed(review.pull_id)?;
        parts.insert("review".to_owned(), self.review_view(&review, number)?);
        if action == "edited" {
            parts.insert("changes".to_owned(), changes(detail));
        }
        Ok(parts)
    }

    /// The pull request that a review belongs to, with its number.
    fn reviewed(&self, pull_id: i64) -> Result<(i64, Body), PayloadError> {
        let (issue, pull) = pulls::by_id(self.conn, pull_id)?.ok_or(PayloadError::Gone("pull request"))?;
        let number = issue.number;
        Ok((number, body([("pull_request", self.simple_pull(issue, pull)?)])))
    }

    fn review_view(&self, review: &Review, number: i64) -> Result<Value, PayloadError> {
        let place = self.place()?;
        let pull_url = format!("{}/pulls/{number}", place.api());
        let html = format!("{}/pull/{number}#pullrequestreview-{}", place.web(), review.id);
        Ok(json!({
            "id": review.id,
            "node_id": NodeId("PRR", review.id),
            "user": self.account(review.author_id)?,
            "body": (!review.body.is_empty()).then_some(&review.body),
            "commit_id": review.commit_oid,
            "submitted_at": review.submitted_at.map(Time),
            "updated_at": Time(review.updated_at),
            "state": review.state.to_lowercase(),
            "html_url": html,
            "pull_request_url": pull_url,
            "author_association": repos::association(self.conn, self.repo()?, review.author_id)?,
            "_links": { "html": { "href": html }, "pull_request": { "href": pull_url } },
        }))
    }

    pub(super) fn review_comment(&self, id: i64, action: &str, detail: &Value) -> Written {
        let sql = format!("{LINE_COMMENT} WHERE c.id = ?1");
        let comment = self.conn.prepare_cached(&sql)?.query_row([id], line_comment_from).optional()?;
        let pull_id =
            comment.as_ref().map_or_else(|| detail["pull_id"].as_i64(), |comment| Some(comment.pull_id));
        let (number, mut parts) = self.reviewed(pull_id.ok_or(PayloadError::Gone("review comment"))?)?;
        let shown = match &comment {
            Some(comment) => self.line_comment(comment, number)?,
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
        let sql = format!(
            "{LINE_COMMENT} JOIN reviews r ON r.id = c.review_id WHERE c.thread_id = ?1 AND r.state <> 'PENDING' ORDER BY c.id"
        );
        let comments: Vec<LineComment> =
            self.conn.prepare_cached(&sql)?.query_map([id], line_comment_from)?.collect::<Result<_, _>>()?;
        let pull_id = comments.first().ok_or(PayloadError::Gone("review thread"))?.pull_id;
        let (number, mut parts) = self.reviewed(pull_id)?;
        let shown: Vec<Value> =
            comments.iter().map(|comment| self.line_comment(comment, number)).collect::<Result<_, _>>()?;
        parts.insert("thread".to_owned(), json!({ "node_id": NodeId("PRRT", id), "comments": shown }));
        parts.insert("updated_at".to_owned(), json!(Time(self.news.now)));
        Ok(parts)
    }

    fn line_comment(&self, comment: &LineComment, number: i64) -> Result<Value, PayloadError> {
        let place = self.place()?;
        let (api, id) = (place.api(), comment.id);
        let (url, pull_url) = (format!("{api}/pulls/comments/{id}"), format!("{api}/pulls/{number}"));
        let html = format!("{}/pull/{number}#discussion_r{id}", place.web());
        let mut shown = json!({
            "url": url,
            "html_url": html,
            "pull_request_url": pull_url,
            "pull_request_review_id": comment.review_id,
            "id": id,
            "node_id": NodeId("PRRC", id),
            "diff_hunk": comment.diff_hunk,
            "path": comment.path,
            "position": comment.line.map(|_| comment.position()),
            "original_position": comment.position(),
            "commit_id": comment.commit_oid,
            "original_commit_id": comment.original_commit_oid,
            "user": self.account(comment.author_id)?,
            "body": comment.body,
            "created_at": Time(comment.created_at),
            "updated_at": Time(comment.updated_at),
            "author_association": repos::association(self.conn, self.repo()?, comment.author_id)?,
            "start_line": comment.start_line,
            "original_start_line": comment.original_start_line,
            "start_side": comment.start_side,
            "line": comment.line,
            // The schema of edits knows no comment without a line; one on a whole file speaks of its first.
            "original_line": comment.original_line.unwrap_or(1),
            "side": comment.side,
            "subject_type": comment.subject,
            "reactions": self.rollup(id, &url)?,
            "_links": { "self": { "href": url }, "html": { "href": html }, "pull_request": { "href": pull_url } },
        });
        if let Some(first) = comment.in_reply_to {
            shown["in_reply_to_id"] = json!(first);
        }
        Ok(shown)
    }

    fn rollup(&self, comment_id: i64, url: &str) -> Result<Value, PayloadError> {
        let sql = "SELECT count(*) FROM reactions WHERE subject = 'review_comment' AND subject_id = ?1 AND content = ?2";
        let mut shown = json!({ "url": format!("{url}/reactions") });
        let mut total = 0;
        for content in CONTENTS {
            let count: i64 = self
                .conn
                .prepare_cached(sql)?
                .query_row(rusqlite::params![comment_id, content], |row| row.get(0))?;
            total += count;
            shown[content] = json!(count);
        }
        shown["total_count"] = json!(total);
        Ok(shown)
    }
}
