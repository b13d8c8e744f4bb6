//! Acquiring by compare and swap: one commit on top of the tip just read, and an update that the server takes only if
//! the ref is still there.
//!
//! Of two claimants exactly one succeeds and the other knows at once. The issue is read after the swap, not before: what
//! was true before it need not be true then, and an issue that may not be claimed is let go again before any work.

use super::chain::{self, Standing};
use super::eligibility::{Refusal, Unsettled};
use super::lease::{Lease, Protocol};
use super::ledger::{Claim, Ledger, Reading};
use super::outcome::Outcome;
use super::step::{Acquired, Answer, Ask, Claimant, Machine, SharedTerms, Step, label_asks, stamp};
use super::text::{ClaimState, ReleaseText};
use crate::labels::dialect::LabelChange;
use crate::time::{BootTime, ServerTime};
use crate::tracker::{Dated, Issue, RefAdvance, RefCreation};

/// How often an unclear swap is asked about before it is given up.
const UNCLEAR_MAX: u32 = 4;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    /// Reading the tip.
    Reading,
    /// Writing the claim.
    Writing,
    /// Swapping the tip; `unclear` counts the answers that said nothing.
    Swapping { oid: String, unclear: u32 },
    /// Reading the issue before any work.
    Rereading,
    /// Waiting for, and reading, the claims that a deleted ref may have left behind.
    Honouring { issue: Box<Issue> },
    /// Reading whether labels were changed after a release that says otherwise.
    ReadingEvents { unsettled: Unsettled, change: LabelChange },
    /// Reading which readable copies the dead have left.
    ReadingDead { change: LabelChange },
    /// Ending the readable copies of the dead, so that people can read that the issue changed hands.
    Burying { left: Vec<ReleaseText>, change: LabelChange },
    /// Posting the readable copy.
    Copying { change: LabelChange },
    /// Telling people by labels.
    Labelling { left: Vec<Ask> },
    /// Taking the claim back, with the verdict that follows.
    Withdrawing { verdict: Box<Acquired> },
    /// Nothing more.
    Ended,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Swap {
    terms: SharedTerms,
    lease: Lease,
    phase: Phase,
    is_root: bool,
    /// Whether a first claim is tried without a look.
    is_guess: bool,
    /// Whether the server said that the ref is there, whatever a lagging read says.
    is_there: bool,
    /// Whether a dead holder's claim is below this one.
    is_takeover: bool,
    swapped_at: BootTime,
    date: Option<ServerTime>,
    destination: Option<(String, ServerTime)>,
    is_decided: bool,
}

impl Swap {
    /// Prepares a claim.
    pub fn new(terms: SharedTerms, claimant: Claimant, now: BootTime) -> Self {
        let lease = Lease {
            holder: claimant.holder,
            nonce: claimant.nonce,
            protocol: Protocol::Ref,
            ttl: terms.timing.ttl,
            comment: None,
            run_comment: None,
            tip: None,
            unclear_tip: None,
            epoch: None,
            sent_at: now,
            deadline: now,
            ends_at: None,
        };
        Self {
            terms,
            lease,
            phase: Phase::Reading,
            is_root: false,
            is_guess: false,
            is_there: false,
            is_takeover: false,
            swapped_at: now,
            date: None,
            destination: None,
            is_decided: false,
        }
    }

    /// Prepares a claim on an issue that probably has no claim ref yet: a first claim is tried without a look, which
    /// saves a round trip, and a ref that is there after all is read then. `wall` is written into the claim for people.
    pub fn guessing(terms: SharedTerms, claimant: Claimant, now: BootTime, wall: ServerTime) -> Self {
        Self { is_guess: true, date: Some(wall), ..Self::new(terms, claimant, now) }
    }

    /// The server's clock, as last seen.
    pub fn date(&self) -> Option<ServerTime> {
        self.date
    }

    fn ask(&mut self, phase: Phase, ask: Ask) -> Step<Acquired> {
        self.phase = phase;
        Step::Ask(ask)
    }

    fn end(&mut self, verdict: Acquired) -> Step<Acquired> {
        self.phase = Phase::Ended;
        self.is_decided = true;
        Step::Done(verdict)
    }

