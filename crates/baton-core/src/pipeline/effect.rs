//! What is to be done on the tracker, with git and with agents because of a decision, as plain data.
//!
//! Effects are committed together with the decision and performed afterwards, in order, each at least once; so each is
//! worded such that doing it twice does no harm. Nothing is performed here.

use serde::{Deserialize, Serialize};

use super::markers::SubIssue;
use super::step::Cause;
use crate::slot::{ItemMemory, SlackMessage};
use crate::words::words;

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Effect {
    /// Put a label on the issue.
    AddLabel {
        /// Which.
        label: String,
    },
    /// Take a label off the issue.
    RemoveLabel {
        /// Which.
        label: String,
    },
    /// Say something, and put 🚀 on it at once, so that nobody takes it for news.
    Comment {
        /// Where.
        on: Place,
        /// What.
        body: String,
    },
    /// Write a comment of ours anew.
    EditComment {
        /// Which.
        id: u64,
        /// What it says from now on.
        body: String,
    },
    /// Show on comments how far we are with them.
    React {
        /// Whether they are comments as on issues, or of review threads.
        on: Place,
        /// Which comments.
        comments: Vec<u64>,
        /// With what.
        with: Reaction,
    },
    /// Write the issue's text anew.
    UpdateIssue {
        /// The text.
        body: String,
    },
    /// Settle threads of reviews.
    ResolveThreads {
        /// Which.
        threads: Vec<String>,
    },
    /// Put the issue into another column.
    MoveTo {
        /// Which.
        column: String,
    },
    /// Open a draft of the pull request, unless there is one.
    CreateDraftPull {
        /// What it is about, if the agent said so.
        #[serde(default)]
        summary: Option<String>,
    },
    /// Declare the pull request ready for reviews.
    MarkPullReady,
    /// Ask reviewers once more: take the request back, and make it again.
    AskReviewersAgain {
        /// The pull request.
        pull: u64,
        /// Whom.
        logins: Vec<String>,
    },
    /// Merge the pull request, if its head is still the one named.
    MergePull {
        /// Which.
        pull: u64,
        /// Its head.
        head_sha: String,
    },
    /// Ask people whether they agree to the plan.
    AskApproval {
        /// Of this stage.
        stage: String,
        /// Which plan.
        plan: String,
    },
    /// Say in Slack, in place of a question, what became of it.
    TellOnSlack {
        /// The question.
        message: SlackMessage,
        /// What became of it.
        said: String,
    },
    /// Create issues of which this one was made up, and make it wait for them.
    CreateSubIssues {
        /// Which.
        issues: Vec<SubIssue>,
    },
    /// Push the branch, so that nothing is only here.
    PushBranch,
    /// Remove the work tree, once nothing in it is only here.
    RemoveWorktree,
    /// Wake an agent. A wake that comes to nothing, because there is no such agent or the slot refuses it, is settled like a
    /// run that could not begin.
    Wake(Wake),
    /// Give the issue back: nobody works on it now.
    Release,
}

/// A request that an agent work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wake {
    /// What for.
    pub job: Job,
    /// The agent, unless it is the usual one.
    #[serde(default)]
    pub agent: Option<String>,
    /// The stage.
    pub stage: String,
    /// Whether it goes on where it stopped.
    #[serde(default)]
    pub resume: bool,
    /// The comments to be answered.
    #[serde(default)]
    pub comments: Vec<u64>,
    /// The threads to be answered.
    #[serde(default)]
    pub threads: Vec<String>,
    /// What was said in them.
    #[serde(default)]
    pub thread_comments: Vec<u64>,
}

words! {
    /// Where something is said.
    Place, "a place" {
        /// On the issue.
        Issue = "issue",
        /// On its pull request.
        Pull = "pull",
    }
}

words! {
    /// A sign on a comment.
    Reaction, "a reaction" {
        /// Seen.
        Eyes = "eyes",
        /// Acted on.
        Rocket = "rocket",
    }
}

words! {
    /// What an agent is woken for.
    Job, "a job" {
        /// The work of the stage.
        Stage = "stage",
        /// New comments.
        Comments = "comments",
        /// Threads of reviews.
        Review = "review",
        /// Failing checks.
        CiFix = "ci_fix",
        /// A branch that does not merge.
        Rebase = "rebase",
    }
}

impl From<Cause> for Job {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Review => Self::Review,
            Cause::CiFix => Self::CiFix,
            Cause::Rebase => Self::Rebase,
        }
    }
}

/// What a decision comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settlement {
    /// What is to be done, in order.
    pub effects: Vec<Effect>,
    /// What is to be remembered, if that changes.
    pub memory: Option<ItemMemory>,
}

impl Settlement {
    /// Returns whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.effects.is_empty() && self.memory.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_is_read_as_it_was_written() {
        let wake = Wake {
            job: Job::Comments,
            agent: None,
            stage: "Plan".to_owned(),
            resume: true,
            comments: vec![1],
            threads: vec!["T1".to_owned()],
            thread_comments: vec![2],
        };
        let half = SubIssue { repo: None, title: "Half".to_owned(), body: String::new() };
        for effect in [
            Effect::Wake(wake),
            Effect::Release,
            Effect::CreateDraftPull { summary: None },
            Effect::CreateSubIssues { issues: vec![half] },
            Effect::React { on: Place::Pull, comments: vec![3], with: Reaction::Eyes },
            Effect::MergePull { pull: 7, head_sha: "abc".to_owned() },
        ] {
            let text = serde_json::to_string(&effect).unwrap();
            assert_eq!(serde_json::from_str::<Effect>(&text).unwrap(), effect, "{text}");
        }
        assert!(
            serde_json::from_str::<Effect>(r#"{"do":"wake","job":"stage","stage":"Plan","x":1}"#).is_err()
        );
    }
}
