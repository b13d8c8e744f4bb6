//! Random numbers that a seed repeats, and the seed of this run.

/// A splitmix64 sequence.
pub struct Dice(u64);

impl Dice {
    /// Returns a sequence of its own for each purpose under one seed.
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut dice = Self(seed ^ purpose.wrapping_mul(0xd134_2543_de82_ef95));
        dice.up_to(1);
        dice
    }

    /// Returns a number from 0 to `most`.
    pub fn up_to(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most.saturating_add(1)
    }

    /// Returns a number from `least` to `most`.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.up_to(most - least)
    }

    /// Returns true in so many of a hundred cases.
    pub fn percent(&mut self, of_hundred: u64) -> bool {
        self.up_to(99) < of_hundred
    }

    /// Returns one of several, or nothing of none.
    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let last = u64::try_from(from.len()).unwrap().checked_sub(1)?;
        from.get(usize::try_from(self.up_to(last)).unwrap())
    }
}

/// Returns the seed that all random tests of a run share, or a new one.
pub fn seed() -> u64 {
    let given = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| u64::try_from(crate::clock::wall_ms() % 1_000_000_007).unwrap())
}
