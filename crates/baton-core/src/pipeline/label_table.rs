//! Every label that the pipeline knows: who adds it, who removes it, and how it looks.
//!
//! The page about the state machine is made from these rows. A label that the engine adds for a time has a remover,
//! which a test lets really take it off: a label that nobody removes is an issue that waits for ever.
//!
//! Deliberately absent: what a label means for a decision, which the rules say, and putting labels on a tracker.

use super::names::{Flag, Names, StageMark};
use crate::labels::{DO_NOT_PICKUP, DONE, IMPLEMENT, NEEDS_HUMAN_SCOPE, PLAN_PENDING_APPROVAL};

/// A label that the pipeline knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// One that stands for itself.
    Flag(Flag),
    /// One that says something of a stage.
    Mark(StageMark),
    /// An operator's lock.
    Lock,
    /// One of the lifecycle that claims and pipelines share.
    Lifecycle(&'static str),
    /// One with a value behind a colon, which tells the agent something.
    Modifier(&'static str),
}

/// How long a label stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// Until what it says is over.
    Transient,
    /// For good.
    Permanent,
    /// As long as a person likes.
    AsPeopleLike,
}

/// One label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Which.
    pub label: Known,
    /// Whether the engine adds it; otherwise people do.
    pub is_ours: bool,
    /// How long it stays.
    pub lasting: Lasting,
    /// Who adds it, and when.
    pub added: &'static str,
    /// Who removes it, and when.
    pub removed: &'static str,
    /// Its colour.
    pub color: &'static str,
    /// What it says, for the tracker's list of labels.
    pub description: &'static str,
}

const GREY: &str = "cfd3d7";
const RED: &str = "d73a4a";
const YELLOW: &str = "e4e669";
const PURPLE: &str = "6f42c1";
const GREEN: &str = "0e8a16";

impl Known {
    /// Returns its name as people read it, with capitals for what differs.
    pub fn shown(self, names: Names) -> String {
        match self {
            Self::Flag(flag) => names.flag(flag),
            Self::Mark(mark) => names.stage("STAGE", mark),
            Self::Lock => names.lock("USER"),
            Self::Lifecycle(label) => label.to_owned(),
            Self::Modifier(kind) => format!("{kind}:VALUE"),
        }
    }
}

impl Lasting {
    /// Returns it in one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Permanent => "permanent",
            Self::AsPeopleLike => "as people like",
        }
    }
}

const fn ours(label: Known, color: &'static str) -> Row {
    Row { label, is_ours: true, lasting: Lasting::Transient, added: "", removed: "", color, description: "" }
}

const fn peoples(label: Known, color: &'static str, description: &'static str) -> Row {
    let (added, removed, lasting) = ("people", "people", Lasting::AsPeopleLike);
    Row { label, is_ours: false, lasting, added, removed, color, description }
}

