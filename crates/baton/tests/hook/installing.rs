//! Coming, staying, and going without a trace.

use std::os::unix::fs::PermissionsExt as _;

use baton_fixtures::{TOKEN, baton};

use crate::hook::{PushOutput as _, Setup, write_program};

/// A hook that notes what it is told, and refuses when there is a file for it.
const OTHER: &str = "#!/bin/sh\necho \"args $*\" >> noted\ncat >> noted\n[ ! -e refuse ]\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_is_written_once_and_taken_away_again() {
    let setup = Setup::bare().await;
    let hook = setup.hooks().join("pre-push");
    let dry = setup.env.run(&["hook", "install", "--dry-run"]).exits(0);
    assert!(dry.out.starts_with("would have written ") && !hook.exists(), "{dry:?}");
    let said = setup.env.run(&["hook", "install"]).exits(0).out;
    assert!(said.starts_with("written ") && said.contains(".git/hooks/pre-push"), "{said}");
    assert_eq!(hook.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    let text = std::fs::read(&hook).unwrap();
    let said = setup.env.run(&["hook", "install"]).exits(0).out;
    assert!(said.starts_with("the hook is installed already"), "{said}");
    assert_eq!(std::fs::read(&hook).unwrap(), text);
    let dry = setup.env.run(&["hook", "uninstall", "--dry-run"]).exits(0);
    assert!(dry.out.starts_with("would have removed ") && hook.exists(), "{dry:?}");
    assert!(setup.env.run(&["hook", "uninstall"]).exits(0).out.starts_with("removed "));
    assert!(!hook.exists());
    assert!(setup.env.run(&["hook", "uninstall"]).exits(0).out.starts_with("no hook is installed"));
    let left = std::fs::read_dir(setup.hooks()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().contains("baton")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_was_there_runs_first_and_its_refusal_refuses() {
    let setup = Setup::bare().await;
    setup.write_hook(OTHER);
    let said = setup.env.run(&["hook", "install"]).exits(0).out;
    assert!(said.contains("the hook that was there runs first, as pre-push.before-baton"), "{said}");
    setup.env.run(&["hook", "install"]).exits(0);
    setup.git(&["checkout", "-q", "-b", "topic"]);
    let oid = setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).passed(&[]);
    let noted = setup.env.read("noted");
    let zero = "0".repeat(40);
    let told = format!(
        "args origin {}\nrefs/heads/topic {oid} refs/heads/topic {zero}\n",
        setup.repo.address(TOKEN)
    );
    assert_eq!(noted, told);
    // Both may refuse.
    setup.env.write("refuse", "");
    setup.commit("nothing");
    let refused = setup.push(&["origin", "topic"]);
    assert!(refused.code != 0 && !refused.err.contains("baton:"), "{refused:?}");
    std::fs::remove_file(setup.env.path("refuse")).unwrap();
    setup.claimed("web", 1).await;
    setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).refused(&["#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn to_uninstall_restores_the_hook_that_was_there_as_it_was() {
    let setup = Setup::bare().await;
    setup.write_hook(OTHER);
    setup.env.run(&["hook", "install"]).exits(0);
    let said = setup.env.run(&["hook", "uninstall"]).exits(0).out;
    assert!(said.starts_with("restored "), "{said}");
    let hook = setup.hooks().join("pre-push");
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), OTHER);
    assert_eq!(hook.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    assert!(!setup.hooks().join("pre-push.before-baton").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_to_a_hook_in_the_tree_is_kept_as_a_link() {
    let setup = Setup::bare().await;
    write_program(&setup.env.path("scripts/pre-push"), OTHER);
    std::fs::create_dir_all(setup.hooks()).unwrap();
    let hook = setup.hooks().join("pre-push");
    std::os::unix::fs::symlink("../../scripts/pre-push", &hook).unwrap();
    setup.env.run(&["hook", "install"]).exits(0);
    assert_eq!(setup.env.read("scripts/pre-push"), OTHER);
    setup.git(&["checkout", "-q", "-b", "topic"]);
    setup.push(&["origin", "topic"]).passed(&[]);
    assert!(setup.env.path("noted").exists());
    setup.env.run(&["hook", "uninstall"]).exits(0);
    assert_eq!(std::fs::read_link(&hook).unwrap().to_str().unwrap(), "../../scripts/pre-push");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_is_not_ours_is_never_deleted_or_written_over() {
    let setup = Setup::bare().await;
    setup.write_hook(OTHER);
    let refused = setup.env.run(&["hook", "uninstall"]);
    assert!(refused.code == 1 && refused.err.contains("is not Baton's"), "{refused:?}");
    setup.env.run(&["hook", "install"]).exits(0);
    // Another tool takes the place.
    setup.write_hook("#!/bin/sh\n");
    for command in ["install", "uninstall"] {
        let refused = setup.env.run(&["hook", command]);
        assert!(refused.code == 1 && refused.err.contains("is not Baton's"), "{refused:?}");
    }
    let read = |name: &str| std::fs::read_to_string(setup.hooks().join(name)).unwrap();
    assert_eq!((read("pre-push").as_str(), read("pre-push.before-baton").as_str()), ("#!/bin/sh\n", OTHER));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_install_that_died_half_way_is_finished_by_the_next() {
    let setup = Setup::bare().await;
    write_program(&setup.hooks().join("pre-push.before-baton"), OTHER);
    setup.env.run(&["hook", "install"]).exits(0);
    setup.git(&["checkout", "-q", "-b", "topic"]);
    setup.push(&["origin", "topic"]).passed(&[]);
    assert!(setup.env.path("noted").exists());
    std::fs::remove_file(setup.hooks().join("pre-push")).unwrap();
    setup.env.run(&["hook", "uninstall"]).exits(0);
    assert_eq!(std::fs::read_to_string(setup.hooks().join("pre-push")).unwrap(), OTHER);
}

#[tokio::test(flavor = "multi_thread")]
async fn worktrees_and_configured_directories_of_hooks_are_honoured() {
    let setup = Setup::bare().await;
    setup.git(&["worktree", "add", "-q", "-b", "topic", "../tree"]);
    let tree = setup.env.root().join("tree");
    let baton = baton();
    setup.run_in(&tree, &baton, &["hook", "install"]).exits(0);
    assert!(setup.hooks().join("pre-push").exists());
    setup.claimed("web", 1).await;
    setup.run_in(&tree, "git", &["commit", "-q", "--allow-empty", "-m", "Closes #1"]).exits(0);
    setup.run_in(&tree, "git", &["push", "origin", "topic"]).refused(&["#1 is held by"]);
    setup.run_in(&tree, &baton, &["hook", "uninstall"]).exits(0);
    setup.git(&["config", "core.hooksPath", "tools/hooks"]);
    std::fs::create_dir_all(setup.env.path("deep/er")).unwrap();
    setup.run_in(&setup.env.path("deep/er"), &baton, &["hook", "install"]).exits(0);
    assert!(setup.env.path("tools/hooks/pre-push").exists() && !setup.hooks().join("pre-push").exists());
    setup.git(&["checkout", "-q", "-b", "second"]);
    setup.commit("Closes #1");
    setup.push(&["origin", "second"]).refused(&["#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_of_a_repository_there_is_nothing_to_install() {
    let setup = Setup::bare().await;
    let ran = setup.run_in(setup.env.root(), baton(), &["hook", "install"]);
    assert!(ran.code == 2 && ran.err.contains("no repository here"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_binary_that_has_moved_is_found_on_the_path_and_one_that_is_gone_is_missed_aloud() {
    let setup = Setup::new().await;
    setup.claimed("web", 1).await;
    setup.commit("Closes #1");
    let hook = setup.hooks().join("pre-push");
    // The hook has the path without links.
    let path = std::fs::canonicalize(baton()).unwrap();
    let moved = std::fs::read_to_string(&hook).unwrap();
    let moved = moved.replace(path.to_str().unwrap(), "/nowhere/it's/baton");
    assert!(moved.contains("/nowhere/"), "{moved}");
    setup.write_hook(&moved.replace("it's", "here"));
    // Nothing of this machine is on the path, a baton of its owner included.
    let bin = setup.env.root().join("bin");
    for name in ["git", "cat", "sh"] {
        let path = std::env::var("PATH").unwrap();
        let found =
            path.split(':').map(|it| std::path::Path::new(it).join(name)).find(|it| it.exists()).unwrap();
        std::os::unix::fs::symlink(found, bin.join(name)).unwrap();
    }
    let path = [("PATH", bin.to_str().unwrap())];
    let push = ["--dry-run", "origin", "topic"];
    setup.push_with(&path, &push).passed(&[
        "warning: nobody checked",
        "/nowhere/here/baton",
        "baton hook install",
    ]);
    std::os::unix::fs::symlink(baton(), bin.join("baton")).unwrap();
    setup.push_with(&path, &push).refused(&["#1 is held by"]);
    // To install again puts the path right.
    assert!(setup.env.run(&["hook", "install"]).exits(0).out.ends_with("anew"));
    setup.push(&push).refused(&["#1 is held by"]);
}
