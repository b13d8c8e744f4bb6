//! How much of a day's budgets is used, in words: of an issue, of a repository, and of an agent.
//!
//! Only budgets with a limit are told of. Days are those of UTC. Deliberately absent: counting.

use serde::Serialize;

use super::item::Usage;
use super::policy::{Budget, Limits};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Runs.
    Runs,
    /// Dollars, in millionths.
    CostUsdMicros,
}

/// A day's budget that has a limit, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// Returns the setting that limits it.
    pub fn setting(self) -> &'static str {
        match self {
            Self::IssueRuns => "budget.issue_runs_per_day",
            Self::IssueCost => "budget.issue_cost_per_day",
            Self::RepoRuns => "budget.repo_runs_per_day",
            Self::RepoCost => "budget.repo_cost_per_day",
        }
    }

    fn unit(self) -> Unit {
        match self {
            Self::IssueRuns | Self::RepoRuns => Unit::Runs,
            Self::IssueCost | Self::RepoCost => Unit::CostUsdMicros,
        }
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
            assert!(setting(budget.setting()).is_some(), "{}", budget.setting());
        }
    }
}
