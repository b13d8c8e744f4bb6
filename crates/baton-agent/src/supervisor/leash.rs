//! How long an agent may run, and which signal it gets when: decisions without a clock and without processes.
//!
//! A stop goes from signal to signal with the grace time between them. The deadline overrides every grace: before it
//! there is time for one SIGTERM, and SIGKILL comes so early that the group is dead when the deadline comes.

use std::time::Duration;

use baton_core::agent::{AgentExit, Limit};
use baton_core::time::{BootTime, millis};

use crate::graces::Graces;
use crate::wire::StopHow;

/// How long before the deadline SIGKILL comes, at most: time to look, on a busy machine, and to die.
const KILL_AHEAD_MAX: Duration = Duration::from_millis(100);

/// Why an agent is being ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    Asked,
    /// Whoever extends the deadline is gone.
    Abandoned,
    Deadline,
    Limit(Limit),
}

/// What bounds a running agent.
#[derive(Debug)]
pub(super) struct Leash {
    pub(super) deadline: BootTime,
    pub(super) graces: Graces,
    pub(super) wall_end: Option<BootTime>,
    pub(super) inactivity: Option<Duration>,
    stop: Option<Stop>,
}

/// A stop that has begun.
#[derive(Debug)]
struct Stop {
    reason: Reason,
    next: StopHow,
    next_at: BootTime,
}

impl Leash {
    pub(super) fn new(deadline: BootTime, graces: Graces) -> Self {
        Self { deadline, graces, wall_end: None, inactivity: None, stop: None }
    }

    /// Returns whether it is too late for anything to run.
    pub(super) fn is_over(&self, now: BootTime) -> bool {
        now >= self.before_deadline(self.graces.sigterm.max(self.kill_ahead()))
    }

    /// Returns why the agent is being ended, if it is.
    pub(super) fn reason(&self) -> Option<Reason> {
        self.stop.as_ref().map(|stop| stop.reason)
    }

    /// Begins a stop, or hastens one: it never becomes gentler, and its first reason stays.
    pub(super) fn end(&mut self, reason: Reason, how: StopHow, now: BootTime) {
        let how = self.first_from(how);
        let stop = self.stop.get_or_insert(Stop { reason, next: how, next_at: now });
        // What comes next is what was not sent yet, so that this is not sent twice either.
        if stop.next <= how {
            stop.next = how;
            stop.next_at = stop.next_at.min(now);
        }
    }

    /// Returns the signal that the group is to get now, if any.
    pub(super) fn due(&mut self, now: BootTime, last_output: BootTime) -> Option<StopHow> {
        if let Some((reason, how)) = self.cause(now, last_output) {
            self.end(reason, how, now);
        }
        let (graces, after_interrupt) = (self.graces, self.first_from(StopHow::Terminate));
        let stop = self.stop.as_mut().filter(|stop| now >= stop.next_at)?;
        let due = stop.next;
        // SIGKILL is repeated at every look, for those that are born while it is sent.
        (stop.next, stop.next_at) = match due {
            StopHow::Interrupt => (after_interrupt, now.plus(graces.sigint)),
            StopHow::Terminate => (StopHow::Kill, now.plus(graces.sigterm)),
            StopHow::Kill => (StopHow::Kill, now),
        };
        Some(due)
    }

    fn cause(&self, now: BootTime, last_output: BootTime) -> Option<(Reason, StopHow)> {
        if now >= self.before_deadline(self.kill_ahead()) {
            return Some((Reason::Deadline, StopHow::Kill));
        }
        if self.is_over(now) {
            return Some((Reason::Deadline, StopHow::Terminate));
        }
        let limit = if self.wall_end.is_some_and(|end| now >= end) {
            Limit::WallTime
        } else if self.inactivity.is_some_and(|bound| now.since(last_output) >= bound) {
            Limit::Inactivity
        } else {
            return None;
        };
        Some((Reason::Limit(limit), StopHow::Interrupt))
    }

    /// Returns the first signal from this one on that is not left out.
    fn first_from(&self, how: StopHow) -> StopHow {
        match how {
            StopHow::Interrupt if self.graces.sigint.is_zero() => self.first_from(StopHow::Terminate),
            StopHow::Terminate if self.graces.sigterm.is_zero() => StopHow::Kill,
            how => how,
        }
    }

    fn kill_ahead(&self) -> Duration {
        let half = self.graces.sigterm / 2;
        if half.is_zero() { KILL_AHEAD_MAX } else { KILL_AHEAD_MAX.min(half) }
    }

    fn before_deadline(&self, ahead: Duration) -> BootTime {
        BootTime { ms: self.deadline.ms.saturating_sub(millis(ahead)) }
    }
}

