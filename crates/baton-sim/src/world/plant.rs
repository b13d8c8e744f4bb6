//! Bugs that are planted on purpose, to show that the simulation notices.

use std::fmt;
use std::str::FromStr;

/// A bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plant {
    /// The tracker's adapter says that nothing was done when it does not know.
    UnclearIsUnavailable,
    /// Agents outlive the deadline of their lease.
    DeadlineIgnored,
    /// Agents that are asked to stop go on.
    StopIgnored,
    /// Two can create the same ref.
    RefsWithoutSwap,
    /// The tracker acknowledges the removal of some labels that it did not remove.
    LabelsKept,
    /// The board's adapter does not show the labels that keep agents away.
    PauseUnseen,
    /// Nobody heals what a lost worker leaves behind.
    NoHealing,
    /// A freed slot is given to nobody.
    NoDraining,
    /// What a run may write is not held to its fence.
    NoFences,
    /// Runs start before the last decision was carried out.
    EffectsAfterStart,
    /// What a run that lost its slot had decided is not carried out.
    StaleEffectsDropped,
    /// Engines do not see the claims of others.
    NoClaims,
    /// The outbox does not find what it has said before.
    OwnCommentsUnseen,
    /// The ends of runs are not settled.
    SettlingDropped,
    /// The store forgets what came of some effects.
    TriesForgotten,
}

/// All of them, with their names and what each breaks.
pub const PLANTS: [(Plant, &str, &str); 15] = [
    (
        Plant::UnclearIsUnavailable,
        "unclear-is-unavailable",
        "an adapter takes an unclear answer for a failed one",
    ),
    (Plant::DeadlineIgnored, "deadline-ignored", "agents outlive the deadline of their lease"),
    (Plant::StopIgnored, "stop-ignored", "agents that are asked to stop go on"),
    (Plant::RefsWithoutSwap, "refs-without-swap", "two can create the same ref"),
    (Plant::LabelsKept, "labels-kept", "a label that was taken off stays"),
    (Plant::PauseUnseen, "pause-unseen", "the adapter does not show the labels that keep agents away"),
    (Plant::NoHealing, "no-healing", "nobody heals what a lost worker leaves behind"),
    (Plant::NoDraining, "no-draining", "a freed slot is given to nobody"),
    (Plant::NoFences, "no-fences", "what a run writes is not held to its fence"),
    (Plant::EffectsAfterStart, "effects-after-start", "runs start before the last decision was carried out"),
    (
        Plant::StaleEffectsDropped,
        "stale-effects-dropped",
        "what was decided by a run that lost its slot is dropped",
    ),
    (Plant::NoClaims, "no-claims", "engines do not see the claims of others"),
    (Plant::OwnCommentsUnseen, "own-comments-unseen", "the outbox does not find what it has said before"),
    (Plant::SettlingDropped, "settling-dropped", "the ends of runs are not settled"),
    (Plant::TriesForgotten, "tries-forgotten", "the store forgets what came of some effects"),
];

impl fmt::Display for Plant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PLANTS.iter().find(|(plant, ..)| plant == self).map_or("", |(_, name, _)| name);
        f.write_str(name)
    }
}

/// The text names no bug that can be planted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPlant(pub String);

impl fmt::Display for UnknownPlant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = PLANTS.iter().map(|(_, name, _)| *name).collect();
        write!(f, "`{}` is no bug that can be planted: write one of {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownPlant {}

impl FromStr for Plant {
    type Err = UnknownPlant;

    fn from_str(text: &str) -> Result<Self, UnknownPlant> {
        let found = PLANTS.iter().find(|(_, name, _)| *name == text);
        found.map(|(plant, ..)| *plant).ok_or_else(|| UnknownPlant(text.to_owned()))
    }
}
