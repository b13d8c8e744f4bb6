//! Keeping a hold in the background: renewals at a third of the ttl, and the holder's own deadline.
//!
//! What ends a holder that is cut off or asleep is the deadline, not the renewal's answer.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use baton_core::claim::renewal::Renewed;
use baton_core::claim::{Holder, Lease};
use baton_core::time::BootTime;
use baton_core::tracker::IssueKey;
use baton_ports::{Clock, Entropy, Memory, Tracker};
use futures_util::future::{Either, select};

use super::Claims;

/// The least and the most that is waited before a failed renewal is tried again.
const RETRY_PAUSE_MAX: Duration = Duration::from_secs(15);
const RETRY_PAUSE_MIN: Duration = Duration::from_millis(200);

/// Why keeping ended.
#[derive(Debug, Clone)]
pub enum KeepEnd {
    /// The caller said so; the hold still stands.
    Stopped,
    /// The hold is lost: stop the work at once and write nothing more.
    Lost {
        /// Who has it now, when that is known.
        to: Option<Holder>,
        /// Why.
        why: String,
    },
}

/// The end of keeping a hold.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The lease as it was last.
    pub lease: Lease,
    /// Why it ended.
    pub end: KeepEnd,
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Renews a hold until `stop` is ready or the hold is lost. `head_start` before its deadline it counts as lost, so
    /// that the caller can end its work in time. `on_renewal` is told every new deadline.
    pub async fn keep(
        &self,
        issue: &IssueKey,
        mut lease: Lease,
        head_start: Duration,
        stop: impl Future<Output = ()>,
        mut on_renewal: impl FnMut(&Lease),
    ) -> Kept {
        let mut stop = pin!(stop);
        let mut renew_at = self.settings.timing.renew_at(lease.ttl, lease.sent_at);
        loop {
            let last_call = earlier_by(lease.deadline, head_start);
            let wait = pin!(self.clock.sleep_until(renew_at.min(last_call)));
            if let Either::Left(_) = select(&mut stop, wait).await {
                return Kept { lease, end: KeepEnd::Stopped };
            }
            let Some(renewed) = self.renew_before(issue, lease.clone(), last_call).await else {
                return lost(lease, None, "its deadline has come and no renewal was acknowledged".to_owned());
            };
            match renewed {
                Renewed::Held(renewed) => {
                    lease = renewed;
                    renew_at = self.settings.timing.renew_at(lease.ttl, lease.sent_at);
                    on_renewal(&lease);
                }
                Renewed::Failed { lease: unclear, why } => {
                    tracing::warn!(%issue, why, "a renewal failed; trying again until the deadline");
                    lease = unclear;
                    renew_at = self.now().plus(retry_pause(lease.ttl));
                }
                Renewed::Lost { to, why } => return lost(lease, to, why),
            }
        }
    }

    /// Runs one renewal, or nothing when the last moment has come first.
    async fn renew_before(&self, issue: &IssueKey, lease: Lease, last_call: BootTime) -> Option<Renewed> {
        if self.now() >= last_call {
            return None;
        }
        let deadline = pin!(self.clock.sleep_until(last_call));
        match select(pin!(self.renew(issue, lease)), deadline).await {
            Either::Left((renewed, _)) => Some(renewed),
            Either::Right(_) => None,
        }
    }
}

fn lost(lease: Lease, to: Option<Holder>, why: String) -> Kept {
    Kept { lease, end: KeepEnd::Lost { to, why } }
}

fn earlier_by(moment: BootTime, wait: Duration) -> BootTime {
    BootTime { ms: moment.ms.saturating_sub(baton_core::time::millis(wait)) }
}

fn retry_pause(ttl: Duration) -> Duration {
    (ttl / 30).clamp(RETRY_PAUSE_MIN, RETRY_PAUSE_MAX)
}
