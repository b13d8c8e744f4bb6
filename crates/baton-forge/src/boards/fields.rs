//! Changes of a board's fields.

use sha2::{Digest as _, Sha256};

use super::rights::{Level, open};
use crate::db::project_fields::{self, Choice, Field, FieldKind};
use crate::db::{Tx, projects};
use crate::http::call::Call;
use crate::http::error::ApiError;

pub(crate) const STATUS: &str = "Status";

/// The fields that every board starts with on GitHub.
pub(crate) const BUILT_IN: [(&str, FieldKind); 10] = [
    ("Title", FieldKind::Title),
    ("Assignees", FieldKind::Assignees),
    (STATUS, FieldKind::SingleSelect),
    ("Labels", FieldKind::Labels),
    ("Linked pull requests", FieldKind::LinkedPullRequests),
    ("Milestone", FieldKind::Milestone),
    ("Repository", FieldKind::Repository),
    ("Reviewers", FieldKind::Reviewers),
    ("Parent issue", FieldKind::ParentIssue),
    ("Sub-issues progress", FieldKind::SubIssuesProgress),
];

/// The options of a new board's status. GitHub gives them the same ids on every board.
pub(crate) fn status_options() -> Vec<Choice> {
    [
        ("f75ad846", "Todo", "GREEN", "Not begun"),
        ("47fc9ee4", "In Progress", "YELLOW", "Being worked on"),
        ("98236657", "Done", "PURPLE", "Finished"),
    ]
    .map(|(id, name, color, description)| Choice {
        id: id.to_owned(),
        name: name.to_owned(),
        color: color.to_owned(),
        description: description.to_owned(),
    })
    .into()
}

/// GitHub's limits.
const OPTIONS_MAX: usize = 50;
const FIELDS_MAX: usize = 50;
const NAME_CHARS_MAX: usize = 50;

const COLORS: [&str; 8] = ["BLUE", "GRAY", "GREEN", "ORANGE", "PINK", "PURPLE", "RED", "YELLOW"];

/// Names that GitHub keeps for itself.
const RESERVED: [&str; 16] = [
    "Title",
    "Assignees",
    "Labels",
    "Linked pull requests",
    "Milestone",
    "Repository",
    "Reviewers",
    "Parent issue",
    "Sub-issues progress",
    "Type",
    "Tracks",
    "Tracked by",
    "Created",
    "Updated",
    "Closed",
    "Number",
];

/// An option as a client describes it. One with the id of an option that is there is that option.
#[derive(Debug, Clone)]
pub(crate) struct Described {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) color: String,
    pub(crate) description: String,
}

fn refuse(field: &str, why: impl Into<String>) -> ApiError {
    ApiError::invalid_because("ProjectV2Field", field, why)
}

/// Reads the kind of a new field; those that only the forge makes, and iterations, are refused.
pub(crate) fn own_kind(name: &str) -> Result<FieldKind, ApiError> {
    match FieldKind::parse(name).filter(|kind| kind.is_own()) {
        Some(kind) => Ok(kind),
        None if name.eq_ignore_ascii_case("ITERATION") => Err(refuse_iterations()),
        None => Err(refuse("data_type", format!("`{name}` is not a type of a custom field"))),
    }
}

pub(crate) fn refuse_iterations() -> ApiError {
    refuse("data_type", "iteration fields are not supported by this forge")
}

fn check_name(tx: &Tx<'_>, project_id: i64, name: &str, but: Option<i64>) -> Result<(), ApiError> {
    let length = name.trim().chars().count();
    if length == 0 {
        return Err(refuse("name", "name can't be blank"));
    }
    if length > NAME_CHARS_MAX {
        return Err(refuse("name", format!("name is too long (maximum is {NAME_CHARS_MAX} characters)")));
    }
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name.trim())) {
        return Err(refuse("name", "name cannot have a reserved value"));
    }
    match project_fields::name_is_taken(tx, project_id, name.trim(), but)? {
        true => Err(refuse("name", "name has already been taken")),
        false => Ok(()),
    }
}

/// Makes a field; returns its id.
pub(crate) fn create(
    call: &Call,
    tx: &Tx<'_>,
    project_id: i64,
    (name, kind): (&str, FieldKind),
    options: &[Described],
) -> Result<i64, ApiError> {
    open(call, tx, project_id, Level::Write)?;
    check_name(tx, project_id, name, None)?;
    if project_fields::list(tx, project_id)?.len() >= FIELDS_MAX {
        return Err(refuse("name", format!("a project may have up to {FIELDS_MAX} fields")));
    }
    match (kind, options.is_empty()) {
        (FieldKind::SingleSelect, true) => {
            return Err(refuse("single_select_options", "at least one option must be provided"));
        }
        (FieldKind::SingleSelect, false) | (_, true) => {}
        (_, false) => return Err(refuse("single_select_options", "only single select fields have options")),
    }
    let id = project_fields::insert(tx, project_id, name.trim(), kind, call.now)?;
    if kind == FieldKind::SingleSelect {
        project_fields::set_options(tx, id, &settle(id, &[], options)?, call.now)?;
    }
    projects::touch(tx, project_id, call.now)?;
    Ok(id)
}

