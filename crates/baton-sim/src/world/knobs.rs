//! How a world is, drawn from its seed: how many issues and engines there are, and how much goes wrong.

use std::time::Duration;

use super::dice::Dice;
use super::plant::Plant;
use super::tracker::CheckLuck;

/// How a world is. Chances are times of a thousand.
#[derive(Debug, Clone)]
pub struct Knobs {
    /// How many issues there are at the beginning.
    pub issues: u64,
    /// How many repositories they are in.
    pub repos: u64,
    /// How many engines there are.
    pub engines: u64,
    /// Whether engines share one store; otherwise each has its own, and they have only the tracker in common.
    pub is_store_shared: bool,
    /// The longest that a request takes one way.
    pub latency_ms: u64,
    /// How long reads may lag behind.
    pub lag_ms: u64,
    /// Requests that fail and did nothing.
    pub error_before: u64,
    /// Requests that fail after they did something, or may have.
    pub error_after: u64,
    /// When the tracker refuses everything: from, and for how long, in milliseconds.
    pub limits: Vec<(u64, u64)>,
    /// When the account may read and not write: from, and for how long, in milliseconds.
    pub forbidden: Vec<(u64, u64)>,
    /// Webhooks that never come.
    pub hooks_lost: u64,
    /// Webhooks that come twice.
    pub hooks_doubled: u64,
    /// The longest that a webhook is on its way.
    pub hooks_delay_ms: u64,
    /// Calls of the store that fail before or after they did something.
    pub store_errors: u64,
    /// Engines are killed after so many polls of theirs, about; never when this is 0.
    pub polls_between_deaths: u64,
    /// How often, instead of being killed, an engine only stands still for a while.
    pub stalls: u64,
    /// How often, instead of being killed, an engine is asked to stop.
    pub graceful: u64,
    /// How checks go.
    pub checks: CheckLuck,
    /// How often a merge leaves another pull request in conflict.
    pub conflicts: u64,
    /// How many things people do.
    pub doings: u64,
    /// How agents behave.
    pub agents: AgentLuck,
    /// Until when things go wrong; after that, the world is left alone until it must be at rest.
    pub faults_until: Duration,
    /// How long it is left alone.
    pub quiet: Duration,
}

/// How agents behave, in times of a thousand. What is left is completed.
#[derive(Debug, Clone, Copy)]
pub struct AgentLuck {
    /// They end without a word.
    pub silent: u64,
    /// They ask a person.
    pub blocked: u64,
    /// They crash.
    pub crash: u64,
    /// Their model cannot be reached.
    pub api: u64,
    /// They come to the limit of their turns.
    pub turns: u64,
    /// They take too long.
    pub time_out: u64,
    /// They take an issue apart.
    pub decompose: u64,
    /// The longest that one works, in milliseconds.
    pub longest_ms: u64,
}

const HOUR_MS: u64 = 3_600_000;

/// In one world of four, somebody takes the account's rights away for a while.
fn forbidden(seed: u64, until_ms: u64) -> Vec<(u64, u64)> {
    let dice = Dice::new(seed, "rights");
    (0..u64::from(dice.below(4) == 0))
        .map(|_| (dice.below(until_ms), dice.between(60_000, HOUR_MS / 2)))
        .collect()
}

impl Knobs {
    /// Draws the knobs of a seed. One world in eight is calm, so that mistakes are seen that need no bad luck.
    pub fn of(seed: u64) -> Self {
        let dice = Dice::new(seed, "knobs");
        let is_calm = dice.below(8) == 0;
        let often = |most: u64| if is_calm { 0 } else { dice.below(most + 1) };
        let until_ms = dice.between(HOUR_MS / 2, 3 * HOUR_MS);
        let limits = (0..often(3)).map(|_| (dice.below(until_ms), dice.between(5_000, 600_000))).collect();
        Self {
            issues: dice.between(1, 4),
            repos: dice.between(1, 2),
            engines: dice.between(1, 3),
            is_store_shared: dice.below(2) == 0,
            latency_ms: dice.between(20, 900),
            lag_ms: often(5_000),
            error_before: often(50),
            error_after: often(50),
            limits,
            forbidden: if is_calm { Vec::new() } else { forbidden(seed, until_ms) },
            hooks_lost: often(400),
            hooks_doubled: often(300),
            hooks_delay_ms: 20 + often(60_000),
            store_errors: often(10),
            polls_between_deaths: if is_calm || dice.below(3) == 0 { 0 } else { dice.between(200, 6_000) },
            stalls: dice.below(400),
            graceful: dice.below(400),
            checks: CheckLuck { fails: often(250), hangs: often(20) },
            conflicts: often(400),
            doings: often(25),
            agents: AgentLuck {
                silent: often(100),
                blocked: often(60),
                crash: often(100),
                api: often(80),
                turns: often(60),
                time_out: often(40),
                decompose: often(40),
                longest_ms: dice.between(20_000, 45 * 60_000),
            },
            faults_until: Duration::from_millis(until_ms),
            quiet: Duration::from_millis(40 * HOUR_MS),
        }
    }

    /// Makes a world one in which a bug shows, if it can: whoever looks for something looks where it is.
    #[must_use]
    pub fn with_plant(self, plant: Plant) -> Self {
        // A world that never comes to rest is a costly one, and it need not be watched for long.
        let quiet = Duration::from_millis(8 * HOUR_MS);
        let busy = Self { doings: 40, issues: 4, quiet, ..self };
        let mortal = Self { polls_between_deaths: 250, stalls: 300, graceful: 100, ..busy.clone() };
        match plant {
            Plant::RefsWithoutSwap | Plant::NoClaims => {
                Self { engines: 3, is_store_shared: false, hooks_lost: 0, hooks_delay_ms: 20, ..busy }
            }
            Plant::UnclearIsUnavailable | Plant::OwnCommentsUnseen => {
                Self { error_after: 150, lag_ms: 5_000, ..mortal }
            }
            Plant::StopIgnored | Plant::PauseUnseen | Plant::NoDraining => {
                let agents = AgentLuck { longest_ms: 45 * 60_000, ..busy.agents };
                Self { agents, polls_between_deaths: 0, ..busy }
            }
            Plant::DeadlineIgnored
            | Plant::NoHealing
            | Plant::NoFences
            | Plant::EffectsAfterStart
            | Plant::StaleEffectsDropped
            | Plant::SettlingDropped => mortal,
            Plant::LabelsKept | Plant::TriesForgotten => busy,
        }
    }

    /// Returns whether the account may not write.
    pub fn is_forbidden(&self, now_ms: u64) -> bool {
        self.forbidden.iter().any(|(from, length)| (*from..from + length).contains(&now_ms))
    }

    /// Returns how long the tracker still refuses everything, if it does.
    pub fn limited(&self, now_ms: u64) -> Option<Duration> {
        let on = self.limits.iter().find(|(from, length)| (*from..from + length).contains(&now_ms));
        on.map(|(from, length)| Duration::from_millis(from + length - now_ms))
    }
}
