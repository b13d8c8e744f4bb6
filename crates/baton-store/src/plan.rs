//! From a rule's changes to the writes that make them so, without touching a database.
//!
//! Writes are grouped: those of one group may happen in any order, so that PostgreSQL can be given them as one statement.
//! A new group begins where a row is touched twice, and where a row enters a unique index that another has just left.
//! Changes of the item's own row become one write, the last.

use std::borrow::Cow;

use baton_core::slot::effect::Effect;
use baton_core::slot::limits::Count;
use baton_core::slot::situation::Transfer;
use baton_core::slot::{Change, Run, RunStatus, Situation, Wakeup, WakeupStatus, WorkerLease};

use crate::arg::{Arg, args};
use crate::fault::Fault;
use crate::row::StoredItem;
use crate::sql::placeholders;

const ADD_WAKEUP: &str = "INSERT INTO wakeups (id, item_id, agent, agent_key, source, reason, context, asked_by, \
     asked_by_person, asked_by_run_id, key, status, disposition, skip, run_id, merged_into_id, attempt, \
     interruptions, not_before, created_at, finished_at) VALUES \
     ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)";
const QUEUE_WAKEUP: &str = "UPDATE wakeups SET status = 'queued', run_id = $2, \
     disposition = coalesce($3, disposition) WHERE id = $1";
const DEFER_WAKEUP: &str = "UPDATE wakeups SET status = 'deferred_issue_execution', context = $2, attempt = $3, \
     interruptions = $4, not_before = $5 WHERE id = $1";
const END_WAKEUP: &str = "UPDATE wakeups SET status = $2, skip = $3, merged_into_id = $4, finished_at = $5 \
     WHERE id = $1";
const ADD_RUN: &str = "INSERT INTO runs (id, item_id, wakeup_id, agent, agent_key, status, context, fence, \
     worker_id, attempt, interruptions, retry_of_id, not_before, stop, created_at, started_at, finished_at, cause, \
     error, cost_micros) VALUES \
     ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)";
const MERGE_INTO_RUN: &str = "UPDATE runs SET context = $2, status = $3, not_before = $4 WHERE id = $1";
const START_RUN: &str = "UPDATE runs SET status = 'running', worker_id = $2, started_at = $3 WHERE id = $1";
const ASK_TO_STOP: &str = "UPDATE runs SET stop = $2 WHERE id = $1";
const END_RUN: &str = "UPDATE runs SET status = $2, cause = $3, error = $4, cost_micros = $5, finished_at = $6 \
     WHERE id = $1";
const ADD_TRANSFER: &str = "INSERT INTO transfers (at, item_id, from_run_id, to_run_id, agent_key, fence, reason, \
     after) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const SET_MEMORY: &str = "INSERT INTO item_memory (item_id, memory) VALUES ($1, $2) \
     ON CONFLICT (item_id) DO UPDATE SET memory = excluded.memory";
const SET_ITEM: &str = "UPDATE items SET is_open = $2, paused = $3, held = $4, blocked = $5, execution_run_id = $6, \
     execution_agent_name_key = $7, execution_locked_at = $8, execution_fence = $9, lease_token = $10, \
     version = $11 WHERE id = $1";
const ADD_EFFECTS: &str = "INSERT INTO effects (item_id, version, step, deed, lease_token, fence, status, attempts, \
     not_before, created_at) VALUES ";
const END_EFFECT: &str = "UPDATE effects SET status = 'done', error = NULL, finished_at = $2 WHERE id = $1";
const EFFECT_COLUMNS: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    Items,
    Memory,
    Wakeups,
    Runs,
    Transfers,
    Effects,
}

/// A unique index over rows in some status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Index {
    ActiveRun,
    DeferredWakeup,
}

/// One statement.
#[derive(Debug, Clone)]
pub(crate) struct Write<'a> {
    pub(crate) sql: Cow<'static, str>,
    pub(crate) args: Vec<Arg<'a>>,
    /// The row it changes; nothing for new ones that nobody else touches.
    touches: Option<(Table, i64)>,
    leaves: Option<Index>,
    enters: Option<Index>,
}

/// What is to be written.
pub(crate) struct Plan<'a> {
    /// Workers that must still be as they were seen.
    pub(crate) buried: Vec<WorkerLease>,
    /// Groups of writes.
    pub(crate) groups: Vec<Vec<Write<'a>>>,
    /// Counters, which are locked last.
    pub(crate) counts: Vec<&'a Count>,
    /// Whether somebody may have something to do.
    pub(crate) is_news: bool,
}

