//! The merge state of a pull request, from plain values.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::db::protections::{ProtectionSettings, RequiredReviews};

/// GitHub's words for whether a pull request can be merged, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeState {
    Unknown,
    Dirty,
    Draft,
    Blocked,
    Behind,
    Unstable,
    Clean,
}

impl MergeState {
    pub(crate) fn rest_name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Dirty => "dirty",
            Self::Draft => "draft",
            Self::Blocked => "blocked",
            Self::Behind => "behind",
            Self::Unstable => "unstable",
            Self::Clean => "clean",
        }
    }

    pub(crate) fn graph_name(self) -> String {
        self.rest_name().to_ascii_uppercase()
    }
}

/// What a check has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Passing,
    Pending,
    Failing,
    /// Nobody has said anything about it yet.
    Expected,
}

impl Verdict {
    /// What a check run's conclusion amounts to.
    pub(crate) fn of_run(status: &str, conclusion: Option<&str>) -> Self {
        match (status, conclusion) {
            ("completed", Some("success" | "neutral" | "skipped")) => Self::Passing,
            ("completed", Some("stale")) => Self::Pending,
            ("completed", _) => Self::Failing,
            _ => Self::Pending,
        }
    }

    /// What a commit status amounts to.
    pub(crate) fn of_status(state: &str) -> Self {
        match state {
            "success" => Self::Passing,
            "pending" => Self::Pending,
            _ => Self::Failing,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Passing => "passing",
            Self::Pending => "pending",
            Self::Failing => "failing",
            Self::Expected => "expected",
        }
    }
}

/// What the reviews of a pull request amount to, where reviews are required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewDecision {
    Approved,
    ChangesRequested,
    ReviewRequired,
}

impl ReviewDecision {
    pub(crate) fn graph_name(self) -> &'static str {
        match self {
            Self::Approved => "APPROVED",
            Self::ChangesRequested => "CHANGES_REQUESTED",
            Self::ReviewRequired => "REVIEW_REQUIRED",
        }
    }
}

/// A submitted review, in the order in which they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opinion {
    pub(crate) author_id: i64,
    pub(crate) state: String,
    /// Whether its author may write here; the opinions of others do not count.
    pub(crate) counts: bool,
    /// Whether it was given on the newest commit.
    pub(crate) is_current: bool,
}

/// Everything that the merge state depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) open: bool,
    pub(crate) draft: bool,
    /// How the trial merge of the two tips ended; nothing while there was none.
    pub(crate) trial: Option<bool>,
    /// Whether the head lacks the base's tip.
    pub(crate) behind: bool,
    pub(crate) protection: Option<ProtectionSettings>,
    /// Every context that the head has something of, whether required or not.
    pub(crate) checks: BTreeMap<String, Verdict>,
    pub(crate) opinions: Vec<Opinion>,
    pub(crate) unresolved_threads: bool,
}

impl Standing {
    pub(crate) fn merge_state(&self) -> MergeState {
        let is_behind = self.behind && self.required_checks().is_some_and(|(strict, _)| strict);
        match self.trial {
            _ if !self.open => MergeState::Unknown,
            None => MergeState::Unknown,
            Some(false) => MergeState::Dirty,
            Some(true) if self.draft => MergeState::Draft,
            Some(true) if !self.obstacles().is_empty() => MergeState::Blocked,
            Some(true) if is_behind => MergeState::Behind,
            Some(true) if self.checks.values().any(|verdict| *verdict != Verdict::Passing) => {
                MergeState::Unstable
            }
            Some(true) => MergeState::Clean,
        }
    }

    pub(crate) fn review_decision(&self) -> Option<ReviewDecision> {
        let required = self.protection.as_ref()?.required_reviews.as_ref()?;
        review_decision(required, &self.opinions)
    }

    /// Returns whether the rules of the base branch ask for this check.
    pub(crate) fn is_required(&self, context: &str) -> bool {
        self.required_checks()
            .is_some_and(|(_, contexts)| contexts.iter().any(|name| name.eq_ignore_ascii_case(context)))
    }

    fn required_checks(&self) -> Option<(bool, &[String])> {
        let required = self.protection.as_ref()?.required_checks.as_ref()?;
        Some((required.strict, &required.contexts))
    }

    /// What the rules of the base branch say against a merge now, in GitHub's words.
    pub(crate) fn obstacles(&self) -> Vec<String> {
        let Some(protection) = &self.protection else { return Vec::new() };
        let mut found = Vec::new();
        if protection.lock_branch {
            found.push("Cannot change this locked branch.".to_owned());
        }
        if let Some(required) = &protection.required_reviews {
            found.extend(review_obstacle(required, self.review_decision()));
        }
        if let Some((_, contexts)) = self.required_checks() {
            found.extend(check_obstacle(contexts, &self.checks));
        }
        if protection.required_conversation_resolution && self.unresolved_threads {
            found.push("All comments must be resolved.".to_owned());
        }
        found
    }

