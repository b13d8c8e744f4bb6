//! The pull request of a branch: the newest open one, or else the newest, with everything about it.
//!
//! A fork may have a branch of the same name, so what comes from another repository is passed over.

use baton_core::pipeline::item::{LinkedPull, MergeState, Review, ReviewDecision, ReviewState, Thread};
use baton_core::time::ServerTime;
use baton_core::tracker::{Dated, PullState};
use serde_json::json;

use super::SPARE;
use super::checks;
use super::requests;
use super::voices::{Room, in_order};
use crate::client::Answer;
use crate::client::graph::{Told, collect, gone};
use crate::graphql::comment::CommentWire;
use crate::graphql::page::{Connection, InRepository, login_of};
use crate::graphql::pull::{OnePullWire, PullWire, PullsOfBranchWire, ReviewWire, ShortPullWire, ThreadWire};
use crate::graphql::{
    MORE_COMMENTS, MORE_REVIEWS, MORE_THREAD_COMMENTS, MORE_THREADS, PULL, PULLS_OF_BRANCH,
};

const OPEN: &str = "OPEN";
const MERGED: &str = "MERGED";

/// What the first document showed of the pull requests of a branch.
pub(super) struct Choice<'a> {
    pub(super) open: Connection<PullWire>,
    pub(super) all: Connection<ShortPullWire>,
    pub(super) branch: &'a str,
    pub(super) has_checks: bool,
    pub(super) date: ServerTime,
}

/// Returns the pull request of a branch with the comments on it.
pub(super) async fn linked(
    room: &Room<'_>,
    choice: Choice<'_>,
) -> Answer<Option<(LinkedPull, Vec<CommentWire>)>> {
    let all = all_of(room, &choice).await?;
    let Some(short) = chosen(&all) else { return Ok(None) };
    let guessed = choice.open.into_items().find(|pull| pull.number == short.number);
    let (wire, has_checks) = match guessed {
        Some(wire) => (wire, choice.has_checks),
        None => {
            let (wire, has_checks) = by_number(room, short.number).await?;
            (no_older(wire, short), has_checks)
        }
    };
    filled(room, wire, has_checks, choice.date).await.map(Some)
}

async fn all_of(room: &Room<'_>, choice: &Choice<'_>) -> Answer<Vec<ShortPullWire>> {
    let fetch = |after: String| async move {
        let (owner, name) = (room.repo.owner(), room.repo.name());
        let variables = json!({ "owner": owner, "name": name, "branch": choice.branch, "after": after });
        let answer: Dated<InRepository<PullsOfBranchWire>> =
            room.github.query(room.repo, &PULLS_OF_BRANCH, variables).await?;
        answer.value.repository.map(|page| page.all).ok_or_else(|| gone(&PULLS_OF_BRANCH))
    };
    Ok(collect(&PULLS_OF_BRANCH, choice.all.clone(), room.github.pages_max(), fetch).await?.items)
}

fn chosen(all: &[ShortPullWire]) -> Option<&ShortPullWire> {
    let own = || all.iter().filter(|pull| !pull.is_cross_repository);
    let open = own().filter(|pull| pull.state == OPEN).max_by_key(|pull| pull.number);
    open.or_else(|| own().max_by_key(|pull| pull.number))
}

/// A second question may be answered from an older copy than the first. What is merged stays merged; believed, the older
/// answer would show an issue that its own pull request has closed beside a pull request that is still open.
fn no_older(wire: PullWire, first: &ShortPullWire) -> PullWire {
    match first.state == MERGED {
        true => PullWire { state: MERGED.to_owned(), ..wire },
        false => wire,
    }
}

async fn by_number(room: &Room<'_>, number: u64) -> Answer<(PullWire, bool)> {
    let variables = json!({ "owner": room.repo.owner(), "name": room.repo.name(), "number": number });
    let told: Told<InRepository<OnePullWire<PullWire>>> =
        room.github.query_sparing(room.repo, &PULL, variables, &SPARE).await?;
    let pull = told.value.repository.and_then(|repository| repository.pull_request);
    Ok((pull.ok_or_else(|| gone(&PULL))?, has_checks(&told.refused)))
}

/// A rule that may not be read is enforced by the tracker all the same; checks that may not be read are not known.
pub(super) fn has_checks(refused: &[String]) -> bool {
    !refused.iter().any(|part| part == SPARE[0])
}

