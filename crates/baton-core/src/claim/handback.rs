//! Handing an issue back: labels while still holding, and the release last.
//!
//! A crash in between leaves a state that a sweep finishes. A holder that has lost its lease changes nothing.

use super::chain::{self, Sighting, Standing};
use super::eligibility::Refusal;
use super::identity::Holder;
use super::lease::{Lease, Protocol};
use super::ledger::Ledger;
use super::outcome::Outcome;
use super::step::{Answer, Ask, Machine, SharedTerms, Step, label_asks, stamp};
use super::text::{ClaimState, ReleaseText};
use crate::labels;
use crate::labels::dialect::Dialect;
use crate::time::{BootTime, ServerTime};
use crate::tracker::{Issue, RefAdvance};

/// How the hold ended and where the issue goes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Handover {
    /// How the hold ended.
    pub outcome: Outcome,
    /// The label that the issue goes to; nothing leaves it without one.
    pub to: Option<String>,
    /// The pull request that came of it.
    pub pr: Option<String>,
    /// Whether labels stay as they are, because the hold ended before it was told by any.
    pub leaves_labels: bool,
}

/// What became of a release.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HandedBack {
    /// Done.
    Released,
    /// It was not held any more; nothing was changed.
    Lost {
        /// Who has it now, when that is known.
        to: Option<Holder>,
        /// Why.
        why: String,
    },
    /// It may not go there.
    Refused(Refusal),
    /// Not known; it may be tried again, and expires by itself.
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    Reading,
    ReadingIssue,
    Labelling {
        left: Vec<Ask>,
    },
    /// Posting the release; `unclear` says that an earlier post may be there.
    Telling {
        unclear: bool,
    },
    Probing {
        oid: Option<String>,
    },
    Writing,
    Advancing {
        oid: String,
        unclear: bool,
    },
    Wiping,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Handback {
    terms: SharedTerms,
    lease: Lease,
    handover: Handover,
    phase: Phase,
    date: Option<ServerTime>,
    /// The labels that are left to change when the release goes first, which only the model check asks for.
    postponed: Option<Vec<Ask>>,
    /// Who held the claim ref when it was read.
    holder: Option<Holder>,
    /// A tip of one's own that is not where the ref was left.
    other_tip: Option<String>,
    is_decided: bool,
}

impl Handback {
    /// Prepares a release.
    pub fn new(terms: SharedTerms, lease: Lease, handover: Handover) -> Self {
        Self {
            terms,
            lease,
            handover,
            phase: Phase::Reading,
            date: None,
            postponed: None,
            holder: None,
            other_tip: None,
            is_decided: false,
        }
    }

    /// Returns whether the release itself is on its way: from here on nothing else of this hold is written.
    pub fn is_letting_go(&self) -> bool {
        let is_release = matches!(
            self.phase,
            Phase::Telling { .. } | Phase::Writing | Phase::Advancing { .. } | Phase::Wiping
        );
        is_release && self.terms.safeguards.release_last
    }

    fn ask(&mut self, phase: Phase, ask: Ask) -> Step<HandedBack> {
        self.phase = phase;
        Step::Ask(ask)
    }

    fn lost(&mut self, to: Option<Holder>, why: &str) -> Step<HandedBack> {
        self.is_decided = true;
        Step::Done(HandedBack::Lost { to, why: why.to_owned() })
    }

    fn is_too_late(&self, now: BootTime) -> bool {
        self.terms.safeguards.deadline && !self.lease.allows(now, self.terms.timing.request_timeout)
    }

    fn on_ledger(&mut self, now: BootTime, ledger: &Ledger) -> Step<HandedBack> {
        self.date = Some(ledger.date);
        let to = ledger.winner().map(|claim| claim.text.holder.clone());
        match ledger.own(self.lease.nonce) {
            Some(own) if own.is_live() && ledger.is_first(own, &self.terms) => self.read_issue(now),
            // A read that lags behind one's own claim says nothing yet.
            None if now.since(self.lease.sent_at) < self.terms.timing.visible_within => {
                Step::Ask(Ask::Wait(now.plus(self.terms.timing.look_again)))
            }
            _ => self.lost(to, "the claim is no longer the first live one"),
        }
    }

