//! The words by which an agent says how its run went.
//!
//! A marker stands alone on its line, outside a code fence: `BATON_STAGE_COMPLETE`, or `FABRIK_STAGE_COMPLETE` where a team
//! speaks Fabrik's dialect. Blocks run from `…_BEGIN` to `…_END`. A marker that is only mentioned, in prose, in a fence or
//! within a block, is told of and not obeyed; so is a block that was not finished. What is left without markers and blocks is
//! for people.
//!
//! Nothing here judges a run: which marker goes before which, and whether an error outweighs it, is decided elsewhere.

mod fence;
mod line;
mod reader;

use std::fmt;

use crate::RepoSlug;
use crate::labels::dialect::Dialect;

/// What the markers of a dialect begin with.
pub fn prefix(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Fabrik => "FABRIK_",
        Dialect::Baton | Dialect::Alfred | Dialect::LabelsAsLocks => "BATON_",
    }
}

/// Reads what an agent wrote. It takes time in proportion to the text.
pub fn read(text: &str, dialect: Dialect) -> Marks {
    reader::read(text, prefix(dialect))
}

/// What the markers of sub-issues have in common.
const SUB_ISSUE: &str = "SUB_ISSUE";

/// What an agent said by markers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// The stage is complete.
    pub complete: bool,
    /// The issue was divided into others.
    pub decomposed: bool,
    /// A person must answer first.
    pub blocked: bool,
    /// The last summary, or the question to a person. It is not in the rest.
    pub summary: Option<String>,
    /// The last new text for the issue.
    pub issue_update: Option<String>,
    /// The issues to create, in order.
    pub sub_issues: Vec<SubIssue>,
    /// Markers that were not obeyed, in the order in which that became clear.
    pub mentions: Vec<Mention>,
    /// The text without what was obeyed, and without blank lines around it. What was not understood stays in it.
    pub rest: String,
}

/// An issue that an agent asks for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SubIssue {
    /// Where; nothing for where its parent is.
    pub repo: Option<RepoSlug>,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
}

/// A marker that was not obeyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The marker with its prefix.
    pub marker: String,
    /// Its line, from 1.
    pub line: usize,
    /// Why it was not obeyed.
    pub why: Why,
}

/// Why a marker was not obeyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// There is other text on its line.
    InProse,
    /// It is in a code fence.
    InFence,
    /// It is in a code fence that nothing closes, which may be a mistake.
    InOpenFence,
    /// It is within a block that another marker opened.
    InBlock,
    /// It opens a block, and a later one of its kind counts.
    Superseded,
    /// It opens a block that nothing closes.
    Unfinished,
    /// It closes a block that nothing opened.
    Unopened,
    /// It opens a block with nothing in it.
    Empty,
    /// It opens a sub-issue whose first line is not `TITLE:` with a title.
    Untitled,
    /// It opens a sub-issue in something that is no repository; the text says what is wrong with it.
    BadRepo(String),
    /// There is no such marker.
    Unknown,
}

impl Marks {
    /// Returns whether there are sub-issues, and none of them was lost on the way.
    pub fn has_all_sub_issues(&self) -> bool {
        let is_lost = |mention: &Mention| mention.marker.contains(SUB_ISSUE);
        !self.sub_issues.is_empty() && !self.problems().any(is_lost)
    }

    /// Returns the markers that were probably meant and came to nothing.
    pub fn problems(&self) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(|mention| mention.why.is_problem())
    }
}

impl Why {
    /// Returns whether the marker was probably meant, so that somebody should hear of it.
    pub fn is_problem(&self) -> bool {
        !matches!(self, Self::InProse | Self::InFence | Self::InBlock | Self::Superseded)
    }
}

impl fmt::Display for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {} was not obeyed: {}", self.line, self.marker, self.why)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InProse => "it is mentioned among other words; a marker has its line to itself",
            Self::InFence => "it is in a code fence",
            Self::InOpenFence => "it is in a code fence that is never closed",
            Self::InBlock => "it is within a block",
            Self::Superseded => "a later block of its kind counts",
            Self::Unfinished => "its block is not closed by an END on a line of its own",
            Self::Unopened => "no block of its kind is open",
            Self::Empty => "there is nothing in its block",
            Self::Untitled => "the first line of a sub-issue must be `TITLE: …`",
            Self::BadRepo(problem) => return write!(f, "it names no repository: {problem}"),
            Self::Unknown => "there is no such marker",
        })
    }
}

#[cfg(test)]
mod tests;
