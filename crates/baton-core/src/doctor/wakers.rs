//! Judging what moves an issue. Every open issue on its way has exactly one waker: a run, an engine that will look again, the
//! tracker, another holder, or a person who was asked. None means that it stands still for ever; two, that they get into each
//! other's way.

use super::setup::{one_line, plural};
use super::{CheckId, Finding};
use crate::pipeline::step::{Rest, Step};

/// A run that has the issue's slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunFacts {
    /// There is none.
    None,
    /// It waits for a worker.
    Waiting,
    /// A worker that is alive executes it.
    AtWork,
    /// Its worker is gone.
    Dropped,
}

/// An issue, what is to be done with it, and who might.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueFacts {
    /// Which.
    pub issue: String,
    /// What the rules say is next.
    pub step: Step,
    /// The run that has its slot.
    pub run: RunFacts,
    /// Somebody else who holds a live claim on it.
    pub foreign_claim: Option<String>,
    /// Somebody else whose lock label it carries.
    pub foreign_lock: Option<String>,
}

/// Who moves an issue next.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Waker {
    /// It is over, or not on its way.
    NotNeeded,
    /// The run that has its slot.
    Run,
    /// A person.
    Person,
    /// Somebody else, by a claim or a lock.
    Another(String),
    /// An engine, when it looks again.
    Engine,
    /// A worker that is gone; an engine that is alive finds its run.
    LostWorker,
    /// Nobody, for this reason.
    Nobody(&'static str),
    /// Two, who are these.
    Two(String),
}

/// Issues that were not looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// How many.
    pub count: usize,
    /// Why not.
    pub why: String,
}

/// Judges the issues that were looked at, given whether an engine is alive, and tells of those that were not.
pub fn wakers(issues: &[IssueFacts], unread: Option<&Unread>, is_engine_alive: bool) -> Vec<Finding> {
    let check = CheckId::Wakers;
    let mut findings = Vec::new();
    let (mut waiting, mut fine) = (Vec::new(), 0);
    for facts in issues {
        match waker(facts) {
            Waker::Engine if !is_engine_alive => waiting.push(facts.issue.as_str()),
            Waker::LostWorker if !is_engine_alive => {
                let found = format!("{} has no waker: its run has lost its worker", facts.issue);
                findings.push(Finding::fail(check, found, "baton up, which takes the run up again"));
            }
            Waker::Nobody(why) => {
                let fix = match facts.step {
                    Step::Rest(Rest::Editing) => {
                        format!("take the label off that says so; baton explain {}", facts.issue)
                    }
                    _ => format!("baton explain {}", facts.issue),
                };
                findings.push(Finding::fail(check, format!("{} has no waker: {why}", facts.issue), fix));
            }
            Waker::Two(who) => {
                let fix = format!(
                    "baton explain {0}; end one of them: baton cancel RUN, or baton release {0}",
                    facts.issue
                );
                findings.push(Finding::fail(check, format!("{} has two wakers: {who}", facts.issue), fix));
            }
            _ => fine += 1,
        }
    }
    if !waiting.is_empty() {
        let found =
            format!("{} for an engine, and none is alive: {}", wait(waiting.len()), waiting.join(", "));
        findings.push(Finding::warn(check, found, "baton up"));
    }
    findings.extend(unread.map(|unread| left_out(unread, issues.len())));
    if findings.is_empty() {
        let found = match fine {
            0 => "no open issue is in a stage where agents work".to_owned(),
            fine => format!("{} looked at, each with one waker at most", plural(fine, "issue")),
        };
        findings.push(Finding::ok(check, found));
    }
    findings
}

fn left_out(unread: &Unread, read: usize) -> Finding {
    let found = format!(
        "{} of {} not looked at: {}",
        unread.count,
        plural(unread.count + read, "issue"),
        one_line(&unread.why)
    );
    Finding::warn(
        CheckId::Wakers,
        found,
        "look again when the tracker is faster; or one by one: baton explain REF",
    )
}

fn wait(count: usize) -> String {
    format!("{} {}", plural(count, "issue"), if count == 1 { "waits" } else { "wait" })
}

fn waker(facts: &IssueFacts) -> Waker {
    let another = facts.foreign_claim.as_ref().or(facts.foreign_lock.as_ref());
    let is_over = matches!(
        facts.step,
        Step::Rest(
            Rest::NoStage | Rest::Closed | Rest::CleanedUp | Rest::NothingToClean | Rest::EndOfPipeline
        )
    );
    match (facts.run, another) {
        (RunFacts::AtWork | RunFacts::Waiting, Some(who)) => {
            return Waker::Two(format!("a run of this installation, and {who}"));
        }
        (RunFacts::AtWork, None) if is_over => {
            return Waker::Two("a run is at work, although the relay is over for it".to_owned());
        }
        (RunFacts::AtWork, None) => return Waker::Run,
        // Whoever has the next look takes it up again.
        (RunFacts::Waiting, None) => return Waker::Engine,
        (RunFacts::Dropped, None) => return Waker::LostWorker,
        (RunFacts::None, _) | (RunFacts::Dropped, Some(_)) => {}
    }
    if let (Some(claim), Some(lock)) = (&facts.foreign_claim, &facts.foreign_lock)
        && !claim.to_ascii_lowercase().contains(&lock.to_ascii_lowercase())
    {
        return Waker::Two(format!("a claim of {claim}, and a lock of {lock}"));
    }
    by_step(&facts.step, another)
}

