//! Renewing a hold: look whether it is still one's own, send a heartbeat, and put right what labels tell.
//!
//! A hold that was released, superseded or has come too near its deadline is lost, and then nothing more is written.

use std::time::Duration;

use super::chain::{self, Sighting, Standing};
use super::identity::Holder;
use super::lease::{Lease, Protocol};
use super::ledger::{Ledger, Reading};
use super::outcome::Outcome;
use super::step::{Answer, Ask, FOREIGN_PATIENCE, Machine, SharedTerms, Step, label_asks, stamp};
use super::text::ClaimState;
use crate::labels::dialect::fabrik_lock;
use crate::time::{BootTime, ServerTime};
use crate::tracker::{Issue, RefAdvance};

/// How often an unclear heartbeat is asked about within one renewal.
const UNCLEAR_MAX: u32 = 2;
/// How often one renewal goes on from a tip that was not where it was left.
const ADOPTIONS_MAX: u32 = 2;

/// What became of a renewal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Renewed {
    /// Held on, with a new deadline.
    Held(Lease),
    /// No longer held: stop, and write nothing more.
    Lost {
        /// Who has it now, when that is known.
        to: Option<Holder>,
        /// Why.
        why: String,
    },
    /// Not known; the deadline stands, and it may be tried again.
    Failed {
        /// The lease, with what is unclear about it.
        lease: Lease,
        /// What was tried and what came back.
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    /// Reading whether the claim stands.
    Reading,
    /// Writing the heartbeat's commit.
    Writing,
    /// Moving the claim ref.
    Advancing { oid: String, sent_at: BootTime, unclear: u32 },
    /// Reading where the claim ref stands, because it is not where it was left.
    Adopting,
    /// Editing the claim comment; on a claim ref it is only the copy.
    Touching,
    /// Posting the copy that could not be posted before.
    Copying,
    /// Editing the copy in the words of label locks, which die with their ttl too.
    TouchingCopy,
    /// Reading the labels.
    ReadingLabels,
    /// Putting the labels right.
    Repairing { left: Vec<Ask> },
    /// Yielding, as the younger of two.
    Yielding { to: Holder, left: Vec<Ask> },
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Renewal {
    terms: SharedTerms,
    lease: Lease,
    phase: Phase,
    date: Option<ServerTime>,
    /// How often the tip was found elsewhere than it was left.
    adoptions: u32,
    /// When another tool's claim was first seen.
    foreign_since: Option<BootTime>,
    is_decided: bool,
}

impl Renewal {
    /// Prepares a renewal. `wall` is written into the heartbeat for people, until the server's clock is known.
    pub fn new(terms: SharedTerms, lease: Lease, wall: ServerTime) -> Self {
        Self {
            terms,
            lease,
            phase: Phase::Reading,
            date: Some(wall),
            adoptions: 0,
            foreign_since: None,
            is_decided: false,
        }
    }

    fn ask(&mut self, phase: Phase, ask: Ask) -> Step<Renewed> {
        self.phase = phase;
        Step::Ask(ask)
    }

    fn lost(&mut self, to: Option<Holder>, why: &str) -> Step<Renewed> {
        self.is_decided = true;
        Step::Done(Renewed::Lost { to, why: why.to_owned() })
    }

    fn failed(&mut self, why: String) -> Step<Renewed> {
        Step::Done(Renewed::Failed { lease: self.lease.clone(), why })
    }

    /// With the own deadline near there is no time to send anything.
    fn is_too_late(&self, now: BootTime) -> bool {
        self.terms.safeguards.deadline && !self.lease.allows(now, self.terms.timing.request_timeout)
    }

    fn on_read(&mut self, now: BootTime, reading: &Reading) -> Step<Renewed> {
        self.date = Some(reading.date);
        let ledger = Ledger::of(reading, &self.terms);
        let own = ledger.own(self.lease.nonce);
        if self.lease.protocol == Protocol::Comment {
            let Some(own) = own else {
                // A read that lags behind one's own claim says nothing yet.
                if now.since(self.lease.sent_at) < self.terms.timing.visible_within {
                    return self.failed("the own claim is not visible yet".to_owned());
                }
                return self.lost(None, "the claim comment is gone");
            };
            if own.ended.is_some() {
                let to = ledger.winner().map(|claim| claim.text.holder.clone());
                return self.lost(to, "the claim was released by someone else");
            }
            if !ledger.is_first(own, &self.terms) {
                let to = ledger.winner().unwrap_or(own).text.holder.clone();
                return self.yield_to(to);
            }
        }
        if self.terms.foreign.is_any()
            && let Some(other) = ledger.foreign_live(self.lease.nonce).next()
        {
            let to = other.text.holder.clone();
            return self.wait_for(now, to);
        }
        self.beat(now)
    }

    /// Another tool may believe that it holds although it does not, so it gets the time to yield.
    fn wait_for(&mut self, now: BootTime, to: Holder) -> Step<Renewed> {
        let since = *self.foreign_since.get_or_insert(now);
        if now.since(since) >= FOREIGN_PATIENCE || self.is_too_late(now) {
            return self.yield_to(to);
        }
        Step::Ask(Ask::Wait(now.plus(Duration::from_secs(1))))
    }

    fn yield_to(&mut self, to: Holder) -> Step<Renewed> {
        let release = self.lease.release(Outcome::RaceYieldedTo(to.to_string()));
        let wiped = format!("{} let go of this issue.", self.lease.holder);
        let copy = self.lease.run_comment.map(|id| Ask::Edit(id, wiped));
        let lock = self.terms.foreign.fabrik.then(|| Ask::RemoveLabel(fabrik_lock(&self.terms.user)));
        let message = release.write(stamp(self.date));
        let is_ref = self.lease.protocol == Protocol::Ref;
        let end = is_ref.then(|| Ask::Commit { message: message.clone(), parent: self.lease.tip.clone() });
        let left = copy.into_iter().chain(lock).chain(end).collect();
        self.ask(Phase::Yielding { to, left }, Ask::Post(message))
    }

    /// Takes everything off that others would take for a hold; what fails is ended by its ttl.
    fn on_yielding(&mut self, to: Holder, mut left: Vec<Ask>, answer: Answer) -> Step<Renewed> {
        if let Answer::Commit(commit) = answer {
            left.push(Ask::Advance(commit.value.oid));
        }
        match left.pop() {
            Some(ask) => self.ask(Phase::Yielding { to, left }, ask),
            None => self.lost(Some(to), "another claim was first"),
        }
    }

    fn beat(&mut self, now: BootTime) -> Step<Renewed> {
        if self.is_too_late(now) {
            return self.lost(None, "the deadline is too near");
        }
        match (self.lease.protocol, self.lease.unclear_tip.clone()) {
            (Protocol::Comment, _) => self.touch(),
            (Protocol::Ref, Some(oid)) => {
                let sent_at = self.lease.sent_at;
                self.ask(Phase::Advancing { oid: oid.clone(), sent_at, unclear: 0 }, Ask::Advance(oid))
            }
            (Protocol::Ref, None) => self.write(),
        }
    }

    fn write(&mut self) -> Step<Renewed> {
        let message = self.lease.text(ClaimState::Held, self.lease.ttl).write(stamp(self.date));
        self.ask(Phase::Writing, Ask::Commit { message, parent: self.lease.tip.clone() })
    }

    fn touch(&mut self) -> Step<Renewed> {
        let text = self.lease.text(ClaimState::Held, self.lease.ttl).write(stamp(self.date));
        match self.lease.comment {
            Some(id) => self.ask(Phase::Touching, Ask::Edit(id, text)),
            None => self.ask(Phase::Copying, Ask::Post(text)),
        }
    }

    fn on_advancing(
        &mut self,
        now: BootTime,
        oid: String,
        sent_at: BootTime,
        unclear: u32,
        answer: &Answer,
    ) -> Step<Renewed> {
        match answer {
            Answer::Advanced(RefAdvance::Advanced) => self.on_advanced(now, oid, sent_at),
            // A push of one's own may have carried a heartbeat meanwhile; the tip tells whose it is.
            Answer::Advanced(RefAdvance::NotFastForward) if self.adoptions < ADOPTIONS_MAX => {
                self.adoptions += 1;
                self.ask(Phase::Adopting, Ask::Tip)
            }
            Answer::Advanced(RefAdvance::NotFastForward) => {
                self.lost(None, "someone else has taken the claim ref")
            }
            Answer::Advanced(RefAdvance::Missing) => {
                self.lost(None, "the claim ref was deleted: a forced release")
            }
            Answer::Failed(failure) if failure.may_have_happened => {
                self.lease.unclear_tip = Some(oid.clone());
                if unclear >= UNCLEAR_MAX || self.is_too_late(now) {
                    return self.failed(failure.why.clone());
                }
                let phase = Phase::Advancing { oid: oid.clone(), sent_at, unclear: unclear + 1 };
                self.ask(phase, Ask::Advance(oid))
            }
            // What was unclear never came to the server, so it is forgotten and another heartbeat written.
            Answer::Failed(_) if self.lease.unclear_tip.as_ref() == Some(&oid) => {
                self.lease.unclear_tip = None;
                if self.is_too_late(now) { self.lost(None, "the deadline is too near") } else { self.write() }
            }
            Answer::Failed(failure) => self.failed(failure.why.clone()),
            other => self.failed(format!("an answer that was not asked for: {other:?}")),
        }
    }

    /// Goes on from where the ref stands, if that is one's own heartbeat.
    fn on_adopting(&mut self, now: BootTime, sighting: &Sighting) -> Step<Renewed> {
        self.date = Some(sighting.date);
        match chain::standing(sighting, now, &self.terms) {
            Standing::Held { nonce, .. } if nonce == Some(self.lease.nonce) && !self.is_too_late(now) => {
                self.lease.tip = sighting.tip.as_ref().map(|tip| tip.oid.clone());
                self.lease.unclear_tip = None;
                self.write()
            }
            Standing::Held { holder, .. } => self.lost(Some(holder), "someone else has taken the claim ref"),
            _ => self.lost(None, "the claim ref is no longer one's own"),
        }
    }

    fn on_advanced(&mut self, now: BootTime, oid: String, sent_at: BootTime) -> Step<Renewed> {
        let was_unclear = self.lease.unclear_tip.take().is_some_and(|unclear| unclear == oid);
        self.lease.tip = Some(oid);
        // Of a heartbeat that was unclear it is not known when the server dated it, so it extends nothing.
        if was_unclear && sent_at == self.lease.sent_at {
            return if self.is_too_late(now) {
                self.lost(None, "the deadline is too near")
            } else {
                self.write()
            };
        }
        if !self.extend(now, sent_at) {
            return self.lost(None, "the heartbeat was acknowledged too late");
        }
        self.touch()
    }

    /// A later acknowledgement does not count.
    fn extend(&mut self, now: BootTime, sent_at: BootTime) -> bool {
        if self.terms.safeguards.deadline && self.lease.is_over(now) {
            return false;
        }
        self.is_decided = true;
        self.lease.sent_at = sent_at;
        self.lease.extend_to(self.terms.timing.deadline(self.lease.ttl, sent_at));
        true
    }

    fn on_touched(&mut self, sent_at: BootTime, now: BootTime) -> Step<Renewed> {
        if self.lease.protocol == Protocol::Comment && !self.extend(now, sent_at) {
            return self.lost(None, "the heartbeat was acknowledged too late");
        }
        match self.lease.run_comment {
            Some(id) => {
                let text = self.lease.text(ClaimState::Held, self.lease.ttl).write_label_lock();
                self.ask(Phase::TouchingCopy, Ask::Edit(id, text))
            }
            None => self.ask(Phase::ReadingLabels, Ask::Issue),
        }
    }

    fn on_labels(&mut self, now: BootTime, issue: &Issue) -> Step<Renewed> {
        if let Some(other) = self.terms.other_lock(issue) {
            return self.wait_for(now, other);
        }
        let change = self.terms.labels_on_taking(&issue.labels);
        let left = label_asks(change);
        self.repair(now, left)
    }

    fn repair(&mut self, now: BootTime, mut left: Vec<Ask>) -> Step<Renewed> {
        match left.pop() {
            Some(ask) if !self.is_too_late(now) => self.ask(Phase::Repairing { left }, ask),
            _ => Step::Done(Renewed::Held(self.lease.clone())),
        }
    }

    fn on_failure(&mut self, why: String) -> Step<Renewed> {
        match std::mem::replace(&mut self.phase, Phase::ReadingLabels) {
            Phase::Touching if self.lease.protocol == Protocol::Comment => self.failed(why),
            Phase::Reading | Phase::Writing | Phase::Adopting | Phase::Advancing { .. } => self.failed(why),
            Phase::Yielding { to, left } => self.on_yielding(to, left, Answer::Done),
            // The lease was extended; what people read follows with the next renewal.
            Phase::Touching
            | Phase::Copying
            | Phase::TouchingCopy
            | Phase::ReadingLabels
            | Phase::Repairing { .. } => Step::Done(Renewed::Held(self.lease.clone())),
        }
    }
}

impl Machine for Renewal {
    type Verdict = Renewed;

    fn begin(&mut self, now: BootTime) -> Step<Renewed> {
        if self.is_too_late(now) {
            return self.lost(None, "the deadline has passed or is too near");
        }
        // A claim ref tells by refusing the heartbeat; comments must be read, and so must those of other tools.
        match self.lease.protocol {
            Protocol::Ref if !self.terms.foreign.is_any() => self.beat(now),
            _ => Step::Ask(Ask::Comments),
        }
    }

    fn answered(&mut self, sent_at: BootTime, now: BootTime, answer: Answer) -> Step<Renewed> {
        if let Phase::Advancing { oid, sent_at: written_at, unclear } = self.phase.clone() {
            return self.on_advancing(now, oid, written_at, unclear, &answer);
        }
        match (self.phase.clone(), answer) {
            (_, Answer::Failed(failure)) => self.on_failure(failure.why),
            (Phase::Reading, Answer::Comments(reading)) => self.on_read(now, &reading),
            (Phase::Adopting, Answer::Tip(sighting)) => self.on_adopting(now, &sighting),
            (Phase::Writing, Answer::Commit(commit)) => {
                self.date = Some(commit.date);
                let oid = commit.value.oid;
                self.ask(Phase::Advancing { oid: oid.clone(), sent_at, unclear: 0 }, Ask::Advance(oid))
            }
            (Phase::Touching, Answer::Comment(_)) => self.on_touched(sent_at, now),
            (Phase::Copying, Answer::Comment(copy)) => {
                self.lease.comment = Some(copy.value.id);
                self.on_touched(sent_at, now)
            }
            (Phase::ReadingLabels, Answer::Issue(issue)) => self.on_labels(now, &issue.value),
            (Phase::Repairing { left }, Answer::Done) => self.repair(now, left),
            (Phase::Yielding { to, left }, answer) => self.on_yielding(to, left, answer),
            (Phase::Reading, Answer::Done) => Step::Ask(Ask::Comments),
            (Phase::ReadingLabels, Answer::Done) => Step::Ask(Ask::Issue),
            (Phase::TouchingCopy, Answer::Comment(_)) => self.ask(Phase::ReadingLabels, Ask::Issue),
            (_, other) => self.failed(format!("an answer that was not asked for: {other:?}")),
        }
    }

    fn is_decided(&self) -> bool {
        self.is_decided
    }
}