async fn filled(
    room: &Room<'_>,
    mut wire: PullWire,
    has_checks: bool,
    date: ServerTime,
) -> Answer<(LinkedPull, Vec<CommentWire>)> {
    let (github, repo, id) = (room.github, room.repo, wire.id.clone());
    let comments = std::mem::take(&mut wire.comments);
    let comments = github.whole(repo, &MORE_COMMENTS, &id, comments).await?;
    let reviews = std::mem::take(&mut wire.reviews);
    let reviews = latest(&github.whole(repo, &MORE_REVIEWS, &id, reviews).await?);
    let requests = std::mem::take(&mut wire.review_requests);
    let requests = requests::of_pull(room, &id, wire.number, requests).await?;
    let threads = threads(room, &id, std::mem::take(&mut wire.review_threads)).await?;
    let pushed_at = pushed_at(&wire, date);
    let checks = match has_checks {
        true => checks::of_rollup(room, wire.status_check_rollup.take(), pushed_at).await?,
        false => None,
    };
    let base = base(room, &mut wire, pushed_at).await?;
    let pull = LinkedPull {
        number: wire.number,
        author: login_of(wire.author.as_ref()),
        state: state(&wire.state),
        is_draft: wire.is_draft,
        mergeable: mergeable(wire.mergeable.as_deref()),
        merge_state: merge_state(wire.merge_state_status.as_deref()),
        decision: decision(wire.review_decision.as_deref()),
        head_sha: wire.head_ref_oid,
        pushed_at,
        reviews,
        requests,
        threads,
        checks,
        base_failures: base.failures,
        required_checks: base.required,
    };
    Ok((pull, comments))
}

/// The tracker does not tell when a commit was pushed. It was not before the commit was made, nor, as far as this pull
/// request is concerned, before that was opened; and not in the future, whatever the committer's clock says.
fn pushed_at(wire: &PullWire, date: ServerTime) -> ServerTime {
    let head = wire.commits.nodes.iter().flatten().find(|node| node.commit.oid == wire.head_ref_oid);
    let made_at = head.map_or(wire.created_at, |node| node.commit.committed_date);
    made_at.max(wire.created_at).min(date)
}

fn state(word: &str) -> PullState {
    match word {
        OPEN => PullState::Open,
        MERGED => PullState::Merged,
        _ => PullState::Closed,
    }
}

fn mergeable(word: Option<&str>) -> Option<bool> {
    match word {
        Some("MERGEABLE") => Some(true),
        Some("CONFLICTING") => Some(false),
        _ => None,
    }
}

fn merge_state(word: Option<&str>) -> MergeState {
    word.and_then(|word| word.to_ascii_lowercase().parse().ok()).unwrap_or(MergeState::Unknown)
}

fn decision(word: Option<&str>) -> ReviewDecision {
    match word {
        None => ReviewDecision::NoRule,
        Some("APPROVED") => ReviewDecision::Approved,
        Some("CHANGES_REQUESTED") => ReviewDecision::ChangesRequested,
        Some("REVIEW_REQUIRED") => ReviewDecision::ReviewRequired,
        Some(_) => ReviewDecision::Unknown,
    }
}

/// Returns the last opinion of each reviewer, and that they commented where there is no opinion that counts.
fn latest(all: &[ReviewWire]) -> Vec<Review> {
    let mut latest: Vec<Review> = Vec::new();
    for wire in all {
        let author = login_of(wire.author.as_ref());
        let Ok(state) = wire.state.to_ascii_lowercase().parse::<ReviewState>() else { continue };
        let known = latest.iter_mut().find(|review| review.author == author);
        match (known, state) {
            (_, ReviewState::Pending) => {}
            (None, _) => latest.push(Review { author, state }),
            (Some(known), ReviewState::Commented) if !is_void(known.state) => {}
            (Some(known), state) => known.state = state,
        }
    }
    latest
}

fn is_void(state: ReviewState) -> bool {
    matches!(state, ReviewState::Dismissed | ReviewState::Commented)
}

async fn threads(room: &Room<'_>, id: &str, first: Connection<ThreadWire>) -> Answer<Vec<Thread>> {
    let mut wires = room.github.whole(room.repo, &MORE_THREADS, id, first).await?;
    for wire in &mut wires {
        let first = std::mem::take(&mut wire.comments);
        let comments = room.github.whole(room.repo, &MORE_THREAD_COMMENTS, &wire.id, first).await?;
        wire.comments.nodes = comments.into_iter().map(Some).collect();
    }
    let open = wires.iter().filter(|wire| !wire.is_resolved);
    let rockets = room.rockets(open.flat_map(|wire| wire.comments.nodes.iter().flatten())).await?;
    let mut threads = Vec::with_capacity(wires.len());
    for wire in wires {
        let comments = room.comments(wire.comments.into_items(), &rockets, true).await?;
        let comments = in_order(comments.into_iter());
        let (id, path, line) = (wire.id, wire.path, wire.line);
        threads.push(Thread { id, is_resolved: wire.is_resolved, path, line, comments });
    }
    Ok(threads)
}

