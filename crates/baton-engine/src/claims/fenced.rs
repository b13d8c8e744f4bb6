//! Acts that cannot be undone, bound to the hold: the server itself refuses them from a stale holder.
//!
//! A push carries a heartbeat on the claim ref in the same atomic transaction; a merge names the head it means. What
//! cannot be bound is sent only while the remaining lease exceeds the time that a request may take.

use baton_core::claim::Lease;
use baton_core::claim::text::{ClaimState, ClaimText};
use baton_core::time::ServerTime;
use baton_core::tracker::{IssueKey, Merge};
use baton_ports::{Clock, Entropy, Memory, Tracker};

use super::{ClaimError, Claims};

/// What a merge by a holder came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FencedMerge {
    /// The tracker's answer.
    Asked(Merge),
    /// Too little of the lease is left; nothing was sent.
    LeaseOver,
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Merges a pull request whose head the holder knows.
    pub async fn merge(
        &self,
        issue: &IssueKey,
        lease: &Lease,
        pull: u64,
        head_sha: &str,
    ) -> Result<FencedMerge, ClaimError> {
        if !lease.allows(self.now(), self.settings.timing.request_timeout) {
            return Ok(FencedMerge::LeaseOver);
        }
        Ok(FencedMerge::Asked(self.tracker.merge_pull(&issue.repo, pull, head_sha).await?))
    }

    /// The message of the heartbeat that goes with a push. Its commit is made by git on this machine, so it says that
    /// its date is the writer's.
    pub fn push_heartbeat(&self, lease: &Lease) -> String {
        let text = ClaimText { is_writer_dated: true, ..lease.text(ClaimState::Held, lease.ttl) };
        text.write(ServerTime(self.clock.wall_now().0))
    }
}
