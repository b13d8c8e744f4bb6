//! Pull requests.
//!
//! A payload measures what a pull request changes, but tries no merge: GitHub, too, does not know yet whether it can be
//! merged when it tells of it.

use git2::{Oid, Repository, Sort};
use serde_json::{Value, json};

use super::{PayloadError, Stage, Written, body, to_value};
use crate::db::issues::Issue;
use crate::db::pulls::{self, Pull};
use crate::db::{refs, teams};
use crate::wire::pull::PullFacts;
use crate::wire::team::TeamView;

impl<'a> Stage<'a> {
    pub(super) fn pull_request(&self, issue_id: i64, action: &str, detail: &Value) -> Written {
        let issue = self.issue_row(issue_id)?;
        let pull = pulls::of_issue(self.conn, issue_id)?.ok_or(PayloadError::Gone("pull request"))?;
        let facts = self.facts(&pull);
        let number = issue.number;
        let shown = to_value(&self.render.pull(self.repo()?, issue, pull, Some(facts))?)?;
        let mut parts = body([("number", json!(number)), ("pull_request", shown)]);
        match action {
            "synchronize" => {
                for key in ["before", "after"] {
                    parts.insert(key.to_owned(), detail[key].clone());
                }
            }
            "review_requested" | "review_request_removed" => parts.extend(self.reviewer(detail)?),
            "auto_merge_enabled" | "auto_merge_disabled" => {
                let reason = detail["reason"].as_str().unwrap_or_default();
                parts.insert("reason".to_owned(), json!(reason));
            }
            _ => parts.extend(self.issue_extras(action, detail)?),
        }
        Ok(parts)
    }

    /// The form without figures, which stands beside reviews.
    pub(super) fn simple_pull(&self, issue: Issue, pull: Pull) -> Result<Value, PayloadError> {
        to_value(&self.render.pull(self.repo()?, issue, pull, None)?)
    }

    fn reviewer(&self, detail: &Value) -> Written {
        if let Some(id) = detail["requested_team"].as_i64() {
            return Ok(body([("requested_team", self.team(id)?)]));
        }
        let reviewer = detail["requested_reviewer"].as_i64().map(|id| self.account(id)).transpose()?;
        Ok(body([("requested_reviewer", reviewer.unwrap_or_default())]))
    }

    fn team(&self, id: i64) -> Result<Value, PayloadError> {
        let team = teams::by_id(self.conn, id)?.ok_or(PayloadError::Gone("team"))?;
        let org = self.render.account(team.org_id)?;
        to_value(&TeamView { links: self.links(), org: &org, team: &team })
    }

    /// What it changes. A pull request whose commits are not there is shown without figures, as GitHub does.
    fn facts(&self, pull: &Pull) -> PullFacts {
        let size = self.size(pull).unwrap_or_default();
        PullFacts {
            mergeable: None,
            mergeable_state: "unknown",
            commits: size.commits,
            additions: size.additions,
            deletions: size.deletions,
            changed_files: size.files,
        }
    }

    fn size(&self, pull: &Pull) -> Option<Size> {
        let repo_id = self.repo?.id;
        let base = match pull.merged_at {
            Some(_) => pull.base_oid.clone(),
            None => refs::find(self.conn, repo_id, &format!("refs/heads/{}", pull.base_ref)).ok()??.oid,
        };
        let (base, head) = (Oid::from_str(&base).ok()?, Oid::from_str(&pull.head_oid).ok()?);
        measure(&self.origin.git.open(repo_id).ok()?, base, head).ok()
    }
}

#[derive(Default)]
struct Size {
    commits: usize,
    additions: usize,
    deletions: usize,
    files: usize,
}

fn measure(repository: &Repository, base: Oid, head: Oid) -> Result<Size, git2::Error> {
    let merge_base = repository.merge_base(base, head)?;
    let (from, to) = (repository.find_commit(merge_base)?.tree()?, repository.find_commit(head)?.tree()?);
    let stats = repository.diff_tree_to_tree(Some(&from), Some(&to), None)?.stats()?;
    let mut walk = repository.revwalk()?;
    walk.set_sorting(Sort::NONE)?;
    walk.push(head)?;
    walk.hide(base)?;
    Ok(Size {
        commits: walk.count(),
        additions: stats.insertions(),
        deletions: stats.deletions(),
        files: stats.files_changed(),
    })
}