    fn on_tip(&mut self, now: BootTime, sighting: &chain::Sighting) -> Step<Acquired> {
        self.date = Some(sighting.date);
        match chain::standing(sighting, now, &self.terms) {
            Standing::Held { holder, .. } => self.end(Acquired::Lost { to: Some(holder) }),
            Standing::Strange { oid } => self.end(Acquired::Refused(Refusal::StrangeTip { oid })),
            // It was there when the creation was refused, so it was created just now.
            Standing::Free { parent: None, .. } if self.is_there => self.end(Acquired::Lost { to: None }),
            Standing::Free { parent, epoch, destination, dropped_by } => {
                self.destination = destination;
                self.is_takeover = dropped_by.is_some();
                self.write(parent, epoch)
            }
        }
    }

    fn write(&mut self, parent: Option<String>, epoch: u64) -> Step<Acquired> {
        self.lease.epoch = Some(epoch);
        self.is_root = parent.is_none();
        let message = self.lease.text(ClaimState::Held, self.lease.ttl).write(stamp(self.date));
        self.ask(Phase::Writing, Ask::Commit { message, parent })
    }

    fn swap(&mut self, oid: String) -> Step<Acquired> {
        let ask = if self.is_root { Ask::Create(oid.clone()) } else { Ask::Advance(oid.clone()) };
        self.ask(Phase::Swapping { oid, unclear: 0 }, ask)
    }

    fn on_swapping(&mut self, now: BootTime, oid: String, unclear: u32, answer: &Answer) -> Step<Acquired> {
        match answer {
            Answer::Created(RefCreation::Created) | Answer::Advanced(RefAdvance::Advanced) => {
                self.on_swapped(now, oid)
            }
            // Asked about an unclear creation: the ref is not there, so it did not happen and is tried again.
            Answer::Advanced(RefAdvance::Missing) if self.is_root && unclear < UNCLEAR_MAX => {
                let phase = Phase::Swapping { oid: oid.clone(), unclear: unclear + 1 };
                self.ask(phase, Ask::Create(oid))
            }
            // It was there when the creation was tried again: perhaps it is the own one.
            Answer::Created(RefCreation::Exists) if unclear > 0 && unclear < UNCLEAR_MAX => {
                let phase = Phase::Swapping { oid: oid.clone(), unclear: unclear + 1 };
                self.ask(phase, Ask::Advance(oid))
            }
            // The guess was wrong: someone has claimed this issue before, and may or may not hold it.
            // After an unclear creation the same is told by a root that the server does not take on top of what is there.
            Answer::Created(RefCreation::Exists) | Answer::Advanced(RefAdvance::NotFastForward)
                if self.is_guess =>
            {
                self.is_guess = false;
                self.is_there = true;
                self.ask(Phase::Reading, Ask::Tip)
            }
            Answer::Created(RefCreation::Exists)
            | Answer::Advanced(RefAdvance::NotFastForward | RefAdvance::Missing) => {
                self.end(Acquired::Lost { to: None })
            }
            Answer::Created(RefCreation::NameRefused) => self.end(Acquired::Refused(Refusal::RefNameRefused)),
            // Moving a ref forward to where it is already is no change, so asking again tells what happened.
            Answer::Failed(failure) if failure.may_have_happened && unclear < UNCLEAR_MAX => {
                let phase = Phase::Swapping { oid: oid.clone(), unclear: unclear + 1 };
                self.ask(phase, Ask::Advance(oid))
            }
            Answer::Failed(failure) => self.end(Acquired::Failed(failure.why.clone())),
            other => self.end(Acquired::Failed(format!("an answer that was not asked for: {other:?}"))),
        }
    }

    fn on_swapped(&mut self, now: BootTime, oid: String) -> Step<Acquired> {
        self.lease.tip = Some(oid);
        self.swapped_at = now;
        if self.terms.safeguards.deadline && self.lease.is_over(now) {
            // Others may have taken over meanwhile, and then the release is refused: nothing is lost by trying.
            let why = "the claim was acknowledged too late".to_owned();
            return self.withdraw(Outcome::LeaseLost, Acquired::Failed(why));
        }
        self.is_decided = true;
        if !self.terms.safeguards.reread {
            return self.end(Acquired::Won(self.lease.clone()));
        }
        self.ask(Phase::Rereading, Ask::Issue)
    }

