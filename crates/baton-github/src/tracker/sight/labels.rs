//! When each label that is there was put on last.

use std::collections::BTreeMap;

use baton_core::time::ServerTime;
use serde_json::json;

use super::super::labels::events;
use super::voices::Room;
use crate::client::Answer;
use crate::client::graph::{endless, gone};
use crate::graphql::EARLIER_LABELS;
use crate::graphql::issue::{EarlierLabelsWire, LabelledAtWire, SubjectWire};
use baton_core::tracker::IssueKey;

/// Reads backwards from the newest event until every label is accounted for, or there are no more events.
pub(super) async fn applied_at(
    room: &Room<'_>,
    subject: &mut SubjectWire,
    labels: &[String],
) -> Answer<BTreeMap<String, ServerTime>> {
    let Some(mut page) = subject.labelled.take() else {
        return of_pull(room, subject.number, labels).await;
    };
    let (mut applied, mut pages) = (BTreeMap::new(), 1);
    loop {
        note(&mut applied, labels, &page.nodes);
        if applied.len() >= labels.len() || !page.page_info.has_previous_page {
            return Ok(applied);
        }
        let cursor = page.page_info.start_cursor.take().filter(|_| pages < room.github.pages_max());
        let cursor = cursor.ok_or_else(|| endless(&EARLIER_LABELS, room.github.pages_max()))?;
        let variables = json!({ "id": subject.id, "before": cursor });
        let earlier = room.github.query::<EarlierLabelsWire>(room.repo, &EARLIER_LABELS, variables).await?;
        page = earlier.value.node.ok_or_else(|| gone(&EARLIER_LABELS))?.labelled;
        pages += 1;
    }
}

/// Notes the newest moment of each label that is still there; the pages come newest first.
fn note(applied: &mut BTreeMap<String, ServerTime>, labels: &[String], events: &[Option<LabelledAtWire>]) {
    let known = events.iter().rev().flatten().filter_map(|event| {
        let at = event.created_at.as_deref()?.parse().ok()?;
        Some((event.label.as_ref()?.name.as_str(), at))
    });
    for (name, at) in known {
        if let Some(own) = labels.iter().find(|own| own.eq_ignore_ascii_case(name)) {
            let newest = applied.entry(own.clone()).or_insert(at);
            *newest = at.max(*newest);
        }
    }
}

/// A pull request on the board keeps its events elsewhere.
async fn of_pull(room: &Room<'_>, number: u64, labels: &[String]) -> Answer<BTreeMap<String, ServerTime>> {
    let mut applied = BTreeMap::new();
    if labels.is_empty() {
        return Ok(applied);
    }
    let issue = IssueKey { repo: room.repo.clone(), number };
    for event in events(room.github, &issue).await?.value.into_iter().filter(|event| event.was_added) {
        if let Some(own) = labels.iter().find(|own| own.eq_ignore_ascii_case(&event.label)) {
            applied.insert(own.clone(), event.at);
        }
    }
    Ok(applied)
}
