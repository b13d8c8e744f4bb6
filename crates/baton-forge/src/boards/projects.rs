//! Changes of a board itself.

use serde_json::{Map, Value, json};

use super::fields::{self, BUILT_IN};
use super::rights::{self, Level, open};
use crate::db::accounts;
use crate::db::keyset::Range;
use crate::db::projects::{self, Project};
use crate::db::{Tx, project_fields, project_items, project_values};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::news::{News, Scope, What};

/// GitHub's limit, in characters.
const TITLE_CHARS_MAX: usize = 256;

pub(crate) fn tell(
    call: &Call,
    tx: &Tx<'_>,
    project: &Project,
    action: &'static str,
    detail: Value,
) -> Result<(), ApiError> {
    tx.tell(News {
        scope: Scope::Owner(project.owner_id),
        actor_id: call.actor_id()?,
        now: call.now,
        what: What::Project { project_id: project.id, action, detail },
    });
    Ok(())
}

fn check_title(title: &str) -> Result<(), ApiError> {
    let why = match title.trim().chars().count() {
        0 => "title can't be blank",
        length if length > TITLE_CHARS_MAX => "title is too long (maximum is 256 characters)",
        _ => return Ok(()),
    };
    Err(ApiError::invalid_because("ProjectV2", "title", why))
}

/// Makes a board with GitHub's built-in fields; returns its id.
pub(crate) fn create(call: &Call, tx: &Tx<'_>, owner_id: i64, title: &str) -> Result<i64, ApiError> {
    let id = insert(call, tx, owner_id, title)?;
    for (name, kind) in BUILT_IN {
        let field = project_fields::insert(tx, id, name, kind, call.now)?;
        if name == fields::STATUS {
            project_fields::set_options(tx, field, &fields::status_options(), call.now)?;
        }
    }
    Ok(id)
}

fn insert(call: &Call, tx: &Tx<'_>, owner_id: i64, title: &str) -> Result<i64, ApiError> {
    check_title(title)?;
    let owner = accounts::by_id(tx, owner_id)?;
    if rights::with_owner(tx, &owner, call.viewer.as_ref())? < Level::Write {
        let message = format!("You must be able to write projects of {}.", owner.login);
        return Err(ApiError::forbidden(message));
    }
    let id = projects::insert(tx, owner_id, title.trim(), call.actor_id()?, call.now)?;
    let project = projects::by_id(tx, id)?.ok_or_else(ApiError::not_found)?;
    tell(call, tx, &project, "created", Value::Null)?;
    Ok(id)
}

/// What a change of a board may say; what is `None` stays.
#[derive(Debug, Default, Clone)]
pub(crate) struct Edit {
    pub(crate) title: Option<String>,
    pub(crate) short_description: Option<String>,
    pub(crate) readme: Option<String>,
    pub(crate) public: Option<bool>,
    pub(crate) template: Option<bool>,
    pub(crate) closed: Option<bool>,
}

pub(crate) fn update(call: &Call, tx: &Tx<'_>, project_id: i64, edit: &Edit) -> Result<(), ApiError> {
    let before = open(call, tx, project_id, Level::Write)?;
    if edit.public.is_some_and(|public| public != before.public) {
        open(call, tx, project_id, Level::Admin)?;
    }
    if let Some(title) = &edit.title {
        check_title(title)?;
    }
    let after = edited(&before, edit, call.now);
    projects::update(tx, &after)?;
    let changes = changes(&before, &after);
    if !changes.is_empty() || edit.template.is_some() {
        tell(call, tx, &after, "edited", changes.into())?;
    }
    match (before.closed_at, after.closed_at) {
        (None, Some(_)) => tell(call, tx, &after, "closed", Value::Null),
        (Some(_), None) => tell(call, tx, &after, "reopened", Value::Null),
        _ => Ok(()),
    }
}

