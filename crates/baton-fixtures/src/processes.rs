//! Processes as tests look at them and signal them.

pub use baton_testbed::processes::is_group_alive;
use rustix::process::{Pid, kill_process, test_kill_process};

pub use rustix::process::Signal;

/// Returns whether a process is there, dead or not.
pub fn is_alive(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_ok())
}

/// Sends a signal to a process that is there.
#[track_caller]
pub fn send(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// Returns the parent of a process. Only Linux tells.
pub fn parent(pid: i32) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Returns the children of a process. Only Linux tells.
pub fn children(of: i32) -> Vec<i32> {
    let parent = |pid: i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    all().into_iter().filter(|pid| parent(*pid) == Some(of)).collect()
}

/// Returns the arguments of a process, each with a zero byte behind it; none of one that is gone. Only Linux tells.
pub fn arguments(pid: i32) -> String {
    let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&arguments).into_owned()
}

/// Returns every process that has a variable in its environment. Only Linux tells.
pub fn with_variable(name: &str, value: &str) -> Vec<i32> {
    let wanted = format!("{name}={value}");
    let has_it = |pid: &i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    all().into_iter().filter(has_it).collect()
}

fn all() -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}
