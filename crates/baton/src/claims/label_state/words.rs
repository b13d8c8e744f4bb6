//! The lines that scripts read: each is a function, and none may change by a letter.

use baton_claims::{DedupCheck, StaleClaim};
use baton_core::claim::Holder;
use baton_core::labels::{DO_NOT_PICKUP, NEEDS_HUMAN_SCOPE};

/// What a doctor wants to hear.
pub(super) const DOCTOR: &str = "[ALFRED-LABEL-STATE-DOCTOR-OK]";
/// Heads the list of paused repositories.
pub(super) const PAUSED_HEAD: &str = "Paused repos (agents will skip):";
/// Says that nothing is paused, when asked for the list.
pub(super) const NONE_PAUSED: &str = "label-state: no repos paused.";
/// Says that nobody named a repository to sweep.
pub(super) const NOTHING_TO_SWEEP: &str = "label-state sweep-claims: no repos to sweep. Pass --repo or set \
     LABEL_STATE_SWEEP_REPOS in your environment (comma-separated repo slugs).";

/// How much of a title is shown.
const TITLE_CHARS_MAX: usize = 60;

pub(super) fn bad_reference(text: &str) -> String {
    format!("label-state: invalid issue ref '{text}'. Expected form: <repo>#<N> (e.g. your-backend#42)")
}

pub(super) fn pull_open(issue: &str) -> String {
    format!("label-state: {issue} already has a PR open. Manual claim refused.")
}

pub(super) fn in_flight(issue: &str, holder: &Holder) -> String {
    format!("label-state: {issue} is in-flight by {holder}. Pass --force to override.")
}

pub(super) fn claimed(issue: &str) -> String {
    format!("label-state: claimed {issue} for the operator ({DO_NOT_PICKUP} set).")
}

pub(super) fn released(issue: &str) -> String {
    format!("label-state: released {issue} ({DO_NOT_PICKUP} cleared).")
}

pub(super) fn claimable(issue: &str) -> String {
    format!("label-state: {issue} is claimable.")
}

pub(super) fn not_claimable(issue: &str, reasons: &[String]) -> String {
    format!("label-state: {issue} NOT claimable - {}", reasons.join(", "))
}

/// Why an issue cannot be claimed, in the order that scripts know. What they do not know, such as `agent:done`, is said
/// only when nothing else explains it.
pub(super) fn reasons(check: &DedupCheck, holder: Option<&Holder>, other: Option<String>) -> Vec<String> {
    let known = [
        (check.state != "OPEN").then(|| format!("state={}", check.state)),
        holder.map(|holder| format!("in-flight ({holder})")),
        check.pr_open.then(|| "PR open".to_owned()),
        check.do_not_pickup.then(|| DO_NOT_PICKUP.to_owned()),
        check.needs_human_scope.then(|| NEEDS_HUMAN_SCOPE.to_owned()),
        check.repo_paused.then(|| "repo paused".to_owned()),
    ];
    let known: Vec<_> = known.into_iter().flatten().collect();
    if known.is_empty() { other.into_iter().collect() } else { known }
}

/// The lines of `status-issue`.
pub(super) fn status(check: &DedupCheck) -> Vec<String> {
    let yes = |is_so: bool| if is_so { "yes" } else { "no" }.to_owned();
    let pause = if check.repo_paused { "paused" } else { "active" };
    let labels = if check.labels.is_empty() { "(none)".to_owned() } else { check.labels.join(", ") };
    let latest = check.latest_claim.as_ref().map(|claim| {
        format!("codename={} firing_id={} ts={}", claim.codename, claim.firing_id, claim.created_at)
    });
    let rows = [
        ("repo", Some(format!("{} ({pause})", check.repo))),
        ("number", Some(format!("#{}", check.number))),
        ("state", Some(check.state.to_owned())),
        ("claimable", Some(yes(check.claimable))),
        ("in-flight", Some(yes(check.in_flight))),
        ("pr-open", Some(yes(check.pr_open))),
        (DO_NOT_PICKUP, Some(yes(check.do_not_pickup))),
        ("human-scope", Some(yes(check.needs_human_scope))),
        ("latest claim", latest),
        ("labels", Some(labels)),
    ];
    rows.into_iter()
        .filter_map(|(name, value)| Some(format!("  {:16}{}", format!("{name}:"), value?)))
        .collect()
}

pub(super) fn repo_missing(action: &str) -> String {
    format!("label-state repo {action}: need <repo>")
}

