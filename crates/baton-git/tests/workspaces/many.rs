//! Many places of one repository, and several engines at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use baton_core::workspace::Removal;
use baton_fixtures::git::git;
use baton_git::GitWorkspaces;
use baton_ports::Workspaces as _;

use super::world::{World, ask, close_ask, commit, issue, settings};

const PLACES: u64 = 200;
const AT_ONCE: u64 = 8;

#[test]
fn two_hundred_places_come_and_go_eight_at_a_time() {
    let world = World::new();
    let next = Arc::new(AtomicU64::new(1));
    let worker = |engine: GitWorkspaces, next: Arc<AtomicU64>| async move {
        let mut heads = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number > PLACES {
                return heads;
            }
            let opened = engine.open(&ask(number)).await.unwrap();
            assert!(opened.is_new);
            if number.is_multiple_of(20) {
                heads.push((number, commit(&opened.path, "a", &format!("{number}\n"))));
                engine.close(&close_ask(number)).await.unwrap();
            }
        }
    };
    let heads = world.block_on(async {
        let workers: Vec<_> =
            (0..AT_ONCE).map(|_| tokio::spawn(worker(world.engine.clone(), Arc::clone(&next)))).collect();
        let mut heads = Vec::new();
        for worker in workers {
            heads.extend(worker.await.unwrap());
        }
        heads
    });
    assert_eq!(heads.len() as u64, PLACES / 20);
    for (number, head) in heads {
        assert_eq!(world.on_remote(&format!("baton/issue-{number}")), Some(head));
    }
    let branches = git(&world.mirror(), &["for-each-ref", "--format=%(worktreepath)", "refs/heads"]);
    assert_eq!(branches.lines().filter(|line| !line.is_empty()).count() as u64, PLACES);
    git(&world.mirror(), &["fsck", "--no-progress", "--connectivity-only"]);
}

#[test]
fn two_engines_share_a_mirror_from_the_first_moment() {
    let world = World::new();
    let engines = [0, 1].map(|_| GitWorkspaces::new(settings(world.root.path()), |_| None).unwrap());
    world.block_on(async {
        let work = |engine: GitWorkspaces, first: u64| async move {
            for number in (first..first + 12).step_by(2) {
                let opened = engine.open(&ask(number)).await.unwrap();
                commit(&opened.path, "a", &format!("{number}\n"));
                engine.close(&close_ask(number)).await.unwrap();
                let removal = engine.remove(&issue(number)).await.unwrap();
                assert_eq!(removal, Removal::Removed { rescued: Vec::new() });
            }
        };
        let [one, two] = engines.clone();
        let (one, two) = (tokio::spawn(work(one, 1)), tokio::spawn(work(two, 2)));
        one.await.unwrap();
        two.await.unwrap();
    });
    for number in 1..=12 {
        let text = git(&world.remote(), &["show", &format!("baton/issue-{number}:a")]);
        assert_eq!(text, number.to_string());
    }
}

#[test]
fn two_engines_that_open_the_same_place_get_the_same() {
    let world = World::new();
    let other = GitWorkspaces::new(settings(world.root.path()), |_| None).unwrap();
    let (one, two) = world.block_on(async {
        let (first, second) = (world.engine.clone(), other.clone());
        let one = tokio::spawn(async move { first.open(&ask(7)).await.unwrap() });
        let two = tokio::spawn(async move { second.open(&ask(7)).await.unwrap() });
        (one.await.unwrap(), two.await.unwrap())
    });
    assert_eq!((&one.path, &one.head), (&two.path, &two.head));
    assert_ne!(one.is_new, two.is_new);
}
