//! Reviews of pull requests: listed, written, submitted, dismissed.

use rusqlite::Connection;

use super::issue_fields::{check_body, scene};
use super::pull_news::{body_change, tell_review};
use super::pulls::numbered;
use super::review_places::{self, Wanted};
use super::review_writing::{self, Reviewed, Spot, refusal};
use crate::db::review_comments::{Listing, Of};
use crate::db::review_threads::Place;
use crate::db::reviews::{self, Review};
use crate::db::{Tx, issues};
use crate::git::objects::parse_oid;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};

/// Who looks; nobody is account zero.
pub(super) fn viewer_id(call: &Call) -> i64 {
    call.viewer.as_ref().map_or(0, |viewer| viewer.account.id)
}

pub(super) fn reviewed(call: &Call, conn: &Connection) -> Result<Reviewed, ApiError> {
    numbered(call, conn).map(|(issue, pull)| Reviewed { issue, pull })
}

/// The review that the path names, if the viewer may see it.
fn named(call: &Call, conn: &Connection) -> Result<(Reviewed, Review), ApiError> {
    let reviewed = reviewed(call, conn)?;
    let review = reviews::by_id(conn, call.id_param("review_id")?)?;
    let fits =
        review.filter(|review| review.pull_id == reviewed.pull.id && review.is_visible_to(viewer_id(call)));
    Ok((reviewed, fits.ok_or_else(ApiError::not_found)?))
}

fn reply(call: &Call, conn: &Connection, id: i64) -> ApiResult {
    let review = reviews::by_id(conn, id)?.ok_or_else(ApiError::not_found)?;
    Reply::ok(&call.render(conn).review(call.repo()?, review)?)
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let (repo, render) = (call.repo()?, call.render(conn));
    let found = reviews::of_pull(conn, reviewed(call, conn)?.pull.id, viewer_id(call))?;
    let views = found.into_iter().map(|review| render.review(repo, review)).collect::<Result<Vec<_>, _>>()?;
    page::reply_cut(call, views)
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let (_, review) = named(call, conn)?;
    Reply::ok(&call.render(conn).review(call.repo()?, review)?)
}

pub(super) fn comments(call: &Call, conn: &Connection) -> ApiResult {
    let (_, review) = named(call, conn)?;
    let (repo, render, page) = (call.repo()?, call.render(conn), Page::of(call));
    let listing = Listing::all(Of::Review(review.id), viewer_id(call));
    let found = listing.page(conn, page.size, page.offset())?;
    let views = found
        .into_iter()
        .map(|comment| Ok(render.review_comment(repo, comment)?.into_legacy()))
        .collect::<Result<Vec<_>, ApiError>>()?;
    page::reply(call, page, &views, || Ok(listing.count(conn)?))
}

/// The commit that a review is about: the one that was named, or the head.
pub(super) fn commit_of(fields: &Fields, reviewed: &Reviewed) -> Result<String, ApiError> {
    match fields.opt_str("commit_id")? {
        None => Ok(reviewed.pull.head_oid.clone()),
        Some(text) => parse_oid(text)
            .map(|oid| oid.to_string())
            .ok_or_else(|| ApiError::invalid("PullRequestReview", "commit_id", "invalid")),
    }
}

/// The comments of a new review, each at its place in the difference.
fn wanted_comments(
    call: &Call,
    fields: &Fields,
    reviewed: &Reviewed,
    commit_oid: &str,
) -> Result<Vec<(Place, String)>, ApiError> {
    let repository = call.forge.git.open(reviewed.issue.repo_id)?;
    let mut found = Vec::new();
    for item in fields.opt_list("comments")?.map_or(&[][..], Vec::as_slice) {
        let item = Fields::try_from(item)?;
        let place = review_places::locate(&repository, &reviewed.pull, commit_oid, &Wanted::read(&item)?)?;
        found.push((place, item.str("body")?.to_owned()));
    }
    Ok(found)
}

pub(super) fn create(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let reviewed = call.forge.db.read(|conn| reviewed(call, conn))??;
    let commit_oid = commit_of(&fields, &reviewed)?;
    let comments = wanted_comments(call, &fields, &reviewed, &commit_oid)?;
    let scope = call.clone();
    call.forge.db.writer().write_blocking(move |tx| {
        let body = fields.opt_str("body")?.unwrap_or_default();
        let review = review_writing::begin(&scope, tx, &reviewed, body, &commit_oid)?;
        for (place, body) in &comments {
            review_writing::comment(&scope, tx, &reviewed, &review, (Spot::New(place), body))?;
        }
        // GitHub takes an empty event as none.
        if let Some(event) = fields.opt_str("event")?.filter(|event| !event.is_empty() && *event != "PENDING")
        {
            review_writing::submit(&scope, tx, &reviewed, &review, (event, None))?;
        }
        reply(&scope, tx, review.id)
    })
}

/// A review's text is its author's.
fn check_author(call: &Call, review: &Review) -> Result<(), ApiError> {
    match review.author_id == call.actor_id()? {
        true => Ok(()),
        false => Err(ApiError::forbidden("Must be the author of the review.")),
    }
}

pub(super) fn update(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (reviewed, review) = named(call, tx)?;
    check_author(call, &review)?;
    let fields = call.fields()?;
    let body = fields.str("body")?;
    check_body("PullRequestReview", Some(body))?;
    if body.trim().is_empty() && !review.is_pending() {
        return Err(refusal("Body can't be blank"));
    }
    reviews::set_body(tx, review.id, body, call.now)?;
    if !review.is_pending() {
        issues::touch(tx, reviewed.issue.id, call.now)?;
        let scene = scene(call, &reviewed.issue)?;
        tell_review(tx, scene, review.id, "edited", body_change(&review.body));
    }
    reply(call, tx, review.id)
}

pub(super) fn delete(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (_, review) = named(call, tx)?;
    check_author(call, &review)?;
    if !review.is_pending() {
        return Err(refusal("Can not delete a non-pending pull request review"));
    }
    let gone = reply(call, tx, review.id)?;
    reviews::delete(tx, &review)?;
    Ok(gone)
}

pub(super) fn submit(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (reviewed, review) = named(call, tx)?;
    check_author(call, &review)?;
    if !review.is_pending() {
        return Err(refusal("Could not submit a review that is not pending"));
    }
    let fields = call.fields()?;
    let verdict = (fields.str("event")?, fields.opt_str("body")?);
    review_writing::submit(call, tx, &reviewed, &review, verdict)?;
    reply(call, tx, review.id)
}

pub(super) fn dismiss(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (reviewed, review) = named(call, tx)?;
    let fields = call.fields()?;
    let message = fields.str("message")?;
    if message.trim().is_empty() {
        return Err(refusal("Message can't be blank"));
    }
    if !["APPROVED", "CHANGES_REQUESTED"].contains(&review.state.as_str()) {
        let state = review.state.to_lowercase();
        return Err(refusal(&format!("Can not dismiss a {state} pull request review")));
    }
    review_writing::dismiss(tx, scene(call, &reviewed.issue)?, &review, Some(message), None)?;
    reply(call, tx, review.id)
}
