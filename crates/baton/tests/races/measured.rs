//! Runs with processes and chance. They print figures; what they assert holds whatever chance does.

use std::time::Duration;

use baton_fixtures::{is_full, seed};

use crate::races::harness::{self, Contest, Kind, SpanMs, WorkerProgram};
use crate::races::statistics::{self, Race, Statistics};
use crate::rivals::Outcome;

/// Returns a small run for every day, or a large one.
fn contest(kind: Kind) -> Contest {
    let (claimants, issues) = if is_full() { (16, 40) } else { (4, 4) };
    Contest::among(kind, claimants, issues, seed())
}

/// Runs a contest, prints it, and checks what any run must show.
async fn measure(test: &str, contest: &Contest) -> (Vec<Race>, Statistics) {
    println!("seed {}; replay: PROPTEST_RNG_SEED={} cargo xtask test {test}", contest.seed, contest.seed);
    let races = harness::run(contest, &WorkerProgram::test("races::race_worker")).await;
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
        assert!(
            verdict.calls_to_decision > 0 && verdict.past_first_step_ms().is_some(),
            "{login}: {verdict:?}"
        );
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

/// What must hold for a protocol of ours whatever chance does.
async fn check_ours(test: &str, run: &Contest) {
    let (races, found) = measure(test, run).await;
    check_answers(&races, &found);
    assert_eq!(
        (found.duplicates, found.without_winner),
        (0, 0),
        "exactly one winner for each issue: {found}"
    );
    assert_eq!((found.wrong_labels, found.loser_label_events), (0, 0), "{found}");
    assert!(found.overlap_percent >= 90.0, "too few races were contended: {found}");
}

/// A contest of ours. Nobody is late, and every call takes some time, so that nearly every race is one.
fn among_ours(kind: Kind, claimants: usize, issues: usize) -> Contest {
    let latency = SpanMs(20, 60);
    Contest { latency, jitter_max_ms: 5, ..Contest::among(kind, claimants, issues, seed()) }
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_one_process_wins_each_issue_by_ref_at_any_lag() {
    let sizes = if is_full() { [(2, 50), (8, 50), (64, 50)] } else { [(2, 10), (8, 8), (64, 5)] };
    for (claimants, issues) in sizes {
        let run = Contest { read_lag: SpanMs(0, 3_000), ..among_ours(Kind::Ref, claimants, issues) };
        check_ours("exactly_one_process_wins_each_issue_by_ref_at_any_lag", &run).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_one_process_wins_by_ref_what_others_have_handed_back() {
    let issues = if is_full() { 50 } else { 5 };
    for claimants in [2, 8, 64] {
        let run = Contest {
            read_lag: SpanMs(0, 200),
            has_history: true,
            ..among_ours(Kind::Ref, claimants, issues)
        };
        check_ours("exactly_one_process_wins_by_ref_what_others_have_handed_back", &run).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_one_process_wins_each_issue_by_comment_while_lag_is_within_settle() {
    let sizes = if is_full() { [(2, 50), (8, 50), (64, 50)] } else { [(2, 10), (8, 5), (64, 1)] };
    for (claimants, issues) in sizes {
        let run = Contest { read_lag: SpanMs(0, 600), ..among_ours(Kind::Comment, claimants, issues) };
        check_ours("exactly_one_process_wins_each_issue_by_comment_while_lag_is_within_settle", &run).await;
    }
}

/// Counts issues that two of ours hold, and issues that one of ours holds beside somebody else.
fn shared_holds(races: &[Race]) -> (usize, usize) {
    let is_ours = |kind| matches!(kind, Kind::Comment | Kind::Ref);
    let count = |race: &Race, ours: bool| race.winners().iter().filter(|it| is_ours(it.kind) == ours).count();
    let among_ours = races.iter().filter(|race| count(race, true) > 1).count();
    let with_others = races.iter().filter(|race| count(race, true) > 0 && count(race, false) > 0).count();
    (among_ours, with_others)
}

#[tokio::test(flavor = "multi_thread")]
async fn beside_alfreds_workers_ours_never_holds_what_they_hold() {
    let issues = if is_full() { 50 } else { 3 };
    let run = Contest {
        claimants: vec![Kind::Ref, Kind::Alfred, Kind::Ref],
        is_mixed: true,
        ..among_ours(Kind::Ref, 3, issues)
    };
    let (races, found) = measure("beside_alfreds_workers_ours_never_holds_what_they_hold", &run).await;
    check_answers(&races, &found);
    assert_eq!((shared_holds(&races), found.duplicates), ((0, 0), 0), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn beside_label_lock_scripts_ours_never_holds_twice_and_the_rest_is_told() {
    let issues = if is_full() { 50 } else { 2 };
    let run = Contest {
        claimants: vec![Kind::Ref, Kind::Bash, Kind::Ref],
        is_mixed: true,
        ..among_ours(Kind::Ref, 3, issues)
    };
    let (races, found) =
        measure("beside_label_lock_scripts_ours_never_holds_twice_and_the_rest_is_told", &run).await;
    check_answers(&races, &found);
    let (among_ours, with_scripts) = shared_holds(&races);
    println!("held by one of ours and by a script: {with_scripts} of {issues} (best effort)");
    assert_eq!(among_ours, 0, "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_gives_no_verdict_in_time_is_ended_and_counted() {
    let verdict_within = Duration::from_millis(300);
    let run = Contest {
        latency: SpanMs(500, 500),
        verdict_within,
        issues: 2,
        ..Contest::among(Kind::Alfred, 2, 2, seed())
    };
    let (races, found) = measure("a_worker_that_gives_no_verdict_in_time_is_ended_and_counted", &run).await;
    assert_eq!((found.errors, found.without_winner), (4, 2), "{found}");
    assert!(races.iter().flat_map(|race| &race.entries).all(|entry| entry.verdict.outcome == Outcome::Error));
}
