//! Every label of the relay: names, colours, meanings, and which may follow which.
//!
//! This module owns the strings; nothing else in the workspace spells a label. Labels are for people and queries: they
//! never decide who holds an issue. How other tools name the same things is in [`dialect`].

pub mod dialect;

use crate::tracker::LabelDefinition;

/// Eligible for pickup.
pub const IMPLEMENT: &str = "agent:implement";
/// Someone holds it.
pub const IN_FLIGHT: &str = "agent:in-flight";
/// A plan waits for a person's word.
pub const PLAN_PENDING_APPROVAL: &str = "agent:plan-pending-approval";
/// A pull request is open for it.
pub const PR_OPEN: &str = "agent:pr-open";
/// Shipped.
pub const DONE: &str = "agent:done";
/// A person keeps agents away.
pub const DO_NOT_PICKUP: &str = "do-not-pickup";
/// A person must cut it to size first.
pub const NEEDS_HUMAN_SCOPE: &str = "needs:human-scope";
/// On pull requests that an agent opened.
pub const AUTHORED: &str = "agent:authored";
/// Work for several repositories at once.
pub const LARGE_FEATURE: &str = "agent:large-feature";
/// On the open issue that pauses its repository for everybody.
pub const REPO_PAUSED: &str = "baton:repo-paused";

/// What labels begin with that are columns of a board.
pub const COLUMN_PREFIX: &str = "stage:";
/// Colour and meaning of the labels that are columns.
const COLUMN_COLOR: &str = "1d76db";

const NEEDS_HUMAN_REVIEW: &str = "agent:needs-human-review";
const NEEDS_INFO: &str = "needs:info";
const FANOUT_COMPLETE: &str = "batman:fanout-complete";
const DONE_ALREADY: &str = "done-already";
const FOREIGN_PR_OPEN_SUFFIX: &str = "-pr-open";
const BUNDLE_PREFIX: &str = "agent:bundle:";

/// GitHub refuses longer names.
pub const LABEL_CHARS_MAX: usize = 50;

/// Returns a label that the tracker takes: one that is too long keeps its head and ends in six digits that tell it from
/// others with the same head.
pub fn fitted(label: String) -> String {
    const TAIL_CHARS: usize = 7;
    if label.chars().count() <= LABEL_CHARS_MAX {
        return label;
    }
    let head: String = label.chars().take(LABEL_CHARS_MAX - TAIL_CHARS).collect();
    // FNV-1a: nobody gains anything by two operators with the same digits.
    let hash =
        label.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{head}~{:06x}", hash & 0x00ff_ffff)
}

/// Name, colour and meaning of the labels that tell where an issue is, and of those that keep agents away from it.
pub const LIFECYCLE_LABELS: [(&str, &str, &str); 7] = [
    (IMPLEMENT, "0e8a16", "Eligible for pickup by an agent"),
    (IN_FLIGHT, "e11d21", "Held: an agent or a person is working on it"),
    (PLAN_PENDING_APPROVAL, "fbca04", "A plan waits for approval"),
    (PR_OPEN, "fbca04", "A pull request is open for it"),
    (DONE, "0e8a16", "Shipped: its pull request was merged"),
    (DO_NOT_PICKUP, "5319e7", "Operator override: agents leave it alone"),
    (NEEDS_HUMAN_SCOPE, "e99695", "A person must scope it before agents may try again"),
];

/// Labels of the catalogue that are no part of the lifecycle.
pub const FURTHER_LABELS: [(&str, &str, &str); 3] = [
    (AUTHORED, "c2e0c6", "Opened by an agent"),
    (LARGE_FEATURE, "ff6b00", "Work for several repositories"),
    (REPO_PAUSED, "b60205", "While this issue is open, agents leave the repository alone"),
];

/// The labels that exclude each other, in the order of an issue's life.
pub const EXCLUSIVE: [&str; 5] = [IMPLEMENT, IN_FLIGHT, PLAN_PENDING_APPROVAL, PR_OPEN, DONE];

/// Which label may follow which; nothing stands for an issue without a lifecycle label.
const TRANSITIONS: [(Option<&str>, &str); 13] = [
    (None, IMPLEMENT),
    (None, IN_FLIGHT),
    (Some(IMPLEMENT), IN_FLIGHT),
    (Some(IMPLEMENT), NEEDS_HUMAN_SCOPE),
    (Some(IN_FLIGHT), IMPLEMENT),
    (Some(IN_FLIGHT), PLAN_PENDING_APPROVAL),
    (Some(IN_FLIGHT), PR_OPEN),
    // Already implemented: there is nothing to open a pull request for.
    (Some(IN_FLIGHT), DONE),
    (Some(PLAN_PENDING_APPROVAL), IN_FLIGHT),
    (Some(PLAN_PENDING_APPROVAL), IMPLEMENT),
    (Some(PR_OPEN), DONE),
    (Some(PR_OPEN), IMPLEMENT),
    (Some(PR_OPEN), IN_FLIGHT),
];

/// A bundle has no usable name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` cannot name a bundle: use 1 to 37 characters without white space")]
pub struct BundleError(pub String);

/// Returns whether an issue may go from one lifecycle label to another. Staying where it is always is.
pub fn is_legal_transition(from: Option<&str>, to: &str) -> bool {
    from == Some(to) || TRANSITIONS.contains(&(from, to))
}

/// Returns the labels that may follow `from`.
pub fn legal_transitions(from: Option<&str>) -> Vec<&'static str> {
    TRANSITIONS.iter().filter(|(start, _)| *start == from).map(|(_, to)| *to).collect()
}

