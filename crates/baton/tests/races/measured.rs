//! Runs with processes and chance. They print figures; what they assert holds whatever chance does.

use std::time::Duration;

use crate::dice;
use crate::harness::{self, Contest, Kind, SpanMs, WorkerProgram};
use crate::rivals::Outcome;
use crate::statistics::{self, Race, Statistics};

fn is_full() -> bool {
    std::env::var("BATON_TEST_FULL").is_ok_and(|full| full == "1")
}

/// Returns a small run for every day, or a large one.
fn contest(kind: Kind) -> Contest {
    let (claimants, issues) = if is_full() { (16, 40) } else { (4, 4) };
    Contest::among(kind, claimants, issues, dice::seed())
}

/// Runs a contest, prints it, and checks what any run must show.
async fn measure(test: &str, contest: &Contest) -> (Vec<Race>, Statistics) {
    println!("seed {}; replay: PROPTEST_RNG_SEED={} cargo xtask test {test}", contest.seed, contest.seed);
    let races = harness::run(contest, &WorkerProgram::test("race_worker")).await;
    let found = statistics::of(&races);
    let (kinds, SpanMs(lag_min, lag_max), SpanMs(least, most)) =
        (&contest.claimants, contest.read_lag, contest.latency);
    println!(
        "{} x {}, read lag {lag_min}-{lag_max} ms, latency {least}-{most} ms\n{found}",
        kinds.len(),
        kinds[0].name()
    );
    assert_eq!(found.issues, contest.issues);
    assert!(races.iter().all(|race| race.entries.len() == kinds.len()), "everybody says how it ended");
    (races, found)
}

/// Checks that the worker processes did what they were told, each under an account of its own.
fn check_answers(races: &[Race], found: &Statistics) {
    assert_eq!(found.errors, 0, "{found}");
    for entry in races.iter().flat_map(|race| &race.entries) {
        let (verdict, login) = (&entry.verdict, &entry.login);
        assert!(verdict.calls_to_decision > 0 && verdict.first_read_ms.is_some(), "{login}: {verdict:?}");
        assert!(!verdict.won() || verdict.decisive_write_ms.is_some(), "{login}: {verdict:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn alfred_is_measured_without_lag() {
    let run = Contest { latency: SpanMs(1, 30), ..contest(Kind::Alfred) };
    let (races, found) = measure("alfred_is_measured_without_lag", &run).await;
    check_answers(&races, &found);
    assert_eq!(found.without_winner, 0, "the first to post always wins here: {found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn alfred_is_measured_with_lag() {
    let run = Contest { latency: SpanMs(1, 30), read_lag: SpanMs(0, 300), ..contest(Kind::Alfred) };
    let (races, found) = measure("alfred_is_measured_with_lag", &run).await;
    check_answers(&races, &found);
}

#[tokio::test(flavor = "multi_thread")]
async fn label_verify_is_measured_with_lag_around_its_delay() {
    let verify_delay = Duration::from_millis(200);
    let run = Contest {
        latency: SpanMs(1, 30),
        read_lag: SpanMs(0, 400),
        verify_delay,
        ..contest(Kind::LabelVerify)
    };
    let (races, found) = measure("label_verify_is_measured_with_lag_around_its_delay", &run).await;
    check_answers(&races, &found);
    assert_eq!(found.without_winner, 0, "the lowest name never yields: {found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_worker_is_measured_without_lag() {
    let run = Contest { latency: SpanMs(1, 30), ..contest(Kind::Bash) };
    let (races, found) = measure("the_shell_worker_is_measured_without_lag", &run).await;
    check_answers(&races, &found);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_worker_is_measured_with_lag() {
    let run = Contest { latency: SpanMs(1, 30), read_lag: SpanMs(0, 300), ..contest(Kind::Bash) };
    let (races, found) = measure("the_shell_worker_is_measured_with_lag", &run).await;
    check_answers(&races, &found);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_gives_no_verdict_in_time_is_ended_and_counted() {
    let verdict_within = Duration::from_millis(300);
    let run = Contest {
        latency: SpanMs(500, 500),
        verdict_within,
        issues: 2,
        ..Contest::among(Kind::Alfred, 2, 2, dice::seed())
    };
    let (races, found) = measure("a_worker_that_gives_no_verdict_in_time_is_ended_and_counted", &run).await;
    assert_eq!((found.errors, found.without_winner), (4, 2), "{found}");
    assert!(races.iter().flat_map(|race| &race.entries).all(|entry| entry.verdict.outcome == Outcome::Error));
}
