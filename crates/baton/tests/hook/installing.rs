//! Coming, staying, and going without a trace.

use std::os::unix::fs::PermissionsExt as _;

use crate::hook::{World, write_program};

/// A hook that notes what it is told, and refuses when there is a file for it.
const OTHER: &str = "#!/bin/sh\necho \"args $*\" >> noted\ncat >> noted\n[ ! -e refuse ]\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_is_written_once_and_taken_away_again() {
    let world = World::bare().await;
    let hook = world.hooks().join("pre-push");
    let dry = world.baton(&["hook", "install", "--dry-run"]).succeeded();
    assert!(dry.out.starts_with("would have written ") && !hook.exists(), "{dry:?}");
    let said = world.baton(&["hook", "install"]).succeeded().out;
    assert!(said.starts_with("written ") && said.contains(".git/hooks/pre-push"), "{said}");
    assert_eq!(hook.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    let text = std::fs::read(&hook).unwrap();
    let said = world.baton(&["hook", "install"]).succeeded().out;
    assert!(said.starts_with("the hook is installed already"), "{said}");
    assert_eq!(std::fs::read(&hook).unwrap(), text);
    let dry = world.baton(&["hook", "uninstall", "--dry-run"]).succeeded();
    assert!(dry.out.starts_with("would have removed ") && hook.exists(), "{dry:?}");
    assert!(world.baton(&["hook", "uninstall"]).succeeded().out.starts_with("removed "));
    assert!(!hook.exists());
    assert!(world.baton(&["hook", "uninstall"]).succeeded().out.starts_with("no hook is installed"));
    let left = std::fs::read_dir(world.hooks()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().contains("baton")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_was_there_runs_first_and_its_refusal_refuses() {
    let world = World::bare().await;
    world.write_hook(OTHER);
    let said = world.baton(&["hook", "install"]).succeeded().out;
    assert!(said.contains("the hook that was there runs first, as pre-push.before-baton"), "{said}");
    world.baton(&["hook", "install"]).succeeded();
    world.git(&["checkout", "-q", "-b", "topic"]);
    let oid = world.commit("Closes #1");
    world.push(&["origin", "topic"]).passed(&[]);
    let noted = std::fs::read_to_string(world.work.join("noted")).unwrap();
    let zero = "0".repeat(40);
    let told =
        format!("args origin {}\nrefs/heads/topic {oid} refs/heads/topic {zero}\n", world.address("web"));
    assert_eq!(noted, told);
    // Both may refuse.
    std::fs::write(world.work.join("refuse"), "").unwrap();
    world.commit("nothing");
    let refused = world.push(&["origin", "topic"]);
    assert!(refused.code != 0 && !refused.err.contains("baton:"), "{refused:?}");
    std::fs::remove_file(world.work.join("refuse")).unwrap();
    world.claimed("web", 1).await;
    world.commit("Closes #1");
    world.push(&["origin", "topic"]).refused(&["#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn to_uninstall_restores_the_hook_that_was_there_as_it_was() {
    let world = World::bare().await;
    world.write_hook(OTHER);
    world.baton(&["hook", "install"]).succeeded();
    let said = world.baton(&["hook", "uninstall"]).succeeded().out;
    assert!(said.starts_with("restored "), "{said}");
    let hook = world.hooks().join("pre-push");
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), OTHER);
    assert_eq!(hook.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    assert!(!world.hooks().join("pre-push.before-baton").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_to_a_hook_in_the_tree_is_kept_as_a_link() {
    let world = World::bare().await;
    write_program(&world.work.join("scripts/pre-push"), OTHER);
    std::fs::create_dir_all(world.hooks()).unwrap();
    let hook = world.hooks().join("pre-push");
    std::os::unix::fs::symlink("../../scripts/pre-push", &hook).unwrap();
    world.baton(&["hook", "install"]).succeeded();
    assert_eq!(std::fs::read_to_string(world.work.join("scripts/pre-push")).unwrap(), OTHER);
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.push(&["origin", "topic"]).passed(&[]);
    assert!(world.work.join("noted").exists());
    world.baton(&["hook", "uninstall"]).succeeded();
    assert_eq!(std::fs::read_link(&hook).unwrap().to_str().unwrap(), "../../scripts/pre-push");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_is_not_ours_is_never_deleted_or_written_over() {
    let world = World::bare().await;
    world.write_hook(OTHER);
    let refused = world.baton(&["hook", "uninstall"]);
    assert!(refused.code == 1 && refused.err.contains("is not Baton's"), "{refused:?}");
    world.baton(&["hook", "install"]).succeeded();
    // Another tool takes the place.
    world.write_hook("#!/bin/sh\n");
    for command in ["install", "uninstall"] {
        let refused = world.baton(&["hook", command]);
        assert!(refused.code == 1 && refused.err.contains("is not Baton's"), "{refused:?}");
    }
    let read = |name: &str| std::fs::read_to_string(world.hooks().join(name)).unwrap();
    assert_eq!((read("pre-push").as_str(), read("pre-push.before-baton").as_str()), ("#!/bin/sh\n", OTHER));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_install_that_died_half_way_is_finished_by_the_next() {
    let world = World::bare().await;
    write_program(&world.hooks().join("pre-push.before-baton"), OTHER);
    world.baton(&["hook", "install"]).succeeded();
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.push(&["origin", "topic"]).passed(&[]);
    assert!(world.work.join("noted").exists());
    std::fs::remove_file(world.hooks().join("pre-push")).unwrap();
    world.baton(&["hook", "uninstall"]).succeeded();
    assert_eq!(std::fs::read_to_string(world.hooks().join("pre-push")).unwrap(), OTHER);
}

#[tokio::test(flavor = "multi_thread")]
async fn worktrees_and_configured_directories_of_hooks_are_honoured() {
    let world = World::bare().await;
    world.git(&["worktree", "add", "-q", "-b", "topic", "../tree"]);
    let tree = world.directory.path().join("tree");
    let baton = env!("CARGO_BIN_EXE_baton");
    world.run(&tree, baton, &["hook", "install"], &[]).succeeded();
    assert!(world.hooks().join("pre-push").exists());
    world.claimed("web", 1).await;
    world.run(&tree, "git", &["commit", "-q", "--allow-empty", "-m", "Closes #1"], &[]).succeeded();
    world.run(&tree, "git", &["push", "origin", "topic"], &[]).refused(&["#1 is held by"]);
    world.run(&tree, baton, &["hook", "uninstall"], &[]).succeeded();
    world.git(&["config", "core.hooksPath", "tools/hooks"]);
    std::fs::create_dir_all(world.work.join("deep/er")).unwrap();
    world.run(&world.work.join("deep/er"), baton, &["hook", "install"], &[]).succeeded();
    assert!(world.work.join("tools/hooks/pre-push").exists() && !world.hooks().join("pre-push").exists());
    world.git(&["checkout", "-q", "-b", "second"]);
    world.commit("Closes #1");
    world.push(&["origin", "second"]).refused(&["#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_of_a_repository_there_is_nothing_to_install() {
    let world = World::bare().await;
    let ran = world.run(world.directory.path(), env!("CARGO_BIN_EXE_baton"), &["hook", "install"], &[]);
    assert!(ran.code == 2 && ran.err.contains("no repository here"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_binary_that_has_moved_is_found_on_the_path_and_one_that_is_gone_is_missed_aloud() {
    let world = World::new().await;
    world.claimed("web", 1).await;
    world.commit("Closes #1");
    let hook = world.hooks().join("pre-push");
    // The hook has the path without links.
    let baton = std::fs::canonicalize(env!("CARGO_BIN_EXE_baton")).unwrap();
    let moved = std::fs::read_to_string(&hook).unwrap();
    let moved = moved.replace(baton.to_str().unwrap(), "/nowhere/it's/baton");
    assert!(moved.contains("/nowhere/"), "{moved}");
    world.write_hook(&moved.replace("it's", "here"));
    // Nothing of this machine is on the path, a baton of its owner included.
    let bin = world.directory.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in ["git", "cat", "sh"] {
        let path = std::env::var("PATH").unwrap();
        let found =
            path.split(':').map(|it| std::path::Path::new(it).join(name)).find(|it| it.exists()).unwrap();
        std::os::unix::fs::symlink(found, bin.join(name)).unwrap();
    }
    let path = [("PATH", bin.to_str().unwrap())];
    let push = ["--dry-run", "origin", "topic"];
    world.push_with(&path, &push).passed(&[
        "warning: nobody checked",
        "/nowhere/here/baton",
        "baton hook install",
    ]);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_baton"), bin.join("baton")).unwrap();
    world.push_with(&path, &push).refused(&["#1 is held by"]);
    // To install again puts the path right.
    assert!(world.baton(&["hook", "install"]).succeeded().out.ends_with("anew"));
    world.push(&push).refused(&["#1 is held by"]);
}
