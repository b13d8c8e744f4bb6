//! Whether a push may close an issue, and the words in which it is refused.

use baton_core::IssueRef;
use baton_core::claim::Holder;
use baton_core::config::HookFail;
use baton_core::tracker::{IssueKey, Pull};

use super::pushed::Pushed;

/// The variable that switches the check off, and its value.
pub(super) const SKIP: (&str, &str) = ("LABEL_STATE_SKIP_DEDUP_CHECK", "1");

/// What the tracker says about an issue.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) is_open: bool,
    pub(super) holder: Option<Holder>,
    /// Seconds since the holder was last heard of.
    pub(super) age_s: Option<i64>,
    /// The open pull requests that would close it.
    pub(super) pulls: Vec<Pull>,
}

/// Why a push is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Objection {
    Held { holder: Holder, age_s: Option<i64> },
    PullOpen { number: u64, author: String, branch: String, url: String },
}

/// Decides about one issue and one ref. Who holds the issue may push, and so may whoever pushes to the branch of its
/// pull request; a closed issue is in nobody's way.
pub(super) fn objection(
    found: &Found,
    us: Option<&Holder>,
    is_own: impl Fn(&Pull) -> bool,
) -> Option<Objection> {
    let is_holder = us.is_some() && us == found.holder.as_ref();
    if !found.is_open || is_holder || found.pulls.iter().any(is_own) {
        return None;
    }
    if let Some(holder) = &found.holder {
        return Some(Objection::Held { holder: holder.clone(), age_s: found.age_s });
    }
    found.pulls.first().map(|pull| Objection::PullOpen {
        number: pull.number,
        author: pull.author.clone(),
        branch: pull.head_branch.clone(),
        url: pull.url.clone(),
    })
}

/// Returns whether a pull request comes from the branch that is pushed. A stranger's branch of the same name in another
/// repository is told by its commit: it is neither where the branch is over there nor known here.
pub(super) fn is_own(pull: &Pull, pushed: &Pushed, knows: impl Fn(&str) -> bool) -> bool {
    let is_named = pushed.branch() == Some(pull.head_branch.as_str());
    let is_at = |oid: &str| oid == pull.head_sha || knows(&pull.head_sha);
    is_named && pushed.remote_oid.as_deref().is_some_and(is_at)
}

/// Tells that nothing was checked.
pub(super) fn skipped() -> String {
    let (name, value) = SKIP;
    format!("baton: {name}={value}: pushed without asking who is at work on what these commits close")
}

/// Tells that a number was named, and no repository for it. The address is left out: it may carry a password.
pub(super) fn homeless(reference: &IssueRef) -> String {
    format!("baton: warning: {reference} is not checked: what is pushed to is no tracker's repository")
}

/// Tells why one issue is in the way.
pub(super) fn refused(issue: &IssueKey, objection: &Objection) -> String {
    match objection {
        Objection::Held { holder, age_s } => {
            let age = age_s.map(|age| format!(", last heard of {} ago", duration(age))).unwrap_or_default();
            format!("baton: {issue} is held by {holder}{age}")
        }
        Objection::PullOpen { number, author, branch, url } => {
            format!("baton: {issue} has a pull request open: #{number} by {author} from `{branch}`, {url}")
        }
    }
}

/// Tells the ways on after a refusal.
pub(super) fn ways_on() -> String {
    let (name, value) = SKIP;
    format!(
        "baton: the push is refused, because these commits close what someone else is at work on. To push all the same:\n  \
         git push --no-verify\n  {name}={value} git push"
    )
}

/// Tells what nobody could find out, and what follows.
pub(super) fn unchecked(problems: &[String], fail: HookFail) -> String {
    let (name, value) = SKIP;
    let problems = problems.join("\nbaton: ");
    match fail {
        HookFail::Open => format!("baton: warning: {problems}\nbaton: warning: pushed without that check"),
        HookFail::Closed => format!(
            "baton: {problems}\nbaton: the push is refused, because `hook.fail` is `closed`. To push all the same:\n  \
             git push --no-verify\n  {name}={value} git push"
        ),
    }
}

