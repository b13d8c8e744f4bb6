//! SQLite: our store and a bare loop, each on a file of its own, with empty tables and with a long history.

use std::fs;
use std::path::{Path, PathBuf};

use baton_store::SqlStore;
use tokio::runtime::Runtime;

use crate::bare_sqlite::Bare;
use crate::history;
use crate::ours::{self, Ours};
use crate::plan::{CLIENTS, Plan, WORKS, Work};
use crate::table::Table;

/// Two files with the same rows.
struct Pair {
    ours: Ours,
    bare: Bare,
}

pub(crate) fn measure(plan: &Plan, runtime: &Runtime, table: &mut Table) {
    let directory = tempfile::Builder::new().prefix("baton").tempdir().expect("a directory");
    let mut empty = pair(runtime, directory.path(), "empty", 0);
    let mut full =
        plan.has_part("history").then(|| pair(runtime, directory.path(), "full", plan.finished_runs));
    for work in WORKS {
        for clients in CLIENTS {
            compare(plan, runtime, (work, clients), &mut empty, full.as_mut(), table);
        }
    }
}

fn pair(runtime: &Runtime, directory: &Path, name: &str, runs: u64) -> Pair {
    let (ours, bare) = (directory.join(format!("{name}.db")), directory.join(format!("{name}-bare.db")));
    drop(opened(runtime, &ours));
    history::fill_sqlite(&ours, runs);
    fs::copy(&ours, &bare).expect("a copy");
    Pair { ours: opened(runtime, &ours), bare: Bare::new(PathBuf::from(&bare)) }
}

fn opened(runtime: &Runtime, file: &Path) -> Ours {
    runtime.block_on(async { Ours::new(SqlStore::sqlite(file, ours::clock()).await.expect("a store")).await })
}

fn compare(
    plan: &Plan,
    runtime: &Runtime,
    (work, clients): (Work, usize),
    empty: &mut Pair,
    mut full: Option<&mut Pair>,
    table: &mut Table,
) {
    let mut rates: [Vec<f64>; 4] = Default::default();
    for _ in 0..plan.rounds {
        let [ours, bare, ours_full, bare_full] = &mut rates;
        ours.push(empty.ours.rate(runtime, plan, work, clients));
        bare.push(empty.bare.rate(plan, work, clients));
        if let Some(full) = &mut full {
            ours_full.push(full.ours.rate(runtime, plan, work, clients));
            bare_full.push(full.bare.rate(plan, work, clients));
        }
    }
    table.compared("SQLite", (work, clients), &rates, plan);
}