#[derive(Default)]
struct Base {
    failures: Vec<String>,
    required: Vec<String>,
}

async fn base(room: &Room<'_>, wire: &mut PullWire, fallback: ServerTime) -> Answer<Base> {
    let Some(base) = wire.base_ref.take() else { return Ok(Base::default()) };
    let rollup = base.target.and_then(|target| target.status_check_rollup);
    let checks = checks::of_rollup(room, rollup, fallback).await?.unwrap_or_default();
    let failures = checks.failed().map(|check| check.name.clone()).collect();
    let rule = base.ref_update_rule.unwrap_or_default();
    let by_protection = rule.required_status_check_contexts.unwrap_or_default().into_iter().flatten();
    let required = joined(by_protection.collect(), by_rulesets(room, wire).await?);
    Ok(Base { failures, required })
}

/// Rulesets are asked for only where a merge may still depend on them.
async fn by_rulesets(room: &Room<'_>, wire: &PullWire) -> Answer<Vec<String>> {
    match wire.state == OPEN && !wire.base_ref_name.is_empty() {
        true => room.github.required_by_rulesets(room.repo, &wire.base_ref_name).await,
        false => Ok(Vec::new()),
    }
}

/// A check may be required twice, and is named once.
fn joined(mut names: Vec<String>, more: Vec<String>) -> Vec<String> {
    for name in more {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphql::page::ActorWire;

    #[test]
    fn the_newest_open_pull_request_of_the_repository_itself_is_meant() {
        let pull = |number, state: &str, is_cross_repository| ShortPullWire {
            number,
            state: state.to_owned(),
            is_cross_repository,
        };
        let all =
            [pull(9, "OPEN", true), pull(8, "CLOSED", false), pull(5, "OPEN", false), pull(3, "OPEN", false)];
        let number = |all| chosen(all).map(|pull| pull.number);
        assert_eq!(number(&all), Some(5));
        assert_eq!(number(&all[..2]), Some(8));
        assert_eq!(number(&all[..1]), None);
    }

    #[test]
    fn a_second_answer_that_lags_does_not_undo_a_merge() {
        let check = |first: &str, second: &str, expected: &str| {
            let wire = json!({
                "id": "PR_5", "number": 5, "state": second, "isDraft": false, "createdAt": "2026-05-01T11:55:48Z",
                "headRefOid": "abc",
            });
            let first = ShortPullWire { number: 5, state: first.to_owned(), is_cross_repository: false };
            let wire = no_older(serde_json::from_value(wire).unwrap(), &first);
            assert_eq!(wire.state, expected, "{first:?}");
        };
        check("MERGED", "OPEN", "MERGED");
        check("MERGED", "MERGED", "MERGED");
        check("CLOSED", "OPEN", "OPEN");
    }

    #[test]
    fn the_last_opinion_counts_and_a_comment_where_there_is_none() {
        let check = |states: &[&str], expected: &[ReviewState]| {
            let author = || Some(ActorWire { kind: "User".into(), login: Some("ann".into()) });
            let wires: Vec<_> = states
                .iter()
                .map(|state| ReviewWire { state: (*state).to_owned(), author: author() })
                .collect();
            let found: Vec<_> = latest(&wires).into_iter().map(|review| review.state).collect();
            assert_eq!(found, expected, "{states:?}");
        };
        check(&["APPROVED", "CHANGES_REQUESTED"], &[ReviewState::ChangesRequested]);
        check(&["CHANGES_REQUESTED", "COMMENTED"], &[ReviewState::ChangesRequested]);
        check(&["COMMENTED", "APPROVED"], &[ReviewState::Approved]);
        check(&["COMMENTED"], &[ReviewState::Commented]);
        check(&["DISMISSED", "COMMENTED"], &[ReviewState::Commented]);
        check(&["APPROVED", "DISMISSED"], &[ReviewState::Dismissed]);
        check(&["PENDING", "REFORESTED"], &[]);
    }
}
