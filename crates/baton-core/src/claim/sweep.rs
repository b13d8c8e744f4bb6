//! Sweeping one issue: the claims of the dead are ended, and labels that tell of nobody are put right.
//!
//! Labels change only when nobody holds, and that was read afresh after the dead were ended. The issue goes back to the
//! queue only if `agent:in-flight` is its only lifecycle label; beside another one, which a holder wrote before it died,
//! `agent:in-flight` is taken off and the other stays. A label without any claim gets the time that a claimant needs
//! between its two writes.

use std::time::Duration;

use super::chain::{self, Sighting, Standing};
use super::identity::Holder;
use super::lease::Protocol;
use super::ledger::{Ledger, Reading};
use super::outcome::Outcome;
use super::step::{Answer, Ask, Machine, SharedTerms, Step, label_asks, stamp};
use super::text::{self, Marker, ReleaseText};
use crate::labels;
use crate::labels::dialect::{CLAIMED, Dialect, STAGE_PROCESSING};
use crate::time::{BootTime, ServerTime};
use crate::tracker::{Issue, LabelEvent, RefAdvance};

/// What a sweep of one issue did.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Swept {
    /// Whose expired claims were ended.
    pub ended: Vec<Holder>,
    /// Whether the labels were put back.
    pub is_requeued: bool,
    /// What could not be done, and stays for the next sweep.
    pub failures: Vec<String>,
}

/// How a sweep goes about it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SweepRules {
    /// Which protocol decides in this repository.
    pub protocol: Protocol,
    /// How long `agent:in-flight` may stand without a claim.
    pub missing_claim_grace: Duration,
    /// What names this sweep in releases.
    pub sweep_id: String,
    /// Whether to look only.
    pub is_dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    /// Reading the comments, first.
    Reading,
    /// Reading the claim ref.
    ReadingTip,
    /// Ending the claims of the dead.
    Ending { left: Vec<ReleaseText> },
    /// Ending a dead claim on the ref.
    WritingEnd,
    /// Ending a dead claim on the ref.
    AdvancingEnd,
    /// Reading afresh.
    Rereading,
    /// Reading the ref afresh.
    RereadingTip,
    /// Reading the issue afresh.
    ReadingIssue { had_claim: bool },
    /// Reading since when the label is there.
    ReadingEvents { issue: Box<Issue> },
    /// Putting labels back.
    Labelling { left: Vec<Ask> },
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sweep {
    terms: SharedTerms,
    rules: SweepRules,
    phase: Phase,
    swept: Swept,
    date: Option<ServerTime>,
}

impl Sweep {
    /// Prepares the sweep of one issue.
    pub fn new(terms: SharedTerms, rules: SweepRules) -> Self {
        Self { terms, rules, phase: Phase::Reading, swept: Swept::default(), date: None }
    }

    fn ask(&mut self, phase: Phase, ask: Ask) -> Step<Swept> {
        self.phase = phase;
        Step::Ask(ask)
    }

    fn done(&mut self) -> Step<Swept> {
        Step::Done(std::mem::take(&mut self.swept))
    }

    fn on_read(&mut self, reading: &Reading) -> Step<Swept> {
        self.date = Some(reading.date);
        let ledger = Ledger::of(reading, &self.terms);
        let left: Vec<_> =
            ledger.dropped().map(|claim| self.stale(claim.release(Outcome::StaleSwept))).collect();
        self.swept.ended.extend(left.iter().map(|release| release.holder.clone()));
        if self.rules.is_dry_run { self.after_ending() } else { self.end_next(left) }
    }

    fn stale(&self, release: ReleaseText) -> ReleaseText {
        ReleaseText { swept_by: Some(self.rules.sweep_id.clone()), ..release }
    }

    fn end_next(&mut self, mut left: Vec<ReleaseText>) -> Step<Swept> {
        match left.pop() {
            Some(release) => {
                let text = release.write(stamp(self.date));
                self.ask(Phase::Ending { left }, Ask::Post(text))
            }
            None => self.after_ending(),
        }
    }

    fn after_ending(&mut self) -> Step<Swept> {
        match self.rules.protocol {
            Protocol::Comment => self.ask(Phase::Rereading, Ask::Comments),
            Protocol::Ref => self.ask(Phase::ReadingTip, Ask::Tip),
        }
    }

