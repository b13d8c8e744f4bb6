//! What would be done about a chain, from what is known and what was seen: nothing is asked, and nothing is changed.

use super::state::PartStatus;
use super::{ChainState, PartState, section_for, with_section};
use crate::RepoSlug;
use crate::tracker::{Pull, PullState};

/// What the tracker shows of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartSeen {
    /// The repository's own choice of a base.
    pub default_branch: String,
    /// The commit at the branch with the work; nothing when there is no such branch.
    pub tip: Option<String>,
    /// The pull requests from that branch in any state, and the one that is known, wherever it is from.
    pub pulls: Vec<Pull>,
}

/// What is to be done about one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Open a pull request.
    Open {
        /// The branch that it goes to.
        base: String,
    },
    /// Take a pull request in that is there and was not known.
    Adopt(Pull),
    /// Go on with the one that is known.
    Follow(Pull),
    /// Nothing can be done.
    Refuse(String),
}

/// What would be done about a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// About each part, in the order of the chain.
    pub parts: Vec<PlannedPart>,
}

/// What would be done about one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedPart {
    /// The repository.
    pub repo: RepoSlug,
    /// The branch with the work.
    pub head: String,
    /// What would be done first.
    pub deed: Deed,
    /// Whether the body of a pull request that is there would be brought up to date.
    pub refreshes: bool,
}

impl PartSeen {
    /// The pull request that a part means: an open one before all others, then the one that is known, then one that has
    /// had all of the branch's commits. A merged one says nothing about commits that came after it, known or not.
    fn meant(&self, part: &PartState, base: &str) -> Option<&Pull> {
        let known = part.status.number();
        let is_known = |pull: &&Pull| Some(pull.number) == known;
        let is_open = |pull: &&Pull| pull.state == PullState::Open;
        let has_all = |pull: &&Pull| match &self.tip {
            Some(tip) => pull.head_sha == *tip,
            // A branch is often deleted with the merge.
            None => pull.state == PullState::Merged,
        };
        let is_past = |pull: &&Pull| pull.state == PullState::Merged && !has_all(pull);
        let pulls = || self.pulls.iter();
        pulls()
            .find(|pull| is_known(pull) && is_open(pull))
            .or_else(|| pulls().find(|pull| is_open(pull) && pull.base_branch == base))
            .or_else(|| pulls().find(|pull| is_known(pull) && !is_past(pull)))
            .or_else(|| pulls().rev().find(|pull| has_all(pull) && pull.base_branch == base))
    }
}

/// Decides what is to be done about a part.
pub fn judge(part: &PartState, seen: &PartSeen) -> Deed {
    let base = part.base.as_deref().unwrap_or(&seen.default_branch);
    if let Some(pull) = seen.meant(part, base) {
        let is_known = part.status.number() == Some(pull.number);
        return if is_known { Deed::Follow(pull.clone()) } else { Deed::Adopt(pull.clone()) };
    }
    if let Some(other) = seen.pulls.iter().find(|pull| pull.state == PullState::Open) {
        return Deed::Refuse(goes_elsewhere(part, other, base));
    }
    match &seen.tip {
        None => Deed::Refuse(no_branch(part)),
        Some(_) if part.head == base => Deed::Refuse(same_branch(part)),
        Some(_) => Deed::Open { base: base.to_owned() },
    }
}

fn no_branch(part: &PartState) -> String {
    let PartState { repo, head, .. } = part;
    format!(
        "{repo} has no branch `{head}`; push it from a checkout of {repo}: git push origin HEAD:refs/heads/{head}"
    )
}

fn same_branch(part: &PartState) -> String {
    let PartState { repo, head, .. } = part;
    format!("`{head}` is where {repo} merges to; name the branch with the work: --part {repo}:BRANCH")
}

fn goes_elsewhere(part: &PartState, other: &Pull, base: &str) -> String {
    let PartState { repo, head, .. } = part;
    let (number, to) = (other.number, &other.base_branch);
    format!(
        "{repo}#{number} comes from `{head}` too and goes to `{to}`, not to `{base}`; change its base, or name `{to}` as the base of the part"
    )
}

/// Returns what would be done about a chain. `seen` has what the tracker shows of each part, or why that is not known.
pub fn plan(chain: &ChainState, seen: &[Result<PartSeen, String>]) -> Plan {
    let deeds: Vec<Deed> = chain
        .parts
        .iter()
        .zip(seen)
        .map(|(part, seen)| match seen {
            Ok(seen) => judge(part, seen),
            Err(why) => Deed::Refuse(why.clone()),
        })
        .collect();
    let after = expected(chain, &deeds);
    // A new pull request has a number that nobody knows yet, and every body will name it.
    let has_news = deeds.iter().any(|deed| matches!(deed, Deed::Open { .. }));
    let parts = chain.parts.iter().zip(deeds).enumerate().map(|(at, (part, deed))| {
        let refreshes = match &deed {
            Deed::Adopt(pull) | Deed::Follow(pull) => {
                has_news || with_section(&pull.body, &section_for(&after, at)) != pull.body
            }
            Deed::Open { .. } | Deed::Refuse(_) => false,
        };
        PlannedPart { repo: part.repo.clone(), head: part.head.clone(), deed, refreshes }
    });
    Plan { parts: parts.collect() }
}

