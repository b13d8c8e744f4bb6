//! The settings of the pipeline, as the rest of the program uses them.
//!
//! Deliberately absent: the stages, which have files of their own, and limits that hold for runs of any origin.

use std::path::PathBuf;
use std::time::Duration;

use super::super::choice::{MergeMethod, PipelineDialect};
use super::{Reader, known};
use crate::pipeline::item::MergeState;

/// How issues move from stage to stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineConfig {
    /// Whose labels, markers, headings and directories are used.
    pub dialect: PipelineDialect,
    /// Where the files of the stages are, as it was written; relative to the directory of `baton.yaml`.
    pub stages: PathBuf,
    /// Whether issues go through all stages by themselves, merge included.
    pub yolo: bool,
    /// How often the tracker is asked for news.
    pub poll: Duration,
    /// How often everything is compared with the tracker.
    pub reconcile_every: Duration,
    /// How long a plan waits for a person's approval.
    pub approval_timeout: Duration,
    /// How long a finished stage waits for reviews.
    pub review_wait_timeout: Duration,
    /// How often an agent answers reviews before a person is told.
    pub max_review_cycles: u64,
    /// The wait for checks.
    pub ci: CiConfig,
    /// How often an agent rebases before a person is told.
    pub max_rebase_cycles: u64,
    /// How pull requests are merged.
    pub merge_method: MergeMethod,
    /// Runs of one stage that may end at their limit of turns.
    pub max_slices: u64,
    /// Runs over comments of one issue within [`Self::comment_cycle_window`].
    pub max_comment_cycles: u64,
    /// The time within which runs over comments are counted.
    pub comment_cycle_window: Duration,
    /// What may be spent in a day.
    pub budget: BudgetConfig,
}

/// How a stage waits for checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CiConfig {
    /// How long checks may show no progress.
    pub wait_timeout: Duration,
    /// How long checks may take in all; never shorter than [`Self::wait_timeout`].
    pub backstop_timeout: Duration,
    /// How old a pushed head must be before the absence of checks is believed.
    pub post_push_dwell: Duration,
    /// How often an agent repairs checks before a person is told.
    pub max_fix_cycles: u64,
    /// The merge states for which checks count as passed, in the order in which they were written.
    pub accept_states: Vec<MergeState>,
    /// Checks that must have passed, besides those that the tracker requires.
    pub required_checks: Vec<String>,
}

/// What may be spent in a day; nothing for no limit. Agents have budgets of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetConfig {
    /// For one issue.
    pub issue: DailyBudget,
    /// In one repository.
    pub repo: DailyBudget,
}

/// The limits of one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DailyBudget {
    /// Runs; nothing for no limit.
    pub runs: Option<u64>,
    /// Cost in millionths of a US dollar; nothing for no limit.
    pub cost_micros: Option<u64>,
}

impl PipelineConfig {
    pub(super) fn new(read: Reader<'_>) -> Self {
        Self {
            dialect: read.choice("dialect"),
            stages: read.text("stages").expect("it has a default").into(),
            yolo: read.switch("yolo"),
            poll: read.duration("poll"),
            reconcile_every: read.duration("reconcile_every"),
            approval_timeout: read.duration("approval_timeout"),
            review_wait_timeout: read.duration("review_wait_timeout"),
            max_review_cycles: limit(read, "max_review_cycles"),
            ci: CiConfig::new(read),
            max_rebase_cycles: limit(read, "max_rebase_cycles"),
            merge_method: read.choice("merge_method"),
            max_slices: limit(read, "max_slices"),
            max_comment_cycles: limit(read, "max_comment_cycles"),
            comment_cycle_window: read.duration("comment_cycle_window"),
            budget: BudgetConfig {
                issue: budget(read, "budget.issue_runs_per_day", "budget.issue_cost_per_day"),
                repo: budget(read, "budget.repo_runs_per_day", "budget.repo_cost_per_day"),
            },
        }
    }
}

impl CiConfig {
    fn new(read: Reader<'_>) -> Self {
        Self {
            wait_timeout: read.duration("ci_wait_timeout"),
            backstop_timeout: read.duration("ci_backstop_timeout"),
            post_push_dwell: read.duration("post_push_dwell"),
            max_fix_cycles: limit(read, "max_ci_fix_cycles"),
            accept_states: read.list("ci.accept_states").iter().map(|word| known(word)).collect(),
            required_checks: read.list("ci.required_checks").to_vec(),
        }
    }
}

fn budget(read: Reader<'_>, runs: &str, cost: &str) -> DailyBudget {
    DailyBudget { runs: read.count(runs), cost_micros: read.dollars(cost) }
}

fn limit(read: Reader<'_>, key: &str) -> u64 {
    read.count(key).expect("it has a default")
}

#[cfg(test)]
mod tests {
    use super::super::tests::config;
    use super::*;

    #[test]
    fn the_defaults_of_the_pipeline_are_those_of_the_documents() {
        let seconds = Duration::from_secs;
        let expected = PipelineConfig {
            dialect: PipelineDialect::Baton,
            stages: ".baton/stages".into(),
            yolo: false,
            poll: seconds(30),
            reconcile_every: seconds(180),
            approval_timeout: seconds(24 * 3600),
            review_wait_timeout: seconds(900),
            max_review_cycles: 5,
            ci: CiConfig {
                wait_timeout: seconds(1800),
                backstop_timeout: seconds(240 * 60),
                post_push_dwell: seconds(90),
                max_fix_cycles: 5,
                accept_states: vec![MergeState::Clean, MergeState::Unstable],
                required_checks: Vec::new(),
            },
            max_rebase_cycles: 3,
            merge_method: MergeMethod::Merge,
            max_slices: 10,
            max_comment_cycles: 10,
            comment_cycle_window: seconds(1800),
            budget: BudgetConfig::default(),
        };
        assert_eq!(config("").unwrap().pipeline, expected);
    }

    #[test]
    fn budgets_and_checks_can_be_set() {
        let yaml = "budget: {issue_runs_per_day: 8, repo_cost_per_day: 12.5}\nci: {accept_states: [], required_checks: ['build, linux', test]}\n";
        let pipeline = config(yaml).unwrap().pipeline;
        let issue = DailyBudget { runs: Some(8), cost_micros: None };
        let repo = DailyBudget { runs: None, cost_micros: Some(12_500_000) };
        assert_eq!(pipeline.budget, BudgetConfig { issue, repo });
        assert_eq!((pipeline.ci.accept_states.len(), pipeline.ci.required_checks.len()), (0, 2));
        for bad in ["budget: {issue_runs_per_day: 0}", "budget: {repo_cost_per_day: 0}", "max_slices: 0"] {
            assert!(config(bad).is_err(), "{bad}");
        }
    }
}