impl Plan<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.buried.is_empty() && self.groups.is_empty() && self.counts.is_empty()
    }
}

/// Plans what a decision writes.
pub(crate) fn plan<'a>(
    situation: &'a Situation,
    stored: &StoredItem,
    changes: &'a [Change],
) -> Result<Plan<'a>, Fault> {
    let mut planner = Planner { situation, row: stored.clone(), writes: Vec::new(), effects: Vec::new() };
    let mut plan = Plan {
        buried: Vec::new(),
        groups: Vec::new(),
        counts: Vec::new(),
        is_news: changes.iter().any(Change::is_news),
    };
    for change in changes {
        match change {
            Change::BuryWorker(lease) => plan.buried.push(*lease),
            Change::Count(counts) => plan.counts.extend(counts),
            change => planner.write(change)?,
        }
    }
    planner.finish(stored)?;
    plan.groups = grouped(planner.writes);
    Ok(plan)
}

struct Planner<'a> {
    situation: &'a Situation,
    /// The item's row as it will be.
    row: StoredItem,
    writes: Vec<Write<'a>>,
    effects: Vec<&'a Effect>,
}

impl<'a> Planner<'a> {
    fn push(
        &mut self,
        sql: &'static str,
        args: Vec<Arg<'a>>,
        touches: Option<(Table, i64)>,
    ) -> &mut Write<'a> {
        let write = Write { sql: Cow::Borrowed(sql), args, touches, leaves: None, enters: None };
        self.writes.push(write);
        let last = self.writes.len() - 1;
        &mut self.writes[last]
    }

    fn write(&mut self, change: &'a Change) -> Result<(), Fault> {
        match change {
            Change::AddWakeup(_)
            | Change::QueueWakeup { .. }
            | Change::DeferWakeup { .. }
            | Change::EndWakeup { .. } => self.write_wakeup(change),
            Change::AddRun(_)
            | Change::MergeIntoRun { .. }
            | Change::StartRun { .. }
            | Change::AskToStop { .. }
            | Change::EndRun { .. } => self.write_run(change),
            Change::Transfer(transfer) => self.transfer(transfer),
            Change::SetOpen(is_open) => self.row.item.is_open = *is_open,
            Change::SetGates(gates) => self.row.item.gates = gates.clone(),
            Change::SetLease(lease) => self.row.item.lease.clone_from(lease),
            Change::SetVersion(version) => self.row.item.version = *version,
            Change::SetMemory(memory) => {
                let item = self.row.item.id.0;
                let memory = json(memory.as_ref())?;
                self.push(SET_MEMORY, args![item, memory], Some((Table::Memory, item)));
            }
            Change::AddEffect(effect) => self.effects.push(effect),
            Change::EndEffect(id) => {
                let args = args![id.0, self.situation.now];
                self.push(END_EFFECT, args, Some((Table::Effects, id.0)));
            }
            Change::BuryWorker(_) | Change::Count(_) => {}
        }
        Ok(())
    }

    fn write_wakeup(&mut self, change: &'a Change) {
        let now = self.situation.now;
        match change {
            Change::AddWakeup(wakeup) => {
                let enters = (wakeup.status == WakeupStatus::Deferred).then_some(Index::DeferredWakeup);
                let touches = Some((Table::Wakeups, wakeup.id.0));
                self.push(ADD_WAKEUP, wakeup_args(wakeup), touches).enters = enters;
            }
            Change::QueueWakeup { id, run, disposition } => {
                let mut args = args![id.0, run.0];
                args.push(Arg::word(disposition.map(|word| word.as_str())));
                let touches = Some((Table::Wakeups, id.0));
                self.push(QUEUE_WAKEUP, args, touches).leaves = Some(Index::DeferredWakeup);
            }
            Change::DeferWakeup { id, context, attempt, interruptions, not_before } => {
                let args = args![id.0, context.to_json(), *attempt, *interruptions, *not_before];
                let touches = Some((Table::Wakeups, id.0));
                self.push(DEFER_WAKEUP, args, touches).enters = Some(Index::DeferredWakeup);
            }
            Change::EndWakeup { id, status, skip, merged_into } => {
                let skip = Arg::word(skip.map(|word| word.as_str()));
                let merged_into = merged_into.map(|id| id.0);
                let args = vec![
                    Arg::from(id.0),
                    Arg::from(status.as_str()),
                    skip,
                    Arg::from(merged_into),
                    Arg::from(now),
                ];
                let touches = Some((Table::Wakeups, id.0));
                self.push(END_WAKEUP, args, touches).leaves = Some(Index::DeferredWakeup);
            }
            _ => {}
        }
    }

    fn write_run(&mut self, change: &'a Change) {
        let now = self.situation.now;
        match change {
            Change::AddRun(run) => {
                let touches = Some((Table::Runs, run.id.0));
                self.push(ADD_RUN, run_args(run), touches).enters =
                    run.status.is_active().then_some(Index::ActiveRun);
            }
            Change::MergeIntoRun { id, context, status, not_before } => {
                let args = args![id.0, context.to_json(), status.as_str(), *not_before];
                self.push(MERGE_INTO_RUN, args, Some((Table::Runs, id.0)));
            }
            Change::StartRun { id, worker } => {
                self.row.locked_at = Some(now);
                self.push(START_RUN, args![id.0, worker.0, now], Some((Table::Runs, id.0)));
            }
            Change::AskToStop { id, stop } => {
                self.push(ASK_TO_STOP, args![id.0, stop.as_str()], Some((Table::Runs, id.0)));
            }
            Change::EndRun { id, status, cause, error, cost_micros } => {
                let cause = Arg::word(cause.map(|word| word.as_str()));
                let (id, status) = (id.0, Arg::from(status.as_str()));
                let args =
                    vec![Arg::from(id), status, cause, error.into(), (*cost_micros).into(), now.into()];
                self.push(END_RUN, args, Some((Table::Runs, id))).leaves = Some(Index::ActiveRun);
            }
            _ => {}
        }
    }

    fn transfer(&mut self, transfer: &'a Transfer) {
        self.row.item.owner = transfer.to;
        self.row.item.fence = transfer.fence;
        self.row.agent_key = transfer.to.map(|_| transfer.agent.0.clone());
        self.row.locked_at = None;
        let (from, to) = (transfer.from.map(|run| run.0), transfer.to.map(|run| run.0));
        let mut args = args![
            transfer.at,
            transfer.item.0,
            from,
            to,
            transfer.agent.0.as_str(),
            transfer.fence,
            transfer.reason.as_str(),
        ];
        args.push(Arg::word(transfer.after.map(RunStatus::as_str)));
        // The audit is told in order.
        self.push(ADD_TRANSFER, args, Some((Table::Transfers, transfer.item.0)));
    }

    fn finish(&mut self, before: &StoredItem) -> Result<(), Fault> {
        if !self.effects.is_empty() {
            let effects = std::mem::take(&mut self.effects);
            self.add_effects(&effects)?;
        }
        if self.row != *before {
            let id = self.row.item.id.0;
            let args = item_args(&self.row);
            self.push(SET_ITEM, args, Some((Table::Items, id)));
        }
        Ok(())
    }

    /// Writes effects by one statement, so that their numbers are in order.
    fn add_effects(&mut self, effects: &[&'a Effect]) -> Result<(), Fault> {
        let mut args = Vec::with_capacity(effects.len() * EFFECT_COLUMNS);
        let mut rows = Vec::with_capacity(effects.len());
        for effect in effects {
            rows.push(format!("({})", placeholders(args.len() + 1, EFFECT_COLUMNS)));
            args.extend(effect_args(effect)?);
        }
        let write = self.push("", args, Some((Table::Effects, 0)));
        write.sql = Cow::Owned(format!("{ADD_EFFECTS}{}", rows.join(", ")));
        Ok(())
    }
}

