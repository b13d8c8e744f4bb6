//! Processes by what `ps` and `lsof` print, for systems without `/proc`.

use std::path::Path;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use super::Seen;

/// A birth is printed in five words: `Mon Nov 16 09:33:16 2026`.
const BIRTH_WORDS: usize = 5;

pub(super) fn all() -> Vec<Seen> {
    printed("ps", &["-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="]).lines().filter_map(seen_in).collect()
}

pub(super) fn one(pid: i32) -> Option<Seen> {
    let line = printed("ps", &["-p", &pid.to_string(), "-o", "pid=,ppid=,pgid=,stat=,lstart="]);
    line.lines().find_map(seen_in)
}

pub(super) fn has_variable(pid: i32, name: &str, value: &str) -> bool {
    // The environment follows the arguments, and spaces are all that divides them; the values asked for have none.
    let wanted = format!("{name}={value}");
    printed("ps", &["-E", "-ww", "-p", &pid.to_string(), "-o", "command="])
        .split_whitespace()
        .any(|word| word == wanted)
}

pub(super) fn in_directory(directory: &Path) -> Vec<i32> {
    let mut pid = None;
    let mut found = Vec::new();
    for line in printed("lsof", &["-w", "-a", "-d", "cwd", "-Fpn"]).lines() {
        match line.split_at_checked(1) {
            Some(("p", number)) => pid = number.parse().ok(),
            Some(("n", name)) if Path::new(name).starts_with(directory) => found.extend(pid),
            _ => {}
        }
    }
    found
}

pub(super) fn signal(pid: Pid, born: &str, signal: Signal) {
    if one(pid.as_raw_nonzero().get()).is_some_and(|seen| seen.born == born) {
        let _ = kill_process(pid, signal);
    }
}

fn seen_in(line: &str) -> Option<Seen> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: usize| words.get(word).and_then(|text| text.parse().ok());
    let birth = words.get(4..).filter(|birth| birth.len() == BIRTH_WORDS)?;
    let is_dead = words.get(3)?.starts_with('Z');
    (!is_dead).then_some(Seen {
        pid: number(0)?,
        parent: number(1)?,
        group: number(2)?,
        born: birth.join(" "),
    })
}

fn printed(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).env("LC_ALL", "C").output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}
