//! What becomes of an issue when the command that it was held around has ended.
//!
//! Nothing is run or asked here: how the command ended, and whether a pull request came of it, come in as values.

use super::handback::Handover;
use super::outcome::{FailedAt, Outcome};
use crate::labels::PR_OPEN;
use crate::labels::dialect::Dialect;

/// What a command says when it could not do its work now and will be able to later.
const EXIT_TRY_LATER: i32 = 75;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandEnd {
    /// With this exit code.
    Exited(i32),
    /// By a signal that nobody here sent.
    Signalled,
    /// A person stopped it.
    Cancelled,
    /// There is no such program, so nothing was tried.
    NotRun,
}

/// How the issue was taken, and where it is to go.
#[derive(Debug, Clone, Copy)]
pub struct Errand<'a> {
    /// The dialect of its labels.
    pub dialect: Dialect,
    /// The label that it was taken for.
    pub label: Option<&'a str>,
    /// Where it goes after a success, when that was said.
    pub to: Option<&'a str>,
}

/// What is to be done with the issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Hand it back.
    HandBack(Handover),
    /// Hand it back and close it: its last stage is over.
    Close(Handover),
    /// It depends on whether a pull request came of it; [`Errand::with_pull`] goes on from there.
    AskForPull,
}

impl Errand<'_> {
    /// Decides by how the command ended.
    pub fn ending(&self, end: CommandEnd) -> Ending {
        let back = |outcome| Ending::HandBack(handover(outcome, self.dialect.origin(self.label)));
        match end {
            CommandEnd::Cancelled | CommandEnd::NotRun => return back(Outcome::Cancelled),
            CommandEnd::Signalled => return back(Outcome::Failure(Some("signal".to_owned()))),
            CommandEnd::Exited(EXIT_TRY_LATER) => return back(Outcome::RateLimit),
            CommandEnd::Exited(0) => {}
            CommandEnd::Exited(code) => return back(Outcome::Failure(Some(format!("exit-{code}")))),
        }
        if let Some(to) = self.to {
            return Ending::HandBack(handover(Outcome::Success, Some(to.to_owned())));
        }
        if self.dialect != Dialect::LabelsAsLocks {
            return Ending::AskForPull;
        }
        match Dialect::next_stage(self.label) {
            Some(next) => Ending::HandBack(handover(Outcome::Success, Some(next.to_owned()))),
            None => Ending::Close(handover(Outcome::Success, None)),
        }
    }

    /// Decides by the pull request that came of a success: its address, none, or an error when that is not known.
    pub fn with_pull(&self, pull: Result<Option<String>, ()>) -> Handover {
        let back = self.dialect.origin(self.label);
        match pull {
            Ok(Some(url)) => {
                Handover { pr: Some(url), ..handover(Outcome::Success, Some(PR_OPEN.to_owned())) }
            }
            // It went well and nothing came of it that could be merged.
            Ok(None) => handover(Outcome::Failed(FailedAt::NoCommit), back),
            Err(()) => handover(Outcome::Partial, back),
        }
    }
}

fn handover(outcome: Outcome, to: Option<String>) -> Handover {
    Handover { outcome, to, pr: None, leaves_labels: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::dialect::{STAGE_READY, STAGE_REVIEW};

    const PLAIN: Errand<'_> = Errand { dialect: Dialect::Baton, label: None, to: None };

    fn check(errand: Errand<'_>, end: CommandEnd, outcome: &str, to: Option<&str>) {
        let (Ending::HandBack(found) | Ending::Close(found)) = errand.ending(end) else { panic!("{end:?}") };
        assert_eq!((found.outcome.to_string().as_str(), found.to.as_deref()), (outcome, to), "{end:?}");
    }

    #[test]
    fn a_command_that_fails_sends_its_issue_back_with_the_reason() {
        let back = Some("agent:implement");
        check(PLAIN, CommandEnd::Exited(7), "failure-exit-7", back);
        check(PLAIN, CommandEnd::Signalled, "failure-signal", back);
        check(PLAIN, CommandEnd::Exited(75), "rate-limit", back);
        check(PLAIN, CommandEnd::Cancelled, "cancelled", back);
        check(PLAIN, CommandEnd::NotRun, "cancelled", back);
        let other = Errand { label: Some("bug"), ..PLAIN };
        check(other, CommandEnd::Exited(1), "failure-exit-1", None);
    }

    #[test]
    fn a_success_goes_where_it_was_sent_or_where_its_pull_request_says() {
        check(
            Errand { to: Some("agent:done"), ..PLAIN },
            CommandEnd::Exited(0),
            "success",
            Some("agent:done"),
        );
        assert_eq!(PLAIN.ending(CommandEnd::Exited(0)), Ending::AskForPull);
        let shown = |pull| {
            let found = PLAIN.with_pull(pull);
            (found.outcome.to_string(), found.to.unwrap(), found.pr)
        };
        let url = "https://x/pull/1".to_owned();
        assert_eq!(shown(Ok(Some(url.clone()))), ("success".into(), PR_OPEN.into(), Some(url)));
        assert_eq!(shown(Ok(None)), ("no-commit".into(), "agent:implement".into(), None));
        assert_eq!(shown(Err(())), ("partial".into(), "agent:implement".into(), None));
    }

    #[test]
    fn stages_move_on_and_after_the_last_the_issue_is_closed() {
        let staged = |label| Errand { dialect: Dialect::LabelsAsLocks, label: Some(label), to: None };
        check(staged(STAGE_READY), CommandEnd::Exited(0), "success", Some(STAGE_REVIEW));
        let last = staged(STAGE_REVIEW).ending(CommandEnd::Exited(0));
        assert!(matches!(last, Ending::Close(Handover { to: None, .. })), "{last:?}");
    }
}