/// Tells that the configuration cannot be used. It may be the one that says `closed`, so the push is refused.
pub(super) fn unreadable_configuration(problem: &str) -> String {
    let (name, value) = SKIP;
    format!(
        "baton: {problem}\nbaton: the push is refused, because nobody can tell what `hook.fail` is. To push all the same:\n  \
         git push --no-verify\n  {name}={value} git push"
    )
}

/// Writes a time as a person would say it.
fn duration(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use baton_core::tracker::PullState;

    use super::*;

    fn pull(branch: &str, head_sha: &str) -> Pull {
        Pull {
            number: 7,
            title: String::new(),
            body: String::new(),
            state: PullState::Open,
            author: "ada".to_owned(),
            head_branch: branch.to_owned(),
            head_sha: head_sha.to_owned(),
            base_branch: "main".to_owned(),
            url: "https://forge/acme/web/pull/7".to_owned(),
        }
    }

    fn pushed(remote_ref: &str, remote_oid: Option<&str>) -> Pushed {
        Pushed {
            local_oid: "new".to_owned(),
            remote_ref: remote_ref.to_owned(),
            remote_oid: remote_oid.map(str::to_owned),
        }
    }

    /// `holder` and `pull` are `us`, `other` or empty.
    #[track_caller]
    fn check(is_open: bool, holder: &str, pulls: &[&str], expected: &str) {
        let holder_of = |name: &str| format!("lucius:{name}").parse::<Holder>().unwrap();
        let holder = (!holder.is_empty()).then(|| holder_of(holder));
        let pulls = pulls.iter().map(|branch| pull(branch, "x")).collect();
        let found = Found { is_open, holder, age_s: Some(3), pulls };
        let told = objection(&found, Some(&holder_of("us")), |pull| pull.head_branch == "us");
        let told = told.map_or("", |it| match it {
            Objection::Held { .. } => "held",
            Objection::PullOpen { .. } => "pull",
        });
        assert_eq!(told, expected, "{found:?}");
    }

    #[test]
    fn only_others_are_in_the_way() {
        check(true, "", &[], "");
        check(true, "us", &[], "");
        check(true, "other", &[], "held");
        check(false, "other", &["other"], "");
        check(true, "", &["other"], "pull");
        check(true, "", &["us"], "");
        // Whoever works on the branch of the pull request works with its holder.
        check(true, "other", &["us"], "");
        check(true, "", &["other", "us"], "");
        check(true, "other", &["other"], "held");
        // The holder has the issue, whatever others have opened.
        check(true, "us", &["other"], "");
    }

    #[test]
    fn whoever_has_no_name_holds_nothing() {
        let holder = Some("lucius:A".parse().unwrap());
        let found = Found { is_open: true, holder, age_s: None, pulls: Vec::new() };
        assert!(objection(&found, None, |_| true).is_some());
    }

    #[test]
    fn a_pull_request_is_told_from_a_strangers_of_the_same_branch_name() {
        let table = [
            ("refs/heads/topic", Some("tip"), "tip", false, true),
            // The tracker is a push behind, or the branch was rewritten here.
            ("refs/heads/topic", Some("tip"), "old", true, true),
            ("refs/heads/topic", Some("tip"), "stranger", false, false),
            // What is not over there yet can have no pull request.
            ("refs/heads/topic", None, "old", true, false),
            ("refs/heads/other", Some("tip"), "tip", true, false),
            ("refs/for/topic", Some("tip"), "tip", true, false),
        ];
        for (name, remote_oid, head_sha, knows, expected) in table {
            let told = is_own(&pull("topic", head_sha), &pushed(name, remote_oid), |_| knows);
            assert_eq!(told, expected, "{name} {remote_oid:?} {head_sha} {knows}");
        }
    }

    #[test]
    fn a_time_is_said_in_the_units_of_people() {
        let table = [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7265, "2 h 1 min")];
        for (seconds, expected) in table {
            assert_eq!(duration(seconds), expected);
        }
    }
}
