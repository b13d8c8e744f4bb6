//! What a claim costs and what it is worth: five ways to claim, at the same latency and lag, with the same number of
//! claimants, each a process of its own against one forge.
//!
//! The table has duplicates, calls and time to a decision, and how long a dead claimant blocks its issue. Run by `cargo
//! xtask bench claims`. Times include two cores' worth of processes waiting for each other; duplicates and calls do not
//! depend on the machine.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark: it starts processes, reads the clock and prints"
)]
#![expect(dead_code, reason = "it shares modules with the tests, which use more of them")]

mod recovery;
#[path = "../../tests/rivals/mod.rs"]
mod rivals;

#[path = "../../tests/races"]
mod races {
    pub(crate) mod harness;
    pub(crate) mod ours;
    pub(crate) mod setup;
    pub(crate) mod statistics;
}

use races::{harness, ours, setup, statistics};

use std::fmt::Write as _;
use std::time::Duration;

use harness::{Contest, Kind, SpanMs, WorkerProgram};
use statistics::Statistics;

const KINDS: [Kind; 5] = [Kind::LabelVerify, Kind::Bash, Kind::Alfred, Kind::Comment, Kind::Ref];
const CLAIMANTS: [usize; 3] = [2, 8, 64];
const LATENCY: SpanMs = SpanMs(20, 60);
const LAGS: [SpanMs; 2] = [SpanMs(0, 0), SpanMs(0, 800)];

fn main() {
    if harness::serve_if_worker() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let issues = number("BATON_BENCH_ISSUES").unwrap_or(20);
    let text = runtime.block_on(run(issues));
    if let Some(path) = std::env::var_os("BATON_BENCH_OUT") {
        std::fs::write(path, text).expect("the figures can be written");
    }
}

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

async fn run(issues: usize) -> String {
    let mut text = String::new();
    for lag in LAGS {
        let heading = format!(
            "\nLatency {}–{} ms, read lag {}–{} ms, {issues} issues\n\n\
             | protocol | claimants | duplicates | without winner | calls to a decision, mean (most) | \
             to a decision, median (p95) ms | labels left wrong | label events by losers |\n\
             |---|---|---|---|---|---|---|---|\n",
            LATENCY.0, LATENCY.1, lag.0, lag.1
        );
        say(&mut text, &heading);
        for kind in KINDS {
            for claimants in CLAIMANTS {
                let found = measure(kind, claimants, issues, lag).await;
                say(&mut text, &row(kind, claimants, &found));
            }
        }
    }
    say(
        &mut text,
        "\nFrom a claimant's death to the next claim, by the server's clock:\n\n| protocol | seconds |\n|---|---|\n",
    );
    for kind in KINDS {
        let blocked = recovery::measure(kind).await;
        say(&mut text, &format!("| {} | {blocked} |\n", kind.name()));
    }
    text
}

fn say(text: &mut String, more: &str) {
    print!("{more}");
    text.push_str(more);
}

async fn measure(kind: Kind, claimants: usize, issues: usize, read_lag: SpanMs) -> Statistics {
    let contest = Contest {
        read_lag,
        latency: LATENCY,
        jitter_max_ms: 5,
        verdict_within: Duration::from_secs(180),
        ..Contest::among(kind, claimants, issues, baton_fixtures::seed())
    };
    statistics::of(&harness::run(&contest, &WorkerProgram::with(Vec::new())).await)
}

fn row(kind: Kind, claimants: usize, found: &Statistics) -> String {
    let mut row = format!("| {} | {claimants} | {} |", kind.name(), found.duplicates);
    let _ = writeln!(
        row,
        " {} | {:.2} ({}) | {} ({}) | {} | {} |",
        found.without_winner,
        found.calls_mean,
        found.calls_max,
        found.decision_median_ms,
        found.decision_p95_ms,
        found.wrong_labels,
        found.loser_label_events
    );
    if found.errors > 0 {
        let _ = writeln!(row, "<!-- {} errors, the first: {:?} -->", found.errors, found.first_error);
    }
    row
}
