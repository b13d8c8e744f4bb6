//! How often the board is surveyed: more seldom when nothing happens, and when the tracker's budget runs low.
//!
//! The two reasons to wait do not know of each other: work ends the wait for work, and nothing but a refilled budget ends the
//! wait for the budget. The longer wait counts.

use std::time::Duration;

/// The longest wait for work without webhooks that can be relied on.
const IDLE_MAX: Duration = Duration::from_secs(5 * 60);
/// The longest wait for work while webhooks tell what happens.
const IDLE_WITH_HOOKS_MAX: Duration = Duration::from_secs(60 * 60);
/// Below this share of the budget, in thousandths, surveys become seldom.
const LOW_PERMILLE: u32 = 200;
/// Above this share, they become as frequent as before. In between, nothing changes, so that a budget that goes up and down
/// does not switch with it.
const ENOUGH_PERMILLE: u32 = 500;

/// Whether webhooks can be relied on. That is found out by comparing, never from silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HookHealth {
    /// There are none.
    #[default]
    Off,
    /// They were switched on, and none has come yet.
    StartingUp,
    /// The last comparison found nothing that they had not told.
    Healthy,
    /// The last comparison found something that they had not told, or they could not be switched on.
    Unhealthy,
}

impl HookHealth {
    /// Returns the health after a survey was compared with what had been told. Where there are no webhooks there is nothing
    /// to compare; and where none has come, that nothing differs only shows that nothing happened.
    #[must_use]
    pub fn compared(self, has_drift: bool, has_heard: bool) -> Self {
        match (self, has_drift) {
            (Self::Off, _) => Self::Off,
            (_, true) => Self::Unhealthy,
            (_, false) if has_heard => Self::Healthy,
            (before, false) => before,
        }
    }

    fn idle_max(self) -> Duration {
        match self {
            Self::Healthy => IDLE_WITH_HOOKS_MAX,
            Self::Off | Self::StartingUp | Self::Unhealthy => IDLE_MAX,
        }
    }
}

/// What a survey was like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cycle {
    /// Whether there was something to do.
    pub was_active: bool,
    /// Whether webhooks can be relied on.
    pub hooks: HookHealth,
    /// What is left of the tracker's budget, in thousandths; nothing when it is not known.
    pub left_permille: Option<u32>,
}

/// Says when the next survey is due.
#[derive(Debug, Clone)]
pub struct Pacer {
    poll: Duration,
    /// How long work is waited for.
    idle: Duration,
    /// By how much the budget stretches the wait; nothing while it is not low.
    stretch: Option<u32>,
}

impl Pacer {
    /// Begins with surveys so far apart.
    pub fn new(poll: Duration) -> Self {
        Self { poll, idle: poll, stretch: None }
    }

    /// Returns how long to wait after a survey.
    pub fn after(&mut self, cycle: Cycle) -> Duration {
        let longest = cycle.hooks.idle_max().max(self.poll);
        self.idle = if cycle.was_active { self.poll } else { self.idle.saturating_mul(2).min(longest) };
        if let Some(left) = cycle.left_permille {
            self.stretch = stretch(left, self.stretch.is_some());
        }
        self.idle.max(self.poll.saturating_mul(self.stretch.unwrap_or(1)))
    }

    /// Lets surveys be so far apart from now on.
    pub fn set_poll(&mut self, poll: Duration) {
        if poll != self.poll {
            (self.poll, self.idle) = (poll, poll);
        }
    }

    /// Returns whether surveys are seldom because the budget is low.
    pub fn is_saving(&self) -> bool {
        self.stretch.is_some()
    }
}

