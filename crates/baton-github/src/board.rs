//! Boards on GitHub: columns that are labels, or columns that are options of a project's field.
//!
//! What is kept between surveys is small: a row for each issue, and the moment since which news are asked for. Nothing is
//! kept of a survey that failed, so the next one makes it good.

mod label;
mod ledger;
mod news;
mod project;

use baton_core::tracker::{IssueKey, Scope, Sighting, Survey};
use baton_ports::Board;

pub use label::LabelBoard;
pub use project::ProjectBoard;

use crate::client::Answer;

/// Whole surveys may be longer than other lists; ten thousand issues are a hundred pages.
const SURVEY_PAGES_MAX: u32 = 2_000;

/// A board of either kind.
#[derive(Debug)]
pub enum GitHubBoard {
    /// Columns are labels.
    Labels(LabelBoard),
    /// Columns are options of a project's field.
    Project(ProjectBoard),
}

impl Board for GitHubBoard {
    async fn survey(&self, scope: Scope) -> Answer<Survey> {
        match self {
            Self::Labels(board) => board.survey(scope).await,
            Self::Project(board) => board.survey(scope).await,
        }
    }

    fn column_of(&self, seen: &Sighting) -> Option<String> {
        match self {
            Self::Labels(board) => board.column_of(seen),
            Self::Project(board) => board.column_of(seen),
        }
    }

    async fn move_to(&self, issue: &IssueKey, column: &str) -> Answer<()> {
        match self {
            Self::Labels(board) => board.move_to(issue, column).await,
            Self::Project(board) => board.move_to(issue, column).await,
        }
    }
}