    fn on_tip(&mut self, now: BootTime, sighting: &Sighting) -> Step<HandedBack> {
        self.date = Some(sighting.date);
        let oid = sighting.tip.as_ref().map(|tip| tip.oid.clone());
        let is_own = oid.is_some() && (oid == self.lease.tip || oid == self.lease.unclear_tip);
        // A heartbeat whose answer was lost may be the tip, whatever a lagging read says.
        if is_own && oid == self.lease.tip && self.lease.unclear_tip.is_some() {
            self.other_tip = self.lease.unclear_tip.take();
            return self.probe();
        }
        if is_own {
            self.lease.tip = oid;
            return self.read_issue(now);
        }
        self.holder = match chain::standing(sighting, now, &self.terms) {
            // A push of one's own may have carried a heartbeat; or this read lags behind the last one.
            Standing::Held { nonce, .. } if nonce == Some(self.lease.nonce) => {
                self.other_tip = oid;
                None
            }
            Standing::Held { holder, .. } => Some(holder),
            Standing::Free { .. } | Standing::Strange { .. } => None,
        };
        self.probe()
    }

    /// A read may lag, in either direction; a heartbeat that the server takes or refuses does not.
    fn probe(&mut self) -> Step<HandedBack> {
        let message = self.lease.text(ClaimState::Held, self.lease.ttl).write(stamp(self.date));
        self.ask(Phase::Probing { oid: None }, Ask::Commit { message, parent: self.lease.tip.clone() })
    }

    fn on_probing(&mut self, now: BootTime, oid: Option<String>, answer: Answer) -> Step<HandedBack> {
        match (answer, oid) {
            (Answer::Commit(commit), _) => {
                let oid = commit.value.oid;
                self.ask(Phase::Probing { oid: Some(oid.clone()) }, Ask::Advance(oid))
            }
            (Answer::Advanced(RefAdvance::Advanced), Some(oid)) => {
                self.lease.tip = Some(oid);
                self.read_issue(now)
            }
            (Answer::Advanced(_), _) if self.other_tip.is_some() => {
                self.lease.tip = self.other_tip.take();
                self.probe()
            }
            (Answer::Advanced(_), _) => {
                let holder = self.holder.take();
                self.lost(holder, "someone else has taken the claim ref")
            }
            (Answer::Failed(failure), _) => Step::Done(HandedBack::Failed(failure.why)),
            (other, _) => {
                Step::Done(HandedBack::Failed(format!("an answer that was not asked for: {other:?}")))
            }
        }
    }

    fn read_issue(&mut self, now: BootTime) -> Step<HandedBack> {
        if self.handover.leaves_labels {
            return self.tell(now);
        }
        self.ask(Phase::ReadingIssue, Ask::Issue)
    }

    fn on_issue(&mut self, now: BootTime, issue: &Issue) -> Step<HandedBack> {
        let dialect = self.terms.eligibility.dialect;
        let to = self.handover.to.as_deref();
        if dialect != Dialect::LabelsAsLocks
            && let Some(to) = to
            && !labels::is_legal_transition(Some(labels::IN_FLIGHT), to)
        {
            let from = Some(labels::IN_FLIGHT.to_owned());
            let to = to.to_owned();
            return Step::Done(HandedBack::Refused(Refusal::IllegalTransition { from, to }));
        }
        let change = self.terms.labels_on_handing_back(&issue.labels, to);
        let left = label_asks(change);
        if self.terms.safeguards.release_last {
            return self.label(now, left);
        }
        self.postponed = Some(left);
        self.tell(now)
    }

    fn label(&mut self, now: BootTime, mut left: Vec<Ask>) -> Step<HandedBack> {
        match left.pop() {
            Some(_) if self.is_too_late(now) => self.lost(None, "the deadline has passed or is too near"),
            Some(ask) => self.ask(Phase::Labelling { left }, ask),
            None if self.terms.safeguards.release_last => self.tell(now),
            None => self.released(),
        }
    }

    /// The release comment: the release itself, or its readable copy.
    fn tell(&mut self, now: BootTime) -> Step<HandedBack> {
        match (self.lease.protocol, self.lease.comment) {
            (Protocol::Ref, None) => self.write(now),
            _ => self.post(now, false),
        }
    }

    fn post(&mut self, now: BootTime, unclear: bool) -> Step<HandedBack> {
        if self.is_too_late(now) {
            return self.lost(None, "the deadline has passed or is too near");
        }
        let text = self.release().write(stamp(self.date));
        self.ask(Phase::Telling { unclear }, Ask::Post(text))
    }

    fn release(&self) -> ReleaseText {
        let Handover { outcome, to, pr, .. } = self.handover.clone();
        ReleaseText { to, pr, ..self.lease.release(outcome) }
    }

    fn write(&mut self, now: BootTime) -> Step<HandedBack> {
        if self.is_too_late(now) {
            return self.lost(None, "the deadline has passed or is too near");
        }
        let message = self.release().write(stamp(self.date));
        self.ask(Phase::Writing, Ask::Commit { message, parent: self.lease.tip.clone() })
    }

