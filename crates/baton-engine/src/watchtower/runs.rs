//! Runs in one line, and from near.

use baton_core::agent::Errand;
use baton_core::pipeline::effect::Job;
use baton_core::slot::{ItemKey, Run, RunId, RunStatus};
use baton_ports::store::{RunFilter, RunRow};
use baton_ports::{RunLogs, Store as _};
use baton_view::{LookoutError, Numbers, RunLine, RunQuery, RunState, RunView};

use super::{Answer, Watchtower, of_store};
use crate::marshal::Parts;

/// How many runs are listed when nobody says so, and how many at most.
const LIMIT: u32 = 50;
const LIMIT_MAX: u32 = 500;

impl<P: Parts, L> Watchtower<P, L> {
    pub(super) async fn list_runs(&self, query: &RunQuery) -> Answer<Vec<RunLine>> {
        let item = match &query.issue {
            Some(text) => {
                let issue = text.parse().map_err(|_| {
                    LookoutError::Refused(format!("`{text}` is no issue: write it like owner/name#42"))
                })?;
                Some(ItemKey::issue(&issue))
            }
            None => None,
        };
        let active = [RunStatus::Queued, RunStatus::ScheduledRetry, RunStatus::Running];
        let statuses = if query.active { active.to_vec() } else { Vec::new() };
        let limit = query.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let filter = RunFilter { item, statuses, limit, ..RunFilter::default() };
        let rows = self.marshal.relay.store.runs(&filter).await.map_err(of_store)?;
        Ok(rows.iter().map(|row| self.line(row)).collect())
    }

    pub(super) async fn run_row(&self, run: i64) -> Answer<RunRow> {
        let filter = RunFilter { id: Some(RunId(run)), limit: 1, ..RunFilter::default() };
        let rows = self.marshal.relay.store.runs(&filter).await.map_err(of_store)?;
        let none = || LookoutError::NoSuch(format!("there is no run {run}: `baton runs` lists them"));
        rows.into_iter().next().ok_or_else(none)
    }

    /// Returns a run in one line.
    pub(super) fn line(&self, row: &RunRow) -> RunLine {
        let RunRow { run, item, host } = row;
        let errand = Errand::read(&run.context).ok();
        let (issue, task) = match item {
            ItemKey::Issue(issue) => (Some(issue.to_string()), None),
            ItemKey::Task { task, .. } => (None, Some(task.clone())),
        };
        RunLine {
            run: run.id.0,
            issue,
            task,
            stage: errand.as_ref().and_then(|errand| errand.stage.clone()),
            errand: errand.as_ref().map_or_else(|| "unreadable".to_owned(), said),
            agent: run.agent.to_string(),
            state: state(run.status),
            cause: run.cause.map(|cause| cause.as_str().replace('_', " ")),
            error: run.error.clone(),
            attempt: run.attempt + 1,
            host: host.clone(),
            created_at: run.created_at.into(),
            started_at: run.started_at.map(Into::into),
            finished_at: run.finished_at.map(Into::into),
            cost_micros: run.cost_micros,
            numbers: self.numbers(run, errand.as_ref()),
        }
    }

    fn numbers(&self, run: &Run, errand: Option<&Errand>) -> Option<Numbers> {
        let numbers = self.live.numbers(run.id)?;
        let rules = self.marshal.rules();
        let stage = errand.and_then(|errand| rules.pipeline.stage(errand.stage.as_deref()?));
        let turns_max = stage.and_then(|stage| match errand.map(|errand| errand.job) {
            Some(Job::Comments) => stage.comment_max_turns.or(stage.max_turns),
            _ => stage.max_turns,
        });
        Some(Numbers {
            turns: numbers.turns,
            turns_max: turns_max.map(u64::from),
            input_tokens: numbers.input_tokens,
            output_tokens: numbers.output_tokens,
            cost_micros: numbers.cost_micros,
            last_line: numbers.last_line,
        })
    }
}

impl<P: Parts, L: RunLogs> Watchtower<P, L> {
    pub(super) async fn look_at_run(&self, run: i64) -> Answer<RunView> {
        let row = self.run_row(run).await?;
        let now = self.marshal.relay.store.now().await.map_err(of_store)?;
        let has_log = self.has_log(row.run.id).await?;
        let mut line = self.line(&row);
        if line.numbers.is_none() && has_log {
            line.numbers = self.numbers_of_log(row.run.id).await?;
        }
        let title = match &row.item {
            ItemKey::Issue(issue) => self.marshal.picture().and_then(|picture| {
                picture
                    .issues
                    .into_iter()
                    .find(|(known, _)| known == issue)
                    .map(|(_, known)| known.title.to_string())
            }),
            ItemKey::Task { .. } => None,
        };
        let log_elsewhere = (!has_log).then(|| without_log(&row, &self.host));
        let retry_of = row.run.retry_of.map(|run| run.0);
        Ok(RunView { now: now.into(), line, title, retry_of, has_log, log_elsewhere })
    }
}

/// Returns whether a run that has no log on this machine may still write one.
pub(super) fn is_to_come(row: &RunRow, here: &str) -> bool {
    row.run.status.is_active() && row.host.as_ref().is_none_or(|host| host == here)
}

/// Says why there is no log on this machine.
pub(super) fn without_log(row: &RunRow, here: &str) -> String {
    let run = row.run.id;
    match &row.host {
        Some(host) if host != here => {
            format!("its log is on {host}, where it was executed: `baton logs {run}` there shows it")
        }
        Some(_) if row.run.status == RunStatus::Running => "it has printed nothing yet".to_owned(),
        Some(_) => "its log was removed, or `log_dir` was another".to_owned(),
        None if row.run.status.is_active() => "it has not started yet".to_owned(),
        None => format!("it was {} before it started", row.run.status),
    }
}

/// Says what a run is for.
fn said(errand: &Errand) -> String {
    match &errand.stage {
        Some(stage) => format!("{stage}: {}", errand.job.to_string().replace('_', " ")),
        None => "woken by hand".to_owned(),
    }
}

pub(super) fn state(status: RunStatus) -> RunState {
    match status {
        RunStatus::Queued => RunState::Queued,
        RunStatus::ScheduledRetry => RunState::ScheduledRetry,
        RunStatus::Running => RunState::Running,
        RunStatus::Succeeded => RunState::Succeeded,
        RunStatus::Failed => RunState::Failed,
        RunStatus::Cancelled => RunState::Cancelled,
        RunStatus::TimedOut => RunState::TimedOut,
        RunStatus::Interrupted => RunState::Interrupted,
    }
}
