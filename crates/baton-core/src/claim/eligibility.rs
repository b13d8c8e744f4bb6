//! Whether an issue may be claimed at all, and why not.
//!
//! Who holds it is not asked here: labels never decide that.

use std::fmt;

use super::identity::Holder;
use crate::labels;
use crate::labels::dialect::{Dialect, STAGE_READY};
use crate::time::ServerTime;
use crate::tracker::{Issue, LabelEvent};

/// What a repository asks of an issue before it may be claimed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Eligibility {
    /// The labels' dialect.
    pub dialect: Dialect,
    /// Whether the eligible label must be there.
    pub is_label_required: bool,
    /// The label that the claim is for; it never blocks, and with the flag above it must be there.
    pub wanted: Option<String>,
    /// Further labels that block.
    pub blocking: Vec<String>,
    /// Whether the pipeline has decided that the issue may be worked on, so that its labels are not asked once more.
    pub is_decided: bool,
}

/// Why an issue cannot be claimed. It is an answer, not an error.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// It is closed.
    Closed,
    /// It is a pull request.
    IsPull,
    /// Its repository is paused.
    Paused {
        /// Where that is said.
        by: String,
    },
    /// A label keeps agents away.
    Blocked {
        /// Which.
        label: String,
    },
    /// The label that makes it eligible is missing.
    NotEligible {
        /// Which.
        label: String,
    },
    /// It was handed on, although its labels do not tell yet.
    HandedOn {
        /// Where to.
        to: String,
    },
    /// The own claim would not be believed by others.
    NotBelieved {
        /// The account that wrote it.
        login: String,
    },
    /// The repository's protocol cannot be followed here.
    Protocol {
        /// What is in the way.
        why: String,
    },
    /// The server takes no refs of the claim refs' name.
    RefNameRefused,
    /// There is something on the claim ref that is not ours.
    StrangeTip {
        /// The commit.
        oid: String,
    },
    /// The caller holds something else, or nothing.
    NotHolder {
        /// Who does hold it, if anybody.
        holder: Option<Holder>,
    },
    /// The state machine has no such arrow.
    IllegalTransition {
        /// From here.
        from: Option<String>,
        /// To there.
        to: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the issue is closed"),
            Self::IsPull => f.write_str("this is a pull request, not an issue"),
            Self::Paused { by } => write!(f, "the repository is paused ({by})"),
            Self::Blocked { label } => write!(f, "the label `{label}` keeps agents away"),
            Self::NotEligible { label } => write!(f, "the label `{label}` is missing"),
            Self::HandedOn { to } => write!(f, "it was handed on to `{to}`"),
            Self::NotBelieved { login } => {
                write!(
                    f,
                    "claims by `{login}` do not count here: the account may not write to the repository"
                )
            }
            Self::Protocol { why } => write!(f, "the repository's claim protocol cannot be followed: {why}"),
            Self::RefNameRefused => f.write_str(
                "the server takes no refs of this name from this token; let everybody set claims.ref_prefix to \
                 refs/heads/baton-claims/, or use `baton protocol set comment`",
            ),
            Self::StrangeTip { oid } => {
                write!(f, "the claim ref is at {oid}, which is no claim; delete the ref to free the issue")
            }
            Self::NotHolder { holder: Some(holder) } => write!(f, "{holder} holds it"),
            Self::NotHolder { holder: None } => f.write_str("nobody holds it"),
            Self::IllegalTransition { from, to } => {
                let from = from.as_deref().unwrap_or("no lifecycle label");
                let legal = labels::legal_transitions(Some(from)).join(", ");
                write!(f, "an issue cannot go from {from} to {to}; legal from there: {legal}")
            }
        }
    }
}

impl Eligibility {
    /// Returns why an issue cannot be claimed, if so.
    pub fn refusal(&self, issue: &Issue) -> Option<Refusal> {
        if !issue.is_open {
            return Some(Refusal::Closed);
        }
        if self.is_decided {
            return None;
        }
        if issue.is_pull {
            return Some(Refusal::IsPull);
        }
        let blocking = issue.labels.iter().find(|label| self.blocks(label));
        if let Some(label) = blocking {
            return Some(Refusal::Blocked { label: label.clone() });
        }
        let missing = self.is_label_required && !self.is_marked_eligible(issue);
        missing.then(|| Refusal::NotEligible { label: self.eligible_label().to_owned() })
    }

    /// The label that makes an issue eligible.
    pub fn eligible_label(&self) -> &str {
        self.wanted.as_deref().unwrap_or(self.dialect.eligible())
    }

    /// An issue whose holder has died still carries what tells that it was taken, and is as good as eligible.
    fn is_marked_eligible(&self, issue: &Issue) -> bool {
        use crate::labels::dialect::{CLAIMED, STAGE_PROCESSING};
        let carries = |label: &str| issue.has_label(label);
        carries(self.eligible_label())
            || [labels::IN_FLIGHT, CLAIMED, STAGE_PROCESSING].into_iter().any(carries)
    }

