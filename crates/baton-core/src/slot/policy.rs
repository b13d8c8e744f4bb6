//! What the rules need to know beside a situation: settings, the known agents, and dice that were thrown outside.

use std::collections::BTreeSet;
use std::time::Duration;

use super::item::{AgentKey, AgentName};
use super::retry::RetryPolicy;

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
