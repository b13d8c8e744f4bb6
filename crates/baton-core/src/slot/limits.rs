//! How much may run at once, and how much on one day: names of counters that the store keeps as rows and locks.
//!
//! A count of running rows would be wrong as soon as two workers count at the same time; a locked row is not.

use super::item::{AgentKey, ItemKey};
use crate::config::Config;
use crate::pipeline::budget::{Spending, Unit};
use crate::time::StoreTime;

/// The counter of everything that runs.
pub const ALL: &str = "all";

/// A change of a counter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Count {
    /// Which counter.
    pub name: String,
    /// The counter whose limit a new one takes over; the empty text for none.
    pub like: String,
    /// What is added.
    pub add: i64,
    /// Whether it must be below its limit before.
    pub needs_room: bool,
}

/// A limit as it is configured.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limit {
    /// The counter, or what counters are made like.
    pub name: String,
    /// How much at most; nothing for no limit.
    pub max: Option<i64>,
}

/// Returns the limits of a configuration, also those that it does not set: a limit that was taken away must not stay.
pub fn of(config: &Config) -> Vec<Limit> {
    let amount = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let mut limits = vec![
        Limit { name: ALL.to_owned(), max: Some(amount(config.max_concurrent)) },
        Limit { name: PER_REPO.to_owned(), max: config.max_per_repo.map(amount) },
    ];
    for agent in config.agents.values() {
        let key = AgentKey(agent.key.clone());
        limits.extend([
            Limit { name: of_agent(&key), max: agent.max_concurrent.map(amount) },
            Limit { name: runs_per_day(&key), max: agent.runs_per_day.map(amount) },
            Limit { name: cost_per_day(&key), max: agent.cost_per_day_micros.map(amount) },
        ]);
    }
    limits
}

/// Returns the counter of one agent's runs.
pub fn of_agent(agent: &AgentKey) -> String {
    format!("{AGENT}{agent}")
}

/// Returns the counter of one repository's runs; its limit is that of [`PER_REPO`].
pub fn of_repo(key: &ItemKey) -> Option<String> {
    key.repo().map(|repo| format!("{PER_REPO}{repo}"))
}

const AGENT: &str = "agent:";

/// What counters of repositories are made like.
pub const PER_REPO: &str = "repo:";

/// Returns what the counters of an agent's runs of a day are made like.
pub fn runs_per_day(agent: &AgentKey) -> String {
    format!("runs:{agent}:")
}

/// Returns what the counters of an agent's costs of a day are made like.
pub fn cost_per_day(agent: &AgentKey) -> String {
    format!("cost:{agent}:")
}

/// Returns whether a counter is of what runs at once, and not of what was used on a day.
pub fn is_of_what_runs(name: &str) -> bool {
    name == ALL || name.starts_with(AGENT) || name.starts_with(PER_REPO)
}

/// Returns an agent's budget of a day that a counter with a limit tells of, and the agent; nothing for other counters, for
/// other days, and where there is no limit.
pub fn spending(name: &str, in_use: i64, max: Option<i64>, today: StoreTime) -> Option<(AgentKey, Spending)> {
    let (kind, rest) = name.split_once(':')?;
    let (agent, day) = rest.rsplit_once(':')?;
    let unit = match kind {
        "runs" => Unit::Runs,
        "cost" => Unit::CostUsdMicros,
        _ => return None,
    };
    if day != today.day() {
        return None;
    }
    let amount = |amount: i64| u64::try_from(amount).unwrap_or(0);
    let budget = format!("{kind} of the agent {agent}");
    let spending = Spending { budget, unit, used: amount(in_use), limit: amount(max?) };
    Some((AgentKey(agent.to_owned()), spending))
}

/// Returns what a start counts, always in the same order, so that two transactions never wait for each other.
pub(super) fn started(key: &ItemKey, agent: &AgentKey, budget_of: Option<StoreTime>) -> Vec<Count> {
    let mut counts = running(key, agent, 1, true);
    if let Some(day) = budget_of.map(StoreTime::day) {
        let (runs, cost) = (runs_per_day(agent), cost_per_day(agent));
        counts.push(Count { name: format!("{cost}{day}"), like: cost, add: 0, needs_room: true });
        counts.push(Count { name: format!("{runs}{day}"), like: runs, add: 1, needs_room: true });
    }
    counts
}

/// Returns what an end gives back, in the same order as a start.
pub(super) fn ended(key: &ItemKey, agent: &AgentKey, now: StoreTime, cost_micros: i64) -> Vec<Count> {
    let mut counts = running(key, agent, -1, false);
    if cost_micros > 0 {
        let cost = cost_per_day(agent);
        let name = format!("{cost}{}", now.day());
        counts.push(Count { name, like: cost, add: cost_micros, needs_room: false });
    }
    counts
}

fn running(key: &ItemKey, agent: &AgentKey, add: i64, needs_room: bool) -> Vec<Count> {
    let count = |name: String, like: &str| Count { name, like: like.to_owned(), add, needs_room };
    let mut counts = vec![count(ALL.to_owned(), ""), count(of_agent(agent), "")];
    counts.extend(of_repo(key).map(|name| count(name, PER_REPO)));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agents_budget_of_today_is_told_in_words_and_nothing_else_is() {
        let today = StoreTime { ms: 20_345 * 86_400_000 };
        let agent = AgentKey("coder".to_owned());
        let mut counts =
            started(&ItemKey::task(&super::super::AgentName("coder".to_owned()), ""), &agent, Some(today));
        counts.retain(|count| spending(&count.name, 3, Some(10), today).is_some());
        let told: Vec<_> = counts
            .iter()
            .filter_map(|it| spending(&it.name, 3, Some(10), today))
            .map(|(_, it)| it.words())
            .collect();
        assert_eq!(
            told,
            ["cost of the agent coder: $0.00 of $0.00 today", "runs of the agent coder: 3 of 10 today"]
        );
        let of_today = format!("runs:coder:{}", today.day());
        let tomorrow = StoreTime { ms: 20_346 * 86_400_000 };
        for (name, max, at) in [
            ("all", Some(5), today),
            ("agent:coder", Some(5), today),
            ("repo:acme/web", Some(5), today),
            (of_today.as_str(), None, today),
            (of_today.as_str(), Some(5), tomorrow),
            ("runs:coder:", Some(5), today),
        ] {
            assert_eq!(spending(name, 1, max, at), None, "{name}");
        }
    }
}
