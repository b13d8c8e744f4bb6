//! The facts of payloads that say whom an event is about.
//!
//! The top of a payload is split into raw parts, and only those that an event needs are read any further.

use std::borrow::Cow;

use baton_core::RepoSlug;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::object::Object;
use super::{DecodeError, NAME_BYTES_MAX};

type Part<'a> = Option<&'a RawValue>;

/// The parts of a payload, unread.
#[derive(Deserialize)]
pub(super) struct Payload<'a> {
    #[serde(borrow, default)]
    action: Part<'a>,
    #[serde(borrow, default)]
    repository: Part<'a>,
    #[serde(borrow, default)]
    issue: Part<'a>,
    #[serde(borrow, default)]
    label: Part<'a>,
    #[serde(borrow, default)]
    changes: Part<'a>,
    #[serde(borrow, default)]
    pull_request: Part<'a>,
    #[serde(borrow, default)]
    check_run: Part<'a>,
    #[serde(borrow, default)]
    check_suite: Part<'a>,
    #[serde(borrow, default)]
    state: Part<'a>,
    #[serde(borrow, default)]
    branches: Part<'a>,
    #[serde(borrow, default, rename = "ref")]
    git_ref: Part<'a>,
    #[serde(borrow, default)]
    projects_v2_item: Part<'a>,
    #[serde(borrow, default)]
    sub_issue: Part<'a>,
    #[serde(borrow, default)]
    sub_issue_repo: Part<'a>,
    #[serde(borrow, default)]
    parent_issue: Part<'a>,
    #[serde(borrow, default)]
    parent_issue_repo: Part<'a>,
    #[serde(borrow, default)]
    blocked_issue: Part<'a>,
    #[serde(borrow, default)]
    blocked_issue_repo: Part<'a>,
}

/// A text of a payload, in place if it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
pub(super) struct Repository<'a> {
    pub(super) id: Option<u64>,
    #[serde(borrow)]
    pub(super) full_name: Option<Cow<'a, str>>,
}

impl Repository<'_> {
    /// Returns whether this is surely the same repository: its id does not change with its name.
    fn is(&self, other: &Repository<'_>) -> bool {
        match (self.id, other.id, &self.full_name, &other.full_name) {
            (Some(id), Some(other), ..) => id == other,
            (_, _, Some(name), Some(other)) => name.eq_ignore_ascii_case(other),
            _ => false,
        }
    }

    pub(super) fn slug(&self) -> Result<RepoSlug, DecodeError> {
        let field = "repository.full_name";
        let name = self.full_name.as_deref().ok_or(DecodeError::Missing(field))?;
        name.parse().map_err(|_| DecodeError::Name { field, bytes: name.len() })
    }
}

#[derive(Deserialize)]
pub(super) struct Issue<'a> {
    pub(super) number: u64,
    /// There only if it is a pull request.
    #[serde(borrow, default)]
    pull_request: Part<'a>,
}

impl Issue<'_> {
    pub(super) fn is_pull(&self) -> bool {
        self.pull_request.is_some()
    }
}

#[derive(Deserialize)]
pub(super) struct Pull<'a> {
    pub(super) number: u64,
    #[serde(borrow)]
    pub(super) head: Option<Object<End<'a>>>,
    #[serde(borrow)]
    pub(super) base: Option<Object<End<'a>>>,
}

impl Pull<'_> {
    /// Returns whether it asks to be merged into this repository, whose numbers are the only ones that are meant.
    pub(super) fn is_in(&self, repository: &Repository<'_>) -> bool {
        let base = self.base.as_ref().and_then(|base| base.repo.as_ref());
        base.is_none_or(|base| base.is(repository))
    }

    /// Returns the branch that it comes from, if that is one of this repository. A fork can call its branches what it likes.
    pub(super) fn own_branch(&self, repository: &Repository<'_>) -> Option<&str> {
        let head = self.head.as_ref()?;
        let is_own = head.repo.as_ref()?.is(repository);
        head.branch.as_deref().filter(|_| is_own)
    }
}

/// Where a pull request comes from, or goes to.
#[derive(Deserialize)]
pub(super) struct End<'a> {
    #[serde(borrow, rename = "ref")]
    branch: Option<Cow<'a, str>>,
    #[serde(borrow)]
    repo: Option<Object<Repository<'a>>>,
}

/// A run of a check, or a suite of them.
#[derive(Deserialize)]
pub(super) struct Check<'a> {
    #[serde(borrow)]
    pub(super) head_branch: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) pull_requests: Option<Vec<Object<Pull<'a>>>>,
}

#[derive(Deserialize)]
pub(super) struct Branch<'a> {
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(super) struct BoardItem<'a> {
    #[serde(borrow)]
    content_node_id: Cow<'a, str>,
    #[serde(borrow)]
    content_type: Option<Cow<'a, str>>,
}

impl BoardItem<'_> {
    /// Returns GitHub's name of the issue, unless it is a draft or a pull request.
    pub(super) fn issue(&self) -> Result<Option<String>, DecodeError> {
        if self.content_type.as_deref().is_some_and(|kind| kind != "Issue") {
            return Ok(None);
        }
        short(&self.content_node_id, "projects_v2_item.content_node_id").map(Some)
    }
}

