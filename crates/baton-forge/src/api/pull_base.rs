//! Changes the branch into which a pull request goes: because somebody asks, or because the branch is gone.

use git2::{Oid, Repository};
use serde_json::{Value, json};

use super::closing;
use super::pull_news::tell_pull;
use super::pulls::{branch, message_errors, numbered, refuse};
use crate::db::events::{self, Happening, Scene};
use crate::db::pulls::{self, Pull};
use crate::db::repos::Repo;
use crate::db::review_threads::{self, Place};
use crate::db::{Database, Tx};
use crate::git::{history, pull_diff};
use crate::http::call::Call;
use crate::http::error::ApiError;

/// A change of base, with where the threads stand afterwards.
pub(crate) struct Retarget {
    before: Pull,
    after: Pull,
    threads: Vec<(i64, Option<Place>)>,
}

/// Looks at what a change of base means that somebody asks for; nothing when the base is that already.
pub(super) fn prepare(call: &Call, base: &str) -> Result<Option<Retarget>, ApiError> {
    let (issue, pull) = call.forge.db.read(|conn| numbered(call, conn))??;
    if pull.base_ref == base {
        return Ok(None);
    }
    if !issue.is_open() {
        return Err(refusal("Cannot change the base branch of a closed pull request."));
    }
    let row = branch(call, base)?.ok_or_else(|| refuse("base", "invalid"))?;
    let repository = call.forge.git.open(call.repo()?.id)?;
    if history::contains(&repository, Oid::from_str(&row.oid)?, Oid::from_str(&pull.head_oid)?) {
        let head = &pull.head_ref;
        let why = format!("There are no new commits between base branch '{base}' and head branch '{head}'");
        return Err(refusal(&why));
    }
    Retarget::plan(&call.forge.db, &repository, pull, (base, &row.oid)).map(Some)
}

fn refusal(why: &str) -> ApiError {
    ApiError { errors: message_errors(why), ..ApiError::unprocessable("Validation Failed") }
}

impl Retarget {
    /// Works out a change of base to a branch and its tip.
    pub(crate) fn plan(
        db: &Database,
        repository: &Repository,
        before: Pull,
        (base_ref, base_oid): (&str, &str),
    ) -> Result<Self, ApiError> {
        let after = Pull { base_ref: base_ref.to_owned(), base_oid: base_oid.to_owned(), ..before.clone() };
        let standing = db.read(|conn| review_threads::standing(conn, before.id))??;
        let threads = pull_diff::follow_threads(repository, (&before, &after), &standing)?;
        Ok(Self { before, after, threads })
    }

    /// Whether the same pull request is open into the new base already, or head and base would be one branch.
    pub(crate) fn is_taken(&self, tx: &Tx<'_>, repo_id: i64) -> Result<bool, ApiError> {
        let Pull { base_ref, head_repo_id, head_ref, .. } = &self.after;
        let is_same = *head_repo_id == repo_id && head_ref == base_ref;
        Ok(is_same || pulls::open_between(tx, repo_id, *head_repo_id, head_ref, base_ref)?)
    }

    /// Changes the base and everything that hangs on it. The edit itself is told by the caller, who knows what else
    /// changed.
    pub(crate) fn apply(&self, tx: &Tx<'_>, repo: &Repo, scene: Scene) -> Result<(), ApiError> {
        let Pull { id, base_ref, base_oid, head_ref, .. } = &self.after;
        if self.is_taken(tx, repo.id)? {
            let why = format!(
                "A pull request already exists for base branch '{base_ref}' and head branch '{head_ref}'"
            );
            return Err(refusal(&why));
        }
        pulls::set_base(tx, *id, base_ref, base_oid)?;
        place_threads(tx, &self.threads)?;
        events::record(tx, scene, &Happening::BaseRefChanged)?;
        let Some((issue, pull)) = pulls::by_id(tx, *id)? else { return Ok(()) };
        closing::refresh(tx, repo, &issue, &pull)?;
        disarm(tx, scene, &pull)
    }

    /// The base that it had, as an edit tells it.
    pub(crate) fn base_before(&self) -> Value {
        json!({ "ref": { "from": self.before.base_ref }, "sha": { "from": self.before.base_oid } })
    }
}

/// Whoever turned auto-merge on meant the base of then.
fn disarm(tx: &Tx<'_>, scene: Scene, pull: &Pull) -> Result<(), ApiError> {
    if pull.auto_merge.is_some() {
        pulls::set_auto_merge(tx, pull.id, None)?;
        events::record(tx, scene, &Happening::AutoMergeDisabled)?;
        tell_pull(tx, scene, "auto_merge_disabled", json!({ "reason": "Base branch was changed" }));
    }
    Ok(())
}

/// Writes down where threads stand now.
pub(crate) fn place_threads(tx: &Tx<'_>, threads: &[(i64, Option<Place>)]) -> Result<(), ApiError> {
    for (id, place) in threads {
        match place {
            Some(place) => review_threads::move_to(tx, *id, place)?,
            None => review_threads::set_outdated(tx, *id)?,
        }
    }
    Ok(())
}
