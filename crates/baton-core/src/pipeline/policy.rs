//! What the configuration says about the pipeline, beside its stages.

use std::time::Duration;

use super::approval::{Approvers, SlackApprover};
use super::item::{MergeState, Usage};
use super::names::Names;
use crate::config::{Config, Layers, resolve};
use crate::words::words;

/// A stage that ended without a word is tried again after this many polls.
pub(super) const COOLDOWN_POLLS: u32 = 10;

/// Settings of the pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How labels are called.
    pub names: Names,
    /// The operator, who is mentioned when a person is needed.
    pub user: Option<String>,
    /// The label by which this installation locks issues.
    pub own_lock: String,
    /// Whether issues go on by themselves, merge included, unless they or their stage say otherwise.
    pub yolo: bool,
    /// How often a stage may end without a word; nothing for any number.
    pub max_retries: Option<u32>,
    /// How often a stage may end at its limit of turns.
    pub max_slices: u32,
    /// How long a stage rests that ended without a word.
    pub cooldown: Duration,
    /// How long reviewers have.
    pub review_wait_timeout: Duration,
    /// How often an agent is sent back to review threads.
    pub max_review_cycles: u32,
    /// How often an agent is sent back to failing checks.
    pub max_ci_fix_cycles: u32,
    /// How often an agent is sent back to rebase.
    pub max_rebase_cycles: u32,
    /// How long checks may show no progress.
    pub ci_wait_timeout: Duration,
    /// How long checks may take in all.
    pub ci_backstop_timeout: Duration,
    /// How long after a push checks may still appear.
    pub post_push_dwell: Duration,
    /// The merge states that are as good as passed checks.
    pub accept_states: Vec<MergeState>,
    /// The checks that must have passed in any case.
    pub required_checks: Vec<String>,
    /// How often comments are answered within the window.
    pub max_comment_cycles: u32,
    /// The window.
    pub comment_cycle_window: Duration,
    /// How long people have to agree to a plan.
    pub approval_timeout: Duration,
    /// Who decides about plans.
    pub approvers: Approvers,
    /// What may be spent in a day.
    pub limits: Limits,
}

/// What may be spent in a day; nothing for no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Runs for one issue.
    pub issue_runs: Option<u64>,
    /// Dollars for one issue, in millionths.
    pub issue_cost_micros: Option<u64>,
    /// Runs in one repository.
    pub repo_runs: Option<u64>,
    /// Dollars in one repository, in millionths.
    pub repo_cost_micros: Option<u64>,
}

words! {
    /// What can be spent.
    Budget, "a budget" {
        /// Runs for one issue.
        IssueRuns = "runs of the issue",
        /// Dollars for one issue.
        IssueCost = "cost of the issue",
        /// Runs in one repository.
        RepoRuns = "runs of the repository",
        /// Dollars in one repository.
        RepoCost = "cost of the repository",
        /// Runs of one agent.
        AgentRuns = "runs of the agent",
        /// Dollars of one agent.
        AgentCost = "cost of the agent",
    }
}

impl Limits {
    /// Returns a budget that is spent.
    pub fn spent(&self, usage: Usage) -> Option<Budget> {
        let spent = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
        let mut budgets = self.budgets(usage).into_iter();
        budgets.find(|(_, limit, used)| spent(*limit, *used)).map(|(budget, ..)| budget)
    }

    pub(super) fn budgets(&self, usage: Usage) -> [(Budget, Option<u64>, u64); 4] {
        [
            (Budget::IssueRuns, self.issue_runs, usage.issue_runs),
            (Budget::IssueCost, self.issue_cost_micros, usage.issue_cost_micros),
            (Budget::RepoRuns, self.repo_runs, usage.repo_runs),
            (Budget::RepoCost, self.repo_cost_micros, usage.repo_cost_micros),
        ]
    }
}

impl Policy {
    /// Returns what a configuration says about the pipeline.
    pub fn of(config: &Config) -> Self {
        let pipeline = &config.pipeline;
        let names = Names::of(pipeline.dialect.into());
        let number = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            names,
            user: config.user.clone(),
            own_lock: names.lock(config.user.as_deref().unwrap_or(NOBODY)),
            yolo: pipeline.yolo,
            max_retries: config.max_retries.map(number),
            max_slices: number(pipeline.max_slices),
            cooldown: pipeline.poll.saturating_mul(COOLDOWN_POLLS),
            review_wait_timeout: pipeline.review_wait_timeout,
            max_review_cycles: number(pipeline.max_review_cycles),
            max_ci_fix_cycles: number(pipeline.ci.max_fix_cycles),
            max_rebase_cycles: number(pipeline.max_rebase_cycles),
            ci_wait_timeout: pipeline.ci.wait_timeout,
            ci_backstop_timeout: pipeline.ci.backstop_timeout,
            post_push_dwell: pipeline.ci.post_push_dwell,
            accept_states: pipeline.ci.accept_states.clone(),
            required_checks: pipeline.ci.required_checks.clone(),
            max_comment_cycles: number(pipeline.max_comment_cycles),
            comment_cycle_window: pipeline.comment_cycle_window,
            approval_timeout: pipeline.approval_timeout,
            approvers: Approvers {
                required: number(config.approvals.required),
                tracker: config.approvals.approvers.clone(),
                slack: config.slack.approvers.iter().map(|who| SlackApprover::read(who)).collect(),
            },
            limits: Limits {
                issue_runs: pipeline.budget.issue.runs,
                issue_cost_micros: pipeline.budget.issue.cost_micros,
                repo_runs: pipeline.budget.repo.runs,
                repo_cost_micros: pipeline.budget.repo.cost_micros,
            },
        }
    }
}

/// Who locks issues when no operator is named.
const NOBODY: &str = "baton";

impl Default for Policy {
    /// Returns what holds when nobody says anything.
    fn default() -> Self {
        let resolved = resolve(&Layers::default());
        Self::of(&resolved.expect("the tests of the settings hold that defaults are allowed").config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TextFile;

    #[test]
    fn the_configuration_reaches_the_rules() {
        let text = "user: ana\ndialect: fabrik\npoll: 6s\nmax_retries: 0\nci: {accept_states: [clean]}\nbudget: {issue_runs_per_day: 7}\n";
        let file = Some(TextFile { path: "b.yaml".to_owned(), text: text.to_owned() });
        let policy = Policy::of(&resolve(&Layers { file, ..Layers::default() }).unwrap().config);
        assert_eq!(policy.own_lock, "fabrik:locked:ana");
        assert_eq!(policy.cooldown, Duration::from_mins(1));
        assert_eq!((policy.max_retries, policy.accept_states), (None, vec![MergeState::Clean]));
        let usage = |issue_runs| Usage { issue_runs, ..Usage::default() };
        assert_eq!([6, 7].map(|runs| policy.limits.spent(usage(runs))), [None, Some(Budget::IssueRuns)]);
    }
}
