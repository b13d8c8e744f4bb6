//! One job: a work tree, a command, a completed check run.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::CiRule;
use super::command::{Ending, Shell};
use super::output;
use super::queue::tell;
use crate::db::checks::{self, CheckRun};
use crate::db::ci_jobs::{self, CiJob};
use crate::db::repos::{self, Repo};
use crate::git::git_command;
use crate::http::error::ApiError;
use crate::news::What;
use crate::server::Inner;

/// What a finished job says.
struct Report {
    conclusion: &'static str,
    title: String,
    summary: String,
    text: String,
}

/// The rule that a job was made from, if the configuration still has it.
pub(super) fn rule_of<'r>(
    forge: &Inner,
    rules: &'r [CiRule],
    job: &CiJob,
) -> Result<Option<(Repo, &'r CiRule)>, ApiError> {
    let (run, repo) = forge.db.read(|conn| {
        Ok::<_, ApiError>((checks::run(conn, job.run_id)?, repos::by_id(conn, job.repo_id)?))
    })??;
    let (Some(run), Some(repo)) = (run, repo) else { return Ok(None) };
    let rule = rules.iter().find(|rule| rule.is_for(&repo) && rule.name == run.name);
    Ok(rule.map(|rule| (repo, rule)))
}

/// Completes a job that nobody will run.
pub(super) fn abandon(forge: &Inner, job: &CiJob) -> Result<(), ApiError> {
    let report = Report {
        conclusion: "cancelled",
        title: "Not run".to_owned(),
        summary: "The forge's configuration has no such check any more.".to_owned(),
        text: String::new(),
    };
    complete(forge, job, report)
}

/// Runs a job and reports it. Cut off in the middle it leaves its row, and is run again after the next start.
pub(super) async fn run(forge: Arc<Inner>, directory: PathBuf, rules: Arc<Vec<CiRule>>, job: CiJob) {
    let (run_id, result) = (job.run_id, carry_out(&forge, &directory, &rules, job).await);
    if let Err(error) = result {
        tracing::error!(error = error.message, run_id, "a job of the CI could not be reported");
    }
}

async fn carry_out(
    forge: &Arc<Inner>,
    directory: &Path,
    rules: &Arc<Vec<CiRule>>,
    job: CiJob,
) -> Result<(), ApiError> {
    let begun = {
        let (forge, rules, job) = (Arc::clone(forge), Arc::clone(rules), job.clone());
        let scratch = directory.join(job.run_id.to_string());
        on_thread(move || begin(&forge, &rules, &job, scratch)).await?
    };
    let (report, scratch) = match begun {
        Begun::Gone => {
            let (forge, job) = (Arc::clone(forge), job.clone());
            return on_thread(move || abandon(&forge, &job)).await;
        }
        Begun::Failed(report, scratch) => (report, scratch),
        Begun::Ready { repo, rule, scratch } => (execute(&repo, &rule, &scratch, &job).await, scratch),
    };
    let forge = Arc::clone(forge);
    on_thread(move || {
        remove(&forge, &job, &scratch);
        complete(&forge, &job, report)
    })
    .await
}

async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let failed = |_| ApiError::new(500, "a thread of the CI ended early");
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(failed(error)))
}

/// How far a job got before its command.
enum Begun {
    /// Its rule is gone.
    Gone,
    Failed(Report, PathBuf),
    Ready {
        repo: Box<Repo>,
        rule: CiRule,
        scratch: PathBuf,
    },
}

/// Marks the run as begun and makes its work tree.
fn begin(forge: &Inner, rules: &[CiRule], job: &CiJob, scratch: PathBuf) -> Result<Begun, ApiError> {
    let Some((repo, rule)) = rule_of(forge, rules, job)? else { return Ok(Begun::Gone) };
    let (run_id, now) = (job.run_id, forge.clock.now_s());
    forge.db.writer().write_blocking(move |tx| {
        if let Some(run) = checks::run(tx, run_id)? {
            let begun = CheckRun { status: "in_progress".to_owned(), started_at: now, ..run };
            checks::save_run(tx, &begun, now)?;
        }
        Ok::<_, ApiError>(())
    })?;
    Ok(match check_out(forge, job, &scratch) {
        Ok(()) => Begun::Ready { repo: Box::new(repo), rule: rule.clone(), scratch },
        Err(why) => Begun::Failed(
            Report {
                conclusion: "failure",
                title: "Could not be checked out".to_owned(),
                summary: format!("The work tree of {} could not be made.", job.oid),
                text: why,
            },
            scratch,
        ),
    })
}