/// The chain as it would be afterwards, as far as that is known.
fn expected(chain: &ChainState, deeds: &[Deed]) -> ChainState {
    let mut after = chain.clone();
    for (part, deed) in after.parts.iter_mut().zip(deeds) {
        match deed {
            Deed::Adopt(pull) | Deed::Follow(pull) => part.status = PartStatus::of(pull),
            Deed::Refuse(why) if part.status.number().is_none() => {
                part.status = PartStatus::Failed { why: why.clone(), at: crate::time::ServerTime(0) };
            }
            Deed::Open { .. } | Deed::Refuse(_) => {}
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::section::tests::chain;

    fn pull(number: u64, state: PullState) -> Pull {
        Pull {
            number,
            title: "Log in".into(),
            body: "Why.".into(),
            state,
            author: "ann".into(),
            head_branch: "baton/feature-login".into(),
            head_sha: "tip".into(),
            base_branch: "main".into(),
            url: format!("http://x.example/{number}"),
        }
    }

    fn seen(pulls: Vec<Pull>) -> PartSeen {
        PartSeen { default_branch: "main".into(), tip: Some("tip".into()), pulls }
    }

    fn part(known: Option<u64>) -> PartState {
        let mut part = chain(&["a/b"]).parts.remove(0);
        if let Some(number) = known {
            part.status = PartStatus::Open { number, url: String::new() };
        }
        part
    }

    #[test]
    fn a_part_is_opened_adopted_or_followed_by_what_is_there() {
        use PullState::{Closed, Merged, Open};
        let open = || Deed::Open { base: "main".into() };
        let stale = |pull: Pull| Pull { head_sha: "older".into(), ..pull };
        for (name, known, pulls, expected) in [
            ("nothing there", None, vec![], open()),
            ("an open one", None, vec![pull(3, Open)], Deed::Adopt(pull(3, Open))),
            ("the known one", Some(3), vec![pull(3, Open)], Deed::Follow(pull(3, Open))),
            ("open before closed", None, vec![pull(3, Closed), pull(4, Open)], Deed::Adopt(pull(4, Open))),
            (
                "opened anew by hand",
                Some(3),
                vec![pull(3, Closed), pull(4, Open)],
                Deed::Adopt(pull(4, Open)),
            ),
            ("known and closed", Some(3), vec![stale(pull(3, Closed))], Deed::Follow(stale(pull(3, Closed)))),
            ("known and merged", Some(3), vec![pull(3, Merged)], Deed::Follow(pull(3, Merged))),
            ("known and merged, with newer commits", Some(3), vec![stale(pull(3, Merged))], open()),
            (
                "known and merged, and the next one too",
                Some(3),
                vec![stale(pull(3, Merged)), pull(4, Merged)],
                Deed::Adopt(pull(4, Merged)),
            ),
            ("closed with these commits", None, vec![pull(3, Closed)], Deed::Adopt(pull(3, Closed))),
            ("merged with these commits", None, vec![pull(3, Merged)], Deed::Adopt(pull(3, Merged))),
            ("of an earlier feature", None, vec![stale(pull(3, Merged)), stale(pull(4, Closed))], open()),
            ("the newer of two", None, vec![pull(3, Closed), pull(5, Merged)], Deed::Adopt(pull(5, Merged))),
        ] {
            assert_eq!(judge(&part(known), &seen(pulls)), expected, "{name}");
        }
    }

    #[test]
    fn a_branch_that_is_not_there_is_told_with_the_push_to_make() {
        let gone = PartSeen { tip: None, ..seen(vec![]) };
        let Deed::Refuse(why) = judge(&part(None), &gone) else { panic!("there is nothing to open") };
        assert!(why.contains("git push origin HEAD:refs/heads/baton/feature-login"), "{why}");
        let merged = PartSeen { tip: None, ..seen(vec![pull(3, PullState::Merged)]) };
        assert_eq!(judge(&part(None), &merged), Deed::Adopt(pull(3, PullState::Merged)));
        assert_eq!(judge(&part(Some(3)), &merged), Deed::Follow(pull(3, PullState::Merged)));
    }

    #[test]
    fn an_open_one_to_another_base_is_neither_taken_nor_doubled() {
        let other = Pull { base_branch: "next".into(), ..pull(3, PullState::Open) };
        let Deed::Refuse(why) = judge(&part(None), &seen(vec![other.clone()])) else { panic!("not refused") };
        assert!(why.contains("a/b#3") && why.contains("`next`"), "{why}");
        assert_eq!(judge(&part(Some(3)), &seen(vec![other.clone()])), Deed::Follow(other.clone()));
        let named = PartState { base: Some("next".into()), ..part(None) };
        assert_eq!(judge(&named, &seen(vec![other.clone()])), Deed::Adopt(other));
    }

    #[test]
    fn a_pull_request_from_the_base_itself_is_refused() {
        let same = PartState { head: "main".into(), ..part(None) };
        assert!(matches!(judge(&same, &seen(vec![])), Deed::Refuse(_)));
    }

    #[test]
    fn a_plan_tells_which_bodies_would_change() {
        let chain = chain(&["a/b", "a/c"]);
        let both = [Ok(seen(vec![pull(3, PullState::Open)])), Ok(seen(vec![]))];
        let first = plan(&chain, &both);
        assert_eq!(first.parts.iter().map(|part| part.refreshes).collect::<Vec<_>>(), [true, false]);
        let failed = [Ok(seen(vec![pull(3, PullState::Open)])), Err("no answer".into())];
        let planned = plan(&chain, &failed);
        assert_eq!(planned.parts[1].deed, Deed::Refuse("no answer".into()));
        let mut fresh = pull(3, PullState::Open);
        let Deed::Adopt(found) = &planned.parts[0].deed else { panic!("not adopted") };
        let deeds = [Deed::Adopt(found.clone()), Deed::Refuse(String::new())];
        fresh.body = with_section("Why.", &section_for(&expected(&chain, &deeds), 0));
        let again = plan(&chain, &[Ok(seen(vec![fresh])), Err("no answer".into())]);
        assert!(again.parts.iter().all(|part| !part.refreshes));
    }
}