    /// What stands in the way of merging as one who is bound by the rules.
    pub(crate) fn refusal(&self) -> Option<String> {
        let behind = self.behind && self.required_checks().is_some_and(|(strict, _)| strict);
        let late = behind.then(|| "Head branch is out of date with the base branch.".to_owned());
        let all: Vec<String> = self.obstacles().into_iter().chain(late).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }
}

/// The newest opinion of each writer decides; comments are none, and a dismissed one is taken back.
pub(crate) fn review_decision(required: &RequiredReviews, opinions: &[Opinion]) -> Option<ReviewDecision> {
    if required.count == 0 && !required.require_code_owners {
        return None;
    }
    let mut newest: BTreeMap<i64, &Opinion> = BTreeMap::new();
    for opinion in opinions.iter().filter(|opinion| opinion.counts) {
        if ["APPROVED", "CHANGES_REQUESTED", "DISMISSED"].contains(&opinion.state.as_str()) {
            newest.insert(opinion.author_id, opinion);
        }
    }
    let approvals: Vec<&&Opinion> = newest.values().filter(|opinion| opinion.state == "APPROVED").collect();
    let enough = i64::try_from(approvals.len()).unwrap_or(i64::MAX) >= required.count.max(1);
    let is_current = !required.require_last_push || approvals.iter().any(|opinion| opinion.is_current);
    Some(match newest.values().any(|opinion| opinion.state == "CHANGES_REQUESTED") {
        true => ReviewDecision::ChangesRequested,
        false if enough && is_current => ReviewDecision::Approved,
        false => ReviewDecision::ReviewRequired,
    })
}

fn review_obstacle(required: &RequiredReviews, decision: Option<ReviewDecision>) -> Option<String> {
    match decision? {
        ReviewDecision::Approved => None,
        ReviewDecision::ChangesRequested => {
            Some("Changes have been requested by reviewers with write access.".to_owned())
        }
        ReviewDecision::ReviewRequired => Some(reviews_are_missing(required.count)),
    }
}

pub(crate) fn reviews_are_missing(count: i64) -> String {
    let (count, noun, verb) = match count.max(1) {
        1 => (1, "review", "is"),
        more => (more, "reviews", "are"),
    };
    format!("At least {count} approving {noun} {verb} required by reviewers with write access.")
}

/// What is wrong with the required checks, if anything.
pub(crate) fn check_obstacle(required: &[String], checks: &BTreeMap<String, Verdict>) -> Option<String> {
    let verdict = |context: &String| {
        let found = checks.iter().find(|(name, _)| name.eq_ignore_ascii_case(context));
        found.map_or(Verdict::Expected, |(_, verdict)| *verdict)
    };
    let open: Vec<(&String, Verdict)> = required
        .iter()
        .map(|context| (context, verdict(context)))
        .filter(|(_, verdict)| *verdict != Verdict::Passing)
        .collect();
    match open.as_slice() {
        [] => None,
        [(context, verdict)] => Some(format!("Required status check \"{context}\" is {}.", verdict.word())),
        many => Some(counted(many, required.len())),
    }
}