fn check_out(forge: &Inner, job: &CiJob, scratch: &Path) -> Result<(), String> {
    let shown = |error: std::io::Error| error.to_string();
    drop(std::fs::remove_dir_all(scratch));
    std::fs::create_dir_all(scratch.join("home")).map_err(shown)?;
    // Git resolves a relative path against the repository.
    let tree = scratch.canonicalize().map_err(shown)?.join("work");
    let output = git_command(&forge.git.path(job.repo_id))
        .args(["worktree", "add", "--detach", "--force", "--quiet"])
        .arg(&tree)
        .arg(&job.oid)
        .output()
        .map_err(shown)?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn remove(forge: &Inner, job: &CiJob, scratch: &Path) {
    // A command may have left what cannot be removed at once; the next start clears the whole directory.
    if let Err(error) = std::fs::remove_dir_all(scratch) {
        tracing::warn!(%error, run_id = job.run_id, "cannot remove a work tree of the CI");
    }
    drop(git_command(&forge.git.path(job.repo_id)).args(["worktree", "prune"]).output());
}

async fn execute(repo: &Repo, rule: &CiRule, scratch: &Path, job: &CiJob) -> Report {
    let (work_tree, home) = (scratch.join("work"), scratch.join("home"));
    let branch = job.name.strip_prefix("refs/heads/").unwrap_or(&job.name);
    let variables = [
        ("GITHUB_SHA", job.oid.clone()),
        ("GITHUB_REF", job.name.clone()),
        ("GITHUB_REF_NAME", branch.to_owned()),
        ("GITHUB_REPOSITORY", repo.full_name()),
        ("GITHUB_REPOSITORY_OWNER", repo.owner.login.clone()),
        ("GITHUB_JOB", rule.name.clone()),
        ("GITHUB_EVENT_NAME", "push".to_owned()),
        ("GITHUB_RUN_ID", job.run_id.to_string()),
        ("GITHUB_WORKSPACE", work_tree.display().to_string()),
    ];
    let shell = Shell {
        script: &rule.command,
        work_tree: &work_tree,
        home: &home,
        variables: &variables,
        time_limit: rule.time_limit,
    };
    let started = Instant::now();
    let (ending, tail) = shell.run().await;
    report(rule, &ending, started.elapsed(), tail.into_text())
}

fn report(rule: &CiRule, ending: &Ending, took: Duration, text: String) -> Report {
    let command = &rule.command;
    let took = format!("{:.1} s", took.as_secs_f64());
    let (conclusion, title, what) = match ending {
        Ending::Exited(status) if status.success() => {
            ("success", format!("Passed in {took}"), format!("exited with code 0 after {took}"))
        }
        Ending::Exited(status) => {
            ("failure", format!("Failed after {took}"), format!("{} after {took}", how_it_ended(*status)))
        }
        Ending::TimedOut => {
            let limit = format!("{:.1} s", rule.time_limit.as_secs_f64());
            (
                "timed_out",
                format!("Timed out after {limit}"),
                format!("was killed after its limit of {limit}"),
            )
        }
        Ending::Failed(error) => {
            ("failure", "Could not be run".to_owned(), format!("could not be run: {error}"))
        }
    };
    Report { conclusion, title, summary: format!("`{command}` {what}."), text }
}

fn how_it_ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended in an unknown way".to_owned(),
    }
}

/// Writes the report, and takes the job off the list in the same change.
fn complete(forge: &Inner, job: &CiJob, report: Report) -> Result<(), ApiError> {
    let (run_id, now) = (job.run_id, forge.clock.now_s());
    forge.db.writer().write_blocking(move |tx| {
        ci_jobs::remove(tx, run_id)?;
        // The repository, and with it the run, may have been deleted in the meantime.
        let Some(run) = checks::run(tx, run_id)? else { return Ok(()) };
        let Some(repo) = repos::by_id(tx, run.repo_id)? else { return Ok(()) };
        for annotation in output::annotations(&report.text) {
            checks::annotate(tx, run_id, &annotation)?;
        }
        let done = CheckRun {
            status: "completed".to_owned(),
            conclusion: Some(report.conclusion.to_owned()),
            output_title: Some(report.title),
            output_summary: Some(report.summary),
            output_text: Some(report.text),
            completed_at: Some(now),
            ..run
        };
        checks::save_run(tx, &done, now)?;
        tell(tx, &repo, now, What::CheckRun { run_id, action: "completed" });
        if checks::runs_in(tx, done.suite_id, true)?.iter().all(CheckRun::is_completed) {
            tell(tx, &repo, now, What::CheckSuite { suite_id: done.suite_id, action: "completed" });
        }
        Ok(())
    })
}
