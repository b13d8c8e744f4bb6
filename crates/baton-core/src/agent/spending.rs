//! What one invocation spent. Some sums cover the whole session, so what was spent before is taken off.

use super::session::KeptSession;
use crate::agent_lines::{Report, Scope, spent_since};

/// What one invocation spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Millionths of a US dollar; nothing for programs that do not tell.
    pub cost_micros: u64,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

/// Returns what an invocation spent; `kept` is the session as it was before, if one was gone on with.
pub fn spent(kept: Option<&KeptSession>, report: &Report) -> Spent {
    // Sums of another session say nothing about this one.
    let earlier = kept.filter(|kept| report.session.as_ref() == Some(&kept.id)).cloned().unwrap_or_default();
    let tokens = |before, now| match report.usage_scope {
        Scope::Run => now,
        Scope::Session => spent_since(before, now),
    };
    let cost = report.cost_micros.map(|now| spent_since(earlier.cost_micros, now));
    let is_told = report.saw_result || report.usage != Default::default();
    let input_tokens = tokens(earlier.input_tokens, report.usage.input);
    let output_tokens = tokens(earlier.output_tokens, report.usage.output);
    Spent {
        cost_micros: cost.unwrap_or_default(),
        input_tokens: if is_told { input_tokens } else { 0 },
        output_tokens: if is_told { output_tokens } else { 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_lines::Usage;

    fn kept() -> KeptSession {
        KeptSession {
            id: "s".to_owned(),
            cost_micros: 700,
            input_tokens: 100,
            output_tokens: 12,
            failed_resumes: 0,
        }
    }

    fn report(session: &str, usage_scope: Scope, cost_micros: Option<u64>) -> Report {
        Report {
            session: Some(session.to_owned()),
            usage: Usage { input: 200, output: 24, cached: 80 },
            usage_scope,
            cost_micros,
            saw_result: true,
            ..Report::default()
        }
    }

    #[track_caller]
    fn check(kept: Option<&KeptSession>, report: &Report, expected: (u64, u64, u64)) {
        let spent = spent(kept, report);
        assert_eq!((spent.cost_micros, spent.input_tokens, spent.output_tokens), expected);
    }

    #[test]
    fn what_was_spent_before_is_taken_off_sums_of_the_session() {
        // Claude Code: the cost is the session's, the tokens are the run's.
        check(Some(&kept()), &report("s", Scope::Run, Some(1_000)), (300, 200, 24));
        // Codex: the tokens are the session's, and there is no cost.
        check(Some(&kept()), &report("s", Scope::Session, None), (0, 100, 12));
    }

    #[test]
    fn a_new_session_has_spent_all_that_it_tells() {
        check(None, &report("s", Scope::Session, Some(1_000)), (1_000, 200, 24));
        check(Some(&kept()), &report("t", Scope::Session, Some(1_000)), (1_000, 200, 24));
    }

    #[test]
    fn sums_that_have_become_smaller_were_begun_anew() {
        check(Some(&kept()), &report("s", Scope::Run, Some(40)), (40, 200, 24));
    }

    #[test]
    fn one_that_told_nothing_has_spent_nothing_that_is_known() {
        let silent =
            Report { session: Some("s".to_owned()), usage_scope: Scope::Session, ..Report::default() };
        check(Some(&kept()), &silent, (0, 0, 0));
    }
}