    fn on_told(&mut self, now: BootTime) -> Step<HandedBack> {
        match self.lease.protocol {
            Protocol::Comment => self.wipe_or_end(now),
            Protocol::Ref => self.write(now),
        }
    }

    /// The copy in the words of label locks has no release of its own, so it is wiped.
    fn wipe_or_end(&mut self, now: BootTime) -> Step<HandedBack> {
        match self.lease.run_comment.take() {
            Some(id) => {
                self.ask(Phase::Wiping, Ask::Edit(id, format!("{} let go of this issue.", self.lease.holder)))
            }
            None => match self.postponed.take() {
                Some(left) => self.label(now, left),
                None => self.released(),
            },
        }
    }

    fn released(&mut self) -> Step<HandedBack> {
        self.is_decided = true;
        Step::Done(HandedBack::Released)
    }

    fn on_advancing(
        &mut self,
        now: BootTime,
        oid: String,
        unclear: bool,
        answer: &Answer,
    ) -> Step<HandedBack> {
        match answer {
            Answer::Advanced(RefAdvance::Advanced) => self.wipe_or_end(now),
            Answer::Advanced(_) => self.lost(None, "someone else has taken the claim ref"),
            Answer::Failed(failure) if failure.may_have_happened && !unclear => {
                self.ask(Phase::Advancing { oid: oid.clone(), unclear: true }, Ask::Advance(oid))
            }
            Answer::Failed(failure) => Step::Done(HandedBack::Failed(failure.why.clone())),
            other => Step::Done(HandedBack::Failed(format!("an answer that was not asked for: {other:?}"))),
        }
    }

    fn on_failure(&mut self, now: BootTime, why: String, may_have_happened: bool) -> Step<HandedBack> {
        match std::mem::replace(&mut self.phase, Phase::Wiping) {
            Phase::Telling { .. } if self.lease.protocol == Protocol::Ref => self.write(now),
            // Posting it twice harms nothing; not posting it blocks the issue until the lease is over.
            Phase::Telling { unclear: false } if may_have_happened => self.post(now, true),
            Phase::Wiping => self.wipe_or_end(now),
            _ => Step::Done(HandedBack::Failed(why)),
        }
    }
}

impl Machine for Handback {
    type Verdict = HandedBack;

    fn begin(&mut self, now: BootTime) -> Step<HandedBack> {
        if self.is_too_late(now) {
            return self.lost(None, "the deadline has passed or is too near");
        }
        Step::Ask(match self.lease.protocol {
            Protocol::Comment => Ask::Comments,
            Protocol::Ref => Ask::Tip,
        })
    }

    fn answered(&mut self, _: BootTime, now: BootTime, answer: Answer) -> Step<HandedBack> {
        if let Phase::Advancing { oid, unclear } = self.phase.clone() {
            return self.on_advancing(now, oid, unclear, &answer);
        }
        if let Phase::Probing { oid } = self.phase.clone() {
            return self.on_probing(now, oid, answer);
        }
        match (self.phase.clone(), answer) {
            (_, Answer::Failed(failure)) => self.on_failure(now, failure.why, failure.may_have_happened),
            (Phase::Reading, Answer::Comments(reading)) => {
                let ledger = Ledger::of(&reading, &self.terms);
                self.on_ledger(now, &ledger)
            }
            (Phase::Reading, Answer::Done) => Step::Ask(Ask::Comments),
            (Phase::Reading, Answer::Tip(sighting)) => self.on_tip(now, &sighting),
            (Phase::ReadingIssue, Answer::Issue(issue)) => self.on_issue(now, &issue.value),
            (Phase::Labelling { left }, Answer::Done) => self.label(now, left),
            (Phase::Telling { .. }, Answer::Comment(_)) => self.on_told(now),
            (Phase::Writing, Answer::Commit(_)) if self.is_too_late(now) => {
                self.lost(None, "the deadline has passed or is too near")
            }
            (Phase::Writing, Answer::Commit(commit)) => {
                let oid = commit.value.oid;
                self.ask(Phase::Advancing { oid: oid.clone(), unclear: false }, Ask::Advance(oid))
            }
            (Phase::Wiping, _) => self.wipe_or_end(now),
            (_, other) => {
                Step::Done(HandedBack::Failed(format!("an answer that was not asked for: {other:?}")))
            }
        }
    }

    fn is_decided(&self) -> bool {
        self.is_decided
    }
}
