//! Stages, as stage files describe them, and the pipeline that they make.
//!
//! Deliberately absent: reading stage files, which is configuration, and whether a pipeline makes sense, which is
//! [`super::sanity`].

use std::time::Duration;

use super::names;
use crate::words::words;

/// One stage: a column of the board, and what the relay does with an issue there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stage {
    /// Its name, which is the column's, in the column's case.
    pub name: String,
    /// Its place among the stages.
    pub order: i64,
    /// What it is for.
    pub kind: StageKind,
    /// What its agent is told; nothing for stages without one.
    pub instruction: Option<Instruction>,
    /// What the agent is told about new comments; nothing for the built-in text.
    pub comment_instruction: Option<Instruction>,
    /// The skill for failing checks; nothing for that of comments.
    pub ci_fix_skill: Option<String>,
    /// The skill for rebases; nothing for that of comments.
    pub rebase_skill: Option<String>,
    /// The agent that runs it, by name; nothing for the only one.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The tools that are allowed instead of the usual ones.
    pub allowed_tools: Option<Vec<String>>,
    /// How many turns a run may take; nothing for any number.
    pub max_turns: Option<u32>,
    /// How many turns a run over comments may take; see [`Stage::comment_turns`].
    pub comment_max_turns: Option<u32>,
    /// How long a run may take.
    pub max_wall_time: Option<Duration>,
    /// How hard the model thinks.
    pub effort: Option<Effort>,
    /// Whether adaptive thinking is switched off.
    pub disable_adaptive_thinking: bool,
    /// How long the agent has to stop, after the first and after the second request; nothing for the general settings.
    pub kill_grace: KillGrace,
    /// Whether the work tree stays as it is.
    pub read_only: bool,
    /// Whether its words go to the pull request.
    pub post_to_pr: bool,
    /// Whether it opens a draft of the pull request.
    pub create_draft_pr: bool,
    /// Whether it declares the pull request ready.
    pub mark_pr_ready: bool,
    /// Whether an issue goes on by itself; nothing when that is up to the issue and the configuration.
    pub auto_advance: Option<bool>,
    /// Whether it waits for reviewers.
    pub wait_for_reviews: bool,
    /// Whether it is complete only when checks have passed.
    pub wait_for_ci: bool,
    /// What a review must say.
    pub review_authority: ReviewAuthority,
    /// The bots that review without being asked; nothing when that is not known, an empty list when nobody reviews.
    pub expected_reviewers: Option<Vec<String>>,
    /// Where a person has to agree before the next stage.
    pub approval: Option<ApprovalWay>,
}

/// What a stage is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum StageKind {
    /// An agent works on the issue.
    #[default]
    Working,
    /// The work tree is removed; the end of the pipeline.
    Cleanup,
    /// Issues wait here; nothing leads here by itself.
    Holding,
    /// The relay has nothing to do with this column.
    Unmanaged,
}

/// What an agent is told: words, or the name of a skill that it knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instruction {
    /// Words.
    Prompt(String),
    /// A skill.
    Skill(String),
}

/// How long an agent has to stop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KillGrace {
    /// After SIGINT.
    pub sigint: Option<Duration>,
    /// After SIGTERM.
    pub sigterm: Option<Duration>,
}

words! {
    /// How hard a model thinks.
    Effort, "an effort" {
        /// Little.
        Low = "low",
        /// Somewhat.
        Medium = "medium",
        /// Much.
        High = "high",
        /// As much as it can.
        Max = "max",
    }
}

words! {
    /// What a review must say.
    #[derive(Default)]
    ReviewAuthority, "an authority of reviews" {
        /// That somebody looked.
        #[default]
        Advisory = "advisory",
        /// That it is approved.
        Authoritative = "authoritative",
    }
}

words! {
    /// Where a person agrees to a plan.
    ApprovalWay, "a way to approve" {
        /// In Slack.
        Slack = "slack",
        /// On the tracker.
        Tracker = "tracker",
        /// On either.
        Either = "either",
    }
}

