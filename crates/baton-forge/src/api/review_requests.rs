//! Whose review of a pull request is asked for.

use rusqlite::Connection;
use serde_json::json;

use super::issue_fields::scene;
use super::pull_news::tell_pull;
use super::review_writing::{Reviewed, refusal};
use super::reviews::reviewed;
use crate::db::events::{self, Happening};
use crate::db::repos::{self, Permission};
use crate::db::review_requests::{self, Reviewer};
use crate::db::{Tx, accounts, issues, teams};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::account::AccountView;

/// GitHub's limit of reviewers that are asked at a time.
const REVIEWERS_MAX: usize = 15;

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let found = call.render(conn).reviewers(reviewed(call, conn)?.pull.id)?;
    let users: Vec<_> =
        found.accounts.iter().map(|account| AccountView { links: &call.links, account }).collect();
    Reply::ok(&json!({ "users": users, "teams": found.team_views(&call.links) }))
}

fn reply(call: &Call, conn: &Connection, status: u16) -> ApiResult {
    let Reviewed { issue, pull } = reviewed(call, conn)?;
    Reply::json(status, &call.render(conn).pull(call.repo()?, issue, pull, None)?)
}

/// Who is meant by logins and slugs. Whoever cannot review here is refused where `must_fit` is set.
fn named(call: &Call, conn: &Connection, fields: &Fields, must_fit: bool) -> Result<Vec<Reviewer>, ApiError> {
    let repo = call.repo()?;
    let mut found = Vec::new();
    for login in fields.opt_strings("reviewers")?.unwrap_or_default() {
        let account = accounts::by_login(conn, &login)?;
        let may = match &account {
            Some(account) => repos::is_assignable(conn, repo, account)? || is_granted(conn, repo, account)?,
            None => false,
        };
        match account {
            Some(account) if may || !must_fit => found.push(Reviewer::Account(account.id)),
            _ if must_fit => return Err(not_collaborator()),
            _ => {}
        }
    }
    for slug in fields.opt_strings("team_reviewers")?.unwrap_or_default() {
        match teams::by_slug(conn, repo.owner.id, slug.rsplit('/').next().unwrap_or(&slug))? {
            Some(team) => found.push(Reviewer::Team(team.id)),
            None if must_fit => {
                return Err(refusal(
                    "Could not request team reviewers: Reviews may only be requested from collaborators.",
                ));
            }
            None => {}
        }
    }
    Ok(found)
}

/// The forge's administrator may write everywhere without being anybody's collaborator.
fn is_granted(conn: &Connection, repo: &repos::Repo, account: &accounts::Account) -> Result<bool, ApiError> {
    Ok(repos::permission(conn, repo, account)? >= Permission::Write)
}

fn not_collaborator() -> ApiError {
    ApiError::unprocessable(
        "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the repository.",
    )
}

pub(super) fn request(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let reviewed = reviewed(call, tx)?;
    let wanted = named(call, tx, &call.fields()?, true)?;
    if wanted.contains(&Reviewer::Account(reviewed.issue.author_id)) {
        return Err(ApiError::unprocessable("Review cannot be requested from pull request author."));
    }
    for reviewer in wanted {
        if review_requests::add(tx, reviewed.pull.id, reviewer, call.actor_id()?, call.now)? {
            announce(call, tx, &reviewed, reviewer, true)?;
        }
    }
    if review_requests::of_pull(tx, reviewed.pull.id)?.len() > REVIEWERS_MAX {
        return Err(ApiError::unprocessable("A pull request can have at most 15 requested reviewers."));
    }
    reply(call, tx, 201)
}

pub(super) fn remove(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let reviewed = reviewed(call, tx)?;
    for reviewer in named(call, tx, &call.fields()?, false)? {
        if review_requests::remove(tx, reviewed.pull.id, reviewer)? {
            announce(call, tx, &reviewed, reviewer, false)?;
        }
    }
    reply(call, tx, 200)
}

fn announce(
    call: &Call,
    tx: &Tx<'_>,
    reviewed: &Reviewed,
    reviewer: Reviewer,
    asked: bool,
) -> Result<(), ApiError> {
    let scene = scene(call, &reviewed.issue)?;
    let (happening, action) = match asked {
        true => (Happening::ReviewRequested(reviewer), "review_requested"),
        false => (Happening::ReviewRequestRemoved(reviewer), "review_request_removed"),
    };
    events::record(tx, scene, &happening)?;
    issues::touch(tx, reviewed.issue.id, call.now)?;
    let detail = match reviewer {
        Reviewer::Account(id) => json!({ "requested_reviewer": id }),
        Reviewer::Team(id) => json!({ "requested_team": id }),
    };
    tell_pull(tx, scene, action, detail);
    Ok(())
}