/// Returns the most advanced lifecycle label among `labels`, in the catalogue's spelling.
pub fn lifecycle_state<S: AsRef<str>>(labels: &[S]) -> Option<&'static str> {
    let carries = |wanted: &&&str| labels.iter().any(|label| label.as_ref().eq_ignore_ascii_case(wanted));
    EXCLUSIVE.iter().rev().find(carries).copied()
}

/// Returns the lifecycle labels among `labels`, in the order of an issue's life.
pub fn lifecycle_labels<S: AsRef<str>>(labels: &[S]) -> Vec<&'static str> {
    let carries = |wanted: &&&str| labels.iter().any(|label| label.as_ref().eq_ignore_ascii_case(wanted));
    EXCLUSIVE.iter().filter(carries).copied().collect()
}

/// Returns the label that ties the issues of one bundle together.
pub fn bundle_label(slug: &str) -> Result<String, BundleError> {
    let fits = !slug.is_empty() && slug.chars().count() <= LABEL_CHARS_MAX - BUNDLE_PREFIX.len();
    if !fits || slug.contains(char::is_whitespace) {
        return Err(BundleError(slug.to_owned()));
    }
    Ok(format!("{BUNDLE_PREFIX}{slug}"))
}

/// Returns the label that puts an issue into the column of a stage.
pub fn column_label(stage: &str) -> String {
    format!("{COLUMN_PREFIX}{stage}")
}

/// Returns the label of a column, with its colour and meaning.
pub fn column_definition(stage: &str) -> LabelDefinition {
    LabelDefinition {
        name: column_label(stage),
        color: COLUMN_COLOR.to_owned(),
        description: format!("On the board of the relay, in the column {stage}").chars().take(100).collect(),
    }
}

/// Returns the slug of a bundle's label.
pub fn bundle_slug(label: &str) -> Option<&str> {
    label.strip_prefix(BUNDLE_PREFIX).filter(|slug| !slug.is_empty())
}

/// Returns whether a label keeps an issue from being claimed, whoever holds it. `agent:in-flight` does not: the claim
/// decides, the label only tells.
pub fn blocks_claim(label: &str) -> bool {
    const BLOCKING: [&str; 9] = [
        PLAN_PENDING_APPROVAL,
        PR_OPEN,
        DONE,
        DO_NOT_PICKUP,
        NEEDS_HUMAN_SCOPE,
        NEEDS_HUMAN_REVIEW,
        NEEDS_INFO,
        FANOUT_COMPLETE,
        DONE_ALREADY,
    ];
    let label = label.to_ascii_lowercase();
    BLOCKING.contains(&label.as_str()) || label.ends_with(FOREIGN_PR_OPEN_SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_travels_only_along_the_legal_transitions() {
        for (from, to) in [
            (None, IMPLEMENT),
            (Some(IMPLEMENT), IN_FLIGHT),
            (Some(IN_FLIGHT), PR_OPEN),
            (Some(IN_FLIGHT), DONE),
            (Some(PR_OPEN), DONE),
            (Some(PR_OPEN), IMPLEMENT),
            (Some(IN_FLIGHT), PLAN_PENDING_APPROVAL),
            (Some(IMPLEMENT), IMPLEMENT),
        ] {
            assert!(is_legal_transition(from, to), "{from:?} -> {to}");
        }
        for (from, to) in [
            (None, PR_OPEN),
            (None, DONE),
            (Some(IMPLEMENT), PR_OPEN),
            (Some(IMPLEMENT), DONE),
            (Some(DONE), IMPLEMENT),
            (Some(DONE), IN_FLIGHT),
            (Some(IN_FLIGHT), "bug"),
        ] {
            assert!(!is_legal_transition(from, to), "{from:?} -> {to} was allowed");
        }
    }

    #[test]
    fn the_most_advanced_lifecycle_label_tells_the_state() {
        assert_eq!(lifecycle_state(&["bug", "agent:implement", "Agent:PR-open"]), Some(PR_OPEN));
        assert_eq!(lifecycle_state(&["bug"]), None);
        assert_eq!(lifecycle_labels(&[PR_OPEN, IMPLEMENT]), [IMPLEMENT, PR_OPEN]);
    }

    #[test]
    fn a_claim_is_blocked_by_what_says_so_and_not_by_in_flight() {
        for label in [PR_OPEN, DONE, DO_NOT_PICKUP, NEEDS_HUMAN_SCOPE, "lucius-pr-open", "Needs:Info"] {
            assert!(blocks_claim(label), "{label}");
        }
        for label in [IMPLEMENT, IN_FLIGHT, "bug", "agent:bundle:x", AUTHORED] {
            assert!(!blocks_claim(label), "{label}");
        }
    }

    #[test]
    fn a_bundle_has_a_name_that_fits_into_a_label() {
        assert_eq!(bundle_label("checkout-v2").unwrap(), "agent:bundle:checkout-v2");
        assert_eq!(bundle_slug("agent:bundle:checkout-v2"), Some("checkout-v2"));
        assert!(bundle_label(&"x".repeat(37)).is_ok());
        for slug in ["", "a b", "a\tb", &"x".repeat(38)] {
            assert!(bundle_label(slug).is_err(), "{slug:?} was accepted");
        }
    }

    #[test]
    fn the_catalogue_is_what_a_tracker_accepts() {
        for (name, color, meaning) in LIFECYCLE_LABELS.iter().chain(&FURTHER_LABELS) {
            assert!(name.len() <= LABEL_CHARS_MAX && meaning.len() <= 100, "{name}");
            assert!(color.len() == 6 && color.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
        }
    }
}
