//! What agents have used of their budgets of a day, from the store's counters. A run whose agent has spent one stays queued
//! until the day ends: nothing is lost, and nobody is asked.

use baton_core::pipeline::Item;
use baton_core::pipeline::budget::Spending;
use baton_core::slot::{AgentKey, AgentName, limits};
use baton_core::time::StoreTime;
use baton_ports::{Store, StoreError};

use crate::marshal::Rules;

/// Returns each budget of agents that has a limit, and how much of it was used on the day of `now`.
pub async fn of_agents(store: &impl Store, now: StoreTime) -> Result<Vec<(AgentKey, Spending)>, StoreError> {
    let counters = store.counters().await?;
    let of = |row: &baton_ports::store::CounterRow| limits::spending(&row.name, row.in_use, row.max, now);
    Ok(counters.iter().filter_map(of).collect())
}

/// Returns the agent that works on an issue, or would next.
pub fn agent_of(item: &Item, rules: &Rules) -> Option<AgentKey> {
    let of_stage = || rules.pipeline.stage(&item.column)?.agent.clone();
    let named = item.runner.clone().or_else(of_stage).map(AgentName);
    named.or_else(|| rules.usual_agent.clone()).map(|agent| agent.key())
}

/// Returns what is left of those that are of one agent.
pub fn of_one(all: Vec<(AgentKey, Spending)>, agent: Option<&AgentKey>) -> Vec<Spending> {
    let is_meant = |(own, _): &(AgentKey, Spending)| Some(own) == agent;
    all.into_iter().filter(is_meant).map(|(_, spending)| spending).collect()
}