fn json(value: &impl serde::Serialize) -> Result<String, Fault> {
    serde_json::to_string(value)
        .map_err(|error| Fault::Corrupt(format!("cannot be written as JSON: {error}")))
}

fn wakeup_args(wakeup: &Wakeup) -> Vec<Arg<'_>> {
    let asked_by = &wakeup.asked_by;
    let mut args = args![
        wakeup.id.0,
        wakeup.item.0,
        wakeup.agent.0.as_str(),
        wakeup.agent.key().0,
        wakeup.source.as_str(),
        wakeup.reason.as_str(),
        wakeup.context.to_json(),
        asked_by.who.as_str(),
        asked_by.is_person,
        asked_by.run.map(|run| run.0),
        &wakeup.key,
        wakeup.status.as_str(),
    ];
    args.push(Arg::word(wakeup.disposition.map(|word| word.as_str())));
    args.push(Arg::word(wakeup.skip.map(|word| word.as_str())));
    args.extend(args![
        wakeup.run.map(|run| run.0),
        wakeup.merged_into.map(|id| id.0),
        wakeup.attempt,
        wakeup.interruptions,
        wakeup.not_before,
        wakeup.created_at,
        wakeup.finished_at,
    ]);
    args
}

fn run_args(run: &Run) -> Vec<Arg<'_>> {
    let mut args = args![
        run.id.0,
        run.item.0,
        run.wakeup.0,
        run.agent.0.as_str(),
        run.agent.key().0,
        run.status.as_str(),
        run.context.to_json(),
        run.fence,
        run.worker.map(|worker| worker.0),
        run.attempt,
        run.interruptions,
        run.retry_of.map(|run| run.0),
        run.not_before,
    ];
    args.push(Arg::word(run.stop.map(|word| word.as_str())));
    args.extend(args![run.created_at, run.started_at, run.finished_at]);
    args.push(Arg::word(run.cause.map(|word| word.as_str())));
    args.extend(args![&run.error, run.cost_micros]);
    args
}

