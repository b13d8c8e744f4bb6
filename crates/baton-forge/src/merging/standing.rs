//! Reads what the merge state of a pull request depends on.

use std::collections::BTreeMap;

use git2::Oid;
use rusqlite::Connection;

use super::state::{Opinion, Standing, Verdict};
use crate::db::accounts;
use crate::db::issues::Issue;
use crate::db::protections::{self, ProtectionSettings};
use crate::db::pulls::Pull;
use crate::db::repos::{self, Permission, Repo};
use crate::db::{checks, refs, statuses};
use crate::git::{GitStore, history};
use crate::http::error::ApiError;

/// The tip of a pull request's base branch, if the branch is there.
pub(crate) fn base_tip(conn: &Connection, repo_id: i64, pull: &Pull) -> rusqlite::Result<Option<String>> {
    Ok(refs::find(conn, repo_id, &format!("refs/heads/{}", pull.base_ref))?.map(|row| row.oid))
}

/// How the trial merge of the present tips ended, if there was one.
pub(crate) fn valid_trial(pull: &Pull, base_tip: Option<&str>) -> Option<bool> {
    let trial = pull.trial.as_ref()?;
    (Some(trial.base.as_str()) == base_tip && trial.head == pull.head_oid).then_some(trial.clean)
}

/// Reads everything about one pull request.
pub(crate) fn load(
    conn: &Connection,
    git: &GitStore,
    repo: &Repo,
    (issue, pull): (&Issue, &Pull),
) -> Result<Standing, ApiError> {
    let base_tip = base_tip(conn, repo.id, pull)?;
    let protection =
        protections::of_branch(conn, repo.id, &pull.base_ref)?.map(|protection| protection.settings);
    Ok(Standing {
        open: issue.is_open(),
        draft: pull.draft,
        trial: valid_trial(pull, base_tip.as_deref()),
        behind: is_behind(git, repo.id, pull, protection.as_ref(), base_tip.as_deref())?,
        checks: verdicts(conn, repo.id, &pull.head_oid)?,
        opinions: opinions(conn, repo, issue, pull)?,
        unresolved_threads: has_unresolved_threads(conn, pull.id)?,
        protection,
    })
}

/// What each context of a commit has come to. Check runs and statuses of the same name are one; the worse one speaks.
pub(crate) fn verdicts(
    conn: &Connection,
    repo_id: i64,
    oid: &str,
) -> rusqlite::Result<BTreeMap<String, Verdict>> {
    let mut found: BTreeMap<String, Verdict> = BTreeMap::new();
    let mut add = |name: String, verdict: Verdict| {
        let known = found.entry(name).or_insert(verdict);
        *known = verdict.max(*known);
    };
    for run in checks::runs_of(conn, repo_id, oid, true)? {
        let verdict = Verdict::of_run(&run.status, run.conclusion.as_deref());
        add(run.name, verdict);
    }
    for status in statuses::latest(conn, repo_id, oid)? {
        let verdict = Verdict::of_status(&status.state);
        add(status.context, verdict);
    }
    Ok(found)
}

/// Only a strict rule asks, and asking takes a walk through the commits.
fn is_behind(
    git: &GitStore,
    repo_id: i64,
    pull: &Pull,
    protection: Option<&ProtectionSettings>,
    base_tip: Option<&str>,
) -> Result<bool, ApiError> {
    let checks = protection.and_then(|settings| settings.required_checks.as_ref());
    let (true, Some(base_tip)) = (checks.is_some_and(|checks| checks.strict), base_tip) else {
        return Ok(false);
    };
    let (base, head) = (Oid::from_str(base_tip)?, Oid::from_str(&pull.head_oid)?);
    Ok(!history::contains(&git.open(repo_id)?, head, base))
}

fn opinions(conn: &Connection, repo: &Repo, issue: &Issue, pull: &Pull) -> rusqlite::Result<Vec<Opinion>> {
    let sql = "SELECT author_id, state, commit_oid FROM reviews WHERE pull_id = ?1 AND state <> 'PENDING'
               ORDER BY submitted_at, id";
    let mut statement = conn.prepare_cached(sql)?;
    let rows: Vec<(i64, String, String)> = statement
        .query_map([pull.id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    let mut writers: BTreeMap<i64, bool> = BTreeMap::new();
    let mut found = Vec::with_capacity(rows.len());
    for (author_id, state, commit) in rows {
        let counts = match writers.get(&author_id) {
            Some(known) => *known,
            None => {
                let account = accounts::by_id(conn, author_id)?;
                let may_write = repos::permission(conn, repo, &account)? >= Permission::Write;
                // Nobody approves their own work.
                *writers.entry(author_id).or_insert(may_write && author_id != issue.author_id)
            }
        };
        found.push(Opinion { author_id, state, counts, is_current: commit == pull.head_oid });
    }
    Ok(found)
}

fn has_unresolved_threads(conn: &Connection, pull_id: i64) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM review_threads t WHERE t.pull_id = ?1 AND t.resolved_by IS NULL AND EXISTS
               (SELECT 1 FROM review_comments c JOIN reviews r ON r.id = c.review_id
                WHERE c.thread_id = t.id AND r.state <> 'PENDING')";
    conn.prepare_cached(sql)?.exists([pull_id])
}
