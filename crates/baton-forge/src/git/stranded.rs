//! Pull requests whose base branch is gone. What stood on a branch that was merged goes into where that went; anything else
//! has nowhere to go and is closed.

use git2::Repository;
use serde_json::json;

use super::arrivals::{Arrival, head_after};
use super::ref_changes::{Followers, RefChange, close};
use crate::api::pull_base::Retarget;
use crate::api::pull_news::tell_pull;
use crate::db::Tx;
use crate::db::events::Scene;
use crate::db::issues::{self, Issue};
use crate::db::pulls::{self, Pull};
use crate::db::repos::Repo;
use crate::http::error::ApiError;

/// An open pull request whose base is gone, and the base that it gets instead, if there is one.
pub(super) struct Stranded {
    issue: Issue,
    retarget: Option<Retarget>,
}

impl Followers<'_> {
    /// Finds the open pull requests into branches that were deleted.
    pub(super) fn stranded(
        &self,
        repository: &Repository,
        repo_id: i64,
        changes: &[RefChange],
        arrivals: &[Arrival],
    ) -> Result<Vec<Stranded>, ApiError> {
        let mut found = Vec::new();
        for change in changes.iter().filter(|change| change.new.is_none()) {
            let Some(gone) = change.name.strip_prefix("refs/heads/") else { continue };
            let pulls = self.db.read(|conn| pulls::open_by_base(conn, repo_id, gone))??;
            if pulls.is_empty() {
                continue;
            }
            let next = self.next_base(repository, repo_id, gone, arrivals)?;
            for (issue, pull) in pulls {
                let pull = Pull { head_oid: head_after(&pull, changes), ..pull };
                let next = next.as_ref().map(|(name, tip)| (name.as_str(), tip.as_str()));
                let retarget =
                    next.map(|base| Retarget::plan(self.db, repository, pull, base)).transpose()?;
                found.push(Stranded { issue, retarget });
            }
        }
        Ok(found)
    }

    /// The branch that one was merged into, by this very push or before, and its tip; nothing if that is gone too.
    fn next_base(
        &self,
        repository: &Repository,
        repo_id: i64,
        gone: &str,
        arrivals: &[Arrival],
    ) -> Result<Option<(String, String)>, ApiError> {
        let arriving = arrivals.iter().find_map(|arrival| arrival.base_of(gone)).map(str::to_owned);
        let base = match arriving {
            Some(base) => Some(base),
            None => self.db.read(|conn| pulls::merged_into(conn, repo_id, gone))??,
        };
        let Some(base) = base else { return Ok(None) };
        let tip = repository.refname_to_id(&format!("refs/heads/{base}")).ok();
        Ok(tip.map(|tip| (base, tip.to_string())))
    }
}

impl Stranded {
    /// Turns it to its new base, or closes it; nothing if it is closed by now.
    pub(super) fn settle(&self, tx: &Tx<'_>, repo: &Repo, actor_id: i64, now: i64) -> Result<(), ApiError> {
        let scene = Scene { repo_id: repo.id, issue_id: self.issue.id, actor_id, now };
        if !issues::by_id(tx, self.issue.id)?.is_some_and(|issue| issue.is_open()) {
            return Ok(());
        }
        match &self.retarget {
            Some(retarget) if !retarget.is_taken(tx, repo.id)? => {
                retarget.apply(tx, repo, scene)?;
                issues::touch(tx, self.issue.id, now)?;
                let changes = json!({ "changes": { "base": retarget.base_before() } });
                tell_pull(tx, scene, "edited", changes);
                Ok(())
            }
            _ => close(tx, scene, None, None),
        }
    }
}
