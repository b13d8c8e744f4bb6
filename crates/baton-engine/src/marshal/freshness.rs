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

/// Returns what was written within the last while and is not to be seen in a reading.
pub(super) fn unseen(item: &Item, effects: &[Effect], now: StoreTime, within: Duration) -> Option<String> {
    let mut labels: BTreeMap<&str, bool> = BTreeMap::new();
    let mut column = None;
    let is_late = |effect: &&Effect| {
        effect.status == EffectStatus::Done && effect.finished_at.is_some_and(|at| now.since(at) < within)
    };
    let mut question = None;
    for effect in effects.iter().filter(is_late) {
        match &effect.deed {
            Deed::AskApproval { stage, plan } => question = Some(question_mark(stage, plan)),
            Deed::AddLabels { labels: added } => {
                labels.extend(added.iter().map(|label| (label.as_str(), true)))
            }
            Deed::RemoveLabel { label } => _ = labels.insert(label, false),
            Deed::MoveTo { to, .. } => column = Some(to),
            _ => {}
        }
    }
    let has = |label: &str| item.labels.iter().any(|own| own.eq_ignore_ascii_case(label));
    let label = labels.iter().find(|(label, is_there)| has(label) != **is_there).map(|(label, _)| *label);
    let column = column.filter(|column| !item.column.eq_ignore_ascii_case(column)).map(String::as_str);
    let is_asked = |mark: &&String| item.comments.iter().any(|comment| comment.body.contains(mark.as_str()));
    let question = question.as_ref().filter(|mark| !is_asked(mark)).map(|_| "the question about the plan");
    label.or(column).or(question).map(str::to_owned)
}
