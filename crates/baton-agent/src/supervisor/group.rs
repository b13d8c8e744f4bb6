//! The process group of a command, and what is left of it.

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use crate::wire::StopHow;

/// A process group, by the number of its leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group(pub(crate) Pid);

impl Group {
    pub(crate) fn from_raw(number: i32) -> Option<Self> {
        // A group of 1 or less would be everybody, or nobody.
        Pid::from_raw(number).filter(|pid| pid.as_raw_nonzero().get() > 1).map(Self)
    }

    /// Sends all of the group the signal that a stop begins with.
    pub(crate) fn stop(self, how: StopHow) {
        match how {
            StopHow::Interrupt => self.signal(Signal::INT),
            StopHow::Terminate => self.signal(Signal::TERM),
            StopHow::Kill => return self.signal(Signal::KILL),
        }
        // Whoever was stopped must be woken to hear of it.
        self.signal(Signal::CONT);
    }

    pub(crate) fn is_alive(self) -> bool {
        test_kill_process_group(self.0).is_ok()
    }

    fn signal(self, signal: Signal) {
        // The group may be gone already, which is what is wanted.
        let _ = kill_process_group(self.0, signal);
    }
}
