//! Dispatch of `cargo xtask bench NAME`: one file for each benchmark.
//!
//! This module measures nothing itself and keeps no results.

pub(crate) mod forge;

/// The benchmarks, by name.
#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Measure the embedded forge.
    Forge(forge::Args),
}

pub(crate) fn run(bench: Bench) -> anyhow::Result<()> {
    match bench {
        Bench::Forge(args) => forge::run(args),
    }
}
