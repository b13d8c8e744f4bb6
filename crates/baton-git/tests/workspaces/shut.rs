//! Files and directories that cannot be read or removed, as another user than root sees them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use baton_core::workspace::{Pushed, Removal};
use baton_fixtures::git::git;

use super::world::{World, commit};

/// The user that has no rights.
const NOBODY: u32 = 65_534;
/// Tells the program that it is not root any more.
const VARIABLE: &str = "BATON_TEST_AS_NOBODY";

/// Runs a test as somebody whom modes keep out: root starts this program once more as another user.
fn as_plain_user(name: &str, test: impl FnOnce()) {
    let is_root =
        fs::metadata("/proc/self").is_ok_and(|found| std::os::unix::fs::MetadataExt::uid(&found) == 0);
    if !is_root || std::env::var_os(VARIABLE).is_some() {
        return test();
    }
    let home = tempfile::tempdir().unwrap();
    let program = home.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    set_mode(home.path(), 0o777);
    let mut command = Command::new(&program);
    // The module, without the name of the program.
    let (_, module) = module_path!().split_once("::").unwrap();
    command.args(["--exact", &format!("{module}::{name}")]).env(VARIABLE, "1").env("HOME", home.path());
    let output = command.env("TMPDIR", home.path()).current_dir(home.path()).gid(NOBODY).uid(NOBODY).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_directory_that_is_shut_does_not_keep_a_place_from_being_removed() {
    as_plain_user("a_directory_that_is_shut_does_not_keep_a_place_from_being_removed", || {
        let world = World::new();
        let opened = world.open(7);
        let shut = opened.path.join("target/shut/below");
        fs::create_dir_all(&shut).unwrap();
        fs::write(shut.join("file"), "built\n").unwrap();
        set_mode(&shut, 0o555);
        set_mode(shut.parent().unwrap(), 0o000);
        assert_eq!(world.remove(7), Removal::Removed { rescued: Vec::new() });
        assert!(!opened.path.exists());
        assert_eq!(fs::read_dir(opened.path.parent().unwrap()).unwrap().count(), 0);
        world.open(7);
    });
}

#[test]
fn what_is_shut_is_committed_all_the_same() {
    as_plain_user("what_is_shut_is_committed_all_the_same", || {
        let world = World::new();
        let opened = world.open(7);
        fs::write(opened.path.join("a"), "work\n").unwrap();
        fs::write(opened.path.join("secret"), "shut file\n").unwrap();
        fs::create_dir(opened.path.join("dir")).unwrap();
        fs::write(opened.path.join("dir/b"), "in a shut directory\n").unwrap();
        set_mode(&opened.path.join("secret"), 0o000);
        set_mode(&opened.path.join("dir"), 0o000);
        let closed = world.close(7);
        assert_eq!(closed.push, Pushed::Done { claim_tip: None });
        for (file, text) in [("a", "work\n"), ("secret", "shut file\n"), ("dir/b", "in a shut directory\n")] {
            assert!(world.has_text(file, text), "{file}");
        }
        // And what is in a shut directory is not thrown away with it.
        fs::write(opened.path.join("dir/b"), "changed\n").unwrap();
        set_mode(&opened.path.join("dir"), 0o000);
        assert!(matches!(world.remove(7), Removal::Removed { rescued } if rescued.len() == 1));
        assert!(world.has_text("dir/b", "changed\n"));
    });
}

#[test]
fn what_is_no_file_does_not_keep_work_from_being_committed() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    let make_pipe = || {
        fs::remove_file(opened.path.join("a")).unwrap();
        assert!(Command::new("mkfifo").arg(opened.path.join("a")).status().unwrap().success());
    };
    make_pipe();
    fs::write(opened.path.join("b"), "more work\n").unwrap();
    let closed = world.close(7);
    assert!(closed.rest_committed && world.has_text("b", "more work\n") && world.standing(7).is_dirty);
    assert!(!world.close(7).rest_committed);
    assert_eq!(git(&opened.path, &["show", "HEAD:a"]), "work");
    assert_eq!(world.remove(7), Removal::Removed { rescued: Vec::new() });
}
