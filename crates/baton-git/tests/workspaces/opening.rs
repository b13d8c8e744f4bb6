//! What an issue's place is when it is opened.

use std::fs;
use std::os::unix::fs::symlink;

use baton_core::config::PipelineDialect;
use baton_core::workspace::{OpenAsk, Pushed, Update};
use baton_fixtures::git::{git, run};
use baton_ports::Workspaces as _;

use super::world::{REPO, World, ask, commit, issue, make_remote, read};

#[test]
fn a_new_place_is_a_branch_of_its_own_from_the_default_branch() {
    let world = World::new();
    let opened = world.open(7);
    assert_eq!(opened.path, world.root.path().join("worktrees/acme-web/issue-7"));
    assert_eq!((opened.branch.as_str(), opened.base.as_str()), ("baton/issue-7", "main"));
    assert_eq!(opened.head, opened.base_commit);
    assert_eq!(world.on_remote("main").as_ref(), Some(&opened.head));
    assert_eq!((opened.is_new, opened.update, opened.missing_base), (true, Update::Unneeded, None));
    assert_eq!(read(&opened.path, "readme"), "first\n");
    // An agent's git finds its way, too.
    assert_eq!(git(&opened.path, &["branch", "--show-current"]), "baton/issue-7");
    assert_eq!(git(&opened.path, &["status", "--porcelain"]), "");
    assert_eq!(git(&opened.path, &["fsck", "--no-progress"]), "");
}

#[test]
fn a_place_that_is_there_is_found_with_everything_in_it() {
    let world = World::new();
    let opened = world.open(7);
    let head = commit(&opened.path, "a", "work\n");
    fs::write(opened.path.join("b"), "not committed\n").unwrap();
    fs::create_dir(opened.path.join("target")).unwrap();
    fs::write(opened.path.join("target/c"), "ignored\n").unwrap();
    let again = world.open(7);
    assert_eq!((again.is_new, &again.head), (false, &head));
    assert_eq!(read(&again.path, "b"), "not committed\n");
    assert_eq!(read(&again.path, "target/c"), "ignored\n");
    assert!(world.standing(7).is_dirty);
}

#[test]
fn a_run_that_goes_on_goes_on_while_the_remote_cannot_be_reached() {
    let world = World::new();
    let opened = world.open(7);
    let unreached = world.engine_without_network();
    let going_on = OpenAsk { updates: false, ..ask(7) };
    let again = world.block_on(unreached.open(&going_on)).unwrap();
    assert_eq!((again.head, again.update), (opened.head, Update::NotTried));
    // Work that begins does not: neither a new place nor a stage.
    for ask in [OpenAsk { updates: false, ..ask(8) }, ask(7)] {
        let error = world.block_on(unreached.open(&ask)).unwrap_err();
        assert!(error.to_string().contains("looking at the remote of acme/web"), "{error}");
        assert!(error.is_transient, "{error}");
    }
    // Nor does anything where there is nothing behind the address.
    fs::rename(world.remote(), world.root.path().join("away")).unwrap();
    assert!(!world.try_open(&going_on).unwrap_err().is_transient);
}

#[test]
fn a_run_that_goes_on_takes_in_what_others_have_pushed_meanwhile() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    world.close(7);
    let theirs = world.person_pushes("baton/issue-7", "b", "theirs\n");
    let main = world.person_pushes("main", "c", "news\n");
    let again = world.try_open(&OpenAsk { updates: false, ..ask(7) }).unwrap();
    assert_eq!((&again.head, again.update), (&theirs, Update::NotTried));
    // The base is the remote's, although nothing was put on top of it: an agent may be asked to do that.
    assert_eq!((git(&again.path, &["rev-parse", "origin/main"]), again.base_commit), (main.clone(), main));
    let more = commit(&again.path, "a", "more work\n");
    assert_eq!(world.close(7).push, Pushed::Done { claim_tip: None });
    assert_eq!(world.on_remote("baton/issue-7"), Some(more));
}

#[test]
fn branches_are_named_as_the_dialect_has_it() {
    let world = World::with(|settings| settings.dialect = PipelineDialect::Fabrik);
    assert_eq!(world.open(7).branch, "fabrik/issue-7");
}

#[test]
fn the_base_is_the_one_that_a_label_names_if_the_remote_has_it() {
    let world = World::new();
    let release = world.person_pushes("release/1.0", "r", "r\n");
    let opened = world.try_open(&OpenAsk { base: Some("release/1.0".to_owned()), ..ask(7) }).unwrap();
    assert_eq!(
        (opened.base.as_str(), opened.base_commit, opened.missing_base),
        ("release/1.0", release, None)
    );
    let opened = world.try_open(&OpenAsk { base: Some("nowhere".to_owned()), ..ask(8) }).unwrap();
    assert_eq!((opened.base.as_str(), opened.missing_base.as_deref()), ("main", Some("nowhere")));
}

