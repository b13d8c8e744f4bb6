//! The JSON of runs and wakeups. Keys are always there, and are null where there is nothing; documented in
//! docs/orchestration.md and kept.

use baton_core::config::Config;
use baton_core::slot::effect::Deed;
use baton_core::slot::{ItemKey, RunStatus, WakeupStatus};
use baton_core::time::StoreTime;
use baton_ports::store::{RunRow, WakeupRow};
use serde_json::{Value, json};

/// Returns the issue as it is written, for an issue.
pub(super) fn issue(item: &ItemKey) -> Option<String> {
    match item {
        ItemKey::Issue(issue) => Some(issue.to_string()),
        ItemKey::Task { .. } => None,
    }
}

/// Returns the name of the task, for a task.
pub(super) fn task(item: &ItemKey) -> Option<&str> {
    match item {
        ItemKey::Issue(_) => None,
        ItemKey::Task { task, .. } => Some(task),
    }
}

/// Returns a run.
pub(super) fn run(row: &RunRow, now: StoreTime) -> Value {
    let RunRow { run, item, host } = row;
    json!({
        "run": run.id,
        "issue": issue(item),
        "task": task(item),
        "agent": run.agent,
        "status": run.status.as_str(),
        "wakeup": run.wakeup,
        "attempt": run.attempt + 1,
        "interruptions": run.interruptions,
        "retry_of": run.retry_of,
        "stop": run.stop.map(|stop| stop.as_str()),
        "cause": run.cause.map(|cause| cause.as_str()),
        "error": run.error,
        "host": host,
        "fence": run.fence,
        "cost_usd_micros": run.cost_micros,
        "context": run.context.as_value(),
        "created_at": run.created_at.to_string(),
        "not_before": run.not_before.to_string(),
        "started_at": run.started_at.map(|at| at.to_string()),
        "finished_at": run.finished_at.map(|at| at.to_string()),
        "age_s": now.since(run.created_at).as_secs(),
    })
}

/// Returns what an effect does, in the words that it is stored in.
pub(crate) fn deed(deed: &Deed) -> String {
    let value = serde_json::to_value(deed).unwrap_or_default();
    value["do"].as_str().unwrap_or("something").replace('_', " ")
}

/// Returns a run in few words: who has the slot, since when, and where.
pub(super) fn holder(row: &RunRow, now: StoreTime) -> Value {
    json!({
        "run": row.run.id,
        "agent": row.run.agent,
        "status": row.run.status.as_str(),
        "age_s": now.since(since(row)).as_secs(),
        "host": row.host,
    })
}

/// Returns since when a run is in its status.
pub(super) fn since(row: &RunRow) -> StoreTime {
    let run = &row.run;
    let entered = if run.status == RunStatus::Running { run.started_at } else { run.finished_at };
    entered.unwrap_or(run.created_at)
}

/// Returns a wakeup.
pub(super) fn wakeup(row: &WakeupRow, now: StoreTime, config: &Config) -> Value {
    let WakeupRow { wakeup, item } = row;
    json!({
        "wakeup": wakeup.id,
        "issue": issue(item),
        "task": task(item),
        "agent": wakeup.agent,
        "source": wakeup.source.as_str(),
        "reason": wakeup.reason.as_str(),
        "status": wakeup.status.as_str(),
        "disposition": wakeup.disposition.map(|it| it.as_str()),
        "skip": wakeup.skip.map(|skip| skip.as_str()),
        "run": wakeup.run,
        "merged_into": wakeup.merged_into,
        "key": wakeup.key,
        "asked_by": {
            "who": wakeup.asked_by.who,
            "is_person": wakeup.asked_by.is_person,
            "run": wakeup.asked_by.run,
        },
        "context": wakeup.context.as_value(),
        "created_at": wakeup.created_at.to_string(),
        "finished_at": wakeup.finished_at.map(|at| at.to_string()),
        "age_s": now.since(wakeup.created_at).as_secs(),
        "overdue": is_overdue(row, now, config),
    })
}

/// Returns whether a wakeup has waited for longer than people should be left to find out by themselves.
pub(super) fn is_overdue(row: &WakeupRow, now: StoreTime, config: &Config) -> bool {
    let wakeup = &row.wakeup;
    wakeup.status == WakeupStatus::Deferred && now.since(wakeup.created_at) >= config.deferred_alarm
}
