//! Something that is read again and again: the last good answer, and what has gone wrong since.

use std::time::Duration;

use baton_view::{LookoutError, Stamp};

/// After this long it is read again, though nobody told of a change.
const OLD_AFTER: Duration = Duration::from_secs(15);
/// After this long a read that failed is tried again.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(3);

/// The last good answer, and what has gone wrong since. A failed read takes nothing away.
#[derive(Debug, Clone)]
pub struct Read<T> {
    /// The last good answer.
    pub value: Option<T>,
    /// When it came.
    pub good_at: Option<Stamp>,
    /// Why the last read failed, when it did.
    pub failure: Option<String>,
    asked_at: Option<Stamp>,
    is_asked: bool,
    is_stale: bool,
}

impl<T> Default for Read<T> {
    fn default() -> Self {
        let (value, good_at, failure, asked_at) = (None, None, None, None);
        Self { value, good_at, failure, asked_at, is_asked: false, is_stale: false }
    }
}

impl<T> Read<T> {
    /// Returns whether it is to be asked for now. When an answer is on the way, it is asked for again after it: the
    /// answer may be older than the change.
    pub fn ask(&mut self, now: Stamp) -> bool {
        if self.is_asked {
            self.is_stale = true;
            return false;
        }
        self.is_asked = true;
        self.asked_at = Some(now);
        true
    }

    /// Takes an answer, and returns whether to ask again at once.
    pub fn take(&mut self, now: Stamp, answer: Result<T, LookoutError>) -> bool {
        self.is_asked = false;
        match answer {
            Ok(value) => {
                self.value = Some(value);
                self.good_at = Some(now);
                self.failure = None;
            }
            Err(error) => self.failure = Some(error.to_string()),
        }
        std::mem::take(&mut self.is_stale) && self.failure.is_none() && self.ask(now)
    }

    /// Returns whether it has waited long enough to be read again.
    pub fn is_due(&self, now: Stamp) -> bool {
        let after = if self.failure.is_some() { TRY_AGAIN_AFTER } else { OLD_AFTER };
        !self.is_asked && self.asked_at.is_none_or(|asked_at| now.since(asked_at) >= after)
    }

    /// Returns the moment now by the clock of whoever answered, which told `then` in the answer.
    pub fn there(&self, now: Stamp, then: Stamp) -> Stamp {
        let passed = self.good_at.map_or(Duration::ZERO, |good_at| now.since(good_at));
        Stamp(then.0.saturating_add(i64::try_from(passed.as_millis()).unwrap_or(i64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_during_a_read_is_read_after_it() {
        let mut read = Read::default();
        assert!(read.ask(Stamp(0)));
        assert!(!read.ask(Stamp(1)), "one answer is on the way");
        assert!(read.take(Stamp(2), Ok(1)), "and it may be older than the change");
        assert!(!read.take(Stamp(3), Ok(2)));
        assert_eq!((read.value, read.good_at), (Some(2), Some(Stamp(3))));
    }

    #[test]
    fn a_failed_read_takes_nothing_away_and_is_tried_again_soon() {
        let mut read = Read::default();
        read.ask(Stamp(0));
        read.take(Stamp(1), Ok(1));
        read.ask(Stamp(1_000));
        assert!(!read.take(Stamp(2_000), Err(LookoutError::OutOfReach("gone".to_owned()))));
        assert_eq!((read.value, read.good_at), (Some(1), Some(Stamp(1))));
        assert_eq!(read.failure.as_deref(), Some("gone"));
        assert!(!read.is_due(Stamp(3_000)));
        assert!(read.is_due(Stamp(4_000)));
    }

    #[test]
    fn their_clock_goes_on_from_what_it_told() {
        let mut read = Read::default();
        read.take(Stamp(50_000), Ok(()));
        assert_eq!(read.there(Stamp(53_000), Stamp(7_000)), Stamp(10_000));
    }
}
