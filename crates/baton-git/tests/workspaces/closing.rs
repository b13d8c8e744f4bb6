//! How runs end: commits of what is left, and pushes.

use std::fs;

use baton_core::workspace::{CloseAsk, PushClaim, PushTerms, Pushed};
use baton_fixtures::git::{git, run};
use baton_ports::Workspaces as _;

use super::world::{World, ask, close_ask, commit, read};

#[test]
fn what_is_left_is_committed_and_pushed() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    fs::write(opened.path.join("a"), "changed\n").unwrap();
    fs::remove_file(opened.path.join("readme")).unwrap();
    fs::write(opened.path.join("ünï \"b\"\n"), "new\n").unwrap();
    fs::create_dir_all(opened.path.join(".baton-context/deep")).unwrap();
    fs::write(opened.path.join(".baton-context/deep/x"), "context\n").unwrap();
    git(&opened.path, &["add", "--force", ".baton-context"]);
    let closed = world.close(7);
    assert!(closed.rest_committed);
    assert_eq!((closed.push, closed.kept_aside), (Pushed::Done { claim_tip: None }, None));
    assert_eq!(world.on_remote("baton/issue-7"), Some(closed.head));
    let tree = git(&world.remote(), &["ls-tree", "-r", "-z", "--name-only", "baton/issue-7"]);
    assert_eq!(tree, ".gitignore\0a\0ünï \"b\"\n\0");
    assert_eq!(git(&world.remote(), &["log", "-1", "--format=%an|%s", "baton/issue-7"]), "baton|WIP");
    assert!(!world.standing(7).is_dirty && opened.path.join(".baton-context/deep/x").exists());
}

#[test]
fn what_is_left_stays_as_it_is_when_nobody_wants_it_committed() {
    let world = World::new();
    let opened = world.open(7);
    fs::write(opened.path.join("b"), "new\n").unwrap();
    let closed = world.try_close(&CloseAsk { commit_rest_as: None, ..close_ask(7) }).unwrap();
    assert_eq!((closed.rest_committed, closed.push), (false, Pushed::Unneeded));
    assert!(world.standing(7).is_dirty);
}

#[test]
fn nothing_is_pushed_without_need_or_permission() {
    let world = World::new();
    let opened = world.open(7);
    assert_eq!(world.close(7).push, Pushed::Unneeded);
    assert_eq!(world.on_remote("baton/issue-7"), None);
    commit(&opened.path, "a", "work\n");
    let withheld = CloseAsk { push: PushTerms::Withheld, ..close_ask(7) };
    assert_eq!(world.try_close(&withheld).unwrap().push, Pushed::Withheld);
    assert_eq!(world.on_remote("baton/issue-7"), None);
    assert_eq!(world.close(7).push, Pushed::Done { claim_tip: None });
    assert_eq!(world.close(7).push, Pushed::Unneeded);
}

#[test]
fn a_branch_that_was_rewritten_here_replaces_what_was_seen_of_it() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    world.close(7);
    world.person_pushes("main", "b", "news\n");
    let again = world.open(7);
    assert_eq!(world.close(7).push, Pushed::Done { claim_tip: None });
    assert_eq!(world.on_remote("baton/issue-7"), Some(again.head));
}

#[test]
fn a_branch_that_somebody_else_has_moved_is_left_alone_and_the_work_is_kept() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    world.close(7);
    let mine = commit(&opened.path, "a", "more work\n");
    let theirs = world.person_pushes("baton/issue-7", "c", "theirs\n");
    // What an agent fetches does not make the engine believe that it knows it.
    git(&opened.path, &["fetch", "--quiet", "origin"]);
    let before = world.commits();
    let closed = world.close(7);
    let Pushed::BranchMoved { rescued_as } = closed.push else { panic!("{closed:?}") };
    assert!(rescued_as.starts_with("refs/baton/rescue/7/"), "{rescued_as}");
    assert_eq!(world.on_remote(&rescued_as), Some(mine));
    assert_eq!(world.on_remote("baton/issue-7"), Some(theirs.clone()));
    assert!(world.commits().is_superset(&before));
    // The same again is not kept twice, and the next run goes on from theirs.
    assert_eq!(world.close(7).push, Pushed::BranchMoved { rescued_as });
    assert_eq!(world.open(7).head, theirs);
}

#[test]
fn a_branch_that_is_taken_back_to_its_base_is_pushed() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "a mistake\n");
    world.close(7);
    git(&opened.path, &["reset", "--quiet", "--hard", "HEAD^"]);
    assert_eq!(world.close(7).push, Pushed::Done { claim_tip: None });
    assert_eq!(world.on_remote("baton/issue-7"), Some(opened.head));
}

#[test]
fn a_push_that_nobody_has_noted_is_recognised() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    // As an engine that dies between the two.
    git(&opened.path, &["push", "--quiet", "origin", "HEAD:refs/heads/baton/issue-7"]);
    assert_eq!(world.close(7).push, Pushed::Done { claim_tip: None });
    git(&world.mirror(), &["update-ref", "-d", "refs/baton/seen/7"]);
    let more = commit(&opened.path, "a", "more work\n");
    assert_eq!(world.close(7).push, Pushed::Done { claim_tip: None });
    assert_eq!(world.on_remote("baton/issue-7"), Some(more));
}

