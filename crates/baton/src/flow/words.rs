//! The sentences that wakeups and cancelled runs end in.

use std::time::Duration;

use baton_core::slot::wake::WakeOutcome;
use baton_core::slot::{RunId, RunStatus, Skip};
use baton_core::time::StoreTime;
use baton_ports::store::RunRow;

use super::shapes::since;
use super::wake::Woken;
use crate::claims::context::spoken;

/// Says what became of a wakeup.
pub(crate) fn woken(woken: &Woken) -> String {
    let (item, agent) = (&woken.item, &woken.agent);
    match &woken.outcome {
        WakeOutcome::Queued { run, .. } => format!("{item}: queued as run {run} of {agent}"),
        WakeOutcome::Coalesced { run, .. } => {
            format!("{item}: merged into {}, which has not started", named(*run, woken))
        }
        WakeOutcome::OwnDoing { run, .. } => {
            format!("{item}: this is the doing of run {run} itself, which it does not wake")
        }
        WakeOutcome::Deferred { behind, merged_into: None, .. } => {
            format!("{item}: waits behind {}", named(*behind, woken))
        }
        WakeOutcome::Deferred { behind, merged_into: Some(wakeup), .. } => {
            format!("{item}: merged into wakeup {wakeup}, which waits behind {}", named(*behind, woken))
        }
        WakeOutcome::Skipped { wakeup, skip } => {
            format!("{item}: wakeup {wakeup} was skipped: {}", skipped(*skip))
        }
        WakeOutcome::Duplicate { wakeup, status } => {
            format!("{item}: wakeup {wakeup} has the same key ({status}); nothing was done")
        }
        WakeOutcome::Refused(error) => format!("{item}: nothing was done: {error}{}", too_much(woken)),
    }
}

fn skipped(skip: Skip) -> &'static str {
    match skip {
        Skip::IssueClosed => "the issue is closed; open it again first",
        Skip::UnknownAgent => "no such agent is configured; add it under `agents:` in baton.yaml",
    }
}

/// Says into what a context was to be merged, and what can be done.
fn too_much(woken: &Woken) -> String {
    let Some(row) = &woken.holder else { return String::new() };
    let run = row.run.id;
    format!(
        "; it was to be merged with what waits for {}: say less, or wait until that is over (`baton logs {run} -f`), or end it (`baton cancel {run}`)",
        holder(row, woken.now)
    )
}

fn named(run: RunId, woken: &Woken) -> String {
    woken.holder.as_ref().map_or_else(|| format!("run {run}"), |row| holder(row, woken.now))
}

/// Says whose a run is, where it stands and for how long.
pub(super) fn holder(row: &RunRow, now: StoreTime) -> String {
    let run = &row.run;
    let stands = match run.status {
        RunStatus::ScheduledRetry => format!("tried again in {}", spoken(run.not_before.since(now))),
        status => format!("{status} for {}", spoken(now.since(since(row)))),
    };
    format!("run {} of {} ({stands})", run.id, run.agent)
}

/// Says that a running run was asked to stop, and when that will be.
pub(super) fn asked_to_stop(
    run: RunId,
    host: Option<&str>,
    is_worker_live: bool,
    heartbeat: Duration,
) -> String {
    let host = host.unwrap_or("an unknown machine");
    match is_worker_live {
        true => format!(
            "run {run} was asked to stop: its worker on {host} stops it within a heartbeat ({})",
            spoken(heartbeat)
        ),
        false => format!(
            "run {run} was asked to stop, but its worker on {host} is not heard of any more; the next engine ends the run"
        ),
    }
}
