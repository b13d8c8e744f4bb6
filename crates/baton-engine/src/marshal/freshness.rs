//! Whether a reading of the tracker is new enough to decide by: one that does not show what was just written is not.
//!
//! Reads of a tracker may lag behind its writes. Whoever decides by such a reading decides what was decided before, and an
//! agent repeats what is complete. After a while everything is visible; what is not there then was undone by somebody.

use std::collections::BTreeMap;
use std::time::Duration;

use baton_core::pipeline::Item;
use baton_core::pipeline::approval::question_mark;
use baton_core::slot::effect::{Deed, Effect, EffectStatus};
use baton_core::time::StoreTime;
use baton_core::tracker::PullState;

/// Returns what was written within the last while and is not to be seen in a reading.
///
/// `claim` is the token of whoever seems to hold the issue.
pub(super) fn unseen(
    item: &Item,
    claim: Option<&str>,
    effects: &[Effect],
    now: StoreTime,
    within: Duration,
) -> Option<String> {
    let mut labels: BTreeMap<&str, bool> = BTreeMap::new();
    let mut column = None;
    let is_late = |effect: &&Effect| {
        effect.status == EffectStatus::Done && effect.finished_at.is_some_and(|at| now.since(at) < within)
    };
    let mut question = None;
    let (mut merged, mut is_ready, mut released) = (None, false, None);
    for effect in effects.iter().filter(is_late) {
        match &effect.deed {
            Deed::AskApproval { stage, plan } => question = Some(question_mark(stage, plan)),
            Deed::AddLabels { labels: added } => {
                labels.extend(added.iter().map(|label| (label.as_str(), true)))
            }
            Deed::RemoveLabel { label } => _ = labels.insert(label, false),
            Deed::MoveTo { to, .. } => column = Some(to),
            Deed::MergePull { number, .. } => merged = Some(*number),
            Deed::MarkPullReady => is_ready = true,
            Deed::ReleaseLease { .. } => released = effect.lease.as_deref(),
            _ => {}
        }
    }
    let has = |label: &str| item.labels.iter().any(|own| own.eq_ignore_ascii_case(label));
    let label = labels.iter().find(|(label, is_there)| has(label) != **is_there).map(|(label, _)| *label);
    let column = column.filter(|column| !item.column.eq_ignore_ascii_case(column)).map(String::as_str);
    let is_asked = |mark: &&String| item.comments.iter().any(|comment| comment.body.contains(mark.as_str()));
    let question = question.as_ref().filter(|mark| !is_asked(mark)).map(|_| "the question about the plan");
    let shows_open = |number: &u64| {
        item.pull.as_ref().is_some_and(|pull| pull.number == *number && pull.state == PullState::Open)
    };
    let merge = merged.filter(shows_open).map(|_| "the merge");
    let draft = item.pull.as_ref().filter(|pull| is_ready && pull.is_draft).map(|_| "the draft");
    // A claim that was given back would pass for somebody else's.
    let release = released.filter(|token| claim == Some(*token)).map(|_| "the claim");
    label.or(column).or(question).or(merge).or(draft).or(release).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use baton_core::slot::effect::{EffectKey, Leaving};
    use baton_core::slot::{EffectId, ItemId};
    use serde_json::json;

    use super::*;

    const WITHIN: Duration = Duration::from_secs(10);

    fn item(labels: &[&str], pull: &str) -> Item {
        let pull =
            json!({ "number": 5, "state": pull, "head_sha": "abc", "pushed_at": "2026-05-01T11:55:48Z" });
        let item = json!({ "issue": "acme/web#7", "column": "Validate", "labels": labels, "pull": pull });
        serde_json::from_value(item).unwrap()
    }

    fn done(deed: Deed, finished_at: StoreTime) -> Effect {
        Effect {
            id: EffectId(1),
            key: EffectKey { item: ItemId(1), version: 1, step: 1 },
            deed,
            lease: Some("t1".to_owned()),
            fence: 1,
            status: EffectStatus::Done,
            attempts: 1,
            not_before: finished_at,
            sending_at: None,
            created_at: finished_at,
            finished_at: Some(finished_at),
            error: None,
        }
    }

    fn check(item: &Item, deed: Deed, expected: Option<&str>) {
        let (at, later) = (StoreTime { ms: 1_000 }, StoreTime { ms: 11_000 });
        let effects = [done(deed, at)];
        let claim = Some("t1");
        assert_eq!(unseen(item, claim, &effects, at, WITHIN).as_deref(), expected, "{effects:?}");
        assert_eq!(unseen(item, claim, &effects, later, WITHIN), None, "by then everything can be seen");
    }

    #[test]
    fn a_label_that_was_put_on_or_taken_off_a_moment_ago_must_be_seen() {
        let add = || Deed::AddLabels { labels: vec!["Baton:Paused".to_owned()] };
        check(&item(&[], "open"), add(), Some("Baton:Paused"));
        check(&item(&["baton:paused"], "open"), add(), None);
        let remove = Deed::RemoveLabel { label: "baton:paused".to_owned() };
        check(&item(&["baton:paused"], "open"), remove, Some("baton:paused"));
    }

    #[test]
    fn a_move_must_be_seen() {
        let to = |to: &str| Deed::MoveTo { from: "Review".to_owned(), to: to.to_owned() };
        check(&item(&[], "open"), to("Validate"), None);
        check(&item(&[], "open"), to("Done"), Some("Done"));
    }

    #[test]
    fn a_claim_that_was_given_back_a_moment_ago_is_nobody_elses() {
        let release = || Deed::ReleaseLease { outcome: "success".to_owned(), leaving: Leaving::Without };
        check(&item(&[], "open"), release(), Some("the claim"));
        let effects = [done(release(), StoreTime { ms: 1_000 })];
        let unseen = |claim| unseen(&item(&[], "open"), claim, &effects, StoreTime { ms: 1_000 }, WITHIN);
        assert_eq!(unseen(Some("t2")), None, "somebody else has taken it since");
        assert_eq!(unseen(None), None);
    }

    #[test]
    fn a_pull_request_that_was_declared_ready_a_moment_ago_is_no_draft() {
        let mut draft = item(&[], "open");
        draft.pull.as_mut().unwrap().is_draft = true;
        check(&draft, Deed::MarkPullReady, Some("the draft"));
        check(&item(&[], "open"), Deed::MarkPullReady, None);
    }

    #[test]
    fn a_pull_request_that_was_merged_a_moment_ago_is_not_open() {
        let merge = |number| Deed::MergePull { number, head_sha: "abc".to_owned() };
        check(&item(&[], "open"), merge(5), Some("the merge"));
        check(&item(&[], "merged"), merge(5), None);
        check(&item(&[], "open"), merge(4), None);
    }
}
