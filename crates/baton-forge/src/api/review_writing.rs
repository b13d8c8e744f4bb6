//! Writes reviews and their comments: the rules that REST and GraphQL share.
//!
//! A review begins as pending, takes comments, and is submitted; a comment without a review of its own gets one that says
//! nothing else, as on GitHub.

use serde_json::{Value, json};

use super::issue_fields::{check_body, scene};
use super::mentions;
use super::pull_news::{tell, tell_review};
use crate::db::events::{self, Happening, Scene};
use crate::db::issues::{self, Issue};
use crate::db::pulls::Pull;
use crate::db::repos::Permission;
use crate::db::review_comments::{self, NewReviewComment};
use crate::db::review_threads::{self, Place, Thread};
use crate::db::reviews::{self, NewReview, Review};
use crate::db::{Tx, protections, review_requests};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::news::What;

/// What is reviewed.
#[derive(Clone)]
pub(crate) struct Reviewed {
    pub(crate) issue: Issue,
    pub(crate) pull: Pull,
}

/// A refusal in the form that reviews have: a list of sentences.
pub(super) fn refusal(why: &str) -> ApiError {
    ApiError { errors: vec![json!(why)], ..ApiError::unprocessable("Unprocessable Entity") }
}

/// The state that an event leads to.
pub(super) fn state_of(event: &str) -> Result<&'static str, ApiError> {
    match event {
        "APPROVE" => Ok("APPROVED"),
        "REQUEST_CHANGES" => Ok("CHANGES_REQUESTED"),
        "COMMENT" => Ok("COMMENTED"),
        _ => Err(refusal("Event is not one of APPROVE, REQUEST_CHANGES, COMMENT")),
    }
}

/// A locked conversation is for those who may write.
fn check_lock(call: &Call, issue: &Issue) -> Result<(), ApiError> {
    if issue.locked && call.visit()?.permission < Permission::Write {
        return Err(ApiError::forbidden("Unable to create comment because issue is locked."));
    }
    Ok(())
}

/// Begins a review.
pub(crate) fn begin(
    call: &Call,
    tx: &Tx<'_>,
    reviewed: &Reviewed,
    body: &str,
    commit_oid: &str,
) -> Result<Review, ApiError> {
    let Reviewed { issue, pull } = reviewed;
    check_lock(call, issue)?;
    check_body("PullRequestReview", Some(body))?;
    let author_id = call.actor_id()?;
    if reviews::pending_of(tx, pull.id, author_id)?.is_some() {
        return Err(refusal("User can only have one pending review per pull request"));
    }
    let new =
        NewReview { repo_id: issue.repo_id, pull_id: pull.id, author_id, body, commit_oid, now: call.now };
    Ok(reviews::insert(tx, &new)?)
}

/// Submits a pending review: from here on everybody sees it, and what it answers is no longer asked for.
pub(crate) fn submit(
    call: &Call,
    tx: &Tx<'_>,
    reviewed: &Reviewed,
    review: &Review,
    (event, body): (&str, Option<&str>),
) -> Result<(), ApiError> {
    check_lock(call, &reviewed.issue)?;
    let state = state_of(event)?;
    let body = body.unwrap_or(&review.body);
    check_body("PullRequestReview", Some(body))?;
    let comments = review_comments::of_review(tx, review.id)?;
    check_verdict(call, &reviewed.issue, state, body, comments.is_empty())?;
    reviews::submit(tx, review.id, state, body, call.now)?;
    review_requests::settle(tx, reviewed.pull.id, review.author_id)?;
    issues::touch(tx, reviewed.issue.id, call.now)?;
    mentions::record(call, tx, &reviewed.issue, Some(body))?;
    tell_review(tx, scene(call, &reviewed.issue)?, review.id, "submitted", Value::Null);
    for comment in comments {
        let what = What::ReviewComment { comment_id: comment.id, action: "created", detail: Value::Null };
        tell(call, tx, what)?;
    }
    Ok(())
}

