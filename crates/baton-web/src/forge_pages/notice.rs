//! What became of an order, shown where it was given.
//!
//! What succeeded is remembered in the address by a word of this list, never by a text: an address that a stranger made up
//! cannot put sentences into the page.

use maud::{Markup, html};

use super::client::ForgeError;
use super::fields::Fields;

/// Where on a page orders are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    Top,
    Comment,
    Labels,
    State,
    Review,
    Merge,
    Threads,
    Line,
}

impl Spot {
    /// The name of the place within the page.
    pub(crate) fn anchor(self) -> &'static str {
        match self {
            Self::Top => "main",
            Self::Comment => "comment",
            Self::Labels => "labels",
            Self::State => "state",
            Self::Review => "review",
            Self::Merge => "merge",
            Self::Threads => "threads",
            Self::Line => "line",
        }
    }
}

/// An order that was followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) word: &'static str,
    pub(crate) spot: Spot,
    text: &'static str,
}

const fn done(word: &'static str, spot: Spot, text: &'static str) -> Done {
    Done { word, spot, text }
}

pub(crate) const OPENED: Done = done("opened", Spot::Top, "The issue was opened.");
pub(crate) const COMMENTED: Done = done("commented", Spot::Comment, "Your comment was added.");
pub(crate) const LABELLED: Done = done("labelled", Spot::Labels, "The label was added.");
pub(crate) const UNLABELLED: Done = done("unlabelled", Spot::Labels, "The label was removed.");
pub(crate) const CLOSED: Done = done("closed", Spot::State, "It was closed.");
pub(crate) const REOPENED: Done = done("reopened", Spot::State, "It was opened again.");
pub(crate) const REVIEWED: Done = done("reviewed", Spot::Review, "Your review was submitted.");
pub(crate) const MERGED: Done = done("merged", Spot::Merge, "The pull request was merged.");
pub(crate) const RESOLVED: Done = done("resolved", Spot::Threads, "The thread was resolved.");
pub(crate) const UNRESOLVED: Done = done("unresolved", Spot::Threads, "The thread was opened again.");
pub(crate) const REPLIED: Done = done("replied", Spot::Threads, "Your answer was added.");
pub(crate) const NOTED: Done = done("noted", Spot::Threads, "Your comment was added to the line.");

const ALL: [Done; 12] = [
    OPENED, COMMENTED, LABELLED, UNLABELLED, CLOSED, REOPENED, REVIEWED, MERGED, RESOLVED, UNRESOLVED,
    REPLIED, NOTED,
];

/// What is to be told on a page.
#[derive(Debug, Default)]
pub(crate) struct Notice {
    told: Option<Told>,
    /// What was typed into the form that was refused.
    pub(crate) typed: Fields,
}

#[derive(Debug)]
enum Told {
    Done(Done),
    Refused { spot: Spot, message: String, detail: String },
}

impl Notice {
    /// Returns what an address remembers.
    pub(crate) fn remembered(word: Option<&str>) -> Self {
        let found = ALL.into_iter().find(|done| Some(done.word) == word);
        Self { told: found.map(Told::Done), typed: Fields::default() }
    }

    pub(crate) fn refused(spot: Spot, error: &ForgeError, typed: Fields) -> Self {
        let told = Told::Refused { spot, message: error.to_string(), detail: error.detail() };
        Self { told: Some(told), typed }
    }

    /// Shows what is to be told at a place of the page, if anything is.
    pub(crate) fn at(&self, spot: Spot) -> Markup {
        match &self.told {
            Some(Told::Done(done)) if done.spot == spot => html! {
                p class="result good" role="status" { b { "Done. " } (done.text) }
            },
            Some(Told::Refused { spot: place, message, detail }) if *place == spot => html! {
                div class="result bad" role="alert" {
                    p { b { "The forge refused: " } (message) }
                    p class="quiet" { (detail) "." }
                }
            },
            _ => html! {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_of_the_list_are_told() {
        let shown = Notice::remembered(Some("merged")).at(Spot::Merge).into_string();
        assert!(shown.contains("The pull request was merged."), "{shown}");
        for word in [None, Some("Call this number"), Some("")] {
            assert_eq!(Notice::remembered(word).at(Spot::Merge).into_string(), "");
        }
        assert_eq!(Notice::remembered(Some("merged")).at(Spot::Comment).into_string(), "");
    }
}