#[test]
fn a_new_branch_does_not_replace_one_that_has_come_since() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    let theirs = world.person_pushes("baton/issue-7", "c", "theirs\n");
    assert!(matches!(world.close(7).push, Pushed::BranchMoved { .. }));
    assert_eq!(world.on_remote("baton/issue-7"), Some(theirs));
}

#[test]
fn a_push_that_is_bound_to_a_claim_moves_it_along() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    let claim_ref = "refs/baton/claims/7".to_owned();
    git(&world.remote(), &["update-ref", &claim_ref, "main"]);
    let tip = world.on_remote(&claim_ref).unwrap();
    let fenced = |tip: &str, message: &str| CloseAsk {
        push: PushTerms::Fenced(PushClaim {
            claim_ref: claim_ref.clone(),
            tip: tip.to_owned(),
            message: message.to_owned(),
        }),
        ..close_ask(7)
    };
    let closed = world.try_close(&fenced(&tip, "one\n")).unwrap();
    let Pushed::Done { claim_tip: Some(new_tip) } = closed.push else { panic!("{closed:?}") };
    assert_eq!(world.on_remote(&claim_ref), Some(new_tip));
    // With the tip of before, the issue is somebody else's.
    let work = commit(&opened.path, "a", "too late\n");
    let before = world.commits();
    assert_eq!(world.try_close(&fenced(&tip, "two\n")).unwrap().push, Pushed::ClaimLost);
    assert_eq!(world.on_remote("baton/issue-7"), Some(closed.head));
    assert!(world.commits().is_superset(&before) && before.contains(&work));
}

#[test]
fn what_the_remote_says_no_to_is_told_in_its_words() {
    let world = World::new();
    let opened = world.open(7);
    commit(&opened.path, "a", "work\n");
    let hook = world.remote().join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho not on my watch >&2\nexit 1\n").unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let closed = world.close(7);
    assert!(matches!(&closed.push, Pushed::Refused(said) if said.contains("not on my watch")), "{closed:?}");
}

#[test]
fn a_remote_that_is_away_is_an_error_that_loses_nothing() {
    let world = World::new();
    let opened = world.open(7);
    fs::write(opened.path.join("b"), "new\n").unwrap();
    fs::rename(world.remote(), world.root.path().join("away")).unwrap();
    world.try_close(&close_ask(7)).unwrap_err();
    fs::rename(world.root.path().join("away"), world.remote()).unwrap();
    let closed = world.close(7);
    assert_eq!(closed.push, Pushed::Done { claim_tip: None });
    assert!(world.has_text("b", "new\n"));
}

#[test]
fn commits_beside_the_branch_are_taken_onto_it_where_they_continue_it() {
    let world = World::new();
    let opened = world.open(7);
    git(&opened.path, &["checkout", "--quiet", "-b", "my-own-idea"]);
    let work = commit(&opened.path, "a", "work\n");
    git(&opened.path, &["checkout", "--quiet", "--detach"]);
    let closed = world.close(7);
    assert_eq!((&closed.head, closed.kept_aside), (&work, None));
    assert_eq!(world.on_remote("baton/issue-7"), Some(work));
    assert_eq!(git(&opened.path, &["branch", "--show-current"]), "baton/issue-7");
}

#[test]
fn commits_beside_the_branch_are_kept_by_name_where_they_do_not() {
    let world = World::new();
    let opened = world.open(7);
    let work = commit(&opened.path, "a", "work\n");
    git(&opened.path, &["checkout", "--quiet", "--detach", "HEAD^"]);
    let aside = commit(&opened.path, "b", "aside\n");
    fs::write(opened.path.join("c"), "not committed\n").unwrap();
    let closed = world.close(7);
    assert_eq!(world.on_remote("baton/issue-7"), Some(work));
    let name = closed.kept_aside.unwrap();
    assert_eq!(git(&world.remote(), &["rev-parse", &format!("{name}^")]), aside);
    assert_eq!(git(&world.remote(), &["show", &format!("{name}:c")]), "not committed");
    assert!(!opened.path.join("c").exists() && !world.standing(7).is_dirty);
}

#[test]
fn an_operation_that_is_in_the_middle_is_ended_and_what_is_there_is_kept_by_name() {
    let world = World::new();
    let opened = world.open(7);
    let work = commit(&opened.path, "readme", "mine\n");
    let base = world.person_pushes("main", "readme", "theirs\n");
    world.open(7);
    for command in ["rebase", "merge", "cherry-pick"] {
        assert!(run(&opened.path, &[command, &base]).code != 0);
        fs::write(opened.path.join("readme"), format!("half resolved by {command}\n")).unwrap();
        let closed = world.close(7);
        assert_eq!(closed.head, work, "{command}");
        assert!(closed.kept_aside.is_some(), "{command}");
        assert_eq!(git(&opened.path, &["status", "--porcelain"]), "", "{command}");
        assert_eq!(read(&opened.path, "readme"), "mine\n");
        assert!(world.has_text("readme", &format!("half resolved by {command}\n")), "{command}");
    }
    assert_eq!(world.on_remote("baton/issue-7"), Some(work));
}

#[test]
fn there_is_nothing_to_close_before_it_was_opened() {
    let world = World::new();
    for result in [
        world.try_close(&close_ask(7)).map(drop),
        world.block_on(world.engine.standing(&ask(7).issue)).map(drop),
    ] {
        let error = result.unwrap_err();
        assert!(error.answer.contains("there is none at") && error.advice == "open it first", "{error}");
    }
}
