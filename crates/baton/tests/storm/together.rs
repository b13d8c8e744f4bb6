//! Several engines at one board: each stage of each issue is run once, by one of them, and none does all the work.

use std::time::Duration;

use baton_core::slot::Run;
use baton_fixtures::{TestEnv, TestForge, TestRepo, is_full};
use baton_ports::Store as _;
use baton_ports::store::RunFilter;
use baton_testbed::shared::{TestDatabase, url_for_new_database};

use crate::storm::end_state;
use crate::storm::journal::Journal;
use crate::storm::runs::assert_one_run_each;
use crate::storm::setup::{
    SQLITE, Settings, engine_env, open_store, repo_with_protocol, told, until_done, wish, writer,
};

/// Long enough for everything, however busy the machine is.
const LONG: Duration = Duration::from_secs(600);
/// How many issues wait when the engines start, every day and at full size.
const ISSUES: (u64, u64) = (8, 12);
/// Two cores are shared by everybody, so that requests take their time.
const PATIENT: &str = "request_timeout: 10s\nmax_concurrent: 3\n";

/// Makes a place for an engine. Nobody is killed here, so that nobody needs to be found dead soon.
fn patient_env(forge: &TestForge, settings: &Settings<'_>, journal: &Journal) -> TestEnv {
    engine_env(&forge.dir().join(settings.name), settings, journal)
        .with_all(&[("BATON_WORKERS_HEARTBEAT", "2s"), ("BATON_WORKERS_TTL", "60s")])
}

async fn runs(env: &TestEnv, database: Option<&TestDatabase>) -> Vec<Run> {
    let filter = RunFilter { limit: 10_000, ..RunFilter::default() };
    let rows = open_store(env, database).await.runs(&filter).await.unwrap();
    rows.into_iter().map(|row| row.run).collect()
}

/// Lets engines work until every issue is done, and checks what they did.
async fn work(repo: &TestRepo, team: &[(&str, TestEnv)], database: Option<&TestDatabase>, journal: &Journal) {
    let mut issues = Vec::new();
    for nth in 1..=if is_full() { ISSUES.1 } else { ISSUES.0 } {
        issues.push(wish(repo, &format!("Wish {nth}")).await);
    }
    let engines: Vec<_> = team.iter().map(|(name, env)| env.engine(&["engine", "--name", name])).collect();
    until_done(repo, &issues, LONG, || team.iter().map(|(_, env)| told(env)).collect()).await;
    for engine in engines {
        engine.stop_async().await;
    }
    let mut stores = Vec::new();
    for (name, env) in team {
        stores.push((*name, runs(env, database).await));
    }
    let of = |engine: &str| stores.iter().find(|(name, _)| *name == engine).map_or(&[][..], |(_, runs)| runs);
    assert_one_run_each(journal.entries(), &repo.name, &issues, of);
    for number in &issues {
        end_state::nothing_is_there_twice(repo, *number).await;
    }
    let shares = journal.shares();
    println!("{shares:?}");
    let all: usize = shares.values().sum();
    assert_eq!(shares.len(), team.len(), "{shares:?}");
    assert!(shares.values().all(|share| share * 5 >= all), "somebody did less than a fifth: {shares:?}");
}

async fn without_a_shared_store(protocol: &str) {
    let forge = TestForge::start();
    let repo = repo_with_protocol(&forge, "web", protocol).await;
    let journal = Journal::new(forge.dir(), "agents");
    let mut team = Vec::new();
    for name in ["ann", "bob"] {
        let token = writer(&forge, name, &repo).await;
        let (api_url, repo) = (&forge.url, &repo);
        let settings = Settings { name, token: &token, api_url, repo, store: SQLITE, more: PATIENT };
        team.push((name, patient_env(&forge, &settings, &journal)));
    }
    work(&repo, &team, None, &journal).await;
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
    let forge = TestForge::start();
    let repo = repo_with_protocol(&forge, "web", "ref").await;
    let journal = Journal::new(forge.dir(), "agents");
    let database = url_for_new_database("storm").unwrap();
    let token = writer(&forge, "ann", &repo).await;
    let team = ["one", "two", "three"].map(|name| {
        let (token, api_url, repo, store) = (&token, &forge.url, &repo, &database.url());
        let settings = Settings { name, token, api_url, repo, store, more: PATIENT };
        (name, patient_env(&forge, &settings, &journal))
    });
    work(&repo, &team, Some(&database), &journal).await;
}
