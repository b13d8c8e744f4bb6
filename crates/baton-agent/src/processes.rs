//! The processes of this machine: who they are, when they were born, and what can be seen of them from outside.
//!
//! Linux tells through `/proc`; elsewhere `ps` and `lsof` are asked, which tell less. Deliberately absent: signals to
//! anybody who is not asked for by number and birth.

#[cfg(target_os = "linux")]
#[path = "processes/proc_files.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "processes/ps.rs"]
mod system;

use std::collections::BTreeSet;
use std::path::Path;

use baton_core::agent::RecordedProcess;
use rustix::process::{Pid, Signal};

/// A process that lives. One that is dead and not yet taken off the system is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) born: String,
}

/// Returns every process that lives.
pub(crate) fn all() -> Vec<Seen> {
    system::all()
}

/// Returns a process as it is recorded, if it lives.
pub(crate) fn recorded(pid: i32) -> Option<RecordedProcess> {
    system::one(pid).map(|seen| RecordedProcess { pid, born: seen.born })
}

/// Returns whether a process has a variable with this value in its environment, as far as this user may know.
pub(crate) fn has_variable(pid: i32, name: &str, value: &str) -> bool {
    system::has_variable(pid, name, value)
}

/// Returns every process whose directory is this one or one below it.
pub(crate) fn in_directory(directory: &Path) -> Vec<i32> {
    // What the system tells is without links.
    directory.canonicalize().map(|directory| system::in_directory(&directory)).unwrap_or_default()
}

/// Returns this process and all that it descends from, as far as it is among these.
pub(crate) fn own_line(all: &[Seen]) -> BTreeSet<i32> {
    let mut line = BTreeSet::new();
    let mut next = Some(rustix::process::getpid().as_raw_nonzero().get());
    while let Some(pid) = next.filter(|pid| line.insert(*pid)) {
        next = all.iter().find(|seen| seen.pid == pid).map(|seen| seen.parent);
    }
    line
}

/// Sends a signal to a process, and to no later one that has its number.
pub(crate) fn signal(seen: &Seen, signal: Signal) {
    if let Some(pid) = Pid::from_raw(seen.pid).filter(|_| seen.pid > 1) {
        system::signal(pid, &seen.born, signal);
    }
}
