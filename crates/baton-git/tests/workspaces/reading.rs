//! Runs that may not change anything.

use std::fs;

use baton_core::workspace::{CloseAsk, OpenAsk, Opened, PushTerms, Update};
use baton_fixtures::git::git;

use super::world::{World, ask, close_ask, commit, read};

fn open_to_read(world: &World, number: u64) -> Opened {
    world.try_open(&OpenAsk { is_read_only: true, updates: false, ..ask(number) }).unwrap()
}

fn close_after_reading(world: &World, number: u64) -> Option<String> {
    let ask = CloseAsk { is_read_only: true, push: PushTerms::Withheld, ..close_ask(number) };
    world.try_close(&ask).unwrap().kept_aside
}

/// A place with something staged, something changed after it was staged, something new and something deleted.
fn dirty_place(world: &World) -> (Opened, String) {
    let opened = world.open(7);
    commit(&opened.path, "staged", "0\n");
    commit(&opened.path, "deleted", "0\n");
    fs::write(opened.path.join("staged"), "1\n").unwrap();
    git(&opened.path, &["add", "staged"]);
    fs::write(opened.path.join("staged"), "2\n").unwrap();
    fs::write(opened.path.join("new"), "3\n").unwrap();
    fs::remove_file(opened.path.join("deleted")).unwrap();
    (opened, state(world))
}

fn state(world: &World) -> String {
    let path = world.engine.path(&super::world::issue(7));
    let status = git(&path, &["status", "--porcelain", "--untracked-files=all"]);
    format!("{status}\n{}\n{}", git(&path, &["diff"]), git(&path, &["rev-parse", "HEAD"]))
}

#[test]
fn what_is_not_committed_is_put_aside_and_comes_back() {
    let world = World::new();
    let (opened, before) = dirty_place(&world);
    open_to_read(&world, 7);
    assert!(!world.standing(7).is_dirty);
    assert_eq!(read(&opened.path, "staged"), "0\n");
    assert!(!opened.path.join("new").exists() && opened.path.join("deleted").exists());
    // Nobody else's stash is touched.
    assert_eq!(git(&opened.path, &["stash", "list"]), "");
    assert_eq!(close_after_reading(&world, 7), None);
    assert_eq!(state(&world), before);
}

#[test]
fn what_the_run_has_changed_is_thrown_away_and_its_commits_are_kept_by_name() {
    let world = World::new();
    let (opened, before) = dirty_place(&world);
    open_to_read(&world, 7);
    let made = commit(&opened.path, "made", "4\n");
    fs::write(opened.path.join("staged"), "5\n").unwrap();
    fs::write(opened.path.join("new"), "6\n").unwrap();
    fs::write(opened.path.join("junk"), "7\n").unwrap();
    let name = close_after_reading(&world, 7).expect("the commit is told of");
    assert_eq!(state(&world), before);
    assert!(!opened.path.join("junk").exists() && !opened.path.join("made").exists());
    assert_eq!(git(&world.mirror(), &["rev-parse", &name]), made);
}

#[test]
fn a_run_that_was_cut_off_is_ended_by_the_next() {
    let world = World::new();
    let (opened, before) = dirty_place(&world);
    for _ in 0..2 {
        open_to_read(&world, 7);
        fs::write(opened.path.join("junk"), "7\n").unwrap();
    }
    let again = world.try_open(&OpenAsk { updates: false, ..ask(7) }).unwrap();
    assert_eq!(again.update, Update::NotTried);
    assert_eq!(state(&world), before);
}

#[test]
fn a_clean_place_stays_clean() {
    let world = World::new();
    let opened = world.open(7);
    let head = commit(&opened.path, "a", "work\n");
    open_to_read(&world, 7);
    git(&opened.path, &["reset", "--quiet", "--hard", "HEAD^"]);
    git(&opened.path, &["checkout", "--quiet", "--detach"]);
    assert_eq!(close_after_reading(&world, 7), None);
    assert_eq!((world.standing(7).head, world.standing(7).is_dirty), (head, false));
    assert_eq!(git(&opened.path, &["branch", "--show-current"]), "baton/issue-7");
}

#[test]
fn what_was_put_aside_is_kept_by_name_if_the_run_was_allowed_to_write_after_all() {
    let world = World::new();
    let (opened, _) = dirty_place(&world);
    open_to_read(&world, 7);
    fs::write(opened.path.join("new"), "other\n").unwrap();
    let closed = world.close(7);
    assert!(closed.rest_committed && closed.kept_aside.is_some());
    assert!(
        world.has_text("new", "3\n") && world.has_text("new", "other\n") && world.has_text("staged", "1\n")
    );
}
