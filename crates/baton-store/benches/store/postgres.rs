//! PostgreSQL: our store and `pgbench` on databases of one server, with empty tables and with a long history.

use std::path::Path;

use baton_store::SqlStore;
use baton_testbed::Cluster;
use tokio::runtime::Runtime;

use crate::ours::Ours;
use crate::pgbench::Pgbench;
use crate::plan::{CLIENTS, Plan, WORKS, Work};
use crate::table::Table;
use crate::{history, nudge};

/// Two databases with the same rows.
struct Pair<'a> {
    ours: Ours,
    bare: Pgbench<'a>,
}

pub(crate) fn measure(plan: &Plan, runtime: &Runtime, table: &mut Table) {
    let cluster = Cluster::builder().durable(true).start().expect("a server");
    let scripts = tempfile::tempdir().expect("a directory for scripts");
    let mut empty = empty(&cluster, runtime, scripts.path());
    if plan.has_part("nudge") {
        nudge::measure(plan, runtime, &empty.ours, &mut empty.bare, table);
    }
    if !plan.has_part("postgres") {
        return;
    }
    let mut full = plan.has_part("history").then(|| full(&cluster, runtime, scripts.path(), plan));
    for work in WORKS {
        for clients in CLIENTS {
            compare(plan, runtime, (work, clients), &mut empty, full.as_mut(), table);
        }
    }
}

fn empty<'a>(cluster: &'a Cluster, runtime: &Runtime, scripts: &Path) -> Pair<'a> {
    let ours = made(cluster, runtime, "ours");
    drop(made(cluster, runtime, "bare"));
    Pair { ours, bare: Pgbench::new(cluster, "bare", scripts.join("empty")) }
}

fn full<'a>(cluster: &'a Cluster, runtime: &Runtime, scripts: &Path, plan: &Plan) -> Pair<'a> {
    drop(made(cluster, runtime, "full"));
    history::fill_postgres(cluster, "full", plan.finished_runs);
    cluster.cut_connections("full").expect("nobody is connected");
    cluster.create_database_from("bare_full", "full").expect("a copy");
    cluster.sql("full", "CHECKPOINT").expect("a checkpoint");
    let ours = opened(cluster, runtime, "full");
    Pair { ours, bare: Pgbench::new(cluster, "bare_full", scripts.join("full")) }
}

/// Makes a database with our schema and one worker, which the bare SQL uses too.
fn made(cluster: &Cluster, runtime: &Runtime, database: &str) -> Ours {
    cluster.create_database(database).expect("a database");
    opened(cluster, runtime, database)
}

fn opened(cluster: &Cluster, runtime: &Runtime, database: &str) -> Ours {
    let url = cluster.url(database);
    runtime.block_on(async { Ours::new(SqlStore::postgres(&url).await.expect("a store")).await })
}

fn compare(
    plan: &Plan,
    runtime: &Runtime,
    (work, clients): (Work, usize),
    empty: &mut Pair<'_>,
    mut full: Option<&mut Pair<'_>>,
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
    table.compared("PostgreSQL", (work, clients), &rates, plan);
}
