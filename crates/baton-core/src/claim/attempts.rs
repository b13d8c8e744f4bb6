//! How often an issue was tried in vain, counted from the releases that everybody can read.

use super::ledger::{Ledger, Release};
use crate::labels::NEEDS_HUMAN_SCOPE;
use crate::time::ServerTime;
use crate::tracker::LabelEvent;

/// Returns the failed attempts since the last success or since a person last took `needs:human-scope` off.
pub fn failed_attempts<'a>(ledger: &'a Ledger, events: &[LabelEvent]) -> Vec<&'a Release> {
    let rescoped_at = events
        .iter()
        .filter(|event| !event.was_added && event.label == NEEDS_HUMAN_SCOPE)
        .map(|event| event.at)
        .max()
        .unwrap_or(ServerTime(i64::MIN));
    let counted = ledger.releases.iter().rev().take_while(|release| !release.text.outcome.is_success());
    let mut failed: Vec<_> = counted
        .filter(|release| release.at > rescoped_at && release.text.outcome.is_failed_attempt())
        .collect();
    failed.reverse();
    // Two claimants may bury the same dead claim; it was one attempt all the same.
    let mut counted = Vec::new();
    failed.retain(|release| {
        let attempt = (&release.text.holder, release.text.nonce);
        let is_new = !counted.contains(&attempt);
        counted.push(attempt);
        is_new
    });
    failed
}

/// The comment that hands an issue to a person after too many attempts.
pub fn report(failed: &[&Release]) -> String {
    let mut text = format!(
        "{} attempts failed, so agents leave this issue alone until a person has scoped it. \
         Take `{NEEDS_HUMAN_SCOPE}` off to let them try again.\n",
        failed.len()
    );
    for release in failed {
        let holder = &release.text.holder;
        text.push_str(&format!("\n- {} · {holder} · `{}`", release.at, release.text.outcome));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::ledger::{Heard, Reading};
    use crate::claim::step::tests::{comment, terms};

    fn failed(outcomes: &[&str], rescoped_at: Option<i64>) -> usize {
        let heard = outcomes.iter().enumerate().map(|(at, outcome)| {
            let body = format!("<!-- agent-release:codename=a firing_id=F{at} outcome={outcome} -->");
            let at = i64::try_from(at).unwrap();
            Heard { comment: comment(at.unsigned_abs(), "a", at * 10, &body), is_believed: true }
        });
        let reading = Reading { heard: heard.collect(), date: ServerTime(1000), pages: 1 };
        let events: Vec<_> = rescoped_at
            .map(|at| LabelEvent {
                label: NEEDS_HUMAN_SCOPE.into(),
                was_added: false,
                at: ServerTime(at),
                actor: "ana".into(),
            })
            .into_iter()
            .collect();
        failed_attempts(&Ledger::of(&reading, &terms()), &events).len()
    }

    #[test]
    fn attempts_are_counted_from_the_last_success_or_rescoping() {
        assert_eq!(failed(&["failure-lint", "no-commit", "stale-swept"], None), 3);
        assert_eq!(failed(&["failure", "success", "failure"], None), 1);
        assert_eq!(failed(&["failure", "failure", "failure"], Some(15)), 1);
    }

    #[test]
    fn a_dead_claim_that_two_have_buried_was_one_attempt() {
        let body = "<!-- agent-release:codename=a firing_id=F claim=1 outcome=stale-swept -->";
        let heard = [2, 3].map(|id| Heard { comment: comment(id, "b", 20, body), is_believed: true });
        let reading = Reading { heard: heard.to_vec(), date: ServerTime(1000), pages: 1 };
        assert_eq!(failed_attempts(&Ledger::of(&reading, &terms()), &[]).len(), 1);
    }

    #[test]
    fn races_rate_limits_and_cancellations_burn_no_attempt() {
        assert_eq!(failed(&["race-yielded-to=a:b", "rate-limit", "cancelled", "failure"], None), 1);
    }
}