    fn blocks(&self, label: &str) -> bool {
        let is_wanted = self.wanted.as_deref().is_some_and(|wanted| wanted.eq_ignore_ascii_case(label));
        let is_configured = self.blocking.iter().any(|own| own.eq_ignore_ascii_case(label));
        !is_wanted && (is_configured || self.dialect.blocks_claim(label))
    }

    /// Returns where a release sent the issue, if that would block a claim and the labels do not tell yet. Labels that
    /// were changed after the release outrank it; `events` tells.
    pub fn handed_on(&self, issue: &Issue, destination: Option<(&str, ServerTime)>) -> Option<Unsettled> {
        let (to, at) = destination?;
        let is_visible = issue.has_label(to);
        (self.blocks(to) && !is_visible && !self.is_decided).then(|| Unsettled { to: to.to_owned(), at })
    }
}

/// A release says that the issue went elsewhere, and the labels do not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unsettled {
    /// Where it went.
    pub to: String,
    /// When.
    pub at: ServerTime,
}

impl Unsettled {
    /// Returns the refusal, unless someone has sent the issue back after the release: put it into the queue, or taken off
    /// the label that the release named. Other changes may be a request that was late, and say nothing.
    pub fn refusal(&self, events: &[LabelEvent]) -> Option<Refusal> {
        let queues = |label: &str| [labels::IMPLEMENT, STAGE_READY].contains(&label);
        let sends_back =
            |event: &LabelEvent| if event.was_added { queues(&event.label) } else { event.label == self.to };
        let was_sent_back = events.iter().any(|event| event.at > self.at && sends_back(event));
        (!was_sent_back).then(|| Refusal::HandedOn { to: self.to.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::step::tests::issue;
    use crate::labels::{DO_NOT_PICKUP, IMPLEMENT, IN_FLIGHT, PR_OPEN};

    fn refusal(rules: &Eligibility, labels: &[&str]) -> Option<String> {
        rules.refusal(&issue(labels)).map(|refusal| refusal.to_string())
    }

    #[test]
    fn a_blocking_label_is_named_and_in_flight_alone_blocks_nothing() {
        let rules = Eligibility::default();
        assert_eq!(refusal(&rules, &[IMPLEMENT]), None);
        assert_eq!(refusal(&rules, &[]), None);
        assert_eq!(refusal(&rules, &[IN_FLIGHT]), None);
        assert_eq!(
            refusal(&rules, &[IMPLEMENT, DO_NOT_PICKUP]).unwrap(),
            "the label `do-not-pickup` keeps agents away"
        );
        let configured = Eligibility { blocking: vec!["epic".into()], ..rules };
        assert!(refusal(&configured, &["Epic"]).is_some());
    }

    #[test]
    fn the_eligible_label_is_asked_for_only_when_it_is_required() {
        let rules = Eligibility { is_label_required: true, ..Eligibility::default() };
        assert!(refusal(&rules, &["bug"]).unwrap().contains(IMPLEMENT));
        assert_eq!(refusal(&rules, &[IMPLEMENT]), None);
        assert_eq!(refusal(&rules, &[IN_FLIGHT]), None, "its last holder may be dead");
    }

    #[test]
    fn closed_issues_and_pull_requests_are_refused() {
        let rules = Eligibility::default();
        assert_eq!(rules.refusal(&Issue { is_open: false, ..issue(&[]) }), Some(Refusal::Closed));
        assert_eq!(rules.refusal(&Issue { is_pull: true, ..issue(&[]) }), Some(Refusal::IsPull));
    }

    #[test]
    fn a_release_outranks_labels_that_were_not_changed_since() {
        let rules = Eligibility::default();
        let unsettled = rules.handed_on(&issue(&[IMPLEMENT]), Some((PR_OPEN, ServerTime(50)))).unwrap();
        let event = |at| LabelEvent {
            label: IMPLEMENT.into(),
            was_added: true,
            at: ServerTime(at),
            actor: "a".into(),
        };
        assert!(unsettled.refusal(&[event(50)]).is_some());
        assert_eq!(unsettled.refusal(&[event(50), event(51)]), None);
        let late = LabelEvent { label: IN_FLIGHT.into(), ..event(51) };
        assert!(unsettled.refusal(&[late]).is_some(), "a late request sends nothing back");
        let taken_off = LabelEvent { label: PR_OPEN.into(), was_added: false, ..event(51) };
        assert_eq!(unsettled.refusal(&[taken_off]), None);
        assert_eq!(rules.handed_on(&issue(&[PR_OPEN]), Some((PR_OPEN, ServerTime(50)))), None);
        assert_eq!(rules.handed_on(&issue(&[]), Some((IMPLEMENT, ServerTime(50)))), None);
    }
}