    fn on_tip(&mut self, now: BootTime, sighting: &Sighting) -> Step<Swept> {
        self.date = Some(sighting.date);
        let Standing::Free { dropped_by: Some(holder), parent, epoch, .. } =
            chain::standing(sighting, now, &self.terms)
        else {
            return self.ask(Phase::Rereading, Ask::Comments);
        };
        self.swept.ended.retain(|ended| *ended != holder);
        self.swept.ended.push(holder.clone());
        if self.rules.is_dry_run {
            return self.ask(Phase::Rereading, Ask::Comments);
        }
        let nonce = sighting.tip.as_ref().and_then(|tip| match text::read(&tip.message) {
            Some(Marker::Claim(claim)) => claim.nonce,
            _ => None,
        });
        let message = self.stale(ended_ref(holder, nonce, epoch - 1)).write(stamp(self.date));
        self.ask(Phase::WritingEnd, Ask::Commit { message, parent })
    }

    fn on_reread(&mut self, reading: &Reading) -> Step<Swept> {
        self.date = Some(reading.date);
        let ledger = Ledger::of(reading, &self.terms);
        // The readable copy of a claim on a ref does not decide, but whoever has one is not swept under the rug.
        let is_held = ledger.live().next().is_some();
        let had_claim = !ledger.claims.is_empty();
        match (is_held, self.rules.protocol) {
            (true, Protocol::Comment) => self.done(),
            (_, Protocol::Ref) => self.ask(Phase::RereadingTip, Ask::Tip),
            (false, Protocol::Comment) => self.ask(Phase::ReadingIssue { had_claim }, Ask::Issue),
        }
    }

    fn on_reread_tip(&mut self, now: BootTime, sighting: &Sighting) -> Step<Swept> {
        match chain::standing(sighting, now, &self.terms) {
            Standing::Free { parent, .. } => {
                self.ask(Phase::ReadingIssue { had_claim: parent.is_some() }, Ask::Issue)
            }
            Standing::Held { .. } | Standing::Strange { .. } => self.done(),
        }
    }

    fn on_issue(&mut self, issue: Issue, had_claim: bool) -> Step<Swept> {
        if !self.tells_of_a_holder(&issue) {
            return self.done();
        }
        // Someone may be between its label and its claim, or be a tool that labels first.
        if !had_claim || !self.swept.ended.is_empty() || self.rules.missing_claim_grace > Duration::ZERO {
            return self.ask(Phase::ReadingEvents { issue: Box::new(issue) }, Ask::LabelEvents);
        }
        self.requeue(&issue)
    }

    /// Returns whether labels say that someone works on it.
    fn tells_of_a_holder(&self, issue: &Issue) -> bool {
        if !issue.is_open {
            return false;
        }
        match self.terms.eligibility.dialect {
            Dialect::LabelsAsLocks => issue.has_label(CLAIMED) || issue.has_label(STAGE_PROCESSING),
            _ => issue.has_label(labels::IN_FLIGHT),
        }
    }

    fn on_events(&mut self, issue: &Issue, events: &[LabelEvent]) -> Step<Swept> {
        let told_by = |label: &str| [labels::IN_FLIGHT, CLAIMED].contains(&label);
        let since = events
            .iter()
            .filter(|event| event.was_added && told_by(&event.label))
            .map(|event| event.at)
            .max();
        let age = since.zip(self.date).map(|(since, date)| date.seconds_since(since));
        let grace = i64::try_from(self.rules.missing_claim_grace.as_secs()).unwrap_or(i64::MAX);
        // A claim that was just ended explains the label, so there is nobody to wait for.
        let is_explained = !self.swept.ended.is_empty();
        if is_explained || age.is_some_and(|age| age > grace) { self.requeue(issue) } else { self.done() }
    }

    /// Where the issue goes: its holder may have written that before it died.
    fn destination(&self, issue: &Issue) -> &'static str {
        let dialect = self.terms.eligibility.dialect;
        match (dialect, labels::lifecycle_state(&issue.labels)) {
            (Dialect::LabelsAsLocks, _) | (_, None | Some(labels::IN_FLIGHT)) => dialect.eligible(),
            (_, Some(further)) => further,
        }
    }

    fn requeue(&mut self, issue: &Issue) -> Step<Swept> {
        let dialect = self.terms.eligibility.dialect;
        let to = self.destination(issue);
        self.swept.is_requeued = to == dialect.eligible();
        if self.rules.is_dry_run {
            return self.done();
        }
        let change = self.terms.labels_on_handing_back(&issue.labels, Some(to));
        let left = label_asks(change);
        self.label(left)
    }

    fn label(&mut self, mut left: Vec<Ask>) -> Step<Swept> {
        match left.pop() {
            Some(ask) => self.ask(Phase::Labelling { left }, ask),
            None => self.done(),
        }
    }
}

