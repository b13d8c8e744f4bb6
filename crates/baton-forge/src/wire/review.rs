//! Reviews and their comments.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::account::AccountView;
use super::commit::Place;
use super::issue::RollupView;
use super::{NodeId, Render, Time, entries};
use crate::db::accounts::Account;
use crate::db::pulls;
use crate::db::reactions::{self, Rollup, Subject};
use crate::db::repos::Repo;
use crate::db::review_comments::ReviewComment;
use crate::db::review_threads::{self, Thread};
use crate::db::reviews::Review;

/// GitHub's `pull-request-review`; in a timeline it is an event.
pub(crate) struct ReviewView<'a> {
    place: Place<'a>,
    number: i64,
    review: Review,
    author: Arc<Account>,
    association: &'static str,
    as_event: bool,
}

impl ReviewView<'_> {
    pub(crate) fn into_event(self) -> Self {
        Self { as_event: true, ..self }
    }
}

impl<'a> Render<'a> {
    pub(crate) fn review(&self, repo: &'a Repo, review: Review) -> rusqlite::Result<ReviewView<'a>> {
        Ok(ReviewView {
            place: Place { links: self.links, repo },
            number: self.pull_number(review.pull_id)?,
            author: self.account(review.author_id)?,
            association: self.association(repo, review.author_id)?,
            review,
            as_event: false,
        })
    }

    fn pull_number(&self, pull_id: i64) -> rusqlite::Result<i64> {
        let found = pulls::by_id(self.conn, pull_id)?;
        found.map(|(issue, _)| issue.number).ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    pub(crate) fn review_comment(
        &self,
        repo: &'a Repo,
        comment: ReviewComment,
    ) -> rusqlite::Result<ReviewCommentView<'a>> {
        let thread = review_threads::by_id(self.conn, comment.thread_id)?;
        let subject = Subject::ReviewComment(comment.id);
        let reactions = match comment.has_reactions {
            true => reactions::rollup(self.conn, subject)?,
            false => Rollup::default(),
        };
        Ok(ReviewCommentView {
            place: Place { links: self.links, repo },
            number: self.pull_number(comment.pull_id)?,
            author: self.account(comment.author_id)?,
            association: self.association(repo, comment.author_id)?,
            thread: thread.ok_or(rusqlite::Error::QueryReturnedNoRows)?,
            comment,
            reactions,
            is_legacy: false,
        })
    }
}

impl Serialize for ReviewView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (review, number) = (&self.review, self.number);
        let html = format!("{}/pull/{number}#pullrequestreview-{}", self.place.web(), review.id);
        let pull = format!("{}/pulls/{number}", self.place.api());
        let mut map = serializer.serialize_map(None)?;
        let state = match self.as_event {
            // A timeline writes states in small letters.
            true => review.state.to_lowercase(),
            false => review.state.clone(),
        };
        if self.as_event {
            entries!(map; "event" => "reviewed");
        }
        entries!(map;
            "id" => review.id,
            "node_id" => NodeId("PRR", review.id),
            "user" => AccountView { links: self.place.links, account: &self.author },
            "body" => review.body,
            "state" => state,
            "html_url" => html,
            "pull_request_url" => pull,
            "author_association" => self.association,
            "_links" => json!({ "html": { "href": html }, "pull_request": { "href": pull } }),
            "commit_id" => review.commit_oid,
        );
        if let Some(at) = review.submitted_at {
            entries!(map; "submitted_at" => Time(at));
        }
        if self.as_event {
            entries!(map; "updated_at" => Time(review.updated_at));
        }
        map.end()
    }
}

/// GitHub's `pull-request-review-comment`, and its older `review-comment`, which has the same keys.
pub(crate) struct ReviewCommentView<'a> {
    place: Place<'a>,
    number: i64,
    comment: ReviewComment,
    thread: Thread,
    author: Arc<Account>,
    association: &'static str,
    reactions: Rollup,
    is_legacy: bool,
}

impl ReviewCommentView<'_> {
    /// The older form, in which a review lists its comments.
    pub(crate) fn into_legacy(self) -> Self {
        Self { is_legacy: true, ..self }
    }

    fn write_place<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (thread, place) = (&self.thread, &self.thread.place);
        entries!(map;
            "diff_hunk" => place.diff_hunk,
            "path" => place.path,
            "commit_id" => place.commit_oid,
            "original_commit_id" => thread.original_commit_oid,
            "side" => place.side,
            "start_side" => place.start_side,
            "start_line" => place.start_line,
            "original_start_line" => thread.original_start_line,
            "subject_type" => place.subject,
        );
        // A comment on a whole file stands at its beginning.
        let of_file = if place.subject == "file" { Some(1) } else { None };
        let position = place.position.or(of_file.filter(|_| !thread.outdated));
        entries!(map; "original_position" => thread.original_position.or(of_file).unwrap_or(1));
        // GitHub's schemas have no null for these, except for the position in the older form.
        for (key, value) in [("line", place.line), ("original_line", thread.original_line)] {
            if let Some(line) = value.or(of_file) {
                map.serialize_entry(key, &line)?;
            }
        }
        if position.is_some() || self.is_legacy {
            entries!(map; "position" => position);
        }
        Ok(())
    }
}

impl Serialize for ReviewCommentView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (comment, number) = (&self.comment, self.number);
        let url = format!("{}/pulls/comments/{}", self.place.api(), comment.id);
        let html = format!("{}/pull/{number}#discussion_r{}", self.place.web(), comment.id);
        let pull = format!("{}/pulls/{number}", self.place.api());
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "url" => url,
            "pull_request_review_id" => comment.review_id,
            "id" => comment.id,
            "node_id" => NodeId("PRRC", comment.id),
            "user" => AccountView { links: self.place.links, account: &self.author },
            "body" => comment.body,
            "created_at" => Time(comment.created_at),
            "updated_at" => Time(comment.updated_at),
            "html_url" => html,
            "pull_request_url" => pull,
            "author_association" => self.association,
            "_links" => json!({
                "self": { "href": url }, "html": { "href": html }, "pull_request": { "href": pull },
            }),
            "reactions" => RollupView { url: format!("{url}/reactions"), rollup: self.reactions },
        );
        if let Some(id) = comment.in_reply_to {
            entries!(map; "in_reply_to_id" => id);
        }
        self.write_place(&mut map)?;
        map.end()
    }
}