/// The lines after a pause or its end.
pub(super) fn pause_changed(verb: &str, repo: &str, paused: &[String]) -> String {
    match paused {
        [] => format!("label-state: {verb} {repo}.\n  no repos paused."),
        paused => format!("label-state: {verb} {repo}.\n  currently paused: {}", paused.join(", ")),
    }
}

pub(super) fn stale_in(repo: &str, count: usize) -> String {
    format!("  {repo}: {count} stale claim(s)")
}

pub(super) fn stale(claim: &StaleClaim) -> String {
    let title: String = claim.title.chars().take(TITLE_CHARS_MAX).collect();
    let StaleClaim { number, codename, firing_id, age_hours, .. } = claim;
    format!("    #{number} codename={codename} firing_id={firing_id} age={age_hours:.1}h - {title}")
}

pub(super) fn probe_failed(repo: &str, why: &str) -> String {
    format!("  {repo}: probe failed: {why}")
}

pub(super) fn sweep_failed(why: &str) -> String {
    format!("    sweep failed: {why}")
}

pub(super) fn swept(swept: usize, found: usize, repos: usize) -> String {
    format!("label-state: swept {swept}/{found} stale claim(s) across {repos} repo(s).")
}

pub(super) fn dry_run(found: usize, repos: usize) -> String {
    format!("label-state: dry-run, {found} stale claim(s) across {repos} repo(s). No changes made.")
}

#[cfg(test)]
mod tests {
    use baton_claims::functions::LatestClaim;

    use super::*;

    fn check() -> DedupCheck {
        DedupCheck {
            repo: "web".to_owned(),
            number: 7,
            state: "OPEN",
            labels: Vec::new(),
            in_flight: false,
            pr_open: false,
            do_not_pickup: false,
            needs_human_scope: false,
            claimable: true,
            latest_claim: None,
            repo_paused: false,
        }
    }

    #[test]
    fn reasons_come_in_the_order_that_scripts_know() {
        let holder: Holder = "lucius:A".parse().unwrap();
        let all = DedupCheck {
            state: "CLOSED",
            in_flight: true,
            pr_open: true,
            do_not_pickup: true,
            needs_human_scope: true,
            claimable: false,
            repo_paused: true,
            ..check()
        };
        let expected = [
            "state=CLOSED",
            "in-flight (lucius:A)",
            "PR open",
            "do-not-pickup",
            "needs:human-scope",
            "repo paused",
        ];
        assert_eq!(reasons(&all, Some(&holder), Some("other".to_owned())), expected);
        assert_eq!(reasons(&check(), None, Some("other".to_owned())), ["other"]);
    }

    #[test]
    fn the_status_is_aligned_and_leaves_out_the_claim_that_was_never_made() {
        let expected = "  repo:           web (active)\n  number:         #7\n  state:          OPEN\n  claimable:      yes\n  \
                        in-flight:      no\n  pr-open:        no\n  do-not-pickup:  no\n  human-scope:    no\n  \
                        labels:         (none)";
        assert_eq!(status(&check()).join("\n"), expected);
        let latest_claim = Some(LatestClaim {
            codename: "lucius".to_owned(),
            firing_id: "A".to_owned(),
            ts: "then".to_owned(),
            created_at: "2026-05-01T19:42:33Z".to_owned(),
        });
        let labels = vec!["a".to_owned(), "b".to_owned()];
        let lines = status(&DedupCheck { latest_claim, labels, ..check() });
        assert_eq!(lines[8], "  latest claim:   codename=lucius firing_id=A ts=2026-05-01T19:42:33Z");
        assert_eq!(lines[9], "  labels:         a, b");
    }

    #[test]
    fn an_entry_shows_an_infinite_age_and_a_short_title() {
        let claim = |age_hours: f64, title: &str| StaleClaim {
            repo: "acme/web".to_owned(),
            number: 7,
            title: title.to_owned(),
            codename: "?".to_owned(),
            firing_id: "?".to_owned(),
            age_hours,
            missing_claim: true,
            label_drift: false,
        };
        assert_eq!(stale(&claim(f64::INFINITY, "x")), "    #7 codename=? firing_id=? age=infh - x");
        let long = stale(&claim(5.04, &"é".repeat(99)));
        assert_eq!(long, format!("    #7 codename=? firing_id=? age=5.0h - {}", "é".repeat(60)));
    }
}
