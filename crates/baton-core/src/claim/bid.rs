//! Acquiring by comments: bid, look until the bid is visible, wait until others' are, and see who was first.
//!
//! Nothing but the bid is written before the decision, so a lost race costs no label event. A bid lasts two minutes, so
//! that a bidder's death blocks little; only the winner turns its bid into a hold. What cannot be verified is taken
//! back: the machine fails closed.

use std::time::Duration;

use super::eligibility::{Refusal, Unsettled};
use super::identity::Holder;
use super::lease::{Lease, Protocol};
use super::ledger::{Claim, Ledger, Reading};
use super::outcome::Outcome;
use super::step::{
    Acquired, Answer, Ask, Claimant, FOREIGN_PATIENCE, Failure, Machine, SharedTerms, Step, label_asks, stamp,
};
use super::text::{ClaimState, ReleaseText};
use crate::labels::dialect::{LabelChange, fabrik_lock};
use crate::time::{BootTime, ServerTime};
use crate::tracker::Issue;

/// How long a Fabrik engine waits before it looks at the locks of others.
const FABRIK_VERIFY_DELAY: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    /// Reading the issue before anything is written.
    Reading,
    /// Reading who holds an issue that looks taken.
    Scouting,
    /// Posting the bid.
    Bidding,
    /// Posting the bid's copy in the words of label locks.
    Copying,
    /// Reading until the own bid is visible.
    Looking,
    /// Waiting until others' bids are visible.
    Settling { judge_at: BootTime },
    /// Reading who was first.
    Judging,
    /// Ending the claims of the dead before judging again.
    Burying { left: Vec<ReleaseText> },
    /// Turning the bid into a hold.
    Holding,
    /// Showing the hold to Fabrik engines.
    Locking,
    /// Reading the issue again before any work.
    Rereading,
    /// Reading whether labels were changed after a release that says otherwise.
    ReadingEvents { unsettled: Unsettled, change: LabelChange },
    /// Telling people by labels.
    Labelling { left: Vec<Ask> },
    /// Taking the bid back, with the verdict that follows.
    Withdrawing { verdict: Box<Acquired>, left: Vec<Ask> },
    /// Nothing more.
    Ended,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bid {
    terms: SharedTerms,
    lease: Lease,
    phase: Phase,
    /// When the bid began to be sent.
    posted_at: BootTime,
    /// The server's time of the bid.
    created_at: Option<ServerTime>,
    /// The server's clock, as last seen.
    date: Option<ServerTime>,
    /// When another tool's claim was first seen.
    foreign_since: Option<BootTime>,
    /// What the last of several pages looked like; two readings must agree.
    last_digest: Option<Vec<(u64, ServerTime, bool)>>,
    /// Where the last release sent the issue.
    destination: Option<(String, ServerTime)>,
    /// The comments whose claims this bid has ended, because a lagging read does not show that yet.
    buried: Vec<u64>,
    /// Whether the lock that Fabrik engines see may be on.
    is_locked: bool,
    is_decided: bool,
}