fn item_args<'a>(row: &StoredItem) -> Vec<Arg<'a>> {
    let item = &row.item;
    args![
        item.id.0,
        item.is_open,
        item.gates.paused.clone(),
        item.gates.held.clone(),
        item.gates.blocked.clone(),
        item.owner.map(|run| run.0),
        row.agent_key.clone(),
        row.locked_at,
        item.fence,
        item.lease.clone(),
        item.version,
    ]
}

fn effect_args(effect: &Effect) -> Result<Vec<Arg<'_>>, Fault> {
    Ok(args![
        effect.key.item.0,
        effect.key.version,
        effect.key.step,
        json(&effect.deed)?,
        &effect.lease,
        effect.fence,
        effect.status.as_str(),
        effect.attempts,
        effect.not_before,
        effect.created_at,
    ])
}

fn grouped(writes: Vec<Write<'_>>) -> Vec<Vec<Write<'_>>> {
    let mut groups: Vec<Vec<Write<'_>>> = Vec::new();
    for write in writes {
        match groups.last_mut() {
            Some(group) if group.iter().all(|earlier| goes_with(earlier, &write)) => group.push(write),
            _ => groups.push(vec![write]),
        }
    }
    groups
}

fn goes_with(earlier: &Write<'_>, later: &Write<'_>) -> bool {
    let is_same_row = earlier.touches.is_some() && earlier.touches == later.touches;
    let is_handed_on = earlier.leaves.is_some() && earlier.leaves == later.enters;
    !is_same_row && !is_handed_on
}
#[cfg(test)]
mod tests {
    use super::*;

    fn write(touches: (Table, i64), leaves: Option<Index>, enters: Option<Index>) -> Write<'static> {
        Write { sql: Cow::Borrowed(""), args: Vec::new(), touches: Some(touches), leaves, enters }
    }

    #[track_caller]
    fn check(writes: Vec<Write<'static>>, sizes: &[usize]) {
        let found: Vec<_> = grouped(writes).iter().map(Vec::len).collect();
        assert_eq!(found, sizes);
    }

    #[test]
    fn writes_are_one_group_until_a_row_or_an_index_is_met_again() {
        let ended = || write((Table::Runs, 1), Some(Index::ActiveRun), None);
        let added = || write((Table::Runs, 2), None, Some(Index::ActiveRun));
        let moved = || write((Table::Transfers, 1), None, None);
        let queued = || write((Table::Wakeups, 1), Some(Index::DeferredWakeup), None);
        let deferred = |id| write((Table::Wakeups, id), None, Some(Index::DeferredWakeup));
        check(vec![], &[]);
        check(vec![added(), moved(), queued()], &[3]);
        check(vec![ended(), added(), moved()], &[1, 2]);
        check(vec![deferred(1), deferred(2)], &[2]);
        check(vec![queued(), deferred(2)], &[1, 1]);
        check(vec![added(), added()], &[1, 1]);
    }
}
