//! How fast the rules decide: issues a second on one core, beside plain passes over the same memory, and what an
//! explanation takes.
//!
//! A herd of issues is made from a fixed seed; most of them rest, as on a real board. Nothing is asserted: the table says
//! what was met and what was missed. Run by `cargo xtask bench assess`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark: it reads the clock and the environment, and prints"
)]

mod dice;
mod herd;
mod passes;
mod pull;
mod table;

use std::hint::black_box;
use std::time::{Duration, Instant};

use baton_core::pipeline::{Explanation, Item, Step, next_step};

use herd::Herd;
use table::Table;

/// Rounds take turns, and the median counts: other work on the machine hits all of them alike.
const ROUNDS: usize = 7;

/// Explanations are made for every so many issues.
const EXPLAINED_EVERY: usize = 50;

fn main() {
    let items = std::env::var("BATON_BENCH_ITEMS").ok().and_then(|count| count.parse().ok());
    let herd = Herd::new(items.unwrap_or(100_000));
    let mut table = Table::new(&herd);
    pace(&herd, &mut table);
    allocations(&herd, &mut table);
    explanations(&herd, &mut table);
    if let Some(path) = std::env::var_os("BATON_BENCH_OUT") {
        std::fs::write(path, table.text()).expect("the figures can be written");
    }
}

/// Everything that is measured over many issues, in turns.
fn pace(herd: &Herd, table: &mut Table) {
    let groups = [("idle", herd.idle()), ("idle, at a gate", herd.at_gates()), ("the whole mix", herd.all())];
    for (name, items) in groups {
        let mut took = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            took[0].push(timed(|| items.iter().map(|item| decide(herd, item)).sum()));
            took[1].push(timed(|| items.iter().map(|item| passes::needed(item)).sum()));
            took[2].push(timed(|| items.iter().map(|item| passes::whole(item).0).sum()));
        }
        let bytes = items.iter().map(|item| passes::whole(item).1).sum();
        table.pace(name, items.len(), bytes, took.map(median));
    }
}

/// Decides, and returns something that keeps the decision from being left out.
fn decide(herd: &Herd, item: &Item) -> u64 {
    let step = black_box(next_step(item, &herd.pipeline, &herd.policy, herd.now));
    u64::from(matches!(step, Step::Rest(_)))
}

fn timed(work: impl FnOnce() -> u64) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn median(mut took: Vec<Duration>) -> Duration {
    took.sort_unstable();
    took[took.len() / 2]
}

fn allocations(herd: &Herd, table: &mut Table) {
    for (name, items, has_aim) in [("idle", herd.idle(), true), ("the whole mix", herd.all(), false)] {
        let counted = allocation_counter::measure(|| {
            black_box(items.iter().map(|item| decide(herd, item)).sum::<u64>());
        });
        table.allocations(name, items.len(), counted.count_total, has_aim);
    }
}

fn explanations(herd: &Herd, table: &mut Table) {
    let explain = |item: &&Item| {
        timed(|| {
            let explanation = Explanation::of(item, &herd.pipeline, &herd.policy, herd.now);
            explanation.screen(false).len() as u64
        })
    };
    let mut took: Vec<_> = herd.all().iter().step_by(EXPLAINED_EVERY).map(explain).collect();
    took.sort_unstable();
    table.explanations(took[took.len() / 2], took[took.len() * 99 / 100]);
}
