//! How much of a day's budgets is used, in words: of an issue, of a repository, and of an agent.
//!
//! Only budgets with a limit are told of. Days are those of UTC. Deliberately absent: counting.

use serde::{Deserialize, Serialize};

use super::item::Usage;
use super::policy::{Budget, Limits};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Runs.
    Runs,
    /// Dollars, in millionths.
    CostUsdMicros,
}

/// A day's budget that has a limit, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spending {
    /// What it is, such as `runs of the issue`.
    pub budget: String,
    /// What is counted.
    pub unit: Unit,
    /// How much was used today.
    pub used: u64,
    /// How much may be.
    pub limit: u64,
}

impl Spending {
    /// Returns whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.used >= self.limit
    }

    /// Returns how much was used, and how much may be.
    pub fn amounts(&self) -> (String, String) {
        (self.unit.amount(self.used), self.unit.amount(self.limit))
    }

    fn used_of(&self) -> String {
        let (used, limit) = self.amounts();
        format!(", {used} of {limit}")
    }

    /// Says it on one line.
    pub fn words(&self) -> String {
        let (used, limit) = self.amounts();
        let spent = if self.is_spent() { ", spent" } else { "" };
        format!("{}: {used} of {limit} today{spent}", self.budget)
    }
}

impl Unit {
    fn amount(self, amount: u64) -> String {
        match self {
            Self::Runs => amount.to_string(),
            Self::CostUsdMicros => format!("${}.{:02}", amount / 1_000_000, amount % 1_000_000 / 10_000),
        }
    }
}

impl Budget {
    /// Returns the setting that limits it; of an agent, its key in the settings of that agent.
    pub fn setting(self) -> &'static str {
        match self {
            Self::IssueRuns => "budget.issue_runs_per_day",
            Self::IssueCost => "budget.issue_cost_per_day",
            Self::RepoRuns => "budget.repo_runs_per_day",
            Self::RepoCost => "budget.repo_cost_per_day",
            Self::AgentRuns => "runs_per_day",
            Self::AgentCost => "cost_per_day",
        }
    }

    fn unit(self) -> Unit {
        match self {
            Self::IssueRuns | Self::RepoRuns | Self::AgentRuns => Unit::Runs,
            Self::IssueCost | Self::RepoCost | Self::AgentCost => Unit::CostUsdMicros,
        }
    }

    /// Returns a budget of an agent that is spent.
    pub fn spent_by_agent(spending: &[Spending]) -> Option<Self> {
        let spent = spending.iter().find(|it| it.is_spent())?;
        Some(match spent.unit {
            Unit::Runs => Self::AgentRuns,
            Unit::CostUsdMicros => Self::AgentCost,
        })
    }

    /// Says of a spent budget which it is, how much of it is used, and which setting limits it.
    pub fn spent_words(self, limits: &Limits, usage: Usage, of_agent: &[Spending]) -> String {
        if let Self::AgentRuns | Self::AgentCost = self {
            let own = of_agent.iter().find(|it| it.unit == self.unit() && it.is_spent());
            let what = own.map_or_else(|| self.to_string(), |it| format!("{}{}", it.budget, it.used_of()));
            return format!("{what} (the setting `{}` of that agent)", self.setting());
        }
        let all = limits.spending(usage);
        let own = all.iter().find(|(own, _)| *own == self).map(|(_, spending)| spending.used_of());
        format!("{self}{} (the setting `{}`)", own.unwrap_or_default(), self.setting())
    }
}

impl Limits {
    /// Returns each budget with a limit, and how much of it is used.
    pub fn spending(&self, usage: Usage) -> Vec<(Budget, Spending)> {
        let of = |(budget, limit, used): (Budget, Option<u64>, u64)| {
            let spending =
                Spending { budget: budget.as_str().to_owned(), unit: budget.unit(), used, limit: limit? };
            Some((budget, spending))
        };
        self.budgets(usage).into_iter().filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::agents::table::agent_setting;
    use crate::config::table::setting;

    #[test]
    fn only_budgets_with_a_limit_are_told_of() {
        let limits = Limits { issue_runs: Some(10), repo_cost_micros: Some(5_000_000), ..Limits::default() };
        let usage = Usage { issue_runs: 3, repo_runs: 9, issue_cost_micros: 7, repo_cost_micros: 5_250_000 };
        let told: Vec<_> = limits.spending(usage).iter().map(|(_, spending)| spending.words()).collect();
        assert_eq!(
            told,
            ["runs of the issue: 3 of 10 today", "cost of the repository: $5.25 of $5.00 today, spent"]
        );
        assert!(Limits::default().spending(usage).is_empty());
    }

    #[test]
    fn every_budget_names_a_setting_that_there_is() {
        for budget in Budget::ALL {
            let is_there = match budget {
                Budget::AgentRuns | Budget::AgentCost => agent_setting(budget.setting()).is_some(),
                budget => setting(budget.setting()).is_some(),
            };
            assert!(is_there, "{}", budget.setting());
        }
    }

    #[test]
    fn a_spent_budget_of_an_agent_is_told_with_its_name() {
        let spending =
            |unit, used| Spending { budget: "x of the agent coder".to_owned(), unit, used, limit: 2 };
        let spent = |all: &[Spending]| Budget::spent_by_agent(all);
        assert_eq!(spent(&[]), None);
        assert_eq!(spent(&[spending(Unit::Runs, 1)]), None);
        let all = [spending(Unit::Runs, 1), spending(Unit::CostUsdMicros, 2)];
        assert_eq!(spent(&all), Some(Budget::AgentCost));
        let all = [spending(Unit::Runs, 3)];
        let told = Budget::AgentRuns.spent_words(&Limits::default(), Usage::default(), &all);
        assert_eq!(
            (spent(&all), told.as_str()),
            (
                Some(Budget::AgentRuns),
                "x of the agent coder, 3 of 2 (the setting `runs_per_day` of that agent)"
            )
        );
    }
}