fn edited(before: &Project, edit: &Edit, now: i64) -> Project {
    let mut after = Project { updated_at: now, ..before.clone() };
    let text = |new: &Option<String>, old: &Option<String>| match new {
        Some(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        None => old.clone(),
    };
    after.title = edit.title.as_deref().map_or_else(|| before.title.clone(), |title| title.trim().to_owned());
    after.short_description = text(&edit.short_description, &before.short_description);
    after.readme = text(&edit.readme, &before.readme);
    after.public = edit.public.unwrap_or(before.public);
    after.template = edit.template.unwrap_or(before.template);
    after.closed_at = match edit.closed {
        None => before.closed_at,
        Some(true) => before.closed_at.or(Some(now)),
        Some(false) => None,
    };
    after
}

/// What changed, in the shape of GitHub's webhook, where a board's readme is its description.
fn changes(before: &Project, after: &Project) -> Map<String, Value> {
    let pairs = [
        ("title", json!(before.title), json!(after.title)),
        ("short_description", json!(before.short_description), json!(after.short_description)),
        ("description", json!(before.readme), json!(after.readme)),
        ("public", json!(before.public), json!(after.public)),
    ];
    let changed = pairs.into_iter().filter(|(_, from, to)| from != to);
    changed.map(|(name, from, to)| (name.to_owned(), json!({ "from": from, "to": to }))).collect()
}

/// Deletes a board. Its row stays, so that its number is not given out again.
pub(crate) fn delete(call: &Call, tx: &Tx<'_>, project_id: i64) -> Result<(), ApiError> {
    let project = open(call, tx, project_id, Level::Admin)?;
    let gone = Project { deleted_at: Some(call.now), updated_at: call.now, ..project };
    projects::update(tx, &gone)?;
    tell(call, tx, &gone, "deleted", Value::Null)
}

pub(crate) fn link(call: &Call, tx: &Tx<'_>, project_id: i64, repo_id: i64) -> Result<(), ApiError> {
    open(call, tx, project_id, Level::Write)?;
    projects::link(tx, project_id, repo_id)?;
    Ok(projects::touch(tx, project_id, call.now)?)
}

pub(crate) fn unlink(call: &Call, tx: &Tx<'_>, project_id: i64, repo_id: i64) -> Result<(), ApiError> {
    open(call, tx, project_id, Level::Write)?;
    projects::unlink(tx, project_id, repo_id)?;
    Ok(projects::touch(tx, project_id, call.now)?)
}

/// Makes a board like another one: its texts, its fields and, if asked, its drafts. Issues stay where they are.
pub(crate) fn copy(
    call: &Call,
    tx: &Tx<'_>,
    from_id: i64,
    (owner_id, title): (i64, &str),
    with_drafts: bool,
) -> Result<i64, ApiError> {
    let from = open(call, tx, from_id, Level::Read)?;
    let id = insert(call, tx, owner_id, title)?;
    let copy = projects::by_id(tx, id)?.ok_or_else(ApiError::not_found)?;
    projects::update(
        tx,
        &Project { short_description: from.short_description, readme: from.readme, ..copy },
    )?;
    let mut twins = Vec::new();
    for field in project_fields::list(tx, from_id)? {
        let twin = project_fields::insert(tx, id, &field.name, field.kind, call.now)?;
        project_fields::set_options(tx, twin, &field.options, call.now)?;
        twins.push((field.id, twin));
    }
    if with_drafts {
        copy_drafts(call, tx, (from_id, id), &twins)?;
    }
    Ok(id)
}

fn copy_drafts(
    call: &Call,
    tx: &Tx<'_>,
    (from_id, to_id): (i64, i64),
    twins: &[(i64, i64)],
) -> Result<(), ApiError> {
    for item in project_items::stretch(tx, from_id, &Range::WHOLE)? {
        let Some(title) = &item.draft_title else { continue };
        let body = item.draft_body.as_deref().unwrap_or_default();
        let copied = super::items::add_draft(call, tx, to_id, title, body)?;
        for value in project_values::of_item(tx, item.id)? {
            let Some((_, twin)) = twins.iter().find(|(field, _)| *field == value.field_id) else { continue };
            project_values::set(tx, copied, *twin, &value.content, (call.actor_id()?, call.now))?;
        }
    }
    Ok(())
}

/// Returns whether a board is one of those that a search asks for: each of its words must hold.
pub(crate) fn is_asked_for(project: &Project, query: &str) -> bool {
    query.split_whitespace().all(|word| match word {
        "is:open" => project.closed_at.is_none(),
        "is:closed" => project.closed_at.is_some(),
        "is:public" => project.public,
        "is:private" => !project.public,
        "is:template" => project.template,
        word => project.title.to_lowercase().contains(&word.to_lowercase()),
    })
}
