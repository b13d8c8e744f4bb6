//! Places that are removed, and what must be safe before.

use std::fs;
use std::process::{Command, Stdio};

use baton_core::workspace::Removal;
use baton_fixtures::git::git;
use baton_ports::Workspaces as _;

use super::world::{World, commit, issue, make_remote};

#[test]
fn a_place_whose_work_is_on_the_remote_leaves_nothing() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    world.close(7);
    let before = world.commits();
    assert_eq!(world.remove(7), Removal::Removed { rescued: Vec::new() });
    assert!(!opened.path.exists() && !opened.git_dir.exists());
    assert_eq!(git(&world.mirror(), &["for-each-ref", "refs/heads", "refs/baton"]), "");
    assert!(world.commits().is_superset(&before));
    assert_eq!(world.remove(7), Removal::Absent);
    assert_eq!(world.remove(8), Removal::Absent);
}

#[test]
fn everything_that_is_only_here_is_on_the_remote_before_it_goes() {
    let world = World::new();
    let opened = world.open(7);
    let work = commit(&opened.path, "a", "work\n");
    fs::write(opened.path.join("a"), "stashed\n").unwrap();
    git(&opened.path, &["stash", "push", "--quiet"]);
    fs::write(opened.path.join("a"), "staged\n").unwrap();
    git(&opened.path, &["add", "a"]);
    fs::write(opened.path.join("a"), "changed\n").unwrap();
    fs::write(opened.path.join("b"), "new\n").unwrap();
    let Removal::Removed { rescued } = world.remove(7) else { panic!("kept") };
    assert_eq!(rescued.len(), 2, "{rescued:?}");
    assert!(rescued.iter().all(|name| world.on_remote(name).is_some()));
    fs::remove_dir_all(world.mirror()).unwrap();
    for (file, text) in
        [("a", "stashed\n"), ("a", "staged\n"), ("a", "changed\n"), ("b", "new\n"), ("a", "work\n")]
    {
        assert!(world.has_text(file, text), "{text:?} is lost");
    }
    assert!(world.commits().contains(&work) && !opened.path.exists());
}

#[test]
fn what_was_detached_put_aside_or_replaced_is_safe_too() {
    let world = World::new();
    let opened = world.open(7);
    let branch = commit(&opened.path, "a", "on the branch\n");
    git(&opened.path, &["checkout", "--quiet", "--detach", "HEAD^"]);
    let detached = commit(&opened.path, "b", "detached\n");
    assert!(matches!(world.remove(7), Removal::Removed { rescued } if rescued.len() == 2));
    fs::remove_dir_all(world.mirror()).unwrap();
    assert!(world.commits().contains(&branch) && world.commits().contains(&detached));

    let opened = world.open(8);
    fs::write(opened.path.join("c"), "aside\n").unwrap();
    let ask = baton_core::workspace::OpenAsk { is_read_only: true, updates: false, ..super::world::ask(8) };
    world.try_open(&ask).unwrap();
    assert!(matches!(world.remove(8), Removal::Removed { rescued } if rescued.len() == 1));
    fs::remove_dir_all(world.mirror()).unwrap();
    assert!(world.has_text("c", "aside\n"));
}

#[test]
fn a_place_whose_directory_is_gone_is_forgotten_without_losing_its_commits() {
    let world = World::new();
    let opened = world.open(7);
    let work = commit(&opened.path, "a", "work\n");
    fs::remove_dir_all(&opened.path).unwrap();
    assert!(matches!(world.remove(7), Removal::Removed { rescued } if rescued.len() == 1));
    fs::remove_dir_all(world.mirror()).unwrap();
    assert!(world.commits().contains(&work));
}

#[test]
fn a_place_stays_when_the_remote_cannot_tell_that_it_has_everything() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    world.close(7);
    commit(&opened.path, "a", "more\n");
    fs::rename(world.remote(), world.root.path().join("away")).unwrap();
    world.block_on(world.engine.remove(&issue(7))).unwrap_err();
    assert!(opened.path.join("a").exists());
    fs::rename(world.root.path().join("away"), world.remote()).unwrap();
    // A remote that refuses, and one that only says that it has taken it.
    let hook = world.remote().join("hooks/post-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    for (name, script) in [
        ("pre-receive", "exit 1"),
        ("post-receive", "git for-each-ref --format='delete %(refname)' refs/baton | git update-ref --stdin"),
    ] {
        let hook = hook.with_file_name(name);
        fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let error = world.block_on(world.engine.remove(&issue(7))).unwrap_err();
        assert!(opened.path.join("a").exists(), "{error}");
        fs::remove_file(&hook).unwrap();
    }
    assert!(matches!(world.remove(7), Removal::Removed { rescued } if rescued.len() == 1));
}