/// The labels, those that the engine adds first.
pub static LABELS: [Row; 25] = [
    Row {
        added: "the engine, when it needs a person; people, whenever they like",
        removed: "people; the engine, when a person replies, or the issue it paused is closed",
        description: "Nothing is done until somebody says so",
        ..ours(Known::Flag(Flag::Paused), RED)
    },
    Row {
        added: "the engine, with a question",
        removed: "the engine, when a person replies or takes off the pause, or the issue is closed",
        description: "A person was asked; a reply resumes the work",
        ..ours(Known::Flag(Flag::AwaitingInput), YELLOW)
    },
    Row {
        added: "the engine, where a stage waits for reviewers",
        removed: "the engine, when they have looked or did not in time, or the issue is elsewhere or closed",
        description: "Reviewers have to look",
        ..ours(Known::Flag(Flag::AwaitingReview), YELLOW)
    },
    Row {
        added: "the engine, when only bots are late with their review",
        removed: "the engine, together with the label that waits for reviewers",
        description: "Bots were asked for their review once more",
        ..ours(Known::Flag(Flag::BotReprompted), YELLOW)
    },
    Row {
        added: "the engine, where a stage is done but for its checks",
        removed: "the engine, when they have passed or did not in time, or the issue is elsewhere or closed",
        description: "Checks have to pass",
        ..ours(Known::Flag(Flag::AwaitingCi), YELLOW)
    },
    Row {
        added: "the engine, when the branch conflicts",
        removed: "the engine, when it merges again, or the issue is elsewhere or closed",
        description: "The branch does not merge any more",
        ..ours(Known::Flag(Flag::RebaseNeeded), YELLOW)
    },
    Row {
        added: "the engine, when open issues come first",
        removed: "the engine, when none of them is open, or this one is closed",
        description: "Another issue comes first",
        ..ours(Known::Flag(Flag::Blocked), RED)
    },
    Row {
        added: "the engine, while an agent answers comments, reviews or checks",
        removed: "the engine, when that run has ended, when it starts and nobody runs, or the issue is closed",
        description: "Comments are being answered",
        ..ours(Known::Flag(Flag::Editing), GREY)
    },
    Row {
        added: "the engine, on issues that it made by taking another apart",
        removed: "nobody: where an issue came from stays true",
        lasting: Lasting::Permanent,
        description: "Made by taking a larger issue apart",
        ..ours(Known::Flag(Flag::SubIssue), GREY)
    },
    Row {
        added: "the engine, when it wakes an agent for the stage",
        removed: "the engine, when the stage ends or is given up, when it starts and nobody runs, or the issue is closed",
        description: "An agent works on this stage",
        ..ours(Known::Mark(StageMark::InProgress), PURPLE)
    },
    Row {
        added: "the engine, when the stage is done, its checks included",
        removed: "nobody: the stage is never run again",
        lasting: Lasting::Permanent,
        description: "This stage is complete",
        ..ours(Known::Mark(StageMark::Complete), GREEN)
    },
    Row {
        added: "the engine, when it gives the stage up",
        removed: "the engine, when a person replies or takes off the pause, or the issue is closed",
        description: "This stage was tried in vain too often",
        ..ours(Known::Mark(StageMark::Failed), RED)
    },
    Row {
        added: "the engine of that operator, while it works on the issue",
        removed: "the same engine, when a run hands the issue back, when it starts and nobody runs, or the issue is closed",
        description: "An engine of this operator works on the issue",
        ..ours(Known::Lock, GREY)
    },
    Row {
        added: "the engine, where a stage asks for approval",
        removed: "the engine, when people have decided, or did not in time",
        description: "A plan waits for approval",
        ..ours(Known::Lifecycle(PLAN_PENDING_APPROVAL), "fbca04")
    },
    Row {
        added: "people; the engine, when nobody decided about a plan in time",
        removed: "whoever claims the issue; the engine, at the end of the relay",
        description: "Eligible for pickup by an agent",
        ..ours(Known::Lifecycle(IMPLEMENT), GREEN)
    },
    Row {
        added: "the engine, at the end of the relay, if the pull request was merged",
        removed: "nobody",
        lasting: Lasting::Permanent,
        description: "Shipped: its pull request was merged",
        ..ours(Known::Lifecycle(DONE), GREEN)
    },
    peoples(Known::Flag(Flag::Yolo), GREY, "Goes on by itself, merge included"),
    peoples(Known::Flag(Flag::Cruise), GREY, "Goes on by itself, and people merge"),
    peoples(Known::Flag(Flag::Unrestricted), RED, "The agent may do as it likes"),
    Row {
        removed: "people; the engine, at the end of the relay",
        ..peoples(Known::Flag(Flag::ExtendTurns), GREY, "Twice the turns from the beginning")
    },
    peoples(Known::Lifecycle(DO_NOT_PICKUP), "5319e7", "Operator override: agents leave it alone"),
    peoples(
        Known::Lifecycle(NEEDS_HUMAN_SCOPE),
        "e99695",
        "A person must scope it before agents may try again",
    ),
    peoples(Known::Modifier("model"), PURPLE, "The model that works on it"),
    peoples(Known::Modifier("effort"), PURPLE, "How hard the model thinks"),
    peoples(Known::Modifier("base"), PURPLE, "The branch that its work starts from"),
];

#[cfg(test)]
mod tests;
