//! Everything that a prompt may say, as plain data that can be written to a file and read again.
//!
//! Whoever fills it in reads the tracker and the work tree; nothing is judged, cut or cleaned here.

use serde::{Deserialize, Serialize};

use crate::RepoSlug;
use crate::pipeline::effect::Job;
use crate::pipeline::item::Comment;
use crate::slot::Reason;
use crate::words::words;

/// Everything that a prompt may say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// The repository.
    pub repo: RepoSlug,
    /// The board that the issue is on.
    #[serde(default)]
    pub board: Option<Board>,
    /// The issue; nothing for a task of its own.
    #[serde(default)]
    pub issue: Option<Issue>,
    /// The comments on the issue and on its pull request, oldest first.
    #[serde(default)]
    pub comments: Vec<Comment>,
    /// Those that the run is about, by number.
    #[serde(default)]
    pub new_comments: Vec<u64>,
    /// The threads of reviews that the run is about.
    #[serde(default)]
    pub threads: Vec<Thread>,
    /// The report about failed checks, as [`crate::pipeline::report::failed_checks`] words it.
    #[serde(default)]
    pub failed_checks: Option<String>,
    /// The stage and what it is asked for; nothing for a wakeup without one.
    #[serde(default)]
    pub stage: Option<StageWork>,
    /// What stages have said, in their order: see [`super::stage_outputs`].
    #[serde(default)]
    pub outputs: Vec<StageOutput>,
    /// Where the agent works.
    #[serde(default)]
    pub workplace: Option<Workplace>,
    /// What has changed on the base branch since the last stage looked.
    #[serde(default)]
    pub base_changes: Option<BaseChanges>,
    /// The pull request.
    #[serde(default)]
    pub pull: Option<Pull>,
    /// Whether the agent goes on with an earlier session.
    #[serde(default)]
    pub resumes: bool,
    /// Which attempt this is, from 1.
    #[serde(default = "first")]
    pub attempt: u32,
    /// What the agent should know about this run besides.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// Why it was woken.
    #[serde(default)]
    pub wake: Option<WakeUp>,
}

fn first() -> u32 {
    1
}

impl Material {
    /// Returns material that says nothing but the repository.
    pub fn new(repo: RepoSlug) -> Self {
        Self {
            repo,
            board: None,
            issue: None,
            comments: Vec::new(),
            new_comments: Vec::new(),
            threads: Vec::new(),
            failed_checks: None,
            stage: None,
            outputs: Vec::new(),
            workplace: None,
            base_changes: None,
            pull: None,
            resumes: false,
            attempt: first(),
            notes: Vec::new(),
            wake: None,
        }
    }
}

/// A board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Who owns it.
    pub owner: String,
    /// Its number there.
    pub number: u64,
    /// Whether its owner is an organisation.
    #[serde(default)]
    pub is_organisation: bool,
}

/// An issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// Its number.
    pub number: u64,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// Its address.
    #[serde(default)]
    pub url: String,
    /// Who opened it.
    #[serde(default)]
    pub author: String,
    /// Its labels.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Its text.
    #[serde(default)]
    pub body: String,
}

/// A thread of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thread {
    /// What names it.
    pub id: String,
    /// The file that it is about.
    #[serde(default)]
    pub path: String,
    /// The line there.
    #[serde(default)]
    pub line: Option<u64>,
    /// The difference around that line, as the tracker shows it.
    #[serde(default)]
    pub diff_hunk: String,
    /// What was said, oldest first.
    #[serde(default)]
    pub comments: Vec<Comment>,
}

/// A stage, and what it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageWork {
    /// Its name.
    pub name: String,
    /// What its agent is asked for.
    pub job: Job,
    /// Whether files stay as they are.
    #[serde(default)]
    pub read_only: bool,
    /// Whether its words go to the pull request.
    #[serde(default)]
    pub post_to_pr: bool,
    /// The file that describes it, for errors.
    #[serde(default)]
    pub file: Option<String>,
}

/// What a stage has said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageOutput {
    /// The stage.
    pub stage: String,
    /// Its latest comment.
    pub text: String,
}

/// Where an agent works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workplace {
    /// Its branch.
    pub branch: String,
    /// The branch that it will be merged into.
    pub base: String,
    /// The commit of that branch.
    pub base_commit: String,
    /// The base branch that a label asked for and that does not exist.
    #[serde(default)]
    pub missing_base: Option<String>,
    /// The files in which bringing the branch up to date would take a decision.
    #[serde(default)]
    pub conflicts: Vec<String>,
}

/// What has changed on the base branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseChanges {
    /// Since this commit.
    pub since: String,
    /// The files.
    pub files: Vec<ChangedFile>,
}

/// A file that has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedFile {
    /// How, in git's letter: `A`, `M`, `D`, `R`.
    pub status: String,
    /// Which.
    pub path: String,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// Its number.
    pub number: u64,
    /// Its description.
    #[serde(default)]
    pub description: String,
}

words! {
    /// What a note is about.
    NoteKind, "a kind of notes" {
        /// An earlier run came to no end.
        Stall = "stall",
        /// A person rejected the plan.
        Rejected = "rejected",
        /// A person wants something more, though the plan was approved.
        Amendment = "amendment",
        /// An earlier run failed.
        Retry = "retry",
        /// Something else that the engine noticed.
        Notice = "notice",
    }
}

/// Something that the agent should know about this run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// What it is about.
    pub kind: NoteKind,
    /// Who said it, if it was a person.
    #[serde(default)]
    pub by: Option<String>,
    /// What was said.
    pub text: String,
}

/// Why an agent was woken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WakeUp {
    /// The reason.
    pub reason: Reason,
    /// The name of the task, if it is not about an issue.
    #[serde(default)]
    pub task: Option<String>,
    /// What was said along with it.
    #[serde(default)]
    pub context: serde_json::Value,
}
