//! Chance in a simulated world: everything is drawn from one seed, by a splitmix64 sequence.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use baton_ports::Entropy;

/// A source of chance. Clones draw from the same sequence.
#[derive(Debug, Clone)]
pub struct Dice(Arc<Mutex<u64>>);

impl Dice {
    /// Returns the sequence of a seed for one purpose, so that what one part of the world draws does not change another's luck.
    pub fn new(seed: u64, purpose: &str) -> Self {
        let salted = purpose.bytes().fold(seed ^ 0x9e37_79b9_7f4a_7c15, |state, byte| {
            finish(state.wrapping_add(u64::from(byte)).wrapping_mul(0x100_0000_01b3))
        });
        Self(Arc::new(Mutex::new(salted)))
    }

    /// Draws 64 bits.
    pub fn bits64(&self) -> u64 {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        finish(*state)
    }

    /// Draws a number below `end`; 0 when there is none.
    pub fn below(&self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.bits64() % end }
    }

    /// Draws a number from `from` to `to`, both included.
    pub fn between(&self, from: u64, to: u64) -> u64 {
        from + self.below(to.saturating_sub(from).saturating_add(1))
    }

    /// Returns yes so many times in a thousand.
    pub fn per_mille(&self, chance: u64) -> bool {
        // Nothing is drawn for what never happens, so that a quiet world needs no luck.
        chance > 0 && self.below(1000) < chance
    }

    /// Draws a time from `from` to `to` milliseconds.
    pub fn millis(&self, from: u64, to: u64) -> Duration {
        Duration::from_millis(self.between(from, to))
    }

    /// Draws one of several.
    pub fn pick<'a, T>(&self, several: &'a [T]) -> Option<&'a T> {
        several.get(usize::try_from(self.below(several.len() as u64)).unwrap_or(0))
    }
}

impl Entropy for Dice {
    fn bits(&self) -> u128 {
        (u128::from(self.bits64()) << 64) | u128::from(self.bits64())
    }
}

fn finish(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_luck_again_and_another_purpose_another() {
        let draw = |seed, purpose| {
            let dice = Dice::new(seed, purpose);
            (0..4).map(|_| dice.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7, "people"), draw(7, "people"));
        assert_ne!(draw(7, "people"), draw(7, "tracker"));
        assert_ne!(draw(7, "people"), draw(8, "people"));
    }
}