fn ended_ref(holder: Holder, nonce: Option<super::Nonce>, epoch: u64) -> ReleaseText {
    ReleaseText { nonce, epoch: Some(epoch), ..ReleaseText::new(holder, Outcome::StaleSwept) }
}

impl Machine for Sweep {
    type Verdict = Swept;

    fn begin(&mut self, _: BootTime) -> Step<Swept> {
        Step::Ask(Ask::Comments)
    }

    fn answered(&mut self, _: BootTime, now: BootTime, answer: Answer) -> Step<Swept> {
        match (self.phase.clone(), answer) {
            (_, Answer::Failed(failure)) => {
                self.swept.failures.push(failure.why);
                self.done()
            }
            (Phase::Reading, Answer::Comments(reading)) => self.on_read(&reading),
            (Phase::Ending { left }, Answer::Comment(_)) => self.end_next(left),
            (Phase::ReadingTip, Answer::Tip(sighting)) => self.on_tip(now, &sighting),
            (Phase::WritingEnd, Answer::Commit(commit)) => {
                self.ask(Phase::AdvancingEnd, Ask::Advance(commit.value.oid))
            }
            (Phase::AdvancingEnd, Answer::Advanced(RefAdvance::Advanced)) => {
                self.ask(Phase::Rereading, Ask::Comments)
            }
            // Someone took it over meanwhile, so there is nothing to put right.
            (Phase::AdvancingEnd, Answer::Advanced(_)) => {
                self.swept.ended.clear();
                self.done()
            }
            (Phase::Rereading, Answer::Comments(reading)) => self.on_reread(&reading),
            (Phase::RereadingTip, Answer::Tip(sighting)) => self.on_reread_tip(now, &sighting),
            (Phase::ReadingIssue { had_claim }, Answer::Issue(issue)) => {
                self.on_issue(issue.value, had_claim)
            }
            (Phase::ReadingEvents { issue }, Answer::LabelEvents(events)) => self.on_events(&issue, &events),
            (Phase::Labelling { left }, Answer::Done) => self.label(left),
            (_, other) => {
                self.swept.failures.push(format!("an answer that was not asked for: {other:?}"));
                self.done()
            }
        }
    }

    fn is_decided(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::step::tests::{issue, terms};
    use crate::labels::{IMPLEMENT, IN_FLIGHT, PR_OPEN};
    use crate::tracker::Dated;

    /// What a sweep writes on an issue without a live claim.
    fn written(names: &[&str]) -> Vec<Ask> {
        let rules = SweepRules {
            protocol: Protocol::Comment,
            missing_claim_grace: Duration::from_secs(600),
            sweep_id: "S".to_owned(),
            is_dry_run: false,
        };
        let mut sweep = Sweep::new(SharedTerms::new(terms()), rules);
        let (now, date) = (BootTime { ms: 0 }, ServerTime(1000));
        let mut step = sweep.begin(now);
        let mut written = Vec::new();
        while let Step::Ask(ask) = step {
            let answer = match &ask {
                Ask::Comments => Answer::Comments(Reading { heard: Vec::new(), date, pages: 1 }),
                Ask::Issue => Answer::Issue(Dated { value: issue(names), date, pages: 1 }),
                Ask::LabelEvents => Answer::LabelEvents(vec![LabelEvent {
                    label: IN_FLIGHT.to_owned(),
                    was_added: true,
                    at: ServerTime(0),
                    actor: String::new(),
                }]),
                _ => Answer::Done,
            };
            if ask.is_write() {
                written.push(ask);
            }
            step = sweep.answered(now, now, answer);
        }
        written
    }

    #[test]
    fn an_issue_goes_where_its_dead_holder_sent_it_or_back_to_the_queue() {
        let add = |label: &str| Ask::AddLabels(vec![label.to_owned()]);
        let remove = |label: &str| Ask::RemoveLabel(label.to_owned());
        assert_eq!(written(&[IN_FLIGHT]), [add(IMPLEMENT), remove(IN_FLIGHT)]);
        assert_eq!(written(&[IN_FLIGHT, PR_OPEN]), [add(PR_OPEN), remove(IN_FLIGHT)]);
        assert_eq!(written(&[IN_FLIGHT, IMPLEMENT]), [add(IMPLEMENT), remove(IN_FLIGHT)]);
        assert_eq!(written(&[IMPLEMENT, PR_OPEN]), [], "nothing tells of a holder");
    }
}