    fn on_reread(&mut self, now: BootTime, issue: &Dated<Issue>) -> Step<Acquired> {
        self.date = Some(issue.date);
        if let Some(refusal) = self.terms.eligibility.refusal(&issue.value) {
            return self.withdraw(Outcome::Cancelled, Acquired::Refused(refusal));
        }
        let dialect = self.terms.eligibility.dialect;
        let looks_taken = issue.value.has_label(&dialect.in_flight(&self.terms.user));
        if self.is_root && (issue.value.comments > 0 || looks_taken) {
            // A deleted ref is a forced release, but its holder may still be at work: its comment tells.
            let settled_at = self.swapped_at.plus(self.terms.timing.settle);
            let phase = Phase::Honouring { issue: Box::new(issue.value.clone()) };
            return self.ask(phase, Ask::Wait(settled_at));
        }
        self.settle(now, &issue.value)
    }

    fn on_honouring(&mut self, now: BootTime, issue: &Issue, reading: &Reading) -> Step<Acquired> {
        let ledger = Ledger::of(reading, &self.terms);
        if let Some(holder) = ledger.winner().map(|claim| claim.text.holder.clone()) {
            let outcome = Outcome::RaceYieldedTo(holder.to_string());
            return self.withdraw(outcome, Acquired::Lost { to: Some(holder) });
        }
        self.destination = ledger.last_destination().map(|(to, at)| (to.to_owned(), at));
        self.settle(now, issue)
    }

    fn settle(&mut self, now: BootTime, issue: &Issue) -> Step<Acquired> {
        let change = self.terms.labels_on_taking(&issue.labels);
        let destination = self.destination.as_ref().map(|(to, at)| (to.as_str(), *at));
        match self.terms.eligibility.handed_on(issue, destination) {
            Some(unsettled) => self.ask(Phase::ReadingEvents { unsettled, change }, Ask::LabelEvents),
            None => self.copy(now, change),
        }
    }

    /// Beside other tools the comment is a bid of its own, which the caller makes; else it is only a readable copy.
    fn copy(&mut self, now: BootTime, change: LabelChange) -> Step<Acquired> {
        let in_time = self.lease.allows(now, self.terms.timing.request_timeout);
        if self.terms.foreign.is_any() || !in_time {
            return self.end(Acquired::Won(self.lease.clone()));
        }
        if std::mem::take(&mut self.is_takeover) {
            return self.ask(Phase::ReadingDead { change }, Ask::Comments);
        }
        let text = self.lease.text(ClaimState::Held, self.lease.ttl).write(stamp(self.date));
        self.ask(Phase::Copying { change }, Ask::Post(text))
    }

    fn on_dead(&mut self, now: BootTime, change: LabelChange, reading: &Reading) -> Step<Acquired> {
        let ledger = Ledger::of(reading, &self.terms);
        let is_dead = |claim: &&Claim| {
            claim.is_believed
                && claim.ended.is_none()
                && claim.text.epoch.is_some()
                && claim.text.epoch < self.lease.epoch
        };
        let left =
            ledger.claims.iter().filter(is_dead).map(|claim| claim.release(Outcome::StaleSwept)).collect();
        self.bury(now, left, change)
    }

    fn bury(&mut self, now: BootTime, mut left: Vec<ReleaseText>, change: LabelChange) -> Step<Acquired> {
        match left.pop() {
            Some(release) if self.lease.allows(now, self.terms.timing.request_timeout) => {
                let text = release.write(stamp(self.date));
                self.ask(Phase::Burying { left, change }, Ask::Post(text))
            }
            _ => self.copy(now, change),
        }
    }

    fn label(&mut self, now: BootTime, change: LabelChange) -> Step<Acquired> {
        let left = label_asks(change);
        self.next_label(now, left)
    }

    fn next_label(&mut self, now: BootTime, mut left: Vec<Ask>) -> Step<Acquired> {
        match left.pop() {
            Some(ask) if self.lease.allows(now, self.terms.timing.request_timeout) => {
                self.ask(Phase::Labelling { left }, ask)
            }
            _ => self.end(Acquired::Won(self.lease.clone())),
        }
    }

