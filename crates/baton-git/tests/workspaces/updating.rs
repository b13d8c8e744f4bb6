//! Bringing branches up to date with their base.

use std::fs;

use baton_core::workspace::Update;
use baton_fixtures::git::{git, run};

use super::world::{World, ask, commit, read};

#[test]
fn commits_are_put_on_top_of_the_base_and_keep_their_author() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    let base = world.person_pushes("main", "b", "news\n");
    let again = world.open(7);
    assert_eq!((&again.update, &again.base_commit), (&Update::Done, &base));
    assert_eq!(git(&again.path, &["rev-parse", "HEAD^"]), base);
    assert_eq!(git(&again.path, &["log", "-1", "--format=%an <%ae> %cn"]), "Ada <ada@example.org> baton");
    assert_eq!((read(&again.path, "a"), read(&again.path, "b")), ("work\n".to_owned(), "news\n".to_owned()));
    assert_eq!(world.open(7).update, Update::Unneeded);
}

#[test]
fn a_conflict_is_told_and_leaves_everything_as_it_was() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "other", "fine\n");
    let work = commit(&opened.path, "readme", "mine\n");
    world.person_pushes("main", "readme", "theirs\n");
    let again = world.open(7);
    assert_eq!(again.update, Update::Conflict(vec!["readme".to_owned()]));
    assert_eq!((&again.head, read(&again.path, "readme")), (&work, "mine\n".to_owned()));
    assert_eq!(git(&again.path, &["branch", "--show-current"]), "baton/issue-7");
    assert_eq!(git(&again.path, &["status", "--porcelain"]), "");
    // Nothing is left in the middle: the next push works.
    world.close(7);
    assert_eq!(world.on_remote("baton/issue-7"), Some(work));
}

#[test]
fn a_rebase_that_fails_without_a_conflict_is_an_error_in_gits_words() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "lost\n");
    let work = commit(&opened.path, "a", "work\n");
    // As a bad disk does it.
    let lost = git(&opened.path, &["rev-parse", "HEAD^:a"]);
    fs::remove_file(world.mirror().join(format!("objects/{}/{}", &lost[..2], &lost[2..]))).unwrap();
    world.person_pushes("main", "b", "news\n");
    let error = world.try_open(&ask(7)).unwrap_err();
    assert!(error.answer.contains(&lost) && !error.is_transient, "{error}");
    assert_eq!(git(&opened.path, &["rev-parse", "baton/issue-7"]), work);
    assert_eq!(git(&opened.path, &["status", "--porcelain"]), "");
}

#[test]
fn what_is_not_committed_keeps_a_branch_where_it_is() {
    let world = World::new();
    let opened = world.open(7);
    fs::write(opened.path.join("readme"), "not committed\n").unwrap();
    world.person_pushes("main", "b", "news\n");
    let again = world.open(7);
    assert_eq!((again.update, &again.head), (Update::Dirty, &opened.head));
    assert_eq!(read(&again.path, "readme"), "not committed\n");
}

#[test]
fn a_rebase_of_an_agent_that_is_in_the_middle_is_left_alone() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "readme", "mine\n");
    let base = world.person_pushes("main", "readme", "theirs\n");
    world.open(7);
    run(&opened.path, &["rebase", &base]);
    let again = world.open(7);
    assert_eq!(again.update, Update::Dirty);
    assert!(read(&again.path, "readme").contains("<<<<<<<"));
}

#[test]
fn a_rebase_of_the_engine_that_was_cut_off_is_undone() {
    let world = World::new();
    let opened = world.open(7);
    let work = commit(&opened.path, "readme", "mine\n");
    let base = world.person_pushes("main", "readme", "theirs\n");
    world.open(7);
    fs::write(opened.git_dir.join("baton-rebase"), &work).unwrap();
    run(&opened.path, &["rebase", &base]);
    let again = world.open(7);
    assert_eq!((again.head, again.update), (work, Update::Conflict(vec!["readme".to_owned()])));
    assert_eq!(git(&again.path, &["status", "--porcelain"]), "");
}

#[test]
fn a_base_that_was_rewritten_is_no_obstacle() {
    let world = World::new();
    world.person_pushes("main", "oops", "to be taken back\n");
    let opened = world.open(7);
    let work = commit(&opened.path, "a", "work\n");
    world.close(7);
    git(&world.person(), &["reset", "--quiet", "--hard", "HEAD^"]);
    let base = commit(&world.person(), "b", "instead\n");
    git(&world.person(), &["push", "--quiet", "--force", "origin", "main"]);
    let before = world.commits();
    let again = world.open(7);
    assert_eq!((&again.update, &again.base_commit), (&Update::Done, &base));
    assert_eq!(
        (read(&again.path, "a"), read(&again.path, "b")),
        ("work\n".to_owned(), "instead\n".to_owned())
    );
    assert!(world.commits().is_superset(&before) && before.contains(&work));
}