/// Returns by how much a budget stretches the wait.
fn stretch(left_permille: u32, was_low: bool) -> Option<u32> {
    let is_low = left_permille < LOW_PERMILLE || (was_low && left_permille <= ENOUGH_PERMILLE);
    is_low.then_some(match left_permille {
        100.. => 2,
        50..100 => 4,
        10..50 => 6,
        0..10 => 10,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLL: Duration = Duration::from_secs(30);

    fn cycle(was_active: bool, hooks: HookHealth, left_permille: Option<u32>) -> Cycle {
        Cycle { was_active, hooks, left_permille }
    }

    fn waits_s(pacer: &mut Pacer, cycles: impl IntoIterator<Item = Cycle>) -> Vec<u64> {
        cycles.into_iter().map(|cycle| pacer.after(cycle).as_secs()).collect()
    }

    #[test]
    fn idle_waits_double_up_to_what_the_webhooks_allow() {
        let with_hooks = [60, 120, 240, 480, 960, 1920, 3600, 3600];
        let without = [60, 120, 240, 300, 300, 300, 300, 300];
        for (hooks, expected) in [
            (HookHealth::Off, without),
            (HookHealth::Unhealthy, without),
            (HookHealth::Healthy, with_hooks),
            (HookHealth::StartingUp, without),
        ] {
            let idle = vec![cycle(false, hooks, None); 8];
            assert_eq!(waits_s(&mut Pacer::new(POLL), idle), expected, "{hooks:?}");
        }
    }

    #[test]
    fn work_ends_the_wait_for_work() {
        let cycles = [false, false, true, false, true].map(|active| cycle(active, HookHealth::Off, None));
        assert_eq!(waits_s(&mut Pacer::new(POLL), cycles), [60, 120, 30, 60, 30]);
    }

    #[test]
    fn webhooks_that_fail_shorten_the_wait_at_once() {
        let mut pacer = Pacer::new(POLL);
        let healthy = vec![cycle(false, HookHealth::Healthy, None); 8];
        assert_eq!(waits_s(&mut pacer, healthy).last(), Some(&3600));
        let mixed = [HookHealth::Unhealthy, HookHealth::Healthy].map(|hooks| cycle(false, hooks, None));
        assert_eq!(waits_s(&mut pacer, mixed), [300, 600]);
    }

    #[test]
    fn a_poll_that_is_longer_than_the_longest_wait_stays_as_it_is() {
        let hour = Duration::from_secs(2 * 3600);
        let idle = vec![cycle(false, HookHealth::Off, None); 3];
        assert_eq!(waits_s(&mut Pacer::new(hour), idle), [7200, 7200, 7200]);
    }

    #[test]
    fn a_low_budget_stretches_the_wait_by_steps_and_lets_go_late() {
        let rows = [
            (Some(1000), 30),
            (Some(200), 30),
            (Some(199), 60),
            (Some(100), 60),
            (Some(99), 120),
            (Some(50), 120),
            (Some(49), 180),
            (Some(10), 180),
            (Some(9), 300),
            (Some(0), 300),
            (None, 300),
            (Some(100), 60),
            (Some(350), 60),
            (Some(500), 60),
            (Some(501), 30),
            (Some(350), 30),
        ];
        let mut pacer = Pacer::new(POLL);
        for (at, (left, expected)) in rows.into_iter().enumerate() {
            let wait = pacer.after(cycle(true, HookHealth::Off, left));
            assert_eq!(wait.as_secs(), expected, "row {at}: {left:?}");
            assert_eq!(pacer.is_saving(), expected > 30, "row {at}: {left:?}");
        }
    }

    #[test]
    fn the_budget_is_waited_for_whatever_there_is_to_do_and_beyond_the_longest_idle_wait() {
        let mut pacer = Pacer::new(Duration::from_secs(120));
        let rows =
            [(true, Some(0), 1200), (false, Some(0), 1200), (true, None, 1200), (true, Some(900), 120)];
        for (active, left, expected) in rows {
            assert_eq!(pacer.after(cycle(active, HookHealth::Off, left)).as_secs(), expected);
        }
    }

    #[test]
    fn the_longer_of_both_waits_counts() {
        let mut pacer = Pacer::new(POLL);
        let cycles = vec![cycle(false, HookHealth::Off, Some(150)); 4];
        assert_eq!(waits_s(&mut pacer, cycles), [60, 120, 240, 300]);
    }

    #[test]
    fn health_comes_from_comparing() {
        use HookHealth::{Healthy, Off, StartingUp, Unhealthy};
        for (before, has_drift, after) in [
            (Off, true, Off),
            (Off, false, Off),
            (StartingUp, false, Healthy),
            (StartingUp, true, Unhealthy),
            (Healthy, true, Unhealthy),
            (Healthy, false, Healthy),
            (Unhealthy, false, Healthy),
            (Unhealthy, true, Unhealthy),
        ] {
            assert_eq!(before.compared(has_drift, true), after, "{before:?} {has_drift}");
        }
    }

    #[test]
    fn silence_is_no_sign_of_health() {
        use HookHealth::{Healthy, Off, StartingUp, Unhealthy};
        for before in [Off, StartingUp, Healthy, Unhealthy] {
            assert_eq!(before.compared(false, false), before);
        }
        assert_eq!(StartingUp.compared(true, false), Unhealthy);
    }
}
