//! How different fleets name the same things with labels.
//!
//! A dialect says which label makes an issue eligible, which ones tell that it is held, and what becomes of them when it
//! is taken and handed back. It says nothing about who holds: that is in the claims.

use std::fmt;
use std::str::FromStr;

use super::{EXCLUSIVE, IMPLEMENT, IN_FLIGHT};

/// The stages of a plain label pipeline, in order; after the last one the issue is closed.
pub const STAGE_READY: &str = "stage:ready";
/// Someone works on it.
pub const STAGE_PROCESSING: &str = "stage:processing";
/// It waits for a review.
pub const STAGE_REVIEW: &str = "stage:review";
/// The label that says that an item of a label pipeline is taken.
pub const CLAIMED: &str = "claimed";

const FABRIK_LOCK_PREFIX: &str = "fabrik:locked:";
const FABRIK_BLOCKING: [&str; 3] = ["fabrik:paused", "fabrik:awaiting-input", "fabrik:blocked"];

/// Whose labels a repository uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// Ours.
    #[default]
    Baton,
    /// Alfred's, which ours are taken from.
    Alfred,
    /// Fabrik's: a lock label for each operator.
    Fabrik,
    /// Stage labels and a `claimed` label.
    LabelsAsLocks,
}

/// The text names no dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a dialect: use baton, alfred, fabrik or labels-as-locks")]
pub struct DialectError(pub String);

impl Dialect {
    /// Its name in configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baton => "baton",
            Self::Alfred => "alfred",
            Self::Fabrik => "fabrik",
            Self::LabelsAsLocks => "labels-as-locks",
        }
    }

    /// The dialect that a label belongs to, when it is one of a label pipeline's stages; otherwise the configured one.
    pub fn of_label(self, label: &str) -> Self {
        if [STAGE_READY, STAGE_PROCESSING, STAGE_REVIEW].contains(&label) {
            Self::LabelsAsLocks
        } else {
            self
        }
    }

    /// The label that makes an issue eligible.
    pub fn eligible(self) -> &'static str {
        match self {
            Self::LabelsAsLocks => STAGE_READY,
            Self::Baton | Self::Alfred | Self::Fabrik => IMPLEMENT,
        }
    }

    /// The label that tells that an issue is held by `user`.
    pub fn in_flight(self, user: &str) -> String {
        match self {
            Self::LabelsAsLocks => CLAIMED.to_owned(),
            Self::Fabrik => fabrik_lock(user),
            Self::Baton | Self::Alfred => IN_FLIGHT.to_owned(),
        }
    }

    /// Returns whether a label keeps an issue from being claimed in this dialect.
    pub fn blocks_claim(self, label: &str) -> bool {
        match self {
            Self::Fabrik => FABRIK_BLOCKING.contains(&label) || super::blocks_claim(label),
            _ => super::blocks_claim(label),
        }
    }

    /// The changes that tell that an issue was taken.
    pub fn on_taking(self, labels: &[String], user: &str) -> LabelChange {
        let mut change = LabelChange::default();
        let stage = if self == Self::LabelsAsLocks { STAGE_READY } else { IMPLEMENT };
        change.remove_if_there(labels, stage);
        change.add_in_place(labels, &self.in_flight(user));
        if self == Self::LabelsAsLocks && !change.remove.is_empty() {
            change.add_unless_there(labels, STAGE_PROCESSING);
        }
        change
    }

    /// The changes that tell that an issue was handed back, and where to. Nothing else that tells of a stage stays.
    pub fn on_handing_back(self, labels: &[String], user: &str, to: Option<&str>) -> LabelChange {
        let mut change = LabelChange::default();
        let stages: &[&str] = match self {
            Self::LabelsAsLocks => &[STAGE_READY, STAGE_PROCESSING, STAGE_REVIEW],
            _ => &EXCLUSIVE,
        };
        for label in stages.iter().filter(|label| Some(**label) != to) {
            change.remove_if_there(labels, label);
        }
        change.remove_if_there(labels, &self.in_flight(user));
        if let Some(to) = to {
            change.add_in_place(labels, to);
        }
        change
    }

    /// Where an issue goes back to that was taken for `label`. A label outside the lifecycle was never taken off, and then
    /// the issue needs no other.
    pub fn origin(self, label: Option<&str>) -> Option<String> {
        let eligible = self.eligible();
        let label = label.filter(|label| *label != IN_FLIGHT).unwrap_or(eligible);
        let is_stage = self == Self::LabelsAsLocks || EXCLUSIVE.contains(&label);
        is_stage.then(|| label.to_owned())
    }

    /// The stage after the one that an issue was taken for, or nothing when that was the last.
    pub fn next_stage(label: Option<&str>) -> Option<&'static str> {
        (label != Some(STAGE_REVIEW)).then_some(STAGE_REVIEW)
    }
}

/// The lock label of one operator's Fabrik engine.
pub fn fabrik_lock(user: &str) -> String {
    super::fitted(format!("{FABRIK_LOCK_PREFIX}{user}"))
}

/// The operator whose Fabrik engine put this lock on.
pub fn fabrik_lock_owner(label: &str) -> Option<&str> {
    label.strip_prefix(FABRIK_LOCK_PREFIX).filter(|user| !user.is_empty())
}