impl Reason {
    /// Returns what is told about an agent that was ended for this reason.
    pub(super) fn exit(self) -> AgentExit {
        match self {
            Self::Asked | Self::Abandoned => AgentExit::Stopped,
            Self::Deadline => AgentExit::DeadlinePassed,
            Self::Limit(limit) => AgentExit::TimedOut(limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use StopHow::{Interrupt, Kill, Terminate};

    const GRACE: Duration = Duration::from_millis(10);

    fn at(ms: u64) -> BootTime {
        BootTime { ms }
    }

    fn leash(deadline_ms: u64) -> Leash {
        Leash::new(at(deadline_ms), Graces::both(GRACE))
    }

    /// Looks at every millisecond and compares what is sent when, until the first SIGKILL.
    #[track_caller]
    fn check(mut leash: Leash, from_ms: u64, expected: &[(u64, StopHow)]) {
        let mut sent = Vec::new();
        for ms in from_ms..from_ms + 1000 {
            sent.extend(leash.due(at(ms), at(0)).map(|how| (ms, how)));
            if sent.last().is_some_and(|(_, how)| *how == Kill) {
                break;
            }
        }
        assert_eq!(sent, expected);
    }

    #[test]
    fn a_deadline_that_is_not_extended_asks_first_and_kills_before_the_deadline() {
        check(leash(100), 0, &[(90, Terminate), (95, Kill)]);
        check(
            Leash::new(at(900), Graces::both(Duration::from_millis(500))),
            0,
            &[(400, Terminate), (800, Kill)],
        );
    }

    #[test]
    fn whoever_sleeps_through_the_deadline_gets_no_grace() {
        check(leash(100), 200, &[(200, Kill)]);
        check(leash(100), 93, &[(93, Terminate), (95, Kill)]);
    }

    #[test]
    fn a_stop_goes_from_signal_to_signal() {
        for (how, expected) in [
            (Interrupt, &[(5, Interrupt), (15, Terminate), (25, Kill)][..]),
            (Terminate, &[(5, Terminate), (15, Kill)]),
            (Kill, &[(5, Kill)]),
        ] {
            let mut leash = leash(1000);
            leash.end(Reason::Asked, how, at(5));
            check(leash, 5, expected);
        }
    }

    #[test]
    fn the_deadline_hastens_a_stop_that_is_under_way() {
        let mut early = leash(100);
        early.end(Reason::Asked, Interrupt, at(85));
        check(early, 85, &[(85, Interrupt), (90, Terminate), (95, Kill)]);
        let mut late = leash(100);
        late.end(Reason::Asked, Terminate, at(88));
        check(late, 88, &[(88, Terminate), (95, Kill)]);
    }

    #[test]
    fn a_second_stop_hastens_and_never_delays_the_first() {
        let mut leash = leash(1000);
        leash.end(Reason::Asked, Interrupt, at(0));
        assert_eq!(leash.due(at(0), at(0)), Some(Interrupt));
        leash.end(Reason::Abandoned, Terminate, at(3));
        assert_eq!(leash.due(at(3), at(0)), Some(Terminate));
        leash.end(Reason::Abandoned, Terminate, at(4));
        assert_eq!(leash.due(at(4), at(0)), None, "it was sent already");
        leash.end(Reason::Abandoned, Kill, at(4));
        assert_eq!((leash.due(at(4), at(0)), leash.reason()), (Some(Kill), Some(Reason::Asked)));
        leash.end(Reason::Asked, Interrupt, at(5));
        assert_eq!(leash.due(at(5), at(0)), Some(Kill));
    }

    #[test]
    fn an_extended_deadline_lets_it_run() {
        let mut leash = leash(100);
        assert_eq!(leash.due(at(89), at(0)), None);
        leash.deadline = at(200);
        assert_eq!((leash.due(at(189), at(0)), leash.reason()), (None, None));
        assert_eq!(leash.due(at(190), at(0)), Some(Terminate));
    }

    #[test]
    fn limits_of_time_stop_gently_and_are_told() {
        let wall = Leash { wall_end: Some(at(50)), ..leash(1000) };
        check(wall, 0, &[(50, Interrupt), (60, Terminate), (70, Kill)]);
        let mut idle = Leash { inactivity: Some(Duration::from_millis(30)), ..leash(1000) };
        assert_eq!(idle.due(at(59), at(30)), None);
        assert_eq!(idle.due(at(60), at(30)), Some(Interrupt));
        assert_eq!(idle.reason().map(Reason::exit), Some(AgentExit::TimedOut(Limit::Inactivity)));
    }

    #[test]
    fn each_signal_has_its_own_time_and_one_without_time_is_left_out() {
        let leash = |sigint, sigterm, how| {
            let ms = Duration::from_millis;
            let mut leash = Leash::new(at(1000), Graces { sigint: ms(sigint), sigterm: ms(sigterm) });
            leash.end(Reason::Asked, how, at(0));
            leash
        };
        check(leash(3, 20, Interrupt), 0, &[(0, Interrupt), (3, Terminate), (23, Kill)]);
        check(leash(0, 20, Interrupt), 0, &[(0, Terminate), (20, Kill)]);
        check(leash(3, 0, Interrupt), 0, &[(0, Interrupt), (3, Kill)]);
        check(leash(3, 0, Terminate), 0, &[(0, Kill)]);
        check(leash(0, 0, Interrupt), 0, &[(0, Kill)]);
    }

    #[test]
    fn who_has_no_time_to_stop_is_killed_before_the_deadline_all_the_same() {
        check(Leash::new(at(900), Graces::both(Duration::ZERO)), 0, &[(800, Kill)]);
    }
}