/// The turns of a run over comments when no stage file says.
const COMMENT_TURNS: u32 = 50;

impl Stage {
    /// Returns how many turns a run over comments may take: never any number.
    pub fn comment_turns(&self) -> u32 {
        self.comment_max_turns.or(self.max_turns).unwrap_or(COMMENT_TURNS)
    }

    /// Returns the model of a run: a label of the issue outranks the stage.
    pub fn model_for<'a>(&'a self, labels: &'a [String]) -> Option<&'a str> {
        names::modifier(labels, "model").or(self.model.as_deref())
    }

    /// Returns how hard the model of a run thinks: a label of the issue outranks the stage.
    pub fn effort_for(&self, labels: &[String]) -> Option<Effort> {
        names::effort(labels).or(self.effort)
    }

    /// Returns whether an agent works here.
    pub fn is_working(&self) -> bool {
        self.kind == StageKind::Working
    }
}

/// The stages of a relay, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pipeline {
    stages: Vec<Stage>,
}

impl Pipeline {
    /// Returns the pipeline of these stages.
    pub fn new(mut stages: Vec<Stage>) -> Self {
        stages.sort_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
        Self { stages }
    }

    /// Returns all stages, in order.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Returns the stage of a column.
    pub fn stage(&self, column: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.name == column)
    }

    /// Returns where an issue goes from a stage: to the next one that works or cleans up. Nothing leads by itself to a
    /// column where issues are only kept.
    pub fn after(&self, stage: &Stage) -> Option<&Stage> {
        let place = self.stages.iter().position(|other| other.name == stage.name)?;
        let leads_on = |next: &&Stage| matches!(next.kind, StageKind::Working | StageKind::Cleanup);
        self.stages[place + 1..].iter().find(leads_on)
    }

    /// Returns the stage where the relay ends.
    pub fn cleanup(&self) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.kind == StageKind::Cleanup)
    }

    /// Returns whether a stage is the last one in which an agent works: there the pull request is merged, and there
    /// cruising ends.
    pub fn is_last_working(&self, stage: &Stage) -> bool {
        stage.is_working() && self.after(stage).is_none_or(|next| next.kind == StageKind::Cleanup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(name: &str, order: i64, kind: StageKind) -> Stage {
        Stage { name: name.to_owned(), order, kind, ..Stage::default() }
    }

    fn pipeline() -> Pipeline {
        Pipeline::new(vec![
            stage("Done", 99, StageKind::Cleanup),
            stage("Backlog", -1, StageKind::Unmanaged),
            stage("Plan", 2, StageKind::Working),
            stage("Queued", 6, StageKind::Holding),
            stage("Validate", 5, StageKind::Working),
        ])
    }

    #[test]
    fn an_issue_goes_on_past_columns_where_issues_are_only_kept() {
        let pipeline = pipeline();
        let after = |name| pipeline.after(pipeline.stage(name).unwrap()).map(|stage| stage.name.as_str());
        assert_eq!(after("Backlog"), Some("Plan"));
        assert_eq!(after("Plan"), Some("Validate"));
        assert_eq!(after("Validate"), Some("Done"));
        assert_eq!(after("Done"), None);
        assert_eq!(pipeline.cleanup().unwrap().name, "Done");
    }

    #[test]
    fn the_last_working_stage_is_the_one_before_the_end() {
        let pipeline = pipeline();
        let last: Vec<_> = pipeline.stages().iter().filter(|stage| pipeline.is_last_working(stage)).collect();
        assert_eq!(last.len(), 1);
        assert_eq!(last[0].name, "Validate");
    }

    #[test]
    fn a_column_is_a_stage_only_in_its_own_case() {
        assert!(pipeline().stage("plan").is_none());
    }

    #[test]
    fn a_run_over_comments_always_has_a_limit_of_turns() {
        let turns = |comment_max_turns, max_turns| {
            Stage { comment_max_turns, max_turns, ..Stage::default() }.comment_turns()
        };
        assert_eq!([turns(Some(9), Some(20)), turns(None, Some(20)), turns(None, None)], [9, 20, 50]);
    }
}