#[test]
fn a_branch_of_the_remote_that_only_seems_to_have_it_is_no_proof() {
    let world = World::new();
    let opened = world.open(7);
    let work = commit(&opened.path, "a", "work\n");
    // An agent may write any ref of the mirror.
    git(&opened.path, &["update-ref", "refs/remotes/origin/baton/issue-7", &work]);
    git(&opened.path, &["update-ref", "refs/remotes/origin/made-up", &work]);
    git(&opened.path, &["update-ref", "refs/baton/seen/7", &work]);
    assert!(matches!(world.remove(7), Removal::Removed { rescued } if rescued.len() == 1));
    fs::remove_dir_all(world.mirror()).unwrap();
    assert!(world.commits().contains(&work));
}

#[test]
fn a_place_in_which_a_process_is_at_work_stays() {
    let world = World::new();
    let opened = world.open(7);
    let below = opened.path.join("below");
    fs::create_dir(&below).unwrap();
    let mut process = Command::new("cat").current_dir(&below).stdin(Stdio::piped()).spawn().unwrap();
    let removal = world.remove(7);
    assert!(matches!(&removal, Removal::Kept(why) if why.contains(&process.id().to_string())), "{removal:?}");
    let listed = world.block_on(world.engine.list()).unwrap();
    assert_eq!(listed[0].processes, [i32::try_from(process.id()).unwrap()]);
    drop(process.stdin.take());
    process.wait().unwrap();
    assert!(matches!(world.remove(7), Removal::Removed { .. }));
}

#[test]
fn a_place_with_a_repository_of_its_own_in_it_stays() {
    let world = World::new();
    let opened = world.open(7);
    let nested = opened.path.join("vendor/thing");
    fs::create_dir_all(&nested).unwrap();
    git(&nested, &["init", "--quiet"]);
    commit(&nested, "n", "nested\n");
    let removal = world.remove(7);
    assert!(matches!(&removal, Removal::Kept(why) if why.contains("vendor/thing")), "{removal:?}");
    // Even when git takes it for a submodule.
    git(&opened.path, &["add", "vendor"]);
    git(&opened.path, &["commit", "--quiet", "-m", "a submodule by mistake"]);
    let removal = world.remove(7);
    assert!(matches!(&removal, Removal::Kept(why) if why.contains("vendor/thing")), "{removal:?}");
    assert!(nested.join("n").exists());
}

#[test]
fn places_are_listed_as_they_stand() {
    let world = World::new();
    make_remote(world.root.path(), "a-b/c");
    let [clean, dirty, ahead] = [1, 2, 3].map(|number| world.open(number));
    fs::write(dirty.path.join("b"), "new\n").unwrap();
    let head = commit(&ahead.path, "a", "work\n");
    let other = baton_core::tracker::IssueKey { repo: "a-b/c".parse().unwrap(), number: 4 };
    let ask = baton_core::workspace::OpenAsk { issue: other.clone(), ..super::world::ask(4) };
    world.try_open(&ask).unwrap();
    let listed = world.block_on(world.engine.list()).unwrap();
    let shown: Vec<_> = listed.iter().map(|it| (it.issue.to_string(), it.is_dirty, it.unpushed)).collect();
    let expected =
        [("a-b/c#4", false, 0), ("acme/web#1", false, 0), ("acme/web#2", true, 0), ("acme/web#3", false, 1)];
    assert_eq!(shown, expected.map(|(issue, is_dirty, unpushed)| (issue.to_owned(), is_dirty, unpushed)));
    assert_eq!(listed[3].head.as_ref(), Some(&head));
    assert_eq!(
        (listed[1].path.as_path(), listed[1].branch.as_deref()),
        (clean.path.as_path(), Some("baton/issue-1"))
    );
    assert!(listed.iter().all(|it| it.changed_at > 1_600_000_000));
}

#[test]
fn a_repository_that_took_the_place_of_the_work_trees_own_stays() {
    let world = World::new();
    let opened = world.open(7);
    fs::remove_file(opened.path.join(".git")).unwrap();
    git(&opened.path, &["init", "--quiet"]);
    commit(&opened.path, "a", "only here\n");
    let removal = world.remove(7);
    assert!(matches!(&removal, Removal::Kept(why) if why.contains("repository of its own")), "{removal:?}");
    assert!(opened.path.join(".git/HEAD").exists());
}

#[test]
fn changes_that_git_was_told_not_to_look_at_are_safe_too() {
    let world = World::new();
    let opened = world.open(7);
    for file in ["a", "b", "c"] {
        commit(&opened.path, file, "old\n");
    }
    world.close(7);
    git(&opened.path, &["update-index", "--skip-worktree", "a", "c"]);
    git(&opened.path, &["update-index", "--assume-unchanged", "b", "c"]);
    for file in ["a", "b", "c"] {
        fs::write(opened.path.join(file), "changed\n").unwrap();
    }
    assert!(matches!(world.remove(7), Removal::Removed { rescued } if rescued.len() == 1));
    assert!(["a", "b", "c"].iter().all(|file| world.has_text(file, "changed\n")));
}
