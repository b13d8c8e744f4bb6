//! Which processes have their directory in a work tree.
//!
//! Processes of other users may not be seen. Deliberately absent: ending them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns for each directory which processes are in it, or somewhere below.
pub(crate) fn inside(directories: &[PathBuf]) -> Vec<Vec<i32>> {
    let mut found = vec![Vec::new(); directories.len()];
    for (pid, cwd) in working_directories() {
        for (pids, directory) in found.iter_mut().zip(directories) {
            if cwd.starts_with(directory) {
                pids.push(pid);
            }
        }
    }
    found.iter_mut().for_each(|pids| pids.sort_unstable());
    found
}

fn working_directories() -> Vec<(i32, PathBuf)> {
    match Path::new("/proc/self/cwd").exists() {
        true => from_proc(),
        false => from_lsof(),
    }
}

fn from_proc() -> Vec<(i32, PathBuf)> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let read = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        Some((pid, fs::read_link(entry.path().join("cwd")).ok()?))
    };
    entries.filter_map(|entry| read(entry.ok()?)).collect()
}

fn from_lsof() -> Vec<(i32, PathBuf)> {
    let Ok(output) = Command::new("lsof").args(["-w", "-d", "cwd", "-F", "pn"]).output() else {
        return Vec::new();
    };
    read_lsof(&String::from_utf8_lossy(&output.stdout))
}

/// Reads lines such as `p123` and `n/a/directory`.
fn read_lsof(text: &str) -> Vec<(i32, PathBuf)> {
    let (mut pid, mut found) = (None, Vec::new());
    for line in text.lines() {
        match (line.split_at_checked(1), pid) {
            (Some(("p", number)), _) => pid = number.parse().ok(),
            (Some(("n", path)), Some(pid)) => found.push((pid, PathBuf::from(path))),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lsof_is_read_where_there_is_no_proc() {
        let found = read_lsof("p12\nfcwd\nn/a/b\np13\nfcwd\nn/c d\n");
        assert_eq!(found, [(12, PathBuf::from("/a/b")), (13, PathBuf::from("/c d"))]);
    }
}
