//! Which facts of an issue changed, and what a survey or news amounted to.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use crate::tracker::IssueKey;

/// A set of facts of an issue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Changes(u16);

impl Changes {
    /// None.
    pub const NONE: Self = Self(0);
    /// It was not known before.
    pub const APPEARED: Self = Self(1);
    /// Its column.
    pub const COLUMN: Self = Self(1 << 1);
    /// Its labels.
    pub const LABELS: Self = Self(1 << 2);
    /// Whether it is closed.
    pub const CLOSED: Self = Self(1 << 3);
    /// Its comments.
    pub const COMMENTS: Self = Self(1 << 4);
    /// Its pull request: head, state, reviews, threads.
    pub const PULL: Self = Self(1 << 5);
    /// The checks of its pull request.
    pub const CHECKS: Self = Self(1 << 6);
    /// Whose it is.
    pub const ASSIGNEES: Self = Self(1 << 7);
    /// Its title or text.
    pub const TEXT: Self = Self(1 << 8);
    /// What it waits for, or is a part of.
    pub const LINKS: Self = Self(1 << 9);
    /// It is not on the board any more.
    pub const REMOVED: Self = Self(1 << 10);
    /// Something it waited for was closed or removed.
    pub const UNBLOCKED: Self = Self(1 << 11);
    /// Something that the survey does not show: the time of the last change is later than it was.
    pub const TOUCHED: Self = Self(1 << 12);

    const NAMES: [(Self, &'static str); 13] = [
        (Self::APPEARED, "appeared"),
        (Self::COLUMN, "column"),
        (Self::LABELS, "labels"),
        (Self::CLOSED, "closed"),
        (Self::COMMENTS, "comments"),
        (Self::PULL, "pull"),
        (Self::CHECKS, "checks"),
        (Self::ASSIGNEES, "assignees"),
        (Self::TEXT, "text"),
        (Self::LINKS, "links"),
        (Self::REMOVED, "removed"),
        (Self::UNBLOCKED, "unblocked"),
        (Self::TOUCHED, "touched"),
    ];

    /// Returns whether nothing changed.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Returns whether any of `others` changed.
    pub fn has(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Returns all but `others`.
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Returns this set if `is_so`, and none otherwise.
    pub(super) fn when(self, is_so: bool) -> Self {
        if is_so { self } else { Self::NONE }
    }

    /// Returns whether there is something to look at. What was taken away is gone; there is only to be cleaned up.
    pub fn is_worth_a_look(self) -> bool {
        !self.is_empty() && !self.has(Self::REMOVED)
    }
}

impl BitOr for Changes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Changes {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Self::NAMES.iter().filter(|(fact, _)| self.has(*fact)).map(|(_, name)| name);
        f.debug_set().entries(names).finish()
    }
}

/// What a survey, news or a look amounted to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "whoever waits for these changes hears of them nowhere else"]
pub struct Touched {
    /// The issues of which something changed, each once, in the order in which it was seen.
    pub issues: Vec<(IssueKey, Changes)>,
    /// What a survey showed that no news had told.
    pub untold: Vec<(IssueKey, Changes)>,
    /// Only a survey can tell whom it is about.
    pub asks_for_survey: bool,
}

impl Touched {
    /// Returns the issues that are worth a look.
    pub fn worth_a_look(&self) -> impl Iterator<Item = &IssueKey> {
        self.issues.iter().filter(|(_, changes)| changes.is_worth_a_look()).map(|(issue, _)| issue)
    }

    /// Returns whether a survey showed something that webhooks should have told, and did not. Columns are left out: a
    /// repository's webhooks do not tell of them.
    pub fn has_drift(&self) -> bool {
        self.untold.iter().any(|(_, changes)| !changes.without(Changes::COLUMN).is_empty())
    }

    /// Adds what changed of an issue to what is already noted of it.
    pub(super) fn note(&mut self, issue: &IssueKey, changes: Changes) {
        if changes.is_empty() {
            return;
        }
        // An issue that is freed by several others is rare, and then they are few.
        match self.issues.iter_mut().find(|(noted, _)| noted == issue) {
            Some((_, noted)) => *noted |= changes,
            None => self.issues.push((issue.clone(), changes)),
        }
    }
}

/// Walks the issues that are worth a look.
impl IntoIterator for Touched {
    type Item = IssueKey;
    type IntoIter = std::iter::Map<
        std::iter::Filter<std::vec::IntoIter<(IssueKey, Changes)>, fn(&(IssueKey, Changes)) -> bool>,
        fn((IssueKey, Changes)) -> IssueKey,
    >;

    fn into_iter(self) -> Self::IntoIter {
        let is_worth: fn(&(IssueKey, Changes)) -> bool = |(_, changes)| changes.is_worth_a_look();
        let issue: fn((IssueKey, Changes)) -> IssueKey = |(issue, _)| issue;
        self.issues.into_iter().filter(is_worth).map(issue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_a_name_and_a_place_of_its_own() {
        let mut all = Changes::NONE;
        for (fact, name) in Changes::NAMES {
            assert!(!all.has(fact), "{name}");
            all |= fact;
        }
        assert_eq!(format!("{:?}", Changes::LABELS | Changes::CLOSED), r#"{"labels", "closed"}"#);
    }

    #[test]
    fn what_is_gone_is_not_looked_at() {
        assert!(Changes::CLOSED.is_worth_a_look());
        assert!(!Changes::NONE.is_worth_a_look());
        assert!(!(Changes::REMOVED | Changes::LABELS).is_worth_a_look());
    }
}
