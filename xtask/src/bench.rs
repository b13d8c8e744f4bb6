//! Dispatch of `cargo xtask bench NAME`: one file for each benchmark.
//!
//! This module measures nothing itself and keeps no results.

pub(crate) mod agent;
pub(crate) mod assess;
pub(crate) mod claims;
pub(crate) mod engine;
pub(crate) mod forge;
pub(crate) mod grammars;
pub(crate) mod store;
pub(crate) mod web;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::command;
use crate::workspace::Workspace;

/// The benchmarks, by name.
#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Measure what supervision costs: starts, output, work trees.
    Agent(agent::Args),
    /// Measure how fast the rules of the pipeline decide, and what they allocate.
    Assess(assess::Args),
    /// Compare ways to claim an issue: duplicates, calls, time to a decision, recovery.
    Claims(claims::Args),
    /// Measure the engine: idle cycles, memory, starts of agents, webhooks in a flood, many runs at once.
    Engine(engine::Args),
    /// Measure the embedded forge.
    Forge(forge::Args),
    /// Look for texts that a grammar takes too long to read.
    Grammars(grammars::Args),
    /// Compare the store with bare SQL: SQLite and PostgreSQL, 1 and 16 clients, empty tables and a long history.
    Store(store::Args),
    /// Measure the dashboard: the board of 1,000 issues, and 500 streams of events.
    Web(web::Args),
}

pub(crate) fn run(bench: Bench) -> Result<()> {
    match bench {
        Bench::Agent(args) => agent::run(&args),
        Bench::Assess(args) => assess::run(&args),
        Bench::Claims(args) => claims::run(&args),
        Bench::Engine(args) => engine::run(&args),
        Bench::Forge(args) => forge::run(args),
        Bench::Grammars(args) => grammars::run(&args),
        Bench::Store(args) => store::run(&args),
        Bench::Web(args) => web::run(&args),
    }
}

/// A bench target of a package, which prints its figures and keeps them in a file under the target directory.
struct Target {
    command: Command,
    figures: PathBuf,
}

impl Target {
    fn new(package: &str, name: &str) -> Result<Self> {
        let kept = Workspace::find()?.target.join("bench");
        fs::create_dir_all(&kept).with_context(|| format!("cannot create {}", kept.display()))?;
        let figures = kept.join(format!("{name}.md"));
        let mut command = command::cargo();
        command
            .args(["bench", "--quiet", "--package", package, "--bench", name])
            .env("BATON_BENCH_OUT", &figures);
        Ok(Self { command, figures })
    }

    /// Tells the target something.
    fn with(mut self, variable: &str, value: &str) -> Self {
        self.command.env(variable, value);
        self
    }

    fn run(mut self) -> Result<()> {
        command::run(&mut self.command)?;
        println!("kept in {}", self.figures.display());
        Ok(())
    }
}
