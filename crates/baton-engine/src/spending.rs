//! What agents have used of their budgets of a day, from the store's counters. An issue whose agent has spent one is paused
//! before a run is asked for. A run that was asked for already, by a person or before the budget was spent, stays queued until
//! the day ends: nothing is lost.

use baton_core::pipeline::Item;
use baton_core::pipeline::budget::{Spending, Unit};
use baton_core::slot::{AgentKey, AgentName, RunStatus, limits};
use baton_core::time::StoreTime;
use baton_ports::store::{CounterRow, RunFilter};
use baton_ports::{Store, StoreError};

use crate::marshal::Rules;

/// How many runs that wait are counted at most.
const RUNS_MAX: u32 = 1_000;

/// Returns each budget of agents that has a limit, and how much of it was used on the day of `now`.
pub async fn of_agents(store: &impl Store, now: StoreTime) -> Result<Vec<(AgentKey, Spending)>, StoreError> {
    Ok(today(&store.counters().await?, now))
}

fn today(counters: &[CounterRow], now: StoreTime) -> Vec<(AgentKey, Spending)> {
    counters.iter().filter_map(|row| limits::spending(&row.name, row.in_use, row.max, now)).collect()
}

/// Returns the budget of runs of a day on which no run of the agent has begun yet.
fn untouched(counters: &[CounterRow], agent: &AgentKey, now: StoreTime) -> Option<Spending> {
    let like = limits::runs_per_day(agent);
    let max = counters.iter().find(|row| row.name == like)?.max;
    limits::spending(&format!("{like}{}", now.day()), 0, max, now).map(|(_, spending)| spending)
}

/// Returns what one agent has used of its budgets, and will have when the runs have begun that wait for it already.
pub async fn to_come(
    store: &impl Store,
    agent: &AgentKey,
    now: StoreTime,
) -> Result<Vec<Spending>, StoreError> {
    let counters = store.counters().await?;
    let mut spending = of_one(today(&counters, now), Some(agent));
    if !spending.iter().any(|it| it.unit == Unit::Runs) {
        spending.extend(untouched(&counters, agent, now));
    }
    if let Some(runs) = spending.iter_mut().find(|it| it.unit == Unit::Runs && !it.is_spent()) {
        let statuses = vec![RunStatus::Queued, RunStatus::ScheduledRetry];
        let filter = RunFilter { statuses, limit: RUNS_MAX, ..RunFilter::default() };
        let waiting = store.runs(&filter).await?;
        let own = waiting.iter().filter(|row| row.run.agent.key() == *agent).count();
        runs.used = runs.used.saturating_add(u64::try_from(own).unwrap_or(u64::MAX));
    }
    Ok(spending)
}

/// Returns the agent that works on an issue, or would next.
pub fn agent_of(item: &Item, rules: &Rules) -> Option<AgentKey> {
    let runner = item.runner.clone().map(|runner| AgentName(runner).key());
    runner.or_else(|| next_agent(item, rules))
}

/// Returns the agent that would work on an issue next.
pub fn next_agent(item: &Item, rules: &Rules) -> Option<AgentKey> {
    let of_stage = rules.pipeline.stage(&item.column).and_then(|stage| stage.agent.clone()).map(AgentName);
    of_stage.or_else(|| rules.usual_agent.clone()).map(|agent| agent.key())
}

/// Returns what is left of those that are of one agent.
pub fn of_one(all: Vec<(AgentKey, Spending)>, agent: Option<&AgentKey>) -> Vec<Spending> {
    let is_meant = |(own, _): &(AgentKey, Spending)| Some(own) == agent;
    all.into_iter().filter(is_meant).map(|(_, spending)| spending).collect()
}
