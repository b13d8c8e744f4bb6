//! A disk that is full: told, and nothing is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_core::workspace::Pushed;
use baton_fixtures::git::git;

use super::world::{World, ask, close_ask, commit};

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

/// Runs a test where it may mount: root may everywhere, and everybody else in a namespace of their own, in which this program
/// is started once more.
fn where_it_may_mount(name: &str, test: impl FnOnce()) {
    if rustix::process::geteuid().is_root() {
        return test();
    }
    let (_, module) = module_path!().split_once("::").unwrap();
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount"]).arg(std::env::current_exe().unwrap());
    let output = command.args(["--exact", &format!("{module}::{name}")]).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
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
    where_it_may_mount("a_full_disk_is_told_and_costs_nothing", fill_a_disk);
}

fn fill_a_disk() {
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
