//! One try at one effect: when it began, and until when it may write.

use std::time::Duration;

use baton_core::slot::effect::{Effect, Tried};
use baton_core::time::{BootTime, StoreTime};
use baton_core::tracker::IssueKey;

use super::Turn;

/// A try.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) turn: &'a Turn,
    pub(super) effect: &'a Effect,
    pub(super) issue: &'a IssueKey,
    /// The number under which something is said: that of the issue, or of its pull request.
    pub(super) place: &'a IssueKey,
    /// The store's clock just after the effect was taken.
    pub(super) taken_at: StoreTime,
    /// The boot clock at the same moment.
    pub(super) began: BootTime,
    /// When an earlier try began that may have taken effect.
    pub(super) unclear_since: Option<StoreTime>,
    /// How long a request may take.
    pub(super) request_timeout: Duration,
    /// How long a write may take to become visible.
    pub(super) visible_within: Duration,
}

impl Attempt<'_> {
    /// Returns whether an earlier try may have taken effect.
    pub(super) fn is_unclear(&self) -> bool {
        self.unclear_since.is_some()
    }

    /// Allows a write only when it ends before others may take the effect over, and a first try's only soon after it was
    /// marked, because whoever comes after a crash counts from the mark.
    pub(super) fn may_write(&self, now: BootTime) -> Result<(), Tried> {
        if now.plus(self.request_timeout) >= self.turn.write_until {
            return Err(Tried::Later("too little is left of the worker's lease".to_owned(), None));
        }
        if !self.is_unclear() && now.since(self.began) > self.request_timeout {
            return Err(Tried::Later("what had to be read first took too long".to_owned(), None));
        }
        Ok(())
    }

    /// Returns from when on a look shows all that earlier tries can have done.
    pub(super) fn visible_at(&self) -> BootTime {
        // Whoever tried before has stopped, so what it sent was sent before this try began.
        let from_now = self.visible_within;
        let only_try = self.unclear_since.filter(|_| self.effect.attempts <= 2);
        let from_then = only_try.map(|since| {
            // A first try sends within one request's time, and the request takes at most as long again.
            let longest = self.request_timeout * 2 + self.visible_within;
            longest.saturating_sub(self.taken_at.since(since))
        });
        self.began.plus(from_then.map_or(from_now, |then| then.min(from_now)))
    }

    /// Judges a lease that the tracker does not show. It was held when the effect was decided; a look soon after may lag.
    pub(super) fn lost_lease(&self, why: String) -> Tried {
        let age = self.taken_at.since(self.effect.created_at);
        match self.visible_within.saturating_sub(age) {
            Duration::ZERO => Tried::Never(why),
            wait => Tried::Later(why, Some(wait)),
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_core::slot::effect::{Deed, EffectKey, EffectStatus};
    use baton_core::slot::{EffectId, ItemId, WorkerId};

    use super::*;

    const TAKEN: StoreTime = StoreTime { ms: 1_000_000 };

    fn effect(attempts: u32, age_s: u64) -> Effect {
        Effect {
            id: EffectId(1),
            key: EffectKey { item: ItemId(1), version: 1, step: 0 },
            deed: Deed::CloseIssue,
            lease: None,
            fence: 1,
            status: EffectStatus::Sending,
            attempts,
            not_before: TAKEN,
            sending_at: None,
            created_at: StoreTime { ms: TAKEN.ms - i64::try_from(age_s).unwrap() * 1000 },
            finished_at: None,
            error: None,
        }
    }

    fn with<R>(effect: &Effect, unclear_for_s: Option<i64>, ask: impl FnOnce(&Attempt<'_>) -> R) -> R {
        let issue = IssueKey { repo: "acme/web".parse().unwrap(), number: 1 };
        let write_until = BootTime { ms: 100_000 };
        let turn = Turn { worker: WorkerId(1), stop_grace: Duration::from_secs(10), write_until };
        ask(&Attempt {
            turn: &turn,
            effect,
            issue: &issue,
            place: &issue,
            taken_at: TAKEN,
            began: BootTime { ms: 50_000 },
            unclear_since: unclear_for_s.map(|ago| StoreTime { ms: TAKEN.ms - ago * 1000 }),
            request_timeout: Duration::from_secs(20),
            visible_within: Duration::from_secs(10),
        })
    }

    #[test]
    fn a_look_is_believed_one_visibility_after_the_last_sending_can_have_been() {
        for (attempts, unclear_for_s, waits_s) in
            [(2, 2, 10), (2, 45, 5), (2, 50, 0), (2, 3600, 0), (3, 3600, 10)]
        {
            let visible_at = with(&effect(attempts, 0), Some(unclear_for_s), |attempt| attempt.visible_at());
            assert_eq!(visible_at.ms, 50_000 + waits_s * 1000, "try {attempts} after {unclear_for_s} s");
        }
    }

    #[test]
    fn nothing_is_sent_that_could_land_when_others_may_send_too() {
        for (now_s, is_unclear, may) in
            [(50, false, true), (70, false, true), (71, false, false), (79, true, true), (80, true, false)]
        {
            let asked = with(&effect(1, 0), is_unclear.then_some(1), |attempt| {
                attempt.may_write(BootTime { ms: now_s * 1000 }).is_ok()
            });
            assert_eq!(asked, may, "{now_s} s, unclear: {is_unclear}");
        }
    }

    #[test]
    fn a_lease_that_is_not_shown_yet_is_not_lost_yet() {
        let judge = |age_s| with(&effect(1, age_s), None, |attempt| attempt.lost_lease("gone".to_owned()));
        assert_eq!(judge(4), Tried::Later("gone".to_owned(), Some(Duration::from_secs(6))));
        assert_eq!(judge(10), Tried::Never("gone".to_owned()));
    }
}
