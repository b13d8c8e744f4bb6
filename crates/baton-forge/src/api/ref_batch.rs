//! Several refs changed at once, all or none: what GraphQL's `updateRefs` does. REST has nothing like it.

use baton_core::ref_name::is_full_ref_name;
use git2::{Oid, Repository};

use super::git_refs::{check_not_own, check_target};
use crate::db::repos::Repo;
use crate::git::history;
use crate::git::objects::parse_oid;
use crate::git::ref_changes::Followers;
use crate::git::ref_update::{self, RefEdit, RefOutcome};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::protection::{self, RefWish};
use crate::sync::lock;

/// Refs in one call at most.
const REFS_MAX: usize = 100;
/// How often the whole is tried anew when another change came in between, before the client is told.
const RACES_MAX: usize = 20;

/// One ref to be changed. An id of zeros is no object: before, the ref must not exist; after, it is deleted.
#[derive(Debug, Clone)]
pub(crate) struct RefChange {
    pub(crate) name: String,
    /// What the ref must point at; whatever it does when this is absent.
    pub(crate) before: Option<String>,
    pub(crate) after: String,
    pub(crate) force: bool,
}

pub(crate) fn update_refs(call: &Call, changes: &[RefChange]) -> Result<(), ApiError> {
    check(changes)?;
    let repo = call.repo()?;
    let repository = call.forge.git.open(repo.id)?;
    let gate = call.forge.git.gate(repo.id);
    let _held = lock(&gate);
    apply(call, &repository, repo, changes)?;
    let names: Vec<String> = changes.iter().map(|change| change.name.clone()).collect();
    let followers = Followers { db: &call.forge.db, git: &call.forge.git, now: call.now };
    followers.follow_held(repo, Some(&names), call.actor_id()?)
}

fn check(changes: &[RefChange]) -> Result<(), ApiError> {
    if changes.is_empty() || changes.len() > REFS_MAX {
        return Err(ApiError::unprocessable(format!(
            "Between one and {REFS_MAX} refs can be updated at once"
        )));
    }
    for (at, change) in changes.iter().enumerate() {
        if !is_full_ref_name(&change.name) {
            return Err(ApiError::unprocessable(format!("{} is not a qualified ref name", change.name)));
        }
        check_not_own(&change.name)?;
        if changes[..at].iter().any(|earlier| earlier.name == change.name) {
            return Err(ApiError::unprocessable(format!("{} is named twice", change.name)));
        }
    }
    Ok(())
}

/// Applies the changes in one transaction of git's. One without an expectation is tried again when it was overtaken.
fn apply(call: &Call, repository: &Repository, repo: &Repo, changes: &[RefChange]) -> Result<(), ApiError> {
    for _ in 0..RACES_MAX {
        let mut edits = Vec::new();
        for change in changes {
            if let Some(edit) = edit(repository, repo, change)? {
                check_rules(call, repository, repo, &edit)?;
                edits.push(edit);
            }
        }
        if edits.is_empty() || ref_update::apply(&call.forge.git.path(repo.id), &edits)? == RefOutcome::Done {
            return Ok(());
        }
    }
    Err(ApiError::conflict("References are being updated by others, or their names collide; try again"))
}

/// Asks the rules of protected branches.
fn check_rules(call: &Call, repository: &Repository, repo: &Repo, edit: &RefEdit) -> Result<(), ApiError> {
    let (name, before, after) = match edit {
        RefEdit::Create { name, to } | RefEdit::Set { name, to } => (name, None, Some(to.as_str())),
        RefEdit::Update { name, to, from } => (name, Some(from.as_str()), Some(to.as_str())),
        RefEdit::Delete { name, from } => (name, Some(from.as_str()), None),
    };
    let wish = RefWish { name, before, after };
    protection::check(&call.forge, repo, call.visit()?.permission, repository, wish)
}

fn oid(text: &str) -> Result<Option<Oid>, ApiError> {
    let refused = || ApiError::unprocessable(format!("{text} is not a full object id"));
    let oid = parse_oid(text).ok_or_else(refused)?;
    Ok((!oid.is_zero()).then_some(oid))
}

/// What one change means for git now; nothing when the ref is as it should be.
fn edit(repository: &Repository, repo: &Repo, change: &RefChange) -> Result<Option<RefEdit>, ApiError> {
    let name = change.name.clone();
    let current = repository.find_reference(&name).ok().and_then(|found| found.target());
    let after = oid(&change.after)?;
    if let Some(before) = &change.before
        && oid(before)? != current
    {
        return Err(ApiError::unprocessable(format!("{name} is not at the expected {before}")));
    }
    if let Some(after) = after {
        check_target(repository, &name, after)?;
    }
    Ok(match (current, after) {
        (None, None) => return Err(ApiError::unprocessable(format!("{name} does not exist"))),
        (Some(from), Some(to)) if from == to => None,
        (None, Some(to)) => Some(RefEdit::Create { name, to: to.to_string() }),
        (Some(_), None) if name == format!("refs/heads/{}", repo.default_branch) => {
            return Err(ApiError::unprocessable("Cannot delete the default branch"));
        }
        (Some(from), None) => Some(RefEdit::Delete { name, from: from.to_string() }),
        (Some(from), Some(to)) => {
            if !change.force && !history::contains(repository, to, from) {
                return Err(ApiError::unprocessable(format!("{name}: update is not a fast forward")));
            }
            Some(RefEdit::Update { name, to: to.to_string(), from: from.to_string() })
        }
    })
}
