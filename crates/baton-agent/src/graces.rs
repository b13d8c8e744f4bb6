//! How long a command has to stop after each signal.

use std::time::Duration;

use baton_core::pipeline::stage::KillGrace;
use serde::{Deserialize, Serialize};

/// The time after each signal until the next one. A signal whose time is nothing is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graces {
    /// After SIGINT.
    pub sigint: Duration,
    /// After SIGTERM, which also comes this long before the deadline.
    pub sigterm: Duration,
}

impl Graces {
    /// The same time after both.
    pub fn both(grace: Duration) -> Self {
        Self { sigint: grace, sigterm: grace }
    }

    /// What a stage asks for, and the usual time where it asks for nothing.
    pub fn of(stage: KillGrace, usual: Duration) -> Self {
        Self { sigint: stage.sigint.unwrap_or(usual), sigterm: stage.sigterm.unwrap_or(usual) }
    }

    /// These, but none longer than `most`.
    #[must_use]
    pub fn at_most(self, most: Duration) -> Self {
        Self { sigint: self.sigint.min(most), sigterm: self.sigterm.min(most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_may_ask_for_other_times() {
        let (usual, short) = (Duration::from_secs(10), Duration::from_secs(1));
        let stage = KillGrace { sigint: Some(Duration::ZERO), sigterm: None };
        assert_eq!(Graces::of(stage, usual), Graces { sigint: Duration::ZERO, sigterm: usual });
        let stage = KillGrace { sigint: None, sigterm: Some(short) };
        assert_eq!(Graces::of(stage, usual), Graces { sigint: usual, sigterm: short });
        assert_eq!(Graces::of(KillGrace::default(), usual), Graces::both(usual));
    }
}
