//! What supervision costs: an agent's start beside a bare fork and exec of the same program, its output beside `cat`, and a work
//! tree beside a bare `git worktree add`.
//!
//! Both sides of a row take turns in the same run, and medians are compared. Run by `cargo xtask bench agent`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark: it starts processes, reads the clock and prints"
)]

mod starts;
mod streams;
mod trees;

use std::fmt::Write as _;
use std::time::Duration;

/// One row of the table.
pub(crate) struct Row {
    what: &'static str,
    ours: String,
    yardstick: String,
    ratio: f64,
    aim: &'static str,
    /// Nothing where there is no aim.
    is_met: Option<bool>,
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let rounds = number("BATON_BENCH_ROUNDS").unwrap_or(100);
    let mut text = String::from("| what | ours | yardstick | ratio | aim | |\n|---|---|---|---|---|---|\n");
    for rows in [
        runtime.block_on(starts::measure(rounds)),
        runtime.block_on(streams::measure(rounds.min(7))),
        runtime.block_on(trees::measure(rounds.min(30))),
    ] {
        for Row { what, ours, yardstick, ratio, aim, is_met } in rows {
            let met = match is_met {
                None => "",
                Some(true) => "met",
                Some(false) => "missed",
            };
            let _ = writeln!(text, "| {what} | {ours} | {yardstick} | {ratio:.2} | {aim} | {met} |");
        }
    }
    println!("{text}");
    if let Some(path) = std::env::var_os("BATON_BENCH_OUT") {
        std::fs::write(path, text).unwrap();
    }
}

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

pub(crate) fn median<T: Copy + PartialOrd>(values: &mut [T]) -> T {
    values.sort_by(|a, b| a.partial_cmp(b).unwrap());
    values[values.len() / 2]
}

pub(crate) fn ms(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1000.0)
}