fn by_step(step: &Step, another: Option<&String>) -> Waker {
    let Step::Rest(rest) = step else { return Waker::Engine };
    match rest {
        Rest::NoStage | Rest::Closed | Rest::CleanedUp | Rest::NothingToClean | Rest::EndOfPipeline => {
            Waker::NotNeeded
        }
        Rest::LockedByOther => another
            .map_or(Waker::Nobody("it is locked, and nobody holds it"), |who| Waker::Another(who.clone())),
        Rest::Running => Waker::Nobody("it is said to be worked on, and no run is at work"),
        Rest::Editing => Waker::Nobody("its label says that comments are being answered, and nobody does"),
        Rest::Held
        | Rest::AwaitingInput
        | Rest::Paused
        | Rest::IsPull
        | Rest::ApprovalPending
        | Rest::AwaitingMove
        | Rest::AwaitingMerge => Waker::Person,
        Rest::RepoNotReady | Rest::Cooldown => Waker::Engine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Grade;
    use crate::pipeline::step::Hold;

    fn facts(step: Step, run: RunFacts) -> IssueFacts {
        IssueFacts { issue: "a/b#1".to_owned(), step, run, foreign_claim: None, foreign_lock: None }
    }

    #[track_caller]
    fn check(facts: &IssueFacts, with_engine: Grade, without: Grade) {
        for (is_alive, grade) in [(true, with_engine), (false, without)] {
            let found = wakers(std::slice::from_ref(facts), None, is_alive);
            assert_eq!((found.len(), found[0].grade), (1, grade), "{facts:?} {is_alive}: {found:?}");
        }
    }

    #[test]
    fn every_issue_on_its_way_has_exactly_one_waker() {
        use Grade::{Fail, Ok, Warn};
        let invoke = || Step::Invoke { resume: false };
        check(&facts(invoke(), RunFacts::None), Ok, Warn);
        check(&facts(Step::HoldAtGate(Hold::Checks), RunFacts::None), Ok, Warn);
        check(&facts(Step::Rest(Rest::Running), RunFacts::AtWork), Ok, Ok);
        check(&facts(Step::Rest(Rest::Running), RunFacts::Waiting), Ok, Warn);
        check(&facts(Step::Rest(Rest::Running), RunFacts::Dropped), Ok, Fail);
        check(&facts(Step::Rest(Rest::Editing), RunFacts::None), Fail, Fail);
        check(&facts(Step::Rest(Rest::Paused), RunFacts::None), Ok, Ok);
        check(&facts(Step::Rest(Rest::NoStage), RunFacts::None), Ok, Ok);
        check(&facts(Step::Rest(Rest::Closed), RunFacts::AtWork), Fail, Fail);
    }

    #[test]
    fn what_was_not_looked_at_is_told_beside_what_was() {
        let unread = Unread { count: 3, why: "no time was left".to_owned() };
        let read = [facts(Step::Rest(Rest::Editing), RunFacts::None)];
        let found = wakers(&read, Some(&unread), true);
        let grades: Vec<_> = found.iter().map(|finding| finding.grade).collect();
        assert_eq!(grades, [Grade::Fail, Grade::Warn]);
        assert_eq!(found[1].found, "3 of 4 issues not looked at: no time was left");
        assert_eq!(wakers(&[], Some(&unread), true).len(), 1);
    }

    #[test]
    fn two_who_hold_one_issue_are_one_too_many() {
        use Grade::{Fail, Ok};
        let foreign = IssueFacts {
            foreign_claim: Some("lucius:1".to_owned()),
            ..facts(Step::Rest(Rest::LockedByOther), RunFacts::None)
        };
        check(&foreign, Ok, Ok);
        check(&IssueFacts { run: RunFacts::AtWork, ..foreign.clone() }, Fail, Fail);
        check(&IssueFacts { foreign_lock: Some("Lucius".to_owned()), ..foreign.clone() }, Ok, Ok);
        check(&IssueFacts { foreign_lock: Some("eve".to_owned()), ..foreign.clone() }, Fail, Fail);
        check(&IssueFacts { foreign_claim: None, ..foreign }, Fail, Fail);
    }

    #[test]
    fn every_reason_to_rest_has_somebody_who_ends_it_or_is_told() {
        for rest in Rest::ALL {
            let found = waker(&facts(Step::Rest(*rest), RunFacts::None));
            let is_nobody = matches!(found, Waker::Nobody(_));
            let is_somebodys_word = matches!(rest, Rest::LockedByOther | Rest::Running | Rest::Editing);
            assert_eq!(is_nobody, is_somebodys_word, "{rest}: {found:?}");
        }
    }
}
