//! Pull requests: opened from a branch, listed, read, changed.

use baton_core::ref_name::is_branch_name;
use git2::Oid;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::issue_fields::{check_body, check_title, scene};
use super::pull_news::tell_pull;
use super::{closing, issues as issue_api, mentions, pull_base, pull_files};
use crate::db::Tx;
use crate::db::issues::{self, Issue, NewIssue};
use crate::db::pulls::{self, NewPull, Pull, PullQuery, PullSort};
use crate::db::refs::{self, RefRow};
use crate::git::history;
use crate::git::ref_update::{self, RefEdit};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::merging::facts::pull_facts;
use crate::sync::lock;

/// The pull request that the path names.
pub(super) fn numbered(call: &Call, conn: &Connection) -> Result<(Issue, Pull), ApiError> {
    pulls::by_number(conn, call.repo()?.id, call.id_param("pull_number")?)?.ok_or_else(ApiError::not_found)
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let repo = call.repo()?;
    let get = |key: &str| call.query.get(key);
    let state = get("state").unwrap_or_else(|| "open".to_owned());
    if !["open", "closed", "all"].contains(&state.as_str()) {
        return Err(ApiError::invalid("PullRequest", "state", "invalid"));
    }
    let (head, base) = (get("head"), get("base"));
    let (sort, unsaid) = match get("sort").as_deref() {
        None | Some("created") => (PullSort::Created, true),
        Some("updated") => (PullSort::Updated, false),
        Some("popularity") => (PullSort::Popularity, false),
        Some("long-running") => (PullSort::LongRunning { now: call.now }, false),
        Some(_) => return Err(ApiError::invalid("PullRequest", "sort", "invalid")),
    };
    let query = PullQuery {
        state: &state,
        // Without an owner the filter is ignored, as on GitHub.
        head: head.as_deref().and_then(|head| head.split_once(':')),
        base: base.as_deref(),
        sort,
        descending: call.query.is_descending(unsaid),
    };
    let (page, render) = (Page::of(call), call.render(conn));
    let found = pulls::list(conn, repo.id, &query, page.size, page.offset())?;
    let views = found
        .into_iter()
        .map(|(issue, pull)| render.pull(repo, issue, pull, None))
        .collect::<Result<Vec<_>, _>>()?;
    page::reply(call, page, &views, || Ok(pulls::count(conn, repo.id, &query)?))
}

pub(super) fn get(call: &Call) -> ApiResult {
    let lag = call.forge.panel.read_lag();
    let (issue, pull) = call.forge.db.read_lagging(lag, |conn| numbered(call, conn))??;
    match pull_files::as_text(call, &pull)? {
        Some(text) => Ok(text),
        None => reply_pull(call, issue, pull, 200),
    }
}

/// Answers with a pull request in full, and with what is known of its merge.
pub(super) fn reply_pull(call: &Call, issue: Issue, pull: Pull, status: u16) -> ApiResult {
    let repo = call.repo()?;
    let facts = pull_facts(&call.forge, repo, &issue, &pull)?;
    let (location, modified_at) = (call.repo_url(&format!("pulls/{}", issue.number)), issue.updated_at);
    call.forge.db.read(|conn| {
        let view = call.render(conn).pull(repo, issue, pull, Some(facts))?;
        match status {
            201 => Reply::created(&view, location),
            _ => Reply::one(&view, modified_at),
        }
    })?
}

pub(super) fn refuse(field: &str, code: &str) -> ApiError {
    ApiError::invalid("PullRequest", field, code)
}

pub(super) fn create(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let (title, body) = titled(call, &fields)?;
    let (head, base) = (own_branch(call, fields.str("head")?)?, fields.str("base")?.to_owned());
    let draft = fields.opt_bool("draft")?.unwrap_or(false);
    let repo = call.repo()?.clone();
    let repository = call.forge.git.open(repo.id)?;
    let gate = call.forge.git.gate(repo.id);
    let _held = lock(&gate);
    let head_row = branch(call, &head)?.ok_or_else(|| refuse("head", "invalid"))?;
    let base_row = branch(call, &base)?.ok_or_else(|| refuse("base", "invalid"))?;
    let (head_oid, base_oid) = (Oid::from_str(&head_row.oid)?, Oid::from_str(&base_row.oid)?);
    if history::contains(&repository, base_oid, head_oid) {
        let why = format!("No commits between {base} and {head}");
        return Err(ApiError {
            errors: message_errors(&why),
            ..ApiError::unprocessable("Validation Failed")
        });
    }
    let (actor_id, now, scope) = (call.actor_id()?, call.now, call.clone());
    let (issue, pull) = call.forge.db.writer().write_blocking(move |tx| {
        if pulls::open_between(tx, repo.id, repo.id, &head, &base)? {
            let why = format!("A pull request already exists for {}:{head}.", repo.owner.login);
            return Err(ApiError {
                errors: message_errors(&why),
                ..ApiError::unprocessable("Validation Failed")
            });
        }
        let new = NewIssue {
            repo_id: repo.id,
            author_id: actor_id,
            title: &title,
            body: body.as_deref(),
            is_pull: true,
            now,
        };
        let issue = issues::insert(tx, &new)?;
        let new = NewPull {
            issue_id: issue.id,
            repo_id: repo.id,
            head_repo_id: repo.id,
            head_ref: &head,
            head_oid: &head_row.oid,
            base_ref: &base,
            base_oid: &base_row.oid,
            draft,
        };
        pulls::insert(tx, &new)?;
        let pull_ref = RefRow { name: format!("refs/pull/{}/head", issue.number), ..head_row };
        refs::set(tx, repo.id, &pull_ref)?;
        let (issue, pull) = pulls::by_number(tx, repo.id, issue.number)?.ok_or_else(ApiError::not_found)?;
        closing::refresh(tx, &repo, &issue, &pull)?;
        mentions::record(&scope, tx, &issue, issue.body.as_deref())?;
        tell_pull(tx, scene(&scope, &issue)?, "opened", Value::Null);
        Ok((issue, pull))
    })?;
    point_pull_ref(call, &issue, &pull.head_oid)?;
    reply_pull(call, issue, pull, 201)
}