/// The options that a description asks for: those with a known id keep it, the others get one.
fn settle(field_id: i64, known: &[Choice], described: &[Described]) -> Result<Vec<Choice>, ApiError> {
    if described.is_empty() || described.len() > OPTIONS_MAX {
        return Err(refuse("single_select_options", format!("there must be 1 to {OPTIONS_MAX} options")));
    }
    let mut settled: Vec<Choice> = Vec::with_capacity(described.len());
    for option in described {
        if option.name.trim().is_empty() {
            return Err(refuse("single_select_options", "an option's name can't be blank"));
        }
        if !COLORS.contains(&option.color.as_str()) {
            return Err(refuse("single_select_options", format!("`{}` is not a color", option.color)));
        }
        if settled.iter().any(|other| other.name.eq_ignore_ascii_case(option.name.trim())) {
            return Err(refuse("single_select_options", format!("option {} is there twice", option.name)));
        }
        let kept = match &option.id {
            Some(id) => Some(known.iter().find(|choice| choice.id == *id).ok_or_else(|| {
                refuse("single_select_options", format!("there is no option with the id {id}"))
            })?),
            // A client that knows no ids describes the same option by the same name.
            None => known.iter().find(|choice| choice.name == option.name.trim()),
        };
        let id =
            kept.map_or_else(|| fresh_id(field_id, option, (known, &settled)), |choice| choice.id.clone());
        let (color, description) = (option.color.clone(), option.description.clone());
        settled.push(Choice { id, name: option.name.trim().to_owned(), color, description });
    }
    Ok(settled)
}

/// Eight hexadecimal digits that no other option of the field has.
fn fresh_id(field_id: i64, option: &Described, (known, settled): (&[Choice], &[Choice])) -> String {
    let mut attempt = 0_u32;
    loop {
        let digest = Sha256::digest(format!("{field_id}:{}:{attempt}", option.name));
        let id: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        if known.iter().chain(settled).all(|other| other.id != id) {
            return id;
        }
        attempt += 1;
    }
}

/// The field of that id for a change, with the right to make one.
pub(super) fn open_field(call: &Call, tx: &Tx<'_>, field_id: i64) -> Result<Field, ApiError> {
    let field = project_fields::by_id(tx, field_id)?.ok_or_else(ApiError::not_found)?;
    open(call, tx, field.project_id, Level::Write)?;
    Ok(field)
}

pub(crate) fn update(
    call: &Call,
    tx: &Tx<'_>,
    field_id: i64,
    name: Option<&str>,
    options: Option<&[Described]>,
) -> Result<(), ApiError> {
    let field = open_field(call, tx, field_id)?;
    if let Some(name) = name.filter(|name| *name != field.name) {
        refuse_built_in(&field, "renamed")?;
        check_name(tx, field.project_id, name, Some(field_id))?;
        project_fields::rename(tx, field_id, name.trim(), call.now)?;
    }
    if let Some(options) = options {
        if field.kind != FieldKind::SingleSelect {
            return Err(refuse("single_select_options", "only single select fields have options"));
        }
        let settled = settle(field_id, &field.options, options)?;
        project_fields::set_options(tx, field_id, &settled, call.now)?;
    }
    Ok(projects::touch(tx, field.project_id, call.now)?)
}

fn refuse_built_in(field: &Field, deed: &str) -> Result<(), ApiError> {
    match BUILT_IN.iter().any(|(name, kind)| *name == field.name && *kind == field.kind) {
        true => Err(refuse("name", format!("the field {} is built in and cannot be {deed}", field.name))),
        false => Ok(()),
    }
}

/// Deletes a field with its values; returns what it was.
pub(crate) fn delete(call: &Call, tx: &Tx<'_>, field_id: i64) -> Result<Field, ApiError> {
    let field = open_field(call, tx, field_id)?;
    refuse_built_in(&field, "deleted")?;
    project_fields::delete(tx, field_id)?;
    projects::touch(tx, field.project_id, call.now)?;
    Ok(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(id: Option<&str>, name: &str) -> Described {
        let (color, description) = ("GRAY".to_owned(), String::new());
        Described { id: id.map(str::to_owned), name: name.to_owned(), color, description }
    }

    #[test]
    fn an_option_keeps_its_id_when_it_is_renamed_moved_or_named_again() {
        let first = settle(7, &[], &[described(None, "Low"), described(None, "High")]).unwrap();
        let renamed = described(Some(&first[1].id), "Higher");
        let second = settle(7, &first, &[renamed, described(None, "Low"), described(None, "New")]).unwrap();
        assert_eq!((&second[0].id, &second[1].id), (&first[1].id, &first[0].id));
        assert!(first.iter().all(|choice| choice.id != second[2].id));
        assert!(second.iter().all(|choice| choice.id.len() == 8));
    }

    #[test]
    fn options_that_cannot_be_told_apart_are_refused() {
        assert!(settle(7, &[], &[described(None, "Low"), described(None, "low ")]).is_err());
        assert!(settle(7, &[], &[]).is_err());
        assert!(settle(7, &[], &[described(Some("00000000"), "Low")]).is_err());
    }
}
