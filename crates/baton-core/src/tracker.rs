//! What a tracker holds, as plain data: issues, comments, events, pull requests, commits on refs.
//!
//! Adapters fill these in; rules read them. They keep only what a rule asks for, in the tracker's own words, and judge
//! nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::RepoSlug;
use crate::issue_ref::IssueRef;
use crate::pipeline::item;
use crate::time::ServerTime;
use crate::words::words;

/// One issue of one repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueKey {
    /// The repository it is in.
    pub repo: RepoSlug,
    /// Its number there.
    pub number: u64,
}

impl fmt::Display for IssueKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.repo, self.number)
    }
}

/// The text does not name an issue together with its repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not name an issue with its repository: write OWNER/REPO#42")]
pub struct IssueKeyError(pub String);

impl FromStr for IssueKey {
    type Err = IssueKeyError;

    fn from_str(text: &str) -> Result<Self, IssueKeyError> {
        let named: Option<IssueRef> = text.parse().ok();
        let key = named.and_then(|named| {
            let repo = RepoSlug::new(&named.owner?, &named.repo?).ok()?;
            Some(Self { repo, number: named.number })
        });
        key.ok_or_else(|| IssueKeyError(text.to_owned()))
    }
}

impl Serialize for IssueKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for IssueKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// An answer with the server's clock at the time it was given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dated<T> {
    /// What was asked for.
    pub value: T,
    /// The server's `Date`; of several pages, that of the first, so that nothing looks older than it is.
    pub date: ServerTime,
    /// How many pages were read for it.
    pub pages: u32,
}

/// Which issues are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IssueState {
    /// Open ones.
    Open,
    /// Open and closed ones.
    Any,
}

/// An issue, or a pull request seen as one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Issue {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// What it says.
    pub body: String,
    /// Where people read it.
    pub url: String,
    /// Whether it is open.
    pub is_open: bool,
    /// Whether it is a pull request.
    pub is_pull: bool,
    /// Its labels, in the tracker's order.
    pub labels: Vec<String>,
    /// How many comments it has.
    pub comments: u64,
    /// Who opened it.
    pub author: String,
    /// When it was opened.
    pub created_at: ServerTime,
}

impl Issue {
    /// Returns whether it carries the label, compared as trackers do: without regard to case.
    pub fn has_label(&self, label: &str) -> bool {
        self.labels.iter().any(|own| own.eq_ignore_ascii_case(label))
    }
}

/// Who wrote something: a person, or an app acting for itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Author {
    /// The account.
    pub login: String,
    /// The app through which it was written, when the tracker tells.
    pub app_id: Option<u64>,
}

/// A comment on an issue.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Comment {
    /// Grows with every comment of the tracker.
    pub id: u64,
    /// Who wrote it.
    pub author: Author,
    /// When the server took it.
    pub created_at: ServerTime,
    /// When the server took its last edit.
    pub updated_at: ServerTime,
    /// What it says.
    pub body: String,
}

/// A label was put on an issue, or taken off.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LabelEvent {
    /// Which label.
    pub label: String,
    /// On, or off.
    pub was_added: bool,
    /// When.
    pub at: ServerTime,
    /// By whom.
    pub actor: String,
}

words! {
    /// What has become of a pull request.
    PullState, "a state of pull requests" {
        /// Still open.
        Open = "open",
        /// Closed without a merge.
        Closed = "closed",
        /// Merged.
        Merged = "merged",
    }
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pull {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its description.
    pub body: String,
    /// What has become of it.
    pub state: PullState,
    /// Who opened it.
    pub author: String,
    /// The branch it comes from, without `refs/heads/`.
    pub head_branch: String,
    /// The commit at its head.
    pub head_sha: String,
    /// The branch it goes to.
    pub base_branch: String,
    /// Its address for people.
    pub url: String,
}

/// A pull request that is to be opened, from a branch of the same repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NewPull {
    /// The branch it comes from, without `refs/heads/`.
    pub head: String,
    /// The branch it goes to.
    pub base: String,
    /// Its title.
    pub title: String,
    /// Its description.
    pub body: String,
    /// Whether it is a draft.
    pub is_draft: bool,
}

/// What became of a pull request that should be opened.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PullOpening {
    /// It is open now.
    Opened(Pull),
    /// There is an open one between these branches already.
    Exists,
}

/// A change of a pull request; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PullEdit {
    /// Its title.
    pub title: Option<String>,
    /// Its description.
    pub body: Option<String>,
}

/// How much someone may do in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Nothing that others may not.
    None,
    /// Read, and triage.
    Read,
    /// Push, or more.
    Write,
}

/// A commit, as claims on a ref need it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Commit {
    /// Its object id.
    pub oid: String,
    /// The ids of its parents.
    pub parents: Vec<String>,
    /// Its message.
    pub message: String,
    /// The committer's date: the server's when it was made through the API.
    pub committed_at: ServerTime,
}

/// What became of a ref that should be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefCreation {
    /// It is there, at the commit asked for.
    Created,
    /// It was there already.
    Exists,
    /// The server takes no refs of this name.
    NameRefused,
}

/// What became of a ref that should be moved forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefAdvance {
    /// It is at the commit asked for.
    Advanced,
    /// It stands where the commit does not descend from.
    NotFastForward,
    /// There is no such ref.
    Missing,
}

/// What became of a merge that names the head it means.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Merge {
    /// Merged, as this commit.
    Merged(String),
    /// The head is another one now.
    HeadMoved,
    /// The tracker will not merge it, with its words.
    NotMergeable(String),
}

/// A label as a repository defines it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LabelDefinition {
    /// Its name.
    pub name: String,
    /// Six hexadecimal digits, lower case.
    pub color: String,
    /// What it means, for people.
    pub description: String,
}

/// Everything that the tracker shows of one issue, all pages of it, read for a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The issue.
    pub issue: Issue,
    /// When each label that it carries was put on last.
    pub labelled_at: BTreeMap<String, ServerTime>,
    /// The comments on it and on its pull request, oldest first.
    pub comments: Vec<item::Comment>,
    /// The issues that come first.
    pub blockers: Vec<item::Blocker>,
    /// The newest pull request from the branch that was named.
    pub pull: Option<item::LinkedPull>,
    /// Where it is on boards of the tracker's own.
    pub placements: Vec<Placement>,
}

/// Where an issue is on a board of the tracker's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The board, by the tracker's name for it.
    pub board: String,
    /// The place, by the tracker's name for it.
    pub place: String,
    /// The values of its fields that are one of several options, by the name of the field.
    pub options: BTreeMap<String, String>,
}

/// What a survey of the board is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everything that is on the board.
    All,
    /// What may have changed since the last survey.
    News,
}

/// What a survey of the board shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The issues, each once.
    pub rows: Vec<BoardRow>,
    /// Whether these are all that are on the board, so that what is missing is not on it any more.
    pub is_complete: bool,
}

/// An issue as the board shows it: enough to know whether it is worth a closer look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardRow {
    /// Which.
    pub issue: IssueKey,
    /// The tracker's own name of the issue, by which some news speak of it.
    pub node_id: String,
    /// Its title.
    pub title: String,
    /// The column that it is in; nothing when the survey does not tell.
    pub column: Option<String>,
    /// Whether it is closed.
    pub is_closed: bool,
    /// Its labels.
    pub labels: Vec<String>,
    /// When something about it changed last.
    pub updated_at: ServerTime,
}
