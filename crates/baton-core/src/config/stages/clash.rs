//! What is wrong among stage files that are right alone.

use super::super::error::ConfigError;
use super::super::source::Source;
use super::draft::Draft;
use crate::pipeline::StageKind;

/// Returns every clash, each told once, at the later of two files.
pub(super) fn clashes(drafts: &[Draft]) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    for (place, later) in drafts.iter().enumerate() {
        let first = |clash: fn(&Draft, &Draft) -> Option<String>| {
            drafts[..place].iter().find_map(|earlier| clash(earlier, later))
        };
        errors.extend([first(same_name), first(same_order), first(both_clean_up)].into_iter().flatten());
    }
    errors.into_iter().map(ConfigError::Conflict).collect()
}

/// Labels carry the names of stages, and trackers do not tell labels apart by case.
fn same_name(earlier: &Draft, later: &Draft) -> Option<String> {
    let ((first, first_at), (name, at)) = (earlier.name()?, later.name()?);
    let is_same = first.to_lowercase() == name.to_lowercase();
    is_same.then(|| {
        let why = if first == name { "" } else { ", since labels do not tell them apart by case" };
        format!(
            "{at}: `{name}` is the same stage as `{first}` ({first_at}){why}: rename one, or remove a file"
        )
    })
}

fn same_order(earlier: &Draft, later: &Draft) -> Option<String> {
    let is_working = |draft: &Draft| draft.kind().0 == StageKind::Working && draft.has_order();
    let ((first, first_at), (order, at)) = (earlier.order(), later.order());
    (is_working(earlier) && is_working(later) && first == order).then(|| {
        format!(
            "{at}: {} has the order {order}, as {} has ({first_at}), so nobody can say which comes first: change one",
            called(later),
            called(earlier)
        )
    })
}

fn both_clean_up(earlier: &Draft, later: &Draft) -> Option<String> {
    let end = |draft: &Draft| -> Option<Source> {
        let (kind, at) = draft.kind();
        at.filter(|_| kind == StageKind::Cleanup).cloned()
    };
    let (first_at, at) = (end(earlier)?, end(later)?);
    Some(format!(
        "{at}: {} is a second end of the pipeline besides {} ({first_at}): remove `cleanup_worktree` from one",
        called(later),
        called(earlier)
    ))
}

fn called(draft: &Draft) -> String {
    draft.name().map_or_else(|| "a stage without a name".to_owned(), |(name, _)| format!("`{name}`"))
}
