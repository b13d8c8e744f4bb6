//! Dispatch of `cargo xtask bench NAME`: one file for each benchmark.
//!
//! This module measures nothing itself and keeps no results.

pub(crate) mod agent;
pub(crate) mod assess;
pub(crate) mod claims;
pub(crate) mod forge;
pub(crate) mod grammars;
pub(crate) mod store;

/// The benchmarks, by name.
#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Measure what supervision costs: starts, output, work trees.
    Agent(agent::Args),
    /// Measure how fast the rules of the pipeline decide, and what they allocate.
    Assess(assess::Args),
    /// Compare ways to claim an issue: duplicates, calls, time to a decision, recovery.
    Claims(claims::Args),
    /// Measure the embedded forge.
    Forge(forge::Args),
    /// Look for texts that a grammar takes too long to read.
    Grammars(grammars::Args),
    /// Compare the store with bare SQL: SQLite and PostgreSQL, 1 and 16 clients, empty tables and a long history.
    Store(store::Args),
}

pub(crate) fn run(bench: Bench) -> anyhow::Result<()> {
    match bench {
        Bench::Agent(args) => agent::run(&args),
        Bench::Assess(args) => assess::run(&args),
        Bench::Claims(args) => claims::run(&args),
        Bench::Forge(args) => forge::run(args),
        Bench::Grammars(args) => grammars::run(&args),
        Bench::Store(args) => store::run(&args),
    }
}
