//! What is known of the issues on the board between two looks, and which of them deserve one.
//!
//! One writer, [`Watch`], applies surveys, news and looks as typed changes; each answers with what changed of which issue. What
//! is kept of an issue is small, since a board may hold ten thousand of them: no comments, no texts, no pull requests.
//!
//! Deliberately absent: decisions. News say "look", never what to do.

mod changes;
mod label_texts;
mod spots;
mod waiting;
mod watch;

use std::sync::Arc;

use crate::RepoSlug;
use crate::pipeline::item::Item;
use crate::time::ServerTime;
use crate::tracker::IssueKey;

pub use changes::{Changes, Touched};
pub use watch::Watch;

/// Something that happened to an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// To which.
    pub about: Subject,
    /// What.
    pub what: Happening,
}

/// Whom news are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// An issue by its number.
    Issue(IssueKey),
    /// An issue by the tracker's own name of it.
    Node(String),
    /// The issue whose pull request has this number.
    Pull {
        /// The repository.
        repo: RepoSlug,
        /// The number of the pull request.
        number: u64,
    },
    /// All issues of a repository.
    Repository(RepoSlug),
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// It was opened, or came onto the board.
    Appeared,
    /// It was closed.
    Closed,
    /// It was opened again.
    Reopened,
    /// It was deleted, transferred, or taken from the board.
    Removed,
    /// It has this label now.
    Labelled(String),
    /// It does not have this label any more.
    Unlabelled(String),
    /// It may be in another column.
    Moved,
    /// Somebody said something.
    Commented,
    /// Its text or title changed.
    Edited,
    /// It is somebody's, or nobody's any more.
    Assigned,
    /// It waits for other issues than before, or is a part of another one.
    Relinked,
    /// Something about its pull request: its head, its state, its reviews, its threads.
    PullChanged,
    /// A check of its pull request has ended.
    Checked,
}

/// What is known of an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its title, for people.
    pub title: Box<str>,
    /// Its column, as far as it is known.
    pub column: Option<Arc<str>>,
    /// Whether it is closed.
    pub is_closed: bool,
    /// Its labels, in alphabetical order. Issues share the texts.
    pub labels: Box<[Arc<str>]>,
    /// When something changed last, as the board says.
    pub updated_at: ServerTime,
    /// Whether news of it came since it was last seen.
    is_told: bool,
}

impl Known {
    /// Returns what a look has shown, for those who show it to people.
    pub fn seen(item: &Item, updated_at: Option<ServerTime>) -> Self {
        Self {
            title: item.title.as_str().into(),
            column: Some(item.column.as_str().into()).filter(|_| !item.column.is_empty()),
            is_closed: item.is_closed,
            labels: item.labels.iter().map(|label| label.as_str().into()).collect(),
            updated_at: updated_at.unwrap_or(ServerTime(0)),
            is_told: false,
        }
    }

    /// Returns whether it carries the label, compared as trackers do: without regard to case.
    pub fn has_label(&self, label: &str) -> bool {
        self.labels.iter().any(|own| own.eq_ignore_ascii_case(label))
    }
}
