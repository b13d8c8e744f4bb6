//! Several engines at one board: each stage of each issue is run once, by one of them, and none does all the work.

use std::time::Duration;

use baton_testbed::shared::url_for_new_database;

use crate::storm::desk::{Desk, Setup};
use crate::storm::end_state;
use crate::storm::journal::Journal;
use crate::storm::waiting::is_full;
use crate::storm::world::{Repo, World};

/// Long enough for everything, however busy the machine is.
const LONG: Duration = Duration::from_secs(240);
const SQLITE: &str = "sqlite:.baton/baton.db";
/// How many issues wait when the engines start, every day and at full size.
const ISSUES: (u64, u64) = (8, 12);
/// Two cores are shared by everybody, so that requests take their time.
const PATIENT: &str = "request_timeout: 5s\nmax_concurrent: 3\n";

async fn issues(repo: &Repo<'_>) -> Vec<u64> {
    let mut numbers = Vec::new();
    for nth in 1..=if is_full() { ISSUES.1 } else { ISSUES.0 } {
        numbers.push(repo.issue(&format!("Wish {nth}")).await);
    }
    numbers
}

/// Lets engines work until every issue is done, and checks what they did.
async fn work(repo: &Repo<'_>, desks: &[Desk], journal: &Journal) {
    let issues = issues(repo).await;
    let engines: Vec<_> = desks.iter().map(Desk::engine).collect();
    let told = || desks.iter().map(Desk::told).collect::<String>();
    repo.until_done(&issues, LONG, told).await;
    for engine in engines {
        engine.stop().await;
    }
    journal.has_one_run_each(&repo.name, &issues);
    for number in &issues {
        end_state::nothing_is_there_twice(repo, *number).await;
    }
    let shares = journal.shares();
    println!("{shares:?}");
    let all: usize = shares.values().sum();
    assert_eq!(shares.len(), desks.len(), "{shares:?}");
    assert!(shares.values().all(|share| share * 5 >= all), "somebody did less than a fifth: {shares:?}");
}

async fn without_a_shared_store(protocol: &str) {
    let world = World::new();
    let repo = world.repo("web").await;
    let journal = Journal::new(world.path(), "agents");
    let mut desks = Vec::new();
    for name in ["ann", "bob"] {
        let token = world.account(name, &repo).await;
        let setup = Setup {
            name,
            token: &token,
            api_url: &world.forge.url,
            repo: &repo.name,
            store: SQLITE,
            more: PATIENT,
        };
        desks.push(Desk::new(&world.path().join(name), &setup, &journal));
    }
    repo.set_protocol(protocol);
    work(&repo, &desks, &journal).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_engines_that_share_only_a_tracker_with_refs_run_each_stage_once_and_share_the_work() {
    without_a_shared_store("ref").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_engines_that_share_only_a_tracker_with_comments_run_each_stage_once_and_share_the_work() {
    without_a_shared_store("comment").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_engines_on_one_postgresql_run_each_stage_once_and_share_the_work() {
    let world = World::new();
    let repo = world.repo("web").await;
    let journal = Journal::new(world.path(), "agents");
    let database = url_for_new_database("storm").unwrap();
    let token = world.account("ann", &repo).await;
    let desks: Vec<_> = ["one", "two", "three"]
        .into_iter()
        .map(|name| {
            let setup = Setup {
                name,
                token: &token,
                api_url: &world.forge.url,
                repo: &repo.name,
                store: &database.url(),
                more: PATIENT,
            };
            Desk::new(&world.path().join(name), &setup, &journal)
        })
        .collect();
    repo.set_protocol("ref");
    work(&repo, &desks, &journal).await;
}