    fn withdraw(&mut self, outcome: Outcome, verdict: Acquired) -> Step<Acquired> {
        self.is_decided = true;
        // Only the tip is read, so what the release before this claim said must be said again.
        let destination = self.destination.clone();
        let extra = destination.iter().map(|(_, at)| (chain::TO_SINCE.to_owned(), at.to_string())).collect();
        let to = destination.map(|(to, _)| to);
        let release = ReleaseText { to, extra, ..self.lease.release(outcome) };
        let message = release.write(stamp(self.date));
        let parent = self.lease.tip.clone();
        self.ask(Phase::Withdrawing { verdict: Box::new(verdict) }, Ask::Commit { message, parent })
    }

    fn on_withdrawing(&mut self, verdict: Box<Acquired>, answer: Answer) -> Step<Acquired> {
        match answer {
            Answer::Commit(commit) => {
                let oid = commit.value.oid;
                self.ask(Phase::Withdrawing { verdict }, Ask::Advance(oid))
            }
            _ => self.end(*verdict),
        }
    }

    fn on_failure(&mut self, now: BootTime, why: String) -> Step<Acquired> {
        match std::mem::replace(&mut self.phase, Phase::Ended) {
            Phase::Reading | Phase::Writing => self.end(Acquired::Failed(why)),
            // What people read of the dead is left to a sweep.
            Phase::ReadingDead { change } | Phase::Burying { change, .. } => self.copy(now, change),
            // The copy is for people; a renewal writes it again.
            Phase::Copying { change } => self.label(now, change),
            // Nothing is taken off unless what replaces it is on; a renewal puts it right.
            Phase::Labelling { .. } => self.end(Acquired::Won(self.lease.clone())),
            // The claim stands, whatever was decided: who asks again finds it by its nonce.
            Phase::Withdrawing { .. } => self.end(Acquired::Failed(why)),
            _ => self.withdraw(Outcome::Cancelled, Acquired::Failed(why)),
        }
    }
}

impl Machine for Swap {
    type Verdict = Acquired;

    fn begin(&mut self, _: BootTime) -> Step<Acquired> {
        if self.is_guess {
            return self.write(None, 1);
        }
        Step::Ask(Ask::Tip)
    }

    fn answered(&mut self, sent_at: BootTime, now: BootTime, answer: Answer) -> Step<Acquired> {
        if let Phase::Swapping { oid, unclear } = self.phase.clone() {
            return self.on_swapping(now, oid, unclear, &answer);
        }
        match (self.phase.clone(), answer) {
            (_, Answer::Failed(failure)) => self.on_failure(now, failure.why),
            (Phase::Reading, Answer::Tip(sighting)) => self.on_tip(now, &sighting),
            (Phase::Writing, Answer::Commit(commit)) => {
                // The server dates the commit, so the lease counts from before it was sent.
                self.lease.sent_at = sent_at;
                self.lease.extend_to(self.terms.timing.deadline(self.lease.ttl, sent_at));
                self.swap(commit.value.oid)
            }
            (Phase::Rereading, Answer::Issue(issue)) => self.on_reread(now, &issue),
            (Phase::Honouring { .. }, Answer::Done) => Step::Ask(Ask::Comments),
            (Phase::Honouring { issue }, Answer::Comments(reading)) => {
                self.on_honouring(now, &issue, &reading)
            }
            (Phase::ReadingEvents { unsettled, change }, Answer::LabelEvents(events)) => {
                match unsettled.refusal(&events) {
                    Some(refusal) => self.withdraw(Outcome::Cancelled, Acquired::Refused(refusal)),
                    None => self.copy(now, change),
                }
            }
            (Phase::ReadingDead { change }, Answer::Comments(reading)) => self.on_dead(now, change, &reading),
            (Phase::Burying { left, change }, Answer::Comment(_)) => self.bury(now, left, change),
            (Phase::Copying { change }, Answer::Comment(copy)) => {
                self.lease.comment = Some(copy.value.id);
                self.label(now, change)
            }
            (Phase::Labelling { left }, Answer::Done) => self.next_label(now, left),
            (Phase::Withdrawing { verdict }, answer) => self.on_withdrawing(verdict, answer),
            (_, other) => self.end(Acquired::Failed(format!("an answer that was not asked for: {other:?}"))),
        }
    }

    fn is_decided(&self) -> bool {
        self.is_decided
    }
}
