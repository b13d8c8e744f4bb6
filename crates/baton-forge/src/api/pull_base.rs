//! Changes the branch into which a pull request goes.

use git2::Oid;
use serde_json::{Value, json};

use super::pulls::{branch, message_errors, numbered, refuse};
use crate::db::Tx;
use crate::db::events::{self, Happening, Scene};
use crate::db::pulls::{self, Pull};
use crate::db::review_threads::{self, Place};
use crate::git::{history, pull_diff};
use crate::http::call::Call;
use crate::http::error::ApiError;

/// A change of base that was found to be possible, with where the threads stand afterwards.
pub(super) struct Retarget {
    before: Pull,
    after: Pull,
    threads: Vec<(i64, Option<Place>)>,
}

/// Looks at what a change of base means; nothing when the base is that already.
pub(super) fn prepare(call: &Call, base: &str) -> Result<Option<Retarget>, ApiError> {
    let (issue, pull) = call.forge.db.read(|conn| numbered(call, conn))??;
    if pull.base_ref == base {
        return Ok(None);
    }
    if !issue.is_open() {
        let why = "Cannot change the base branch of a closed pull request.";
        return Err(ApiError { errors: message_errors(why), ..ApiError::unprocessable("Validation Failed") });
    }
    let row = branch(call, base)?.ok_or_else(|| refuse("base", "invalid"))?;
    let repository = call.forge.git.open(call.repo()?.id)?;
    if history::contains(&repository, Oid::from_str(&row.oid)?, Oid::from_str(&pull.head_oid)?) {
        let head = &pull.head_ref;
        let why = format!("There are no new commits between base branch '{base}' and head branch '{head}'");
        return Err(ApiError {
            errors: message_errors(&why),
            ..ApiError::unprocessable("Validation Failed")
        });
    }
    let after = Pull { base_ref: base.to_owned(), base_oid: row.oid, ..pull.clone() };
    let standing = call.forge.db.read(|conn| review_threads::standing(conn, pull.id))??;
    let threads = pull_diff::follow_threads(&repository, (&pull, &after), &standing)?;
    Ok(Some(Retarget { before: pull, after, threads }))
}

impl Retarget {
    /// The base that it had, as an edit tells it.
    pub(super) fn base_before(&self) -> Value {
        json!({ "ref": { "from": self.before.base_ref }, "sha": { "from": self.before.base_oid } })
    }

    pub(super) fn apply(&self, tx: &Tx<'_>, scene: Scene) -> Result<(), ApiError> {
        let Pull { id, base_ref, base_oid, head_repo_id, head_ref, .. } = &self.after;
        if pulls::open_between(tx, scene.repo_id, *head_repo_id, head_ref, base_ref)? {
            let why = format!(
                "A pull request already exists for base branch '{base_ref}' and head branch '{head_ref}'"
            );
            return Err(ApiError {
                errors: message_errors(&why),
                ..ApiError::unprocessable("Validation Failed")
            });
        }
        pulls::set_base(tx, *id, base_ref, base_oid)?;
        place_threads(tx, &self.threads)?;
        Ok(events::record(tx, scene, &Happening::BaseRefChanged)?)
    }
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
