//! Features that span repositories.

use std::fs;

use baton_core::RepoSlug;
use baton_core::workspace::names::FeatureId;
use baton_fixtures::git::git;
use baton_git::MultiWorktree;

use super::world::{World, commit, make_remote};

fn repos(names: &[&str]) -> Vec<RepoSlug> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn feature() -> FeatureId {
    "checkout-v2".parse().unwrap()
}

#[test]
fn a_feature_has_one_branch_in_all_its_repositories() {
    let world = World::new();
    make_remote(world.root.path(), "acme/api");
    let all = world
        .block_on(MultiWorktree::open(&world.engine, &feature(), &repos(&["acme/web", "acme/api"])))
        .unwrap();
    assert_eq!(all.branch(), "baton/feature-checkout-v2");
    let paths: Vec<_> = all.worktrees().map(|(_, opened)| opened.path.clone()).collect();
    for (path, repo) in paths.iter().zip(["acme-web", "acme-api"]) {
        assert_eq!(*path, world.root.path().join("worktrees").join(repo).join("feature-checkout-v2"));
        assert_eq!(git(path, &["branch", "--show-current"]), "baton/feature-checkout-v2");
    }
    assert_eq!(world.block_on(all.close()), []);
    assert!(paths.iter().all(|path| !path.exists()));
    assert_eq!(git(&world.mirror(), &["for-each-ref", "refs/heads"]), "");
}

#[test]
fn if_one_repository_cannot_be_opened_none_stays() {
    let world = World::new();
    let opened =
        world.block_on(MultiWorktree::open(&world.engine, &feature(), &repos(&["acme/web", "acme/none"])));
    assert!(opened.is_err());
    assert!(!world.root.path().join("worktrees/acme-web/feature-checkout-v2").exists());
}

#[test]
fn what_the_remote_has_not_is_kept_and_told_and_found_again() {
    let world = World::new();
    for name in ["acme/api", "acme/app"] {
        make_remote(world.root.path(), name);
    }
    let names = repos(&["acme/web", "acme/api", "acme/app"]);
    let all = world.block_on(MultiWorktree::open(&world.engine, &feature(), &names)).unwrap();
    let paths: Vec<_> = all.worktrees().map(|(_, opened)| opened.path.clone()).collect();
    let head = commit(&paths[0], "a", "work\n");
    fs::write(paths[1].join("b"), "not committed\n").unwrap();
    let kept = world.block_on(all.close());
    let shown: Vec<_> = kept.iter().map(|it| (it.repo.to_string(), it.path.clone())).collect();
    assert_eq!(shown, [("acme/web".to_owned(), paths[0].clone()), ("acme/api".to_owned(), paths[1].clone())]);
    assert!(kept[0].why.contains("commits that the remote has not") && kept[1].why.contains("not committed"));
    assert!(!paths[2].exists());
    // One that cannot be opened does not cost what was there before.
    let with_none = repos(&["acme/web", "acme/none"]);
    assert!(world.block_on(MultiWorktree::open(&world.engine, &feature(), &with_none)).is_err());
    let again = world.block_on(MultiWorktree::open(&world.engine, &feature(), &names)).unwrap();
    let heads: Vec<_> = again.worktrees().map(|(_, opened)| (opened.is_new, opened.head.clone())).collect();
    assert_eq!((heads[0].0, &heads[0].1), (false, &head));
    assert!(heads[2].0 && paths[1].join("b").exists());
}

#[test]
fn dropped_it_removes_what_is_clean() {
    let world = World::new();
    make_remote(world.root.path(), "acme/api");
    let all = world
        .block_on(MultiWorktree::open(&world.engine, &feature(), &repos(&["acme/web", "acme/api"])))
        .unwrap();
    let paths: Vec<_> = all.worktrees().map(|(_, opened)| opened.path.clone()).collect();
    commit(&paths[0], "a", "work\n");
    drop(all);
    assert!(paths[0].exists() && !paths[1].exists());
}

#[test]
fn dropped_it_leaves_what_was_there_before() {
    let world = World::new();
    let open =
        || world.block_on(MultiWorktree::open(&world.engine, &feature(), &repos(&["acme/web"]))).unwrap();
    let first = open();
    let path = first.worktrees().next().unwrap().1.path.clone();
    drop(open());
    assert!(path.exists());
    drop(first);
    assert!(!path.exists());
}

#[test]
fn what_cannot_be_seen_at_once_is_kept_as_well() {
    let world = World::new();
    let open =
        || world.block_on(MultiWorktree::open(&world.engine, &feature(), &repos(&["acme/web"]))).unwrap();
    let all = open();
    let path = all.worktrees().next().unwrap().1.path.clone();
    let close = |all: MultiWorktree, why: &str| {
        let kept = world.block_on(all.close());
        assert!(kept.len() == 1 && kept[0].why.contains(why) && path.exists(), "{why}: {kept:?}");
    };
    // What is in git's own stash, and what only a ref that anybody can write says is on the remote.
    fs::write(path.join("readme"), "stashed\n").unwrap();
    git(&path, &["stash", "push", "--quiet"]);
    close(all, "commits that the remote has not");
    git(&path, &["stash", "drop", "--quiet"]);
    let head = commit(&path, "a", "work\n");
    git(&path, &["update-ref", "refs/remotes/origin/made-up", &head]);
    close(open(), "commits that the remote has not");
    git(&path, &["push", "--quiet", "origin", "HEAD"]);
    fs::remove_file(path.join(".git")).unwrap();
    fs::create_dir(path.join(".git")).unwrap();
    let place = world.block_on(MultiWorktree::open(&world.engine, &feature(), &repos(&["acme/web"])));
    assert!(place.is_err() && path.exists());
}
