//! The gate of review threads: what reviewers said in the code is acted on, on every issue.

use super::super::step::Cause;
use super::super::trail::{Notes, Verdict};
use super::super::view::View;

pub(super) fn threads(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if super::is_settled(view) {
        return Verdict::Pass;
    }
    notes.fact("unresolved threads", || view.new_threads().count());
    match view.new_threads().next() {
        None => Verdict::Pass,
        Some(_) => Verdict::Decide(super::sent_back(view, notes, Cause::Review)),
    }
}
