//! What an agent has started outside its group: found and killed when the agent is over.
//!
//! A process that leaves the group, by a session of its own for example, becomes a child of the supervisor when its
//! parent dies, because the supervisor has asked for that. Only Linux knows this; elsewhere such a process is not
//! found, as there is no way to tell whose it was.

use rustix::process::{Pid, WaitOptions, WaitStatus, wait};

/// Asks that whatever an agent leaves behind becomes a child of this process.
#[cfg(target_os = "linux")]
pub(super) fn adopt() -> std::io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() -> std::io::Result<()> {
    Ok(())
}

/// Takes the ends of children, other than `leader`, off the system; returns the end of `leader` if that came as well.
pub(super) fn reap(leader: Pid) -> Option<WaitStatus> {
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if pid == leader {
            return Some(status);
        }
    }
    None
}

/// Kills every child of this process but those that are spared; returns whether there was any.
#[cfg(target_os = "linux")]
pub(super) fn kill_but(spared: &[Pid]) -> bool {
    let own = rustix::process::getpid();
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let pids = pids.filter_map(Pid::from_raw).filter(|pid| !spared.contains(pid));
    let orphans: Vec<_> = pids.filter(|pid| parent(*pid) == Some(own)).collect();
    for orphan in &orphans {
        let _ = rustix::process::kill_process(*orphan, rustix::process::Signal::KILL);
    }
    !orphans.is_empty()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn kill_but(_: &[Pid]) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn parent(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    parent_in(&String::from_utf8_lossy(&stat)).and_then(Pid::from_raw)
}

/// Reads the parent in a line of `/proc/PID/stat`. The name of the program, in brackets, may contain anything.
#[cfg(target_os = "linux")]
fn parent_in(stat: &str) -> Option<i32> {
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_in("7 (sh) S 3 7 7 0"), Some(3));
        assert_eq!(parent_in("7 (a) b (c) 9) R 12 7"), Some(12));
        assert_eq!(parent_in("7"), None);
    }

    #[test]
    fn this_process_has_a_parent() {
        assert_eq!(parent(rustix::process::getpid()), rustix::process::getppid());
    }
}