fn counted(open: &[(&String, Verdict)], all: usize) -> String {
    let mut text = format!("{} of {all} required status checks have not succeeded:", open.len());
    let mut separator = " ";
    for verdict in [Verdict::Expected, Verdict::Pending, Verdict::Failing] {
        let count = open.iter().filter(|(_, found)| *found == verdict).count();
        if count > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{count} {}", verdict.word());
            separator = ", ";
        }
    }
    text + "."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::protections::RequiredChecks;

    fn ready() -> Standing {
        Standing { open: true, trial: Some(true), ..Standing::default() }
    }

    fn protected(change: impl FnOnce(&mut ProtectionSettings)) -> Standing {
        let mut settings = ProtectionSettings::default();
        change(&mut settings);
        Standing { protection: Some(settings), ..ready() }
    }

    fn requiring_check(strict: bool) -> Standing {
        protected(|settings| {
            settings.required_checks = Some(RequiredChecks { strict, contexts: vec!["test".to_owned()] });
        })
    }

    fn with_check(standing: Standing, name: &str, verdict: Verdict) -> Standing {
        let mut standing = standing;
        standing.checks.insert(name.to_owned(), verdict);
        standing
    }

    fn opinion(author_id: i64, state: &str) -> Opinion {
        Opinion { author_id, state: state.to_owned(), counts: true, is_current: true }
    }

    #[test]
    fn the_merge_state_is_the_first_reason_that_holds() {
        use MergeState::{Behind, Blocked, Clean, Dirty, Draft, Unknown, Unstable};
        let passing = |standing| with_check(standing, "test", Verdict::Passing);
        let reviews = || {
            protected(|settings| {
                settings.required_reviews = Some(RequiredReviews { count: 1, ..RequiredReviews::default() });
            })
        };
        let threads = || protected(|settings| settings.required_conversation_resolution = true);
        let table = [
            ("nothing against it", ready(), Clean),
            ("closed", Standing { open: false, ..ready() }, Unknown),
            ("not tried", Standing { trial: None, draft: true, ..ready() }, Unknown),
            ("conflicts, and a draft", Standing { trial: Some(false), draft: true, ..ready() }, Dirty),
            ("draft", Standing { draft: true, ..requiring_check(false) }, Draft),
            ("check missing", requiring_check(false), Blocked),
            ("check pending", with_check(requiring_check(false), "test", Verdict::Pending), Blocked),
            ("check failing", with_check(requiring_check(false), "TEST", Verdict::Failing), Blocked),
            ("check passing", passing(requiring_check(false)), Clean),
            ("behind, not strict", Standing { behind: true, ..passing(requiring_check(false)) }, Clean),
            ("behind, strict", Standing { behind: true, ..passing(requiring_check(true)) }, Behind),
            ("behind and blocked", Standing { behind: true, ..requiring_check(true) }, Blocked),
            ("another check failing", with_check(ready(), "lint", Verdict::Failing), Unstable),
            (
                "another check pending",
                with_check(passing(requiring_check(false)), "lint", Verdict::Pending),
                Unstable,
            ),
            ("no review", reviews(), Blocked),
            ("approved", Standing { opinions: vec![opinion(1, "APPROVED")], ..reviews() }, Clean),
            ("refused", Standing { opinions: vec![opinion(1, "CHANGES_REQUESTED")], ..reviews() }, Blocked),
            ("no open conversation", threads(), Clean),
            ("an open conversation", Standing { unresolved_threads: true, ..threads() }, Blocked),
            ("locked", protected(|settings| settings.lock_branch = true), Blocked),
        ];
        for (what, standing, expected) in table {
            assert_eq!(standing.merge_state(), expected, "{what}");
        }
    }

    #[test]
    fn the_newest_opinion_of_each_writer_decides() {
        use ReviewDecision::{Approved, ChangesRequested, ReviewRequired};
        let stranger = Opinion { counts: false, ..opinion(9, "APPROVED") };
        let outdated = Opinion { is_current: false, ..opinion(1, "APPROVED") };
        let required = |count| RequiredReviews { count, ..RequiredReviews::default() };
        let last_push = RequiredReviews { count: 1, require_last_push: true, ..RequiredReviews::default() };
        let table = [
            (required(0), vec![opinion(1, "APPROVED")], None),
            (required(1), vec![], Some(ReviewRequired)),
            (required(1), vec![opinion(1, "COMMENTED")], Some(ReviewRequired)),
            (required(1), vec![opinion(1, "APPROVED"), opinion(1, "COMMENTED")], Some(Approved)),
            (required(1), vec![opinion(1, "CHANGES_REQUESTED"), opinion(1, "APPROVED")], Some(Approved)),
            (required(1), vec![opinion(1, "APPROVED"), opinion(1, "DISMISSED")], Some(ReviewRequired)),
            (
                required(1),
                vec![opinion(1, "APPROVED"), opinion(2, "CHANGES_REQUESTED")],
                Some(ChangesRequested),
            ),
            (required(2), vec![opinion(1, "APPROVED"), opinion(1, "APPROVED")], Some(ReviewRequired)),
            (required(2), vec![opinion(1, "APPROVED"), opinion(2, "APPROVED")], Some(Approved)),
            (required(1), vec![stranger], Some(ReviewRequired)),
            (last_push.clone(), vec![outdated.clone()], Some(ReviewRequired)),
            (last_push, vec![outdated, opinion(2, "APPROVED")], Some(Approved)),
        ];
        for (required, opinions, expected) in table {
            assert_eq!(review_decision(&required, &opinions), expected, "{required:?} {opinions:?}");
        }
    }

    #[test]
    fn what_is_wrong_with_checks_is_said_as_github_says_it() {
        let required = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let checks = BTreeMap::from([("a".to_owned(), Verdict::Failing), ("b".to_owned(), Verdict::Passing)]);
        let say = |names: &[&str]| check_obstacle(&required(names), &checks);
        assert_eq!(say(&["b"]), None);
        assert_eq!(say(&["a"]).as_deref(), Some("Required status check \"a\" is failing."));
        assert_eq!(say(&["c"]).as_deref(), Some("Required status check \"c\" is expected."));
        let many = "2 of 3 required status checks have not succeeded: 1 expected, 1 failing.";
        assert_eq!(say(&["a", "b", "c"]).as_deref(), Some(many));
    }
}
