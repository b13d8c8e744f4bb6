//! The board: a column for each stage, a card for each issue.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Stamp;

/// The board at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Board {
    /// When it was looked at.
    pub now: Stamp,
    /// The columns, in the order of the pipeline.
    pub columns: Vec<Column>,
    /// What a person should know, worst first.
    pub warnings: Vec<Warning>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Column {
    /// The name of its stage.
    pub name: String,
    /// What kind of column it is.
    pub kind: ColumnKind,
    /// Its cards, those first that need a person, then those at work, then by number.
    pub cards: Vec<Card>,
    /// How many more there are that are not shown: old ones that are done.
    pub hidden: u64,
}

/// What kind of column it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// Agents work here.
    Work,
    /// Only people move issues on from here.
    Waiting,
    /// The end.
    Done,
    /// The board has it, and the pipeline does not know it.
    Unknown,
}

/// An issue on the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Card {
    /// The issue: `owner/name#42`.
    pub issue: String,
    /// Its repository: `owner/name`.
    pub repo: String,
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Where it is on the tracker, for a browser.
    pub url: Option<String>,
    /// The column that it is in.
    pub column: String,
    /// In a word, how it is with it.
    pub state: CardState,
    /// In a few words, what happens with it or what it waits for.
    pub words: String,
    /// Who works on it, or is about to.
    pub holder: Option<Holder>,
    /// What it waits for, and what stands out.
    pub badges: Vec<Badge>,
    /// Labels that mean nothing to the relay.
    pub labels: Vec<String>,
    /// Its pull request.
    pub pull: Option<u64>,
    /// Since when it is in this state; the last change on the tracker where nothing better is known.
    pub since: Stamp,
}

/// How it is with an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CardState {
    /// A person was asked something.
    Asking,
    /// Somebody, or a rule, paused it.
    Paused,
    /// An agent is at work.
    Running,
    /// A run is about to start.
    Queued,
    /// A gate is closed: reviewers, checks, approval.
    Waiting,
    /// Other issues come first, or its branch conflicts.
    Blocked,
    /// Somebody else holds it.
    Held,
    /// It waits for its turn.
    Idle,
    /// It is done.
    Done,
}

/// Who works on an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Holder {
    /// The agent, or whoever holds the issue.
    pub name: String,
    /// The run.
    pub run: Option<i64>,
    /// The machine.
    pub host: Option<String>,
    /// Since when.
    pub since: Stamp,
    /// The turn that it is at.
    pub turns: Option<u64>,
    /// How many turns it has.
    pub turns_max: Option<u64>,
    /// The last thing that it said.
    pub last_line: Option<String>,
}

/// Something that stands out about an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Badge {
    /// What kind.
    pub kind: BadgeKind,
    /// In a word or two.
    pub words: String,
}

/// What a badge is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BadgeKind {
    /// Reviewers.
    Review,
    /// Checks.
    Checks,
    /// A branch that conflicts.
    Conflict,
    /// Other issues.
    Blocked,
    /// A pause.
    Paused,
    /// A question to a person.
    Question,
    /// An approval.
    Approval,
    /// A stage that failed.
    Failed,
    /// How it is driven: by itself to the end, with more turns, and the like.
    Mode,
}

/// Something that a person should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Warning {
    /// Since when.
    pub at: Stamp,
    /// The issue that it is about.
    pub issue: Option<String>,
    /// What is wrong, and what to do.
    pub words: String,
}

impl Board {
    /// Returns all cards.
    pub fn cards(&self) -> impl Iterator<Item = &Card> {
        self.columns.iter().flat_map(|column| &column.cards)
    }
}