/// What an edit changed.
#[derive(Deserialize, Default)]
pub(super) struct Edits<'a> {
    #[serde(borrow, default)]
    pub(super) base: Part<'a>,
    #[serde(borrow, default)]
    pub(super) name: Part<'a>,
    #[serde(borrow, default)]
    field_value: Option<Object<FieldEdit<'a>>>,
}

#[derive(Deserialize)]
struct FieldEdit<'a> {
    #[serde(borrow)]
    field_type: Option<Cow<'a, str>>,
}

impl Edits<'_> {
    /// Returns whether a column of the board may have changed: those are the choices of a field.
    pub(super) fn may_be_a_column(&self) -> bool {
        let kind = self.field_value.as_ref().and_then(|edit| edit.field_type.as_deref());
        kind.is_none_or(|kind| kind == "single_select")
    }
}

impl<'a> Payload<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, DecodeError> {
        serde_json::from_str(text).map(|Object(payload)| payload).map_err(DecodeError::NotJson)
    }

    /// Returns what was done; nothing for events that are of one kind only.
    pub(super) fn action(&self) -> Result<Cow<'a, str>, DecodeError> {
        let text: Option<Text<'a>> = optional(self.action, "action")?;
        Ok(text.map_or_else(Cow::default, |text| text.0))
    }

    pub(super) fn repository(&self) -> Result<Repository<'a>, DecodeError> {
        object(self.repository, "repository")
    }

    pub(super) fn issue(&self) -> Result<Issue<'a>, DecodeError> {
        object(self.issue, "issue")
    }

    pub(super) fn label(&self) -> Result<String, DecodeError> {
        let label: Branch<'a> = object(self.label, "label")?;
        short(&label.name, "label.name")
    }

    pub(super) fn changes(&self) -> Result<Edits<'a>, DecodeError> {
        let edits: Option<Object<Edits<'a>>> = optional(self.changes, "changes")?;
        Ok(edits.map(|Object(edits)| edits).unwrap_or_default())
    }

    pub(super) fn pull_request(&self) -> Result<Pull<'a>, DecodeError> {
        object(self.pull_request, "pull_request")
    }

    pub(super) fn check_run(&self) -> Result<Check<'a>, DecodeError> {
        object(self.check_run, "check_run")
    }

    pub(super) fn check_suite(&self) -> Result<Check<'a>, DecodeError> {
        object(self.check_suite, "check_suite")
    }

    pub(super) fn state(&self) -> Result<Cow<'a, str>, DecodeError> {
        required(self.state, "state").map(|text: Text<'a>| text.0)
    }

    pub(super) fn branches(&self) -> Result<Vec<Object<Branch<'a>>>, DecodeError> {
        required(self.branches, "branches")
    }

    pub(super) fn git_ref(&self) -> Result<Cow<'a, str>, DecodeError> {
        required(self.git_ref, "ref").map(|text: Text<'a>| text.0)
    }

    pub(super) fn board_item(&self) -> Result<BoardItem<'a>, DecodeError> {
        object(self.projects_v2_item, "projects_v2_item")
    }

    /// Returns the sub-issue, and its repository if that is told apart.
    pub(super) fn sub_issue(&self) -> Result<Linked<'a>, DecodeError> {
        linked((self.sub_issue, "sub_issue"), (self.sub_issue_repo, "sub_issue_repo"))
    }

    pub(super) fn parent_issue(&self) -> Result<Linked<'a>, DecodeError> {
        linked((self.parent_issue, "parent_issue"), (self.parent_issue_repo, "parent_issue_repo"))
    }

    pub(super) fn blocked_issue(&self) -> Result<Linked<'a>, DecodeError> {
        linked((self.blocked_issue, "blocked_issue"), (self.blocked_issue_repo, "blocked_issue_repo"))
    }
}

/// An issue that is named beside others, and its repository if it is not the one of the payload.
pub(super) type Linked<'a> = Option<(Issue<'a>, Option<Repository<'a>>)>;

fn linked<'a>(
    (issue, issue_field): (Part<'a>, &'static str),
    (repo, repo_field): (Part<'a>, &'static str),
) -> Result<Linked<'a>, DecodeError> {
    let Some(Object(issue)) = optional(issue, issue_field)? else { return Ok(None) };
    let repo: Option<Object<_>> = optional(repo, repo_field)?;
    Ok(Some((issue, repo.map(|Object(repo)| repo))))
}

fn optional<'a, T: Deserialize<'a>>(part: Part<'a>, field: &'static str) -> Result<Option<T>, DecodeError> {
    let Some(part) = part else { return Ok(None) };
    serde_json::from_str(part.get()).map_err(|source| DecodeError::Field { field, source })
}

fn required<'a, T: Deserialize<'a>>(part: Part<'a>, field: &'static str) -> Result<T, DecodeError> {
    optional(part, field)?.ok_or(DecodeError::Missing(field))
}

fn object<'a, T: Deserialize<'a>>(part: Part<'a>, field: &'static str) -> Result<T, DecodeError> {
    required(part, field).map(|Object(value)| value)
}

fn short(name: &str, field: &'static str) -> Result<String, DecodeError> {
    if (1..=NAME_BYTES_MAX).contains(&name.len()) {
        Ok(name.to_owned())
    } else {
        Err(DecodeError::Name { field, bytes: name.len() })
    }
}