/// Labels to put on and to take off. It never replaces the whole set, so that what others do meanwhile survives.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct LabelChange {
    /// To put on.
    pub add: Vec<String>,
    /// To take off.
    pub remove: Vec<String>,
}

impl LabelChange {
    /// Returns whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.remove.is_empty()
    }

    pub(crate) fn add_unless_there(&mut self, labels: &[String], label: &str) {
        if !labels.iter().any(|own| own.eq_ignore_ascii_case(label)) {
            self.add.push(label.to_owned());
        }
    }

    /// Adds what takes the place of all that is removed, also when it seems to be there: the labels may have been read
    /// before someone took it off, and then nothing would be left that tells where the issue is.
    fn add_in_place(&mut self, labels: &[String], label: &str) {
        if self.remove.is_empty() {
            self.add_unless_there(labels, label);
        } else {
            self.add.push(label.to_owned());
        }
    }

    pub(crate) fn remove_if_there(&mut self, labels: &[String], label: &str) {
        let is_there = labels.iter().any(|own| own.eq_ignore_ascii_case(label));
        if is_there && !self.remove.iter().any(|own| own == label) {
            self.remove.push(label.to_owned());
        }
    }
}

impl FromStr for Dialect {
    type Err = DialectError;

    fn from_str(text: &str) -> Result<Self, DialectError> {
        let all = [Self::Baton, Self::Alfred, Self::Fabrik, Self::LabelsAsLocks];
        all.into_iter().find(|dialect| dialect.name() == text).ok_or_else(|| DialectError(text.to_owned()))
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::PR_OPEN;

    fn labels(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn change(add: &[&str], remove: &[&str]) -> LabelChange {
        LabelChange { add: labels(add), remove: labels(remove) }
    }

    #[test]
    fn taking_an_issue_changes_only_what_tells_of_it() {
        let taken = |dialect: Dialect, names: &[&str]| dialect.on_taking(&labels(names), "ana");
        assert_eq!(taken(Dialect::Baton, &["bug", IMPLEMENT]), change(&[IN_FLIGHT], &[IMPLEMENT]));
        assert_eq!(taken(Dialect::Alfred, &[IN_FLIGHT]), change(&[], &[]));
        assert_eq!(
            taken(Dialect::LabelsAsLocks, &[STAGE_READY]),
            change(&[CLAIMED, STAGE_PROCESSING], &[STAGE_READY])
        );
        assert_eq!(taken(Dialect::Fabrik, &["bug"]), change(&["fabrik:locked:ana"], &[]));
    }

    #[test]
    fn what_replaces_a_label_is_put_on_even_if_it_seems_to_be_there() {
        let names = labels(&[IN_FLIGHT, IMPLEMENT]);
        assert_eq!(Dialect::Baton.on_taking(&names, "ana"), change(&[IN_FLIGHT], &[IMPLEMENT]));
        let back = Dialect::Baton.on_handing_back(&names, "ana", Some(IMPLEMENT));
        assert_eq!(back, change(&[IMPLEMENT], &[IN_FLIGHT]));
    }

    #[test]
    fn handing_back_leaves_one_stage_label_at_most() {
        let back = |dialect: Dialect, names: &[&str], to| dialect.on_handing_back(&labels(names), "ana", to);
        assert_eq!(
            back(Dialect::Baton, &[IN_FLIGHT, IMPLEMENT], Some(PR_OPEN)),
            change(&[PR_OPEN], &[IMPLEMENT, IN_FLIGHT])
        );
        assert_eq!(
            back(Dialect::LabelsAsLocks, &[CLAIMED, STAGE_PROCESSING], Some(STAGE_REVIEW)),
            change(&[STAGE_REVIEW], &[STAGE_PROCESSING, CLAIMED])
        );
        assert_eq!(
            back(Dialect::LabelsAsLocks, &[CLAIMED, STAGE_REVIEW], None),
            change(&[], &[STAGE_REVIEW, CLAIMED])
        );
        assert_eq!(
            back(Dialect::Fabrik, &["fabrik:locked:ana", "fabrik:locked:bob"], Some(IMPLEMENT)),
            change(&[IMPLEMENT], &["fabrik:locked:ana"])
        );
    }

    #[test]
    fn an_issue_goes_back_to_the_label_that_it_was_taken_for() {
        let origin = |dialect: Dialect, label| dialect.origin(label);
        assert_eq!(origin(Dialect::Baton, None).as_deref(), Some(IMPLEMENT));
        assert_eq!(origin(Dialect::Baton, Some(IN_FLIGHT)).as_deref(), Some(IMPLEMENT));
        assert_eq!(origin(Dialect::Baton, Some("bug")), None, "it was never taken off");
        assert_eq!(origin(Dialect::LabelsAsLocks, Some(STAGE_REVIEW)).as_deref(), Some(STAGE_REVIEW));
    }

    #[test]
    fn a_stage_label_brings_its_dialect_with_it() {
        assert_eq!(Dialect::Baton.of_label(STAGE_READY), Dialect::LabelsAsLocks);
        assert_eq!(Dialect::Fabrik.of_label("bug"), Dialect::Fabrik);
        for dialect in [Dialect::Baton, Dialect::Alfred, Dialect::Fabrik, Dialect::LabelsAsLocks] {
            assert_eq!(dialect.name().parse(), Ok(dialect));
        }
        assert!("github".parse::<Dialect>().is_err());
    }
}
