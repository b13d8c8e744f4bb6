//! Processes by the files under `/proc`.

use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::Seen;

/// What the name of a directory ends with when there is none any more.
const DELETED: &[u8] = b" (deleted)";

pub(super) fn all() -> Vec<Seen> {
    let boot = boot();
    pids().into_iter().filter_map(|pid| seen(pid, &boot)).collect()
}

pub(super) fn one(pid: i32) -> Option<Seen> {
    seen(pid, &boot())
}

pub(super) fn has_variable(pid: i32, name: &str, value: &str) -> bool {
    let wanted = format!("{name}={value}");
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
}

pub(super) fn in_directory(directory: &Path) -> Vec<i32> {
    let is_in =
        |pid: &i32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| lies_in(cwd, directory));
    pids().into_iter().filter(is_in).collect()
}

pub(super) fn signal(pid: Pid, born: &str, signal: Signal) {
    // The handle is of one process, whoever gets the number later; whether it is the right one is seen after that.
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    if one(pid.as_raw_nonzero().get()).is_some_and(|seen| seen.born == born) {
        let _ = pidfd_send_signal(handle, signal);
    }
}

fn lies_in(cwd: PathBuf, directory: &Path) -> bool {
    let bytes = cwd.into_os_string().into_vec();
    let name = bytes.strip_suffix(DELETED).unwrap_or(&bytes);
    Path::new(std::ffi::OsStr::from_bytes(name)).starts_with(directory)
}

fn pids() -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn seen(pid: i32, boot: &str) -> Option<Seen> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    seen_in(pid, &String::from_utf8_lossy(&stat), boot)
}

/// Reads a line of `/proc/PID/stat`. The name of the program, in brackets, may contain anything.
fn seen_in(pid: i32, stat: &str, boot: &str) -> Option<Seen> {
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let is_dead = matches!(*fields.first()?, "Z" | "X" | "x");
    let number = |field: usize| fields.get(field).and_then(|text| text.parse().ok());
    // The third field of the file is the first one here; the birth is the 22nd.
    let born = format!("{boot}:{}", fields.get(19)?);
    (!is_dead).then_some(Seen { pid, parent: number(1)?, group: number(2)?, born })
}

/// Births are counted from the start of the machine, which makes them ambiguous over two of them.
fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: &str = "0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 8745 9 9";

    #[test]
    fn a_line_is_read_behind_any_name_and_the_dead_are_left_out() {
        let expected = Seen { pid: 7, parent: 3, group: 5, born: "b:8745".to_owned() };
        for name in ["sh", "a) b (c", ") R 1 1"] {
            let stat = |state: &str| format!("7 ({name}) {state} 3 5 6 {TAIL}");
            assert_eq!(seen_in(7, &stat("S"), "b"), Some(expected.clone()), "{name}");
            assert_eq!(seen_in(7, &stat("Z"), "b"), None);
        }
        assert_eq!(seen_in(7, "7", "b"), None);
    }

    #[test]
    fn a_directory_contains_itself_and_what_is_below_it_also_when_it_is_gone() {
        let lies = |cwd: &str| lies_in(cwd.into(), Path::new("/a/b"));
        assert!(lies("/a/b") && lies("/a/b/c") && lies("/a/b (deleted)") && lies("/a/b/c (deleted)"));
        assert!(!lies("/a") && !lies("/a/bc") && !lies("/a/bc (deleted)"));
    }

    #[test]
    fn this_process_is_seen() {
        let own = one(rustix::process::getpid().as_raw_nonzero().get()).unwrap();
        assert_eq!(Pid::from_raw(own.parent), rustix::process::getppid());
        assert!(all().contains(&own) && own.born.len() > 30, "{own:?}");
    }
}
