//! What a supervisor waits for while its command runs, from wherever it comes.

use std::sync::mpsc::Sender;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::wire::Order;

/// News for the supervisor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// The engine has said something.
    Order(Order),
    /// There will be no more orders: whoever extends the deadline is gone.
    Abandoned,
    /// The command has printed something for the first time.
    FirstOutput,
    /// The first process of the command has ended.
    Ended,
}

/// Tells when a process ends, and leaves it to be taken off the system by somebody else.
pub(super) fn watch_end(leader: Pid, events: Sender<Event>) {
    std::thread::spawn(move || {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(leader), look), Err(rustix::io::Errno::INTR)) {}
        let _ = events.send(Event::Ended);
    });
}
