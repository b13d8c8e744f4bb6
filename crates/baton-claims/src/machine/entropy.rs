//! Randomness from the operating system.
//!
//! Deliberately absent: a generator of our own. Nonces are few, and every one must differ from those of all other
//! machines.

use baton_ports::Entropy;

/// The operating system's source of random bits.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    /// Returns 128 random bits.
    ///
    /// # Panics
    ///
    /// Panics when the system has no randomness to give: a guessable nonce would let a stranger's claim pass for ours.
    fn bits(&self) -> u128 {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
        u128::from_ne_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_draws_are_alike() {
        let draws: BTreeSet<u128> = (0..1000).map(|_| SystemEntropy.bits()).collect();
        assert_eq!(draws.len(), 1000);
    }
}
