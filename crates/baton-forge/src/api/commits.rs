//! Commits: a log, and one with what it changed.

use crate::db::accounts::{self, Account};
use crate::db::refs;
use crate::git::history::{self, LogQuery};
use crate::git::objects::{CommitInfo, Person, candidates, is_empty, resolve};
use crate::git::tree_diff::{self, FileChange};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::wire::commit::CommitView;
use crate::wire::parse_time;

/// Wraps a commit with the accounts behind its signatures.
pub(super) fn view<'a>(
    call: &'a Call,
    commit: &'a CommitInfo,
    files: Option<&'a [FileChange]>,
) -> Result<CommitView<'a>, ApiError> {
    Ok(CommitView {
        place: call.place()?,
        author: account_of(call, &commit.author)?,
        committer: account_of(call, &commit.committer)?,
        commit,
        files,
    })
}

/// The account whose address a signature carries: its own, or the one the forge signs with.
fn account_of(call: &Call, person: &Person) -> Result<Option<Account>, ApiError> {
    let login = person.email.strip_suffix("@users.noreply.localhost").and_then(|local| local.split_once('+'));
    Ok(match login {
        Some((_, login)) => call.forge.db.read(|conn| accounts::by_login(conn, login))??,
        None => call.forge.db.read(|conn| accounts::by_email(conn, &person.email))??,
    })
}

pub(super) fn list(call: &Call) -> ApiResult {
    let repo = call.repo()?;
    let repository = call.forge.git.open(repo.id)?;
    if is_empty(&repository)? {
        return Err(ApiError::conflict("Git Repository is empty."));
    }
    let start = call.query.get("sha").unwrap_or_else(|| repo.default_branch.clone());
    let tip = resolve(&repository, &start).ok_or_else(ApiError::not_found)?;
    let found = history::log(&repository, tip.id(), &log_query(call)?)?;
    let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let page = Page::of(call);
    let mut commits = Vec::new();
    for oid in page.cut(found) {
        commits.push(CommitInfo::of(&repository.find_commit(oid)?));
    }
    let views = commits.iter().map(|commit| view(call, commit, None)).collect::<Result<Vec<_>, _>>()?;
    page::reply(call, page, &views, || Ok(total))
}

fn log_query(call: &Call) -> Result<LogQuery, ApiError> {
    let time = |key: &str| match call.query.get(key) {
        None => Ok(None),
        Some(text) => parse_time(&text)
            .map(Some)
            .ok_or_else(|| ApiError::bad_request(format!("{key} is not an ISO 8601 time"))),
    };
    let path =
        call.query.get("path").map(|path| path.trim_matches('/').to_owned()).filter(|path| !path.is_empty());
    Ok(LogQuery { path, author: call.query.get("author"), since: time("since")?, until: time("until")? })
}

/// While reads lag, a name means what it meant then: the object id of that moment, or nothing at all.
pub(super) fn lagging_name(call: &Call, name: &str) -> Result<String, ApiError> {
    let lag = call.forge.panel.read_lag();
    if lag.is_zero() {
        return Ok(name.to_owned());
    }
    let repo = call.repo()?.id;
    let find = |full: &str| call.forge.db.read_lagging(lag, |conn| refs::find(conn, repo, full));
    for full in candidates(name) {
        if let Some(row) = find(&full)?? {
            return Ok(row.oid);
        }
    }
    // A ref that is there now and was not there then is not found; an object id never was a ref.
    let repository = call.forge.git.open(repo)?;
    let is_ref = candidates(name).iter().any(|full| repository.find_reference(full).is_ok());
    Ok(if is_ref { String::new() } else { name.to_owned() })
}

pub(super) fn get(call: &Call) -> ApiResult {
    let repository = call.forge.git.open(call.repo()?.id)?;
    if is_empty(&repository)? {
        return Err(ApiError::conflict("Git Repository is empty."));
    }
    let name = call.param("ref");
    let commit = resolve(&repository, &lagging_name(call, name)?);
    let commit = commit.ok_or_else(|| ApiError::unprocessable(format!("No commit found for SHA: {name}")))?;
    if call.accepts("vnd.github.sha") || call.accepts("vnd.github.VERSION.sha") {
        return Ok(Reply::of(
            200,
            "application/vnd.github.sha; charset=utf-8",
            commit.id().to_string().into_bytes(),
        ));
    }
    let before = commit.parent(0).ok().map(|parent| parent.tree()).transpose()?;
    let after = commit.tree()?;
    if call.accepts(".diff") {
        let text = tree_diff::text(&repository, before.as_ref(), Some(&after))?;
        return Ok(Reply::of(200, "application/vnd.github.diff; charset=utf-8", text));
    }
    let files = tree_diff::changes(&repository, before.as_ref(), Some(&after))?;
    Reply::ok(&view(call, &CommitInfo::of(&commit), Some(&files))?)
}
