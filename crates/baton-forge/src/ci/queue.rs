//! What the CI has to run: made from pushes and requests to run again, kept in `ci_jobs`.

use std::path::Path;
use std::sync::Arc;

use super::CiRule;
use super::job;
use crate::db::Tx;
use crate::db::checks::{self, CheckRun, CheckSuite, SuitePlace};
use crate::db::ci_jobs::{self, CiJob};
use crate::db::repos::{self, Repo};
use crate::db::{pulls, refs};
use crate::git::git_command;
use crate::http::error::ApiError;
use crate::news::{News, Scope, What};
use crate::server::Inner;

/// A commit on a branch that a rule may have to run on.
struct Occasion {
    repo: Repo,
    oid: String,
    before: Option<String>,
    branch: String,
}

/// What news call for.
pub(super) fn hear(forge: &Arc<Inner>, rules: &[CiRule], news: &News) -> Result<Vec<CiJob>, ApiError> {
    let Scope::Repo(repo_id) = news.scope else { return Ok(Vec::new()) };
    match &news.what {
        What::Push { name, before, after: Some(after), .. } => {
            let Some(branch) = name.strip_prefix("refs/heads/") else { return Ok(Vec::new()) };
            let Some(repo) = forge.db.read(|conn| repos::by_id(conn, repo_id))?? else {
                return Ok(Vec::new());
            };
            let (oid, branch) = (after.clone(), branch.to_owned());
            queue(forge, rules, Occasion { repo, oid, before: before.clone(), branch })
        }
        What::CheckRun { run_id, action: "rerequested" } => {
            let found = forge.db.read(|conn| checks::run(conn, *run_id))??;
            repeat(forge, found.into_iter().collect())
        }
        What::CheckSuite { suite_id, action: "rerequested" } => {
            let found = forge.db.read(|conn| checks::runs_in(conn, *suite_id, true))??;
            repeat(forge, found)
        }
        _ => Ok(Vec::new()),
    }
}

/// Makes a check run and a job for each rule that applies and has not spoken about this commit yet.
fn queue(forge: &Arc<Inner>, rules: &[CiRule], occasion: Occasion) -> Result<Vec<CiJob>, ApiError> {
    let applying = rules.iter().filter(|rule| rule.is_for(&occasion.repo) && rule.takes(&occasion.branch));
    let names: Vec<String> = applying.map(|rule| rule.name.clone()).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let now = forge.clock.now_s();
    forge.db.writer().write_blocking(move |tx| {
        let place = SuitePlace {
            repo_id: occasion.repo.id,
            app_id: checks::CI.id,
            head_oid: &occasion.oid,
            head_branch: Some(&occasion.branch),
            before_oid: occasion.before.as_deref(),
        };
        let (suite, is_new) = checks::ensure_suite(tx, &place, now)?;
        if is_new {
            let what = What::CheckSuite { suite_id: suite.id, action: "requested" };
            tell(tx, &occasion.repo, now, what);
        }
        let known = checks::runs_in(tx, suite.id, true)?;
        let mut jobs = Vec::new();
        for name in names {
            if !known.iter().any(|run| run.name == name) {
                jobs.push(enqueue(tx, &occasion.repo, &suite, &name, now)?);
            }
        }
        Ok(jobs)
    })
}

/// Makes new runs of the CI's own runs among these.
fn repeat(forge: &Arc<Inner>, runs: Vec<CheckRun>) -> Result<Vec<CiJob>, ApiError> {
    let now = forge.clock.now_s();
    forge.db.writer().write_blocking(move |tx| {
        let mut jobs = Vec::new();
        for run in runs.iter().filter(|run| run.app_id == checks::CI.id) {
            let (repo, suite) = (repos::by_id(tx, run.repo_id)?, checks::suite(tx, run.suite_id)?);
            if let (Some(repo), Some(suite)) = (repo, suite) {
                jobs.push(enqueue(tx, &repo, &suite, &run.name, now)?);
            }
        }
        Ok(jobs)
    })
}

fn enqueue(tx: &Tx<'_>, repo: &Repo, suite: &CheckSuite, name: &str, now: i64) -> Result<CiJob, ApiError> {
    let run = CheckRun {
        id: 0,
        repo_id: repo.id,
        suite_id: suite.id,
        app_id: suite.app_id,
        name: name.to_owned(),
        head_oid: suite.head_oid.clone(),
        status: "queued".to_owned(),
        conclusion: None,
        details_url: None,
        external_id: String::new(),
        output_title: None,
        output_summary: None,
        output_text: None,
        started_at: now,
        completed_at: None,
    };
    let run = checks::save_run(tx, &run, now)?;
    let branch = suite.head_branch.as_deref().unwrap_or(&repo.default_branch);
    let job = CiJob {
        run_id: run.id,
        repo_id: repo.id,
        oid: suite.head_oid.clone(),
        name: format!("refs/heads/{branch}"),
    };
    ci_jobs::insert(tx, &job, now)?;
    tell(tx, repo, now, What::CheckRun { run_id: run.id, action: "created" });
    Ok(job)
}

/// The CI acts for the repository's owner.
pub(super) fn tell(tx: &Tx<'_>, repo: &Repo, now: i64, what: What) {
    tx.tell(News { scope: Scope::Repo(repo.id), actor_id: repo.owner.id, now, what });
}

/// What a start of the forge finds to do: jobs that were cut off, and heads of open pull requests and default branches
/// that a crash kept from being queued. What nobody runs any more is completed as cancelled, so that nobody waits for it.
pub(super) fn resume(forge: &Arc<Inner>, directory: &Path, rules: &[CiRule]) -> Result<Vec<CiJob>, ApiError> {
    if let Err(error) = std::fs::remove_dir_all(directory)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "cannot clear the CI's directory");
    }
    let mut jobs = Vec::new();
    for job in forge.db.read(ci_jobs::all)?? {
        // The work tree is gone, and git must forget it.
        drop(git_command(&forge.git.path(job.repo_id)).args(["worktree", "prune"]).output());
        match job::rule_of(forge, rules, &job)? {
            Some(_) => jobs.push(job),
            None => job::abandon(forge, &job)?,
        }
    }
    for (issue, pull) in forge.db.read(pulls::all_open)?? {
        let Some(repo) = forge.db.read(|conn| repos::by_id(conn, issue.repo_id))?? else { continue };
        let occasion = Occasion { repo, oid: pull.head_oid, before: None, branch: pull.head_ref };
        jobs.extend(queue(forge, rules, occasion)?);
    }
    for repo in forge.db.read(|conn| repos::list(conn, None))?? {
        let name = format!("refs/heads/{}", repo.default_branch);
        let Some(tip) = forge.db.read(|conn| refs::find(conn, repo.id, &name))?? else { continue };
        let branch = repo.default_branch.clone();
        jobs.extend(queue(forge, rules, Occasion { repo, oid: tip.oid, before: None, branch })?);
    }
    Ok(jobs)
}
