//! Room for another run. An issue is claimed only when its agent can start soon: what one engine claims and cannot run,
//! another that shares only the tracker could have run meanwhile.
//!
//! Deliberately absent: the limits themselves, which the store keeps; here they are only looked at, and may be passed by a
//! few when engines of one store look at the same moment.

use baton_core::slot::{RunStatus, limits};
use baton_core::tracker::IssueKey;
use baton_ports::store::RunFilter;
use baton_ports::{Store as _, StoreError};

use super::{Marshal, Parts};

impl<P: Parts> Marshal<P> {
    /// Returns whether an agent may be woken for an issue that nobody holds yet; then room is kept for it. One for which
    /// there is none is looked at again when there may be.
    pub(super) async fn takes_room(&self, issue: &IssueKey) -> Result<bool, StoreError> {
        let free = self.free_room().await?;
        let mut desk = self.desk();
        let has_room = free.is_none_or(|free| desk.starting.len() < free);
        if has_room {
            desk.starting.insert(issue.clone());
        } else if !desk.held_back.contains(issue) {
            desk.held_back.push_back(issue.clone());
        }
        Ok(has_room)
    }

    /// Returns how many more runs could start, if there is a limit. Those that wait to start count as if they ran.
    async fn free_room(&self) -> Result<Option<usize>, StoreError> {
        let counters = self.relay.store.counters().await?;
        let of_all = counters.iter().find(|counter| counter.name == limits::ALL);
        let Some((max, in_use)) = of_all.and_then(|all| Some((all.max?, all.in_use))) else {
            return Ok(None);
        };
        let left = usize::try_from(max - in_use).unwrap_or(0);
        let limit = u32::try_from(left).unwrap_or(u32::MAX);
        let filter = RunFilter { statuses: vec![RunStatus::Queued], limit, ..RunFilter::default() };
        let waiting = self.relay.store.runs(&filter).await?.len();
        Ok(Some(left.saturating_sub(waiting)))
    }

    /// Notes that a look found nothing under way for an issue: what was kept for it is free, and those who waited are
    /// looked at.
    pub(super) fn is_at_rest(&self, issue: &IssueKey) {
        let mut desk = self.desk();
        let was_starting = desk.starting.remove(issue);
        let was_running = desk.runners.remove(issue);
        drop(desk);
        if was_starting || was_running {
            // Not only the first: it may need no room any more.
            self.look_at_held_back();
        }
    }

    /// Forgets an issue that is gone: it needs no room, and keeps none.
    pub(super) fn is_gone(&self, issue: &IssueKey) {
        self.desk().held_back.retain(|waiting| waiting != issue);
        self.is_at_rest(issue);
    }

    /// Notes that a run for an issue is under way, so that the store counts it.
    pub(super) fn is_under_way(&self, issue: &IssueKey) {
        let mut desk = self.desk();
        desk.starting.remove(issue);
        desk.runners.insert(issue.clone());
    }

    /// Has some of those looked at who wait for room: others may have made some.
    pub(super) fn look_at_held_back(&self) {
        let mut desk = self.desk();
        let count = desk.held_back.len().min(self.settings.looks_at_once);
        desk.held_back.drain(..count).for_each(|issue| self.bell.ring(issue));
    }
}
