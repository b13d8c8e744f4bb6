//! Whether processes are alive, as tests mean it.

use rustix::process::{Pid, test_kill_process_group};

/// Returns whether anything of a process group still runs. What is dead and only waits for its parent to hear of it does not:
/// an orphan's parent is the system's first process, which hears late on a busy machine.
pub fn is_group_alive(group: i32) -> bool {
    let Some(pid) = Pid::from_raw(group) else { return false };
    test_kill_process_group(pid).is_ok() && has_running_member(group)
}

#[cfg(target_os = "linux")]
fn has_running_member(group: i32) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    let stats =
        processes.flatten().filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok());
    stats.into_iter().any(|stat| is_running_member(&stat, group))
}

/// Elsewhere there is no such directory; what can be signalled counts.
#[cfg(not(target_os = "linux"))]
fn has_running_member(_group: i32) -> bool {
    true
}

/// Reads `pid (name) state parent group …`, in which a name may contain anything.
#[cfg(target_os = "linux")]
fn is_running_member(stat: &str, group: i32) -> bool {
    let Some((_, rest)) = stat.rsplit_once(") ") else { return false };
    let mut fields = rest.split(' ');
    let state = fields.next();
    let found = fields.nth(1).and_then(|found| found.parse().ok());
    found == Some(group) && !matches!(state, Some("Z" | "X"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_dead_who_wait_for_their_parent_do_not_count() {
        assert!(is_running_member("7 (a) b) S 1 42 42 0", 42));
        assert!(!is_running_member("7 (sh) Z 1 42 42 0", 42));
        assert!(!is_running_member("7 (sh) S 42 7 42 0", 42));
        assert!(!is_running_member("", 42));
    }

    #[test]
    fn this_process_is_alive_and_a_group_of_nobody_is_not() {
        assert!(is_group_alive(rustix::process::getpgrp().as_raw_nonzero().get()));
        assert!(!is_group_alive(0));
    }
}