#[test]
fn a_base_that_is_no_name_of_a_branch_is_missing_and_nothing_is_run() {
    let world = World::new();
    let trap = world.root.path().join("trap");
    let upload = format!("--upload-pack=touch {};", trap.display());
    for (number, base) in
        ["..", "a\nb", "a b", "-x", "main:refs/heads/x", "HEAD", "", "baton/issue-7", "@{-1}", &upload]
            .iter()
            .enumerate()
    {
        let number = if *base == "baton/issue-7" { 7 } else { 100 + number as u64 };
        let opened = world.try_open(&OpenAsk { base: Some((*base).to_owned()), ..ask(number) }).unwrap();
        assert_eq!((opened.base.as_str(), opened.missing_base.as_deref()), ("main", Some(*base)));
    }
    assert!(!trap.exists());
}

#[test]
fn a_base_may_be_called_as_people_do_elsewhere() {
    let world = World::new();
    let commit = world.person_pushes("größe/日本", "r", "r\n");
    let opened = world.try_open(&OpenAsk { base: Some("größe/日本".to_owned()), ..ask(7) }).unwrap();
    assert_eq!((opened.base.as_str(), opened.base_commit), ("größe/日本", commit));
}

#[test]
fn a_base_that_was_deleted_gives_way_to_the_default_branch() {
    let world = World::new();
    world.person_pushes("next", "n", "n\n");
    let asked = OpenAsk { base: Some("next".to_owned()), ..ask(7) };
    let opened = world.try_open(&asked).unwrap();
    let work = commit(&opened.path, "a", "work\n");
    git(&world.person(), &["push", "--quiet", "origin", ":next"]);
    let again = world.try_open(&asked).unwrap();
    assert_eq!((again.base.as_str(), again.missing_base.as_deref()), ("main", Some("next")));
    assert_eq!((again.head, again.update), (work, Update::Unneeded));
}

#[test]
fn a_branch_that_is_gone_is_not_in_the_way_of_one_that_begins_alike() {
    let world = World::new();
    world.person_pushes("next", "n", "n\n");
    world.try_open(&OpenAsk { base: Some("next".to_owned()), ..ask(7) }).unwrap();
    git(&world.person(), &["push", "--quiet", "origin", ":next"]);
    git(&world.person(), &["fetch", "--quiet", "--prune", "origin"]);
    git(&world.person(), &["checkout", "--quiet", "--detach"]);
    git(&world.person(), &["branch", "-D", "next"]);
    let commit = world.person_pushes("next/1", "n", "n1\n");
    let opened = world.try_open(&OpenAsk { base: Some("next/1".to_owned()), ..ask(8) }).unwrap();
    assert_eq!(opened.base_commit, commit);
}