fn check_verdict(
    call: &Call,
    issue: &Issue,
    state: &str,
    body: &str,
    without_comments: bool,
) -> Result<(), ApiError> {
    let is_own = issue.author_id == call.actor_id()?;
    match state {
        "APPROVED" if is_own => Err(refusal("Can not approve your own pull request")),
        "CHANGES_REQUESTED" if is_own => Err(refusal("Can not request changes on your own pull request")),
        "APPROVED" => Ok(()),
        _ if body.trim().is_empty() && without_comments => Err(refusal("Body can't be blank")),
        _ => Ok(()),
    }
}

/// Where a comment is said: at a new place, or in a thread.
pub(crate) enum Spot<'a> {
    New(&'a Place),
    Reply(&'a Thread),
}

fn blank() -> ApiError {
    ApiError::invalid_because("PullRequestReviewComment", "body", "Body cannot be blank")
}

/// Adds a comment to a review; returns its id.
pub(crate) fn comment(
    call: &Call,
    tx: &Tx<'_>,
    reviewed: &Reviewed,
    review: &Review,
    (spot, body): (Spot<'_>, &str),
) -> Result<i64, ApiError> {
    // The conversation may have been locked since the review was begun.
    check_lock(call, &reviewed.issue)?;
    if body.trim().is_empty() {
        return Err(blank());
    }
    check_body("PullRequestReviewComment", Some(body))?;
    let (thread_id, in_reply_to) = match spot {
        Spot::New(place) => (review_threads::insert(tx, reviewed.pull.id, place, call.now)?, None),
        Spot::Reply(thread) => (thread.id, review_comments::first_of_thread(tx, thread.id)?),
    };
    let new = NewReviewComment {
        repo_id: reviewed.issue.repo_id,
        pull_id: reviewed.pull.id,
        thread_id,
        review_id: review.id,
        author_id: call.actor_id()?,
        in_reply_to,
        body,
        now: call.now,
    };
    let id = review_comments::insert(tx, &new)?;
    mentions::record(call, tx, &reviewed.issue, Some(body))?;
    Ok(id)
}

/// Says one thing at once: a review that is submitted with a single comment.
pub(crate) fn comment_at_once(
    call: &Call,
    tx: &Tx<'_>,
    reviewed: &Reviewed,
    (spot, body): (Spot<'_>, &str),
) -> Result<i64, ApiError> {
    let commit_oid = match &spot {
        Spot::New(place) => place.commit_oid.clone(),
        Spot::Reply(_) => reviewed.pull.head_oid.clone(),
    };
    let review = begin(call, tx, reviewed, "", &commit_oid)?;
    let id = comment(call, tx, reviewed, &review, (spot, body))?;
    submit(call, tx, reviewed, &review, ("COMMENT", None))?;
    Ok(id)
}

/// Takes a review its weight. `commit` is the pushed commit that did it, where one did.
pub(crate) fn dismiss(
    tx: &Tx<'_>,
    scene: Scene,
    review: &Review,
    message: Option<&str>,
    commit: Option<&str>,
) -> Result<(), ApiError> {
    reviews::set_dismissed(tx, review.id, scene.now)?;
    let happening =
        Happening::ReviewDismissed { review_id: review.id, state: &review.state, message, commit };
    events::record(tx, scene, &happening)?;
    issues::touch(tx, scene.issue_id, scene.now)?;
    tell_review(tx, scene, review.id, "dismissed", Value::Null);
    Ok(())
}

/// Dismisses the approvals that a push to the head has left behind.
pub(crate) fn dismiss_stale(tx: &Tx<'_>, scene: Scene, pull_id: i64, pushed: &str) -> Result<(), ApiError> {
    for review in reviews::approvals(tx, pull_id)? {
        if review.commit_oid != pushed {
            dismiss(tx, scene, &review, None, Some(pushed))?;
        }
    }
    Ok(())
}

/// Returns whether the protection of a branch says that a push dismisses approvals.
pub(crate) fn dismisses_stale(tx: &Tx<'_>, repo_id: i64, base_ref: &str) -> Result<bool, ApiError> {
    let rule = protections::of_branch(tx, repo_id, base_ref)?;
    let reviews = rule.and_then(|rule| rule.settings.required_reviews);
    Ok(reviews.is_some_and(|reviews| reviews.dismiss_stale))
}
