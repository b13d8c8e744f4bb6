//! What the tip of a claim ref says: whether the issue is free, and with which fencing token it can be taken.
//!
//! A claim ref is a chain of small commits, one per claim, heartbeat and release. Only the tip counts; the chain behind
//! it is the history for people.

use std::time::Duration;

use super::identity::{Holder, Nonce};
use super::step::Terms;
use super::text::{self, Marker, ReleaseText};
use crate::time::{BootTime, ServerTime};
use crate::tracker::Commit;

/// A claim commit that seems to come from the future by more than this was dated by its writer.
const CLOCK_SLACK_S: i64 = 5;

/// The key in a release that repeats where an earlier one sent the issue: since when that holds.
pub(super) const TO_SINCE: &str = "to_since";

/// A look at a claim ref.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sighting {
    /// The commit at its tip, if there is such a ref.
    pub tip: Option<Commit>,
    /// The server's clock when it was read.
    pub date: ServerTime,
    /// When this machine first saw this very tip.
    pub first_seen: BootTime,
}

/// What a tip means.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Nobody holds the issue: a claim goes on top of `parent` with this epoch.
    Free {
        /// The tip just read; nothing when there is no ref.
        parent: Option<String>,
        /// The fencing token of whoever takes it.
        epoch: u64,
        /// Where the last release sent the issue, and when.
        destination: Option<(String, ServerTime)>,
        /// Whose expired claim is at the tip.
        dropped_by: Option<Holder>,
    },
    /// Someone holds it.
    Held {
        /// Who.
        holder: Holder,
        /// With which claim.
        nonce: Option<Nonce>,
        /// Under which fencing token.
        epoch: u64,
        /// How long ago the last heartbeat was, by the server's clock.
        age_s: i64,
    },
    /// The tip is no word of ours. It is left alone: whoever put it there may mean it.
    Strange {
        /// The tip.
        oid: String,
    },
}

/// Reads the tip of a claim ref.
pub fn standing(sighting: &Sighting, now: BootTime, terms: &Terms) -> Standing {
    let Some(tip) = &sighting.tip else {
        return Standing::Free { parent: None, epoch: 1, destination: None, dropped_by: None };
    };
    match text::read(&tip.message) {
        None => Standing::Strange { oid: tip.oid.clone() },
        Some(Marker::Release(release)) => Standing::Free {
            parent: Some(tip.oid.clone()),
            epoch: release.epoch.unwrap_or(0) + 1,
            destination: destination(release, tip.committed_at),
            dropped_by: None,
        },
        Some(Marker::Claim(claim)) => {
            let ttl = terms.timing.honoured(claim.ttl);
            let epoch = claim.epoch.unwrap_or(0);
            if is_expired(sighting, tip, claim.is_writer_dated, ttl, now, terms) {
                let dropped_by = Some(claim.holder);
                let parent = Some(tip.oid.clone());
                return Standing::Free { parent, epoch: epoch + 1, destination: None, dropped_by };
            }
            let age_s = sighting.date.seconds_since(tip.committed_at).max(0);
            Standing::Held { holder: claim.holder, nonce: claim.nonce, epoch, age_s }
        }
    }
}

/// Where a release sent the issue. One that only repeats an earlier release says since when that holds.
fn destination(release: ReleaseText, committed_at: ServerTime) -> Option<(String, ServerTime)> {
    let since = release.extra.iter().find(|(key, _)| key == TO_SINCE);
    let since = since.and_then(|(_, at)| at.parse().ok()).unwrap_or(committed_at);
    release.to.map(|to| (to, since))
}

/// A date that the server wrote is compared with the server's clock. One that the writer wrote says nothing: then the
/// same tip must have been watched for the whole ttl.
fn is_expired(
    sighting: &Sighting,
    tip: &Commit,
    is_writer_dated: bool,
    ttl: Duration,
    now: BootTime,
    terms: &Terms,
) -> bool {
    let is_from_the_future = tip.committed_at.seconds_since(sighting.date) > CLOCK_SLACK_S;
    if is_writer_dated || is_from_the_future {
        return now.since(sighting.first_seen) > ttl + terms.timing.grace();
    }
    terms.timing.is_expired(ttl, tip.committed_at, sighting.date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::step::tests::terms;

    const CLAIM: &str = "<!-- agent-claim:codename=a firing_id=A ttl=600s nonce=00000000000000000000000000000001 epoch=4 state=held -->";

    fn look(message: &str, committed_at: i64, date: i64, watched_s: u64) -> Standing {
        let tip = Commit {
            oid: "t".into(),
            parents: Vec::new(),
            message: message.into(),
            committed_at: ServerTime(committed_at),
        };
        let sighting = Sighting { tip: Some(tip), date: ServerTime(date), first_seen: BootTime { ms: 1000 } };
        standing(&sighting, BootTime { ms: 1000 + watched_s * 1000 }, &terms())
    }

    fn is_free(standing: &Standing) -> Option<u64> {
        match standing {
            Standing::Free { epoch, .. } => Some(*epoch),
            _ => None,
        }
    }

    #[test]
    fn every_new_holder_gets_a_greater_token() {
        assert_eq!(is_free(&look(CLAIM, 0, 631, 0)), Some(5), "expired");
        let release =
            "<!-- agent-release:codename=a firing_id=A epoch=4 outcome=success to=agent:pr-open -->";
        let released = look(release, 0, 1, 0);
        assert_eq!(is_free(&released), Some(5));
        let Standing::Free { destination, .. } = released else { unreachable!() };
        assert_eq!(destination, Some(("agent:pr-open".to_owned(), ServerTime(0))));
    }

    #[test]
    fn a_release_that_repeats_an_earlier_one_keeps_its_time() {
        let release = "<!-- agent-release:codename=b firing_id=B epoch=5 outcome=cancelled to=agent:pr-open \
                       to_since=1970-01-01T00:00:07Z -->";
        let Standing::Free { destination, .. } = look(release, 9, 10, 0) else { panic!("not free") };
        assert_eq!(destination, Some(("agent:pr-open".to_owned(), ServerTime(7))));
    }

    #[test]
    fn a_live_claim_is_held_and_a_strange_tip_is_left_alone() {
        assert!(matches!(look(CLAIM, 0, 630, 0), Standing::Held { epoch: 4, age_s: 630, .. }));
        assert!(matches!(look("Merge branch", 0, 99999, 99999), Standing::Strange { .. }));
    }

    #[test]
    fn a_date_that_the_writer_wrote_is_not_believed_in_either_direction() {
        let written = CLAIM.replace("state=held", "clock=writer state=held");
        assert_eq!(is_free(&look(&written, 0, 99_999, 0)), None, "an old date frees nothing");
        assert_eq!(is_free(&look(&written, 0, 99_999, 631)), Some(5), "watched for the whole ttl");
        assert_eq!(is_free(&look(CLAIM, 5000, 100, 630)), None, "from the future");
        assert_eq!(is_free(&look(CLAIM, 5000, 100, 631)), Some(5), "from the future, and watched");
    }
}
