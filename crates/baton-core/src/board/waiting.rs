//! Which issues wait for which, in both directions.

use std::collections::BTreeMap;

use crate::tracker::IssueKey;

/// Who waits for whom. Issues that wait for nobody take no room.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Waiting {
    blockers: BTreeMap<IssueKey, Box<[IssueKey]>>,
    dependents: BTreeMap<IssueKey, Vec<IssueKey>>,
}

impl Waiting {
    /// Notes for whom an issue waits, instead of what was noted before.
    pub(super) fn replace(&mut self, issue: &IssueKey, blockers: &[IssueKey]) {
        self.forget(issue);
        if blockers.is_empty() {
            return;
        }
        for blocker in blockers {
            let dependents = self.dependents.entry(blocker.clone()).or_default();
            if let Err(place) = dependents.binary_search(issue) {
                dependents.insert(place, issue.clone());
            }
        }
        self.blockers.insert(issue.clone(), blockers.into());
    }

    /// Forgets for whom an issue waits.
    pub(super) fn forget(&mut self, issue: &IssueKey) {
        for blocker in self.blockers.remove(issue).unwrap_or_default() {
            let Some(dependents) = self.dependents.get_mut(&blocker) else { continue };
            dependents.retain(|dependent| dependent != issue);
            if dependents.is_empty() {
                self.dependents.remove(&blocker);
            }
        }
    }

    /// Returns who waits for an issue.
    pub(super) fn dependents(&self, blocker: &IssueKey) -> &[IssueKey] {
        self.dependents.get(blocker).map_or(&[], Vec::as_slice)
    }
}
