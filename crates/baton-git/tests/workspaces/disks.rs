//! A disk that is full: told, and nothing is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_core::workspace::Pushed;

use super::world::{World, ask, close_ask, commit, git};

/// A small disk, for as long as it lives.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path, size: &str) -> Self {
        fs::create_dir_all(at).unwrap();
        let options = format!("size={size}");
        let output =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at).output().unwrap();
        assert!(output.status.success(), "mount: {}", String::from_utf8_lossy(&output.stderr));
        Self(at.to_owned())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

fn may_mount() -> bool {
    let may = rustix::process::geteuid().is_root();
    if !may {
        eprintln!("NOT TESTED: only root can mount a small disk, so a full one was not tried");
    }
    may
}

fn fill(directory: &Path) -> PathBuf {
    let path = directory.join("ballast");
    for size in [1 << 20, 1 << 16, 1 << 12] {
        let chunk = vec![b'x'; size];
        let mut at = fs::read(&path).unwrap_or_default();
        loop {
            at.extend(&chunk);
            if fs::write(&path, &at).is_err() {
                at.truncate(at.len() - chunk.len());
                break;
            }
        }
    }
    path
}

#[test]
fn a_full_disk_is_told_and_costs_nothing() {
    if !may_mount() {
        return;
    }
    let disk = tempfile::tempdir().unwrap();
    let small = SmallDisk::mount(disk.path(), "4m");
    let world = World::with(|settings| {
        settings.mirrors = disk.path().join("mirrors");
        settings.worktrees = disk.path().join("worktrees");
    });
    let opened = world.open(7);
    let work = commit(&opened.path, "a", "work\n");
    fs::write(opened.path.join("b"), "not committed\n").unwrap();
    // What is committed must be written in more than one block to fail for sure.
    let ballast = fill(disk.path());
    for error in
        [world.try_open(&ask(8)).map(drop), world.try_close(&close_ask(7)).map(drop)].map(Result::unwrap_err)
    {
        assert!(!error.is_transient && error.advice.starts_with("free space under"), "{error}");
    }
    assert_eq!(git(&opened.path, &["rev-parse", "baton/issue-7"]), work);
    assert_eq!(fs::read_to_string(opened.path.join("b")).unwrap(), "not committed\n");
    fs::remove_file(ballast).unwrap();
    assert_eq!(world.close(7).push, Pushed::Done { claim_tip: None });
    assert_eq!(git(&world.remote(), &["show", "baton/issue-7:b"]), "not committed");
    assert!(world.open(8).is_new);
    drop(small);
}