impl Bid {
    /// Prepares a bid.
    pub fn new(terms: SharedTerms, claimant: Claimant, now: BootTime) -> Self {
        let lease = Lease {
            holder: claimant.holder,
            nonce: claimant.nonce,
            protocol: Protocol::Comment,
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
        Self::with(terms, lease, Phase::Reading, now)
    }

    /// Prepares the bid of someone who has already won the claim ref, for the other tools of the repository.
    pub fn beside_foreigners(terms: SharedTerms, lease: Lease, date: ServerTime, now: BootTime) -> Self {
        let mut bid = Self::with(terms, lease, Phase::Bidding, now);
        bid.date = Some(date);
        bid
    }

    fn with(terms: SharedTerms, lease: Lease, phase: Phase, now: BootTime) -> Self {
        Self {
            terms,
            lease,
            phase,
            posted_at: now,
            created_at: None,
            date: None,
            foreign_since: None,
            last_digest: None,
            destination: None,
            buried: Vec::new(),
            is_locked: false,
            is_decided: false,
        }
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

    fn post_bid(&mut self) -> Step<Acquired> {
        let text = self.lease.text(ClaimState::Bid, self.terms.timing.bid_ttl);
        self.ask(Phase::Bidding, Ask::Post(text.write(stamp(self.date))))
    }

    /// When a bidder must have turned its bid into a hold.
    fn bid_deadline(&self) -> BootTime {
        self.terms.timing.deadline(self.terms.timing.bid_ttl, self.posted_at)
    }

    /// Someone who also holds the claim ref is bound by that deadline too.
    fn is_too_late(&self, now: BootTime) -> bool {
        let ref_is_over = self.lease.protocol == Protocol::Ref && self.lease.is_over(now);
        self.terms.safeguards.deadline && (now >= self.bid_deadline() || ref_is_over)
    }

    fn withdraw(&mut self, outcome: Outcome, verdict: Acquired) -> Step<Acquired> {
        self.is_decided = true;
        let release = self.lease.release(outcome);
        let phase = Phase::Withdrawing { verdict: Box::new(verdict), left: self.traces() };
        self.ask(phase, Ask::Post(release.write(stamp(self.date))))
    }

    /// What other tools would still take for a claim.
    fn traces(&self) -> Vec<Ask> {
        let wiped = format!("{} let go of this issue.", self.lease.holder);
        let copy = self.lease.run_comment.map(|id| Ask::Edit(id, wiped));
        let lock = self.is_locked.then(|| Ask::RemoveLabel(fabrik_lock(&self.terms.user)));
        copy.into_iter().chain(lock).collect()
    }

    fn give_up(&mut self, why: String) -> Step<Acquired> {
        self.withdraw(Outcome::ClaimUnverified, Acquired::Failed(why))
    }

    fn yield_to(&mut self, holder: Holder) -> Step<Acquired> {
        self.withdraw(Outcome::RaceYieldedTo(holder.to_string()), Acquired::Lost { to: Some(holder) })
    }

    fn on_issue(&mut self, issue: &Issue) -> Step<Acquired> {
        if let Some(refusal) = self.terms.eligibility.refusal(issue) {
            return self.end(Acquired::Refused(refusal));
        }
        let dialect = self.terms.eligibility.dialect;
        let looks_taken = issue.has_label(&dialect.in_flight(&self.terms.user));
        if looks_taken { self.ask(Phase::Scouting, Ask::Comments) } else { self.post_bid() }
    }

    fn on_scouted(&mut self, reading: &Reading) -> Step<Acquired> {
        let ledger = Ledger::of(reading, &self.terms);
        match ledger.winner() {
            Some(holder) => {
                let to = Some(holder.text.holder.clone());
                self.end(Acquired::Lost { to })
            }
            None => self.post_bid(),
        }
    }

    fn on_bid(&mut self, sent_at: BootTime, answer: Answer) -> Step<Acquired> {
        self.posted_at = sent_at;
        if self.terms.foreign.alfred {
            // Alfred counts from the first post and takes no notice of heartbeats.
            self.lease.ends_at = Some(self.terms.timing.deadline(self.terms.timing.foreign_ttl, sent_at));
            self.lease.extend_to(self.lease.deadline);
        }
        match answer {
            Answer::Comment(posted) => {
                self.lease.comment = Some(posted.value.id);
                self.created_at = Some(posted.value.created_at);
                self.date = Some(posted.date);
            }
            // It may be there all the same: looking will tell.
            Answer::Failed(Failure { may_have_happened: true, .. }) => {}
            Answer::Failed(Failure { why, .. }) => return self.end(Acquired::Failed(why)),
            other => return self.confused(&other),
        }
        if self.terms.foreign.labels_as_locks {
            let text = self.lease.text(ClaimState::Bid, self.terms.timing.ttl).write_label_lock();
            return self.ask(Phase::Copying, Ask::Post(text));
        }
        self.ask(Phase::Looking, Ask::Comments)
    }

    fn on_looked(&mut self, now: BootTime, reading: &Reading) -> Step<Acquired> {
        let ledger = Ledger::of(reading, &self.terms);
        self.date = Some(reading.date);
        let Some(own) = ledger.own(self.lease.nonce) else {
            if now.since(self.posted_at) >= self.terms.timing.visible_within {
                let why = format!(
                    "the own claim did not become visible within {} s",
                    self.terms.timing.visible_within.as_secs()
                );
                return self.give_up(why);
            }
            return Step::Ask(Ask::Wait(now.plus(self.terms.timing.look_again)));
        };
        self.lease.comment = Some(own.id);
        self.created_at = Some(own.created_at);
        if !own.is_believed {
            let login = own.author.login.clone();
            return self.withdraw(Outcome::Cancelled, Acquired::Refused(Refusal::NotBelieved { login }));
        }
        if !self.terms.safeguards.settle {
            return self.judge(now, reading, &ledger);
        }
        let judge_at = now.plus(self.settle_time(now));
        if self.is_too_late(judge_at) {
            return self.give_up("the own claim became visible too late to be decided in time".to_owned());
        }
        self.ask(Phase::Settling { judge_at }, Ask::Wait(judge_at))
    }

    /// Others' bids may take as long to become visible as the own one did, and then as long again.
    fn settle_time(&self, now: BootTime) -> Duration {
        let settle = self.terms.timing.settle * if self.terms.foreign.is_any() { 2 } else { 1 };
        settle.max(2 * now.since(self.posted_at))
    }

    fn on_judging(&mut self, now: BootTime, reading: &Reading) -> Step<Acquired> {
        let ledger = Ledger::of(reading, &self.terms);
        self.date = Some(reading.date);
        let look_again = now.plus(self.terms.timing.look_again);
        // A bid of the same second may still come in before this one in the order.
        if self.created_at.is_some_and(|created_at| reading.date <= created_at) {
            return Step::Ask(Ask::Wait(look_again));
        }
        let digest = ledger.digest();
        if reading.pages > 1 && self.last_digest.as_ref() != Some(&digest) {
            self.last_digest = Some(digest);
            return Step::Ask(Ask::Wait(look_again));
        }
        self.judge(now, reading, &ledger)
    }

    fn judge(&mut self, now: BootTime, reading: &Reading, ledger: &Ledger) -> Step<Acquired> {
        if self.is_too_late(now) {
            return self.give_up("the bid ran out of time before it was decided".to_owned());
        }
        let Some(own) = ledger.own(self.lease.nonce) else {
            return self.give_up("the own claim is gone".to_owned());
        };
        if own.ended.is_some() || own.is_expired {
            return self.end(Acquired::Failed("someone ended the own bid".to_owned()));
        }
        let dropped: Vec<_> = ledger.dropped().filter(|claim| !self.buried.contains(&claim.id)).collect();
        if !dropped.is_empty() {
            self.buried.extend(dropped.iter().map(|claim| claim.id));
            return self.bury(dropped.iter().map(|claim| claim.release(Outcome::StaleSwept)).collect());
        }
        if !ledger.is_first(own, &self.terms) {
            let winner = ledger.winner().unwrap_or(own).text.holder.clone();
            return self.yield_to(winner);
        }
        let foreign = ledger.foreign_live(self.lease.nonce).next();
        if let (true, Some(claim)) = (self.terms.foreign.is_any(), foreign) {
            return self.wait_for_foreigner(now, claim);
        }
        self.destination = ledger.last_destination().map(|(to, at)| (to.to_owned(), at));
        self.date = Some(reading.date);
        self.hold(now)
    }

    fn bury(&mut self, mut left: Vec<ReleaseText>) -> Step<Acquired> {
        match left.pop() {
            Some(release) => self.ask(Phase::Burying { left }, Ask::Post(release.write(stamp(self.date)))),
            None => self.ask(Phase::Judging, Ask::Comments),
        }
    }

    /// Another tool may believe that it holds although it was not first, so it gets the time to yield.
    fn wait_for_foreigner(&mut self, now: BootTime, claim: &Claim) -> Step<Acquired> {
        self.wait_for(now, claim.text.holder.clone(), Phase::Judging)
    }

    fn wait_for(&mut self, now: BootTime, holder: Holder, phase: Phase) -> Step<Acquired> {
        let since = *self.foreign_since.get_or_insert(now);
        if now.since(since) >= FOREIGN_PATIENCE {
            return self.yield_to(holder);
        }
        self.ask(phase, Ask::Wait(now.plus(Duration::from_secs(1))))
    }

    fn hold(&mut self, now: BootTime) -> Step<Acquired> {
        let is_in_time = now.plus(self.terms.timing.request_timeout) < self.bid_deadline();
        if self.terms.safeguards.deadline && !is_in_time {
            return self.give_up("too little of the bid is left to hold".to_owned());
        }
        let text = self.lease.text(ClaimState::Held, self.lease.ttl).write(stamp(self.date));
        match self.lease.comment {
            Some(id) => self.ask(Phase::Holding, Ask::Edit(id, text)),
            None => self.give_up("the own claim has no id".to_owned()),
        }
    }

    fn on_held(&mut self, sent_at: BootTime, now: BootTime) -> Step<Acquired> {
        // A later acknowledgement does not count: others may have taken over.
        if self.is_too_late(now) {
            return self.give_up("the hold was acknowledged too late".to_owned());
        }
        self.is_decided = true;
        if self.lease.protocol == Protocol::Comment {
            self.lease.sent_at = sent_at;
            self.lease.extend_to(self.terms.timing.deadline(self.lease.ttl, sent_at));
        }
        if self.terms.foreign.fabrik {
            self.is_locked = true;
            return self.ask(Phase::Locking, Ask::AddLabels(vec![fabrik_lock(&self.terms.user)]));
        }
        if !self.terms.safeguards.reread {
            return self.end(Acquired::Won(self.lease.clone()));
        }
        self.ask(Phase::Rereading, Ask::Issue)
    }

    fn on_reread(&mut self, now: BootTime, issue: &Issue) -> Step<Acquired> {
        if let Some(refusal) = self.terms.eligibility.refusal(issue) {
            return self.withdraw(Outcome::Cancelled, Acquired::Refused(refusal));
        }
        if let Some(holder) = self.terms.other_lock(issue) {
            return self.wait_for(now, holder, Phase::Rereading);
        }
        let change = self.terms.labels_on_taking(&issue.labels);
        let destination = self.destination.as_ref().map(|(to, at)| (to.as_str(), *at));
        match self.terms.eligibility.handed_on(issue, destination) {
            Some(unsettled) => self.ask(Phase::ReadingEvents { unsettled, change }, Ask::LabelEvents),
            None => self.label(now, change),
        }
    }

    fn label(&mut self, now: BootTime, change: LabelChange) -> Step<Acquired> {
        let left = label_asks(change);
        self.next_label(now, left)
    }

    /// Labels are not fenced, so they are sent only while there is time; what is left undone, a renewal repairs.
    fn next_label(&mut self, now: BootTime, mut left: Vec<Ask>) -> Step<Acquired> {
        match left.pop() {
            Some(ask) if self.lease.allows(now, self.terms.timing.request_timeout) => {
                self.ask(Phase::Labelling { left }, ask)
            }
            _ => self.end(Acquired::Won(self.lease.clone())),
        }
    }

    fn confused(&mut self, answer: &Answer) -> Step<Acquired> {
        self.end(Acquired::Failed(format!("an answer that was not asked for: {answer:?}")))
    }

    fn on_failure(&mut self, why: String) -> Step<Acquired> {
        match std::mem::replace(&mut self.phase, Phase::Ended) {
            Phase::Reading | Phase::Scouting => self.end(Acquired::Failed(why)),
            // Burying again is for the next claimant; without it the dead one still counts as dead.
            Phase::Burying { left } => self.bury(left),
            // Nothing is taken off unless what replaces it is on; a renewal puts it right.
            Phase::Labelling { .. } => self.end(Acquired::Won(self.lease.clone())),
            Phase::Withdrawing { verdict, left } => self.on_withdrawn(*verdict, left),
            _ => self.give_up(why),
        }
    }

    fn on_withdrawn(&mut self, verdict: Acquired, mut left: Vec<Ask>) -> Step<Acquired> {
        match left.pop() {
            Some(ask) => self.ask(Phase::Withdrawing { verdict: Box::new(verdict), left }, ask),
            None => self.end(verdict),
        }
    }

    fn waited(&mut self) -> Step<Acquired> {
        match self.phase {
            Phase::Settling { .. } | Phase::Judging => self.ask(Phase::Judging, Ask::Comments),
            Phase::Rereading => self.ask(Phase::Rereading, Ask::Issue),
            _ => Step::Ask(Ask::Comments),
        }
    }
}

impl Machine for Bid {
    type Verdict = Acquired;

    fn begin(&mut self, _: BootTime) -> Step<Acquired> {
        match self.phase {
            Phase::Reading => Step::Ask(Ask::Issue),
            _ => self.post_bid(),
        }
    }

    fn answered(&mut self, sent_at: BootTime, now: BootTime, answer: Answer) -> Step<Acquired> {
        if self.phase == Phase::Bidding {
            return self.on_bid(sent_at, answer);
        }
        match (self.phase.clone(), answer) {
            (_, Answer::Failed(failure)) => self.on_failure(failure.why),
            (Phase::Reading, Answer::Issue(issue)) => {
                self.date = Some(issue.date);
                self.on_issue(&issue.value)
            }
            (Phase::Scouting, Answer::Comments(reading)) => self.on_scouted(&reading),
            (Phase::Copying, Answer::Comment(copy)) => {
                self.lease.run_comment = Some(copy.value.id);
                self.ask(Phase::Looking, Ask::Comments)
            }
            (Phase::Looking, Answer::Comments(reading)) => self.on_looked(now, &reading),
            (Phase::Judging, Answer::Comments(reading)) => self.on_judging(now, &reading),
            (Phase::Burying { left }, Answer::Comment(_)) => self.bury(left),
            (Phase::Holding, Answer::Comment(_)) => self.on_held(sent_at, now),
            (Phase::Locking, Answer::Done) => {
                self.ask(Phase::Rereading, Ask::Wait(now.plus(FABRIK_VERIFY_DELAY)))
            }
            (Phase::Rereading, Answer::Issue(issue)) => self.on_reread(now, &issue.value),
            (Phase::ReadingEvents { unsettled, change }, Answer::LabelEvents(events)) => {
                match unsettled.refusal(&events) {
                    Some(refusal) => self.withdraw(Outcome::Cancelled, Acquired::Refused(refusal)),
                    None => self.label(now, change),
                }
            }
            (Phase::Labelling { left }, Answer::Done) => self.next_label(now, left),
            (Phase::Withdrawing { verdict, left }, _) => self.on_withdrawn(*verdict, left),
            (_, Answer::Done) => self.waited(),
            (_, other) => self.confused(&other),
        }
    }

    fn is_decided(&self) -> bool {
        self.is_decided
    }
}
