//! What a prompt is for: one template each.

use super::material::Material;
use crate::config::stages::prompts;
use crate::pipeline::effect::Job;
use crate::words::words;

words! {
    /// What a prompt is for. There is one template for each.
    Purpose, "a purpose of prompts" {
        /// A stage's own work.
        Stage = "stage",
        /// New comments, in a stage whose words go to the issue.
        Comment = "comment",
        /// New comments, in a stage whose words go to the pull request.
        CommentOnPr = "comment_on_pr",
        /// Unresolved threads of reviewers.
        Review = "review",
        /// Failing checks.
        CiFix = "ci_fix",
        /// A branch that does not merge any more.
        Rebase = "rebase",
        /// A wakeup without a stage.
        Wake = "wake",
    }
}

impl Purpose {
    /// Returns what a prompt made of some material is for.
    pub fn of(material: &Material) -> Self {
        let Some(stage) = &material.stage else { return Self::Wake };
        match stage.job {
            Job::Stage => Self::Stage,
            Job::Comments if stage.post_to_pr => Self::CommentOnPr,
            Job::Comments => Self::Comment,
            Job::Review => Self::Review,
            Job::CiFix => Self::CiFix,
            Job::Rebase => Self::Rebase,
        }
    }

    /// Returns what the agent is told when nobody says anything else; nothing where that is up to the stage.
    pub fn instruction(self) -> Option<&'static str> {
        let purpose = match self {
            Self::Stage | Self::Wake => return None,
            Self::Comment => prompts::Purpose::Comment,
            Self::CommentOnPr => prompts::Purpose::CommentOnPr,
            Self::Review => prompts::Purpose::Review,
            Self::CiFix => prompts::Purpose::CiFix,
            Self::Rebase => prompts::Purpose::Rebase,
        };
        Some(purpose.built_in())
    }

    /// Returns what it is for, in words.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Stage => "a stage's own work",
            Self::Comment => "new comments, in a stage whose words go to the issue",
            Self::CommentOnPr => "new comments, in a stage whose words go to the pull request",
            Self::Review => "unresolved threads of reviewers",
            Self::CiFix => "failing checks",
            Self::Rebase => "a branch that does not merge any more",
            Self::Wake => "a wakeup without a stage",
        }
    }
}
