//! What the knobs do to a delivery, drawn from the seed and the delivery's id alone: the same knobs do the same to the same
//! deliveries, however fast anybody is.

use std::time::Duration;

use crate::knobs::WebhookKnobs;

/// What becomes of one delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fate {
    /// It is never sent.
    pub(super) is_lost: bool,
    /// It is sent twice.
    pub(super) is_doubled: bool,
    /// It lets the one after it go first.
    pub(super) is_held_back: bool,
    /// How long it is on its way.
    pub(super) delay: Duration,
}

pub(super) fn fate(knobs: &WebhookKnobs, seed: u64, delivery_id: i64) -> Fate {
    let draw = |purpose: u64| mix(seed ^ mix(delivery_id.unsigned_abs()) ^ mix(purpose));
    let strikes = |purpose, percent: u8| draw(purpose) % 100 < u64::from(percent);
    let span = knobs.delay;
    let width_ms = span.max_ms.saturating_sub(span.min_ms);
    Fate {
        is_lost: strikes(1, knobs.lose_percent),
        is_doubled: strikes(2, knobs.duplicate_percent),
        is_held_back: strikes(3, knobs.reorder_percent),
        delay: Duration::from_millis(span.min_ms + draw(4) % (width_ms + 1)),
    }
}

/// The finisher of splitmix64.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knobs::Span;

    #[test]
    fn knobs_that_are_off_do_nothing() {
        for id in 0..1_000 {
            assert_eq!(fate(&WebhookKnobs::default(), 7, id), Fate::default());
        }
    }

    #[test]
    fn each_knob_strikes_about_as_often_as_it_says_and_always_the_same() {
        let knobs = WebhookKnobs {
            lose_percent: 10,
            duplicate_percent: 30,
            reorder_percent: 50,
            delay: Span { min_ms: 5, max_ms: 9 },
            retries: 0,
        };
        let fates: Vec<Fate> = (0..10_000).map(|id| fate(&knobs, 7, id)).collect();
        let count = |is: fn(&Fate) -> bool| fates.iter().filter(|fate| is(fate)).count();
        assert!((800..1_200).contains(&count(|fate| fate.is_lost)));
        assert!((2_700..3_300).contains(&count(|fate| fate.is_doubled)));
        assert!((4_700..5_300).contains(&count(|fate| fate.is_held_back)));
        assert!(fates.iter().all(|fate| (5..=9).contains(&fate.delay.as_millis())));
        assert_eq!(fates, (0..10_000).map(|id| fate(&knobs, 7, id)).collect::<Vec<_>>());
        assert_ne!(fates, (0..10_000).map(|id| fate(&knobs, 8, id)).collect::<Vec<_>>());
    }

    #[test]
    fn a_hundred_percent_is_always() {
        let knobs = WebhookKnobs { lose_percent: 100, ..WebhookKnobs::default() };
        assert!((0..1_000).all(|id| fate(&knobs, 1, id).is_lost));
    }
}