pub(super) fn message_errors(message: &str) -> Vec<Value> {
    vec![json!({ "resource": "PullRequest", "code": "custom", "message": message })]
}

fn titled(call: &Call, fields: &Fields) -> Result<(String, Option<String>), ApiError> {
    let body = fields.opt_str("body")?.map(str::to_owned);
    check_body("PullRequest", body.as_deref())?;
    let title = match (fields.opt_str("title")?, fields.opt_i64("issue")?) {
        (Some(title), _) => title.to_owned(),
        // GitHub turns an issue into a pull request here; the forge only borrows its title.
        (None, Some(number)) => {
            let repo_id = call.repo()?.id;
            let issue = call.forge.db.read(|conn| issues::by_number(conn, repo_id, number))??;
            issue.ok_or_else(|| refuse("issue", "invalid"))?.title
        }
        (None, None) => return Err(refuse("title", "missing_field")),
    };
    check_title("PullRequest", &title)?;
    Ok((title, body))
}

/// The branch of a `head`, which may name its owner. Branches of other repositories are not served.
fn own_branch(call: &Call, head: &str) -> Result<String, ApiError> {
    let branch = match head.split_once(':') {
        None => head,
        Some((owner, branch)) if owner.eq_ignore_ascii_case(&call.repo()?.owner.login) => branch,
        Some(_) => return Err(refuse("head", "invalid")),
    };
    match is_branch_name(branch) {
        true => Ok(branch.to_owned()),
        false => Err(refuse("head", "invalid")),
    }
}

pub(super) fn branch(call: &Call, name: &str) -> Result<Option<RefRow>, ApiError> {
    let (repo_id, full) = (call.repo()?.id, format!("refs/heads/{name}"));
    Ok(call.forge.db.read(|conn| refs::find(conn, repo_id, &full))??)
}

fn point_pull_ref(call: &Call, issue: &Issue, head: &str) -> Result<(), ApiError> {
    let edit = RefEdit::Set { name: format!("refs/pull/{}/head", issue.number), to: head.to_owned() };
    ref_update::apply(&call.forge.git.path(call.repo()?.id), &[edit])?;
    Ok(())
}

pub(super) fn update(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let scope = call.clone();
    let retarget = match fields.opt_str("base")? {
        Some(base) => pull_base::prepare(call, base)?,
        None => None,
    };
    let (issue, pull) = call.forge.db.writer().write_blocking(move |tx| {
        let (issue, _) = numbered(&scope, tx)?;
        issue_api::change(&scope, tx, &issue, &fields, retarget.as_ref())?;
        numbered(&scope, tx)
    })?;
    reply_pull(call, issue, pull, 200)
}

/// A pull request that is opened again takes up its branch as it is now; merged, or without one of its branches, it
/// stays closed.
pub(super) fn reopen(call: &Call, tx: &Tx<'_>, issue: &Issue) -> Result<(), ApiError> {
    let pull = pulls::of_issue(tx, issue.id)?.ok_or_else(ApiError::not_found)?;
    let head = refs::find(tx, pull.head_repo_id, &format!("refs/heads/{}", pull.head_ref))?;
    let base = refs::find(tx, issue.repo_id, &format!("refs/heads/{}", pull.base_ref))?;
    let may_open = pull.merged_at.is_none() && base.is_some();
    let head = head.filter(|_| may_open).ok_or_else(|| refuse("state", "invalid"))?;
    pulls::set_head(tx, pull.id, &head.oid)?;
    point_pull_ref(call, issue, &head.oid)?;
    Ok(refs::set(tx, issue.repo_id, &RefRow { name: format!("refs/pull/{}/head", issue.number), ..head })?)
}

pub(super) fn check_merged(call: &Call, conn: &Connection) -> ApiResult {
    match numbered(call, conn)?.1.merged_at {
        Some(_) => Reply::no_content(),
        None => Err(ApiError::not_found()),
    }
}