#[test]
fn a_new_default_branch_is_noticed() {
    let world = World::new();
    world.open(7);
    let trunk = world.person_pushes("trunk", "t", "t\n");
    git(&world.remote(), &["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    let opened = world.open(8);
    assert_eq!((opened.base.as_str(), opened.head), ("trunk", trunk));
}

#[test]
fn work_of_another_machine_is_gone_on_with() {
    let world = World::new();
    let other = world.other_machine();
    let there = world.block_on(other.open(&ask(7))).unwrap();
    let work = commit(&there.path, "a", "work\n");
    world.block_on(other.close(&super::world::close_ask(7))).unwrap();
    assert_eq!(world.open(7).head, work);
    // And back again, with more on top.
    let more = commit(&world.open(7).path, "b", "more\n");
    world.close(7);
    assert_eq!(world.block_on(other.open(&ask(7))).unwrap().head, more);
}

#[test]
fn commits_that_the_remote_lacks_are_kept_when_it_has_others() {
    let world = World::new();
    let opened = world.open(7);
    let mine = commit(&opened.path, "a", "mine\n");
    let theirs = world.person_pushes("baton/issue-7", "a", "theirs\n");
    let before = world.commits();
    let again = world.open(7);
    assert_eq!(again.head, theirs);
    assert!(world.commits().is_superset(&before) && before.contains(&mine));
    // They are told of, and put on the remote, at the end of the run.
    let closed = world.close(7);
    let name = closed.kept_aside.expect("it is told");
    assert_eq!(world.on_remote(&name), Some(mine));
}

#[test]
fn commits_that_the_remote_lacks_are_kept_when_the_directory_is_gone() {
    let world = World::new();
    let opened = world.open(7);
    let mine = commit(&opened.path, "a", "mine\n");
    fs::remove_dir_all(&opened.path).unwrap();
    let again = world.open(7);
    assert_eq!((again.is_new, again.head), (true, mine));
}

#[test]
fn what_is_not_on_the_branch_is_kept_when_the_directory_is_gone() {
    let world = World::new();
    let opened = world.open(7);
    git(&opened.path, &["checkout", "--quiet", "--detach"]);
    let mine = commit(&opened.path, "a", "mine\n");
    fs::remove_dir_all(&opened.path).unwrap();
    world.open(7);
    assert!(world.commits().contains(&mine));
}

#[test]
fn a_directory_that_git_does_not_know_any_more_is_taken_up_as_it_is() {
    let world = World::new();
    let opened = world.open(7);
    let head = commit(&opened.path, "a", "work\n");
    world.close(7);
    fs::write(opened.path.join("b"), "not committed\n").unwrap();
    fs::remove_dir_all(world.mirror()).unwrap();
    let again = world.open(7);
    assert_eq!((again.is_new, again.head), (false, head));
    assert_eq!(read(&again.path, "b"), "not committed\n");
    assert_eq!(git(&again.path, &["status", "--porcelain"]), "?? b");
}

#[test]
fn what_a_crash_has_left_half_made_is_made_anew() {
    let world = World::new();
    let opened = world.open(7);
    let worktrees = opened.path.parent().unwrap();
    // A mirror and a work tree that were not finished, and a work tree that was not quite removed.
    for (number, left) in [(8, ".new-issue-8"), (9, ".gone-issue-9")] {
        fs::create_dir(worktrees.join(left)).unwrap();
        fs::write(worktrees.join(left).join("junk"), "junk").unwrap();
        let admin = world.mirror().join(format!("worktrees/issue-{number}"));
        fs::create_dir_all(&admin).unwrap();
        fs::write(admin.join("HEAD"), "").unwrap();
        let opened = world.open(number);
        assert!(opened.is_new && !worktrees.join(left).exists() && !opened.path.join("junk").exists());
        assert_eq!(git(&opened.path, &["status", "--porcelain"]), "");
    }
    make_remote(world.root.path(), "acme/api");
    let half = world.root.path().join("mirrors/.new-acme-api.git");
    fs::create_dir_all(half.join("objects")).unwrap();
    fs::write(half.join("HEAD"), "").unwrap();
    let issue = baton_core::tracker::IssueKey { repo: "acme/api".parse().unwrap(), number: 1 };
    assert!(world.try_open(&OpenAsk { issue, ..ask(1) }).unwrap().is_new);
    assert!(!half.exists());
}

#[test]
fn a_repository_without_commits_is_told_of() {
    let world = World::new();
    let empty = world.root.path().join("remote/acme/empty.git");
    fs::create_dir_all(&empty).unwrap();
    git(&empty, &["init", "--quiet", "--bare"]);
    let issue = baton_core::tracker::IssueKey { repo: "acme/empty".parse().unwrap(), number: 1 };
    let error = world.try_open(&OpenAsk { issue, ..ask(1) }).unwrap_err();
    assert!(error.advice.contains("push a first commit") && !error.is_transient, "{error}");
}

#[test]
fn a_repository_that_is_not_there_is_told_of_and_leaves_nothing() {
    let world = World::new();
    let issue = baton_core::tracker::IssueKey { repo: "acme/none".parse().unwrap(), number: 1 };
    let error = world.try_open(&OpenAsk { issue, ..ask(1) }).unwrap_err();
    assert!(error.advice.contains("git.remote") && !error.is_transient, "{error}");
    let left: Vec<_> = fs::read_dir(world.root.path().join("mirrors")).unwrap().collect();
    assert_eq!(left.len(), 1, "only the lock: {left:?}");
}

#[test]
fn a_mirror_holds_no_password_and_is_of_one_repository() {
    let world = World::new();
    world.open(7);
    let config = fs::read_to_string(world.mirror().join("config")).unwrap();
    assert!(config.contains(&format!("/remote/{REPO}.git")), "{config}");
    fs::write(world.mirror().join("baton-repo"), "evil/twin\n").unwrap();
    let error = world.try_open(&ask(7)).unwrap_err();
    assert!(error.answer.contains("is of evil/twin"), "{error}");
}

#[test]
fn a_path_that_is_a_link_is_refused() {
    let world = World::new();
    let elsewhere = world.root.path().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    let path = world.engine.path(&issue(7));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(&elsewhere, &path).unwrap();
    let error = world.try_open(&ask(7)).unwrap_err();
    assert!(error.answer.contains("is a link or a file"), "{error}");
    assert!(world.block_on(world.engine.remove(&issue(7))).is_err());
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    symlink(&elsewhere, path.parent().unwrap()).unwrap();
    assert!(world.try_open(&ask(7)).is_err());
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn the_engines_own_directories_are_ignored_by_git() {
    let world = World::new();
    let opened = world.open(7);
    fs::create_dir(opened.path.join(".baton-context")).unwrap();
    fs::write(opened.path.join(".baton-context/issue.md"), "x").unwrap();
    assert!(!world.standing(7).is_dirty);
    assert_eq!(git(&opened.path, &["status", "--porcelain"]), "");
    assert!(run(&opened.path, &["add", ".baton-context/issue.md"]).code != 0);
}
