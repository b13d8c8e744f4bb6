//! What the rules need to know beside a situation: settings, the known agents, and dice that were thrown outside.

use std::collections::BTreeSet;
use std::time::Duration;

use super::item::{AgentKey, AgentName};
use super::retry::RetryPolicy;
use crate::config::{AgentConfig, Config, StoreAddress};

/// Settings of the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// When a run is tried again.
    pub retry: RetryPolicy,
    /// How long after the end of a worker's lease its agents are surely dead.
    pub stop_grace: Duration,
    /// The agents there are in the whole installation. Nothing when that is not known here, as in a fleet whose machines
    /// are given new agents one after another: then no wakeup is skipped for its agent.
    pub agents: Option<BTreeSet<AgentKey>>,
    /// The agents that this worker can execute; nothing for all.
    pub executes: Option<BTreeSet<AgentKey>>,
    /// The agents whose runs and costs are counted by the day.
    pub budgeted: BTreeSet<AgentKey>,
    /// A random number, for spreading retries.
    pub dice: u64,
    /// Which safeguards are on. All of them, except in the tests that show what each is for.
    pub safeguards: Safeguards,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            retry: RetryPolicy::default(),
            stop_grace: Duration::from_secs(10),
            agents: None,
            executes: None,
            budgeted: BTreeSet::new(),
            dice: u64::MAX / 2,
            safeguards: Safeguards::default(),
        }
    }
}

impl Policy {
    /// Returns what a configuration says about the rules.
    pub fn of(config: &Config) -> Self {
        let retries = config.max_retries.map_or(0, |count| u32::try_from(count).unwrap_or(u32::MAX));
        let key = |agent: &AgentConfig| AgentKey(agent.key.clone());
        let is_budgeted =
            |agent: &&AgentConfig| agent.runs_per_day.is_some() || agent.cost_per_day_micros.is_some();
        let agents: BTreeSet<_> = config.agents.values().map(key).collect();
        let is_alone = matches!(config.store, StoreAddress::Sqlite(_));
        Self {
            retry: RetryPolicy { base: config.retry.base, cap: config.retry.cap, max_retries: retries },
            stop_grace: config.kill_grace,
            // A file is used by one machine with one configuration. A fleet's machines get new agents one after another,
            // and must not drop what another of them knows; neither must a machine that knows of no agents at all.
            agents: Some(agents.clone()).filter(|agents| is_alone && !agents.is_empty()),
            executes: Some(agents),
            budgeted: config.agents.values().filter(is_budgeted).map(key).collect(),
            ..Self::default()
        }
    }

    /// Returns whether this worker can execute such an agent.
    pub fn can_execute(&self, agent: &AgentName) -> bool {
        self.executes.as_ref().is_none_or(|agents| agents.contains(&agent.key()))
    }

    /// Returns whether there is such an agent.
    pub fn knows(&self, agent: &AgentName) -> bool {
        self.agents.as_ref().is_none_or(|agents| agents.contains(&agent.key()))
    }
}

/// Parts of the rules that can be left out, so that tests can show that they notice.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Safeguards {
    /// Whoever frees a slot gives it to the next in line.
    pub drain: bool,
    /// Nothing is merged into a run that has started.
    pub merge_only_before_the_start: bool,
    /// A run's transactions require its fence.
    pub fences: bool,
    /// An owner that is over, or whose worker is lost, frees the slot.
    pub heal: bool,
    /// Committed effects are performed after the slot has passed on.
    pub perform_stale_effects: bool,
    /// An item with effects to perform is not started.
    pub effects_before_start: bool,
    /// An agent's own doings do not wake it.
    pub no_self_wake: bool,
}

impl Default for Safeguards {
    fn default() -> Self {
        Self {
            drain: true,
            merge_only_before_the_start: true,
            fences: true,
            heal: true,
            perform_stale_effects: true,
            effects_before_start: true,
            no_self_wake: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Layers, TextFile, resolve};

    fn policy(text: &str) -> Policy {
        let file = Some(TextFile { path: "baton.yaml".to_owned(), text: text.to_owned() });
        Policy::of(&resolve(&Layers { file, ..Layers::default() }).unwrap().config)
    }

    const AGENTS: &str = "agents:
  Dev: { adapter: command, command: [dev], runs_per_day: 3 }
  cto: { adapter: command, command: [cto] }
";

    #[test]
    fn a_machine_alone_knows_all_agents_and_one_of_a_fleet_only_its_own() {
        let keys = |names: &[&str]| Some(names.iter().map(|name| AgentName::from(*name).key()).collect());
        let alone = policy(AGENTS);
        assert_eq!((&alone.agents, &alone.executes), (&keys(&["cto", "dev"]), &keys(&["cto", "dev"])));
        let of_fleet = policy(&format!("{AGENTS}store: postgres://baton@db/baton\n"));
        assert_eq!((&of_fleet.agents, &of_fleet.executes), (&None, &keys(&["cto", "dev"])));
        assert!(of_fleet.knows(&"other".into()) && !of_fleet.can_execute(&"other".into()));
        assert!(policy("user: ada\n").knows(&"other".into()), "who knows no agents drops nobody's wakeup");
    }

    #[test]
    fn only_agents_with_a_budget_are_counted_by_the_day() {
        assert_eq!(policy(AGENTS).budgeted, BTreeSet::from([AgentName::from("dev").key()]));
    }
}
