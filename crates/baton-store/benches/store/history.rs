//! A long history: many finished runs with their wakeups, transfers and effects, written in bulk.

use std::path::Path;

use baton_testbed::Cluster;
use rusqlite::Connection;

use crate::ours::{CONTEXT, now_ms};

/// So many runs of each issue are over.
const RUNS_PER_ITEM: u64 = 10;

/// Both databases know these statements; `numbers` has the numbers up to that of the runs.
const ITEMS: &str = "INSERT INTO items (id, key, kind, repo, execution_fence, version)
    SELECT n, 'acme/web#' || n, 'issue', 'acme/web', {each}, {each} FROM numbers WHERE n <= {items}";
const WAKEUPS: &str =
    "INSERT INTO wakeups (id, item_id, agent, agent_key, source, reason, context, asked_by, \
     asked_by_person, status, run_id, attempt, interruptions, not_before, created_at, finished_at)
    SELECT n, 1 + (n - 1) % {items}, 'Builder', 'builder', 'webhook', 'issue_commented', '{context}', 'ada', \
     true, 'completed', n, 0, 0, {now} - n, {now} - n, {now} - n FROM numbers";
const RUNS: &str = "INSERT INTO runs (id, item_id, wakeup_id, agent, agent_key, status, context, fence, worker_id, \
     attempt, interruptions, not_before, created_at, started_at, finished_at, cost_micros)
    SELECT n, 1 + (n - 1) % {items}, n, 'Builder', 'builder', 'succeeded', '{context}', 1 + (n - 1) / {items}, 1, \
     0, 0, {now} - n, {now} - n, {now} - n, {now} - n, 1500 FROM numbers";
const TAKEN: &str = "INSERT INTO transfers (at, item_id, to_run_id, agent_key, fence, reason)
    SELECT {now} - n, 1 + (n - 1) % {items}, n, 'builder', 1 + (n - 1) / {items}, 'taken' FROM numbers";
const FREED: &str = "INSERT INTO transfers (at, item_id, from_run_id, agent_key, fence, reason, after)
    SELECT {now} - n, 1 + (n - 1) % {items}, n, 'builder', 1 + (n - 1) / {items}, 'freed', 'succeeded' FROM numbers";
const EFFECTS: &str =
    "INSERT INTO effects (item_id, version, step, deed, fence, status, attempts, not_before, \
     created_at, finished_at)
    SELECT 1 + (n - 1) % {items}, 1 + (n - 1) / {items}, 0, '{\"comment\":{\"body\":\"done\"}}', \
     1 + (n - 1) / {items}, 'done', 1, {now} - n, {now} - n, {now} - n FROM numbers";
const ALL: [&str; 6] = [ITEMS, WAKEUPS, RUNS, TAKEN, FREED, EFFECTS];

fn filled(statement: &str, runs: u64) -> String {
    statement
        .replace("{items}", &(runs / RUNS_PER_ITEM).to_string())
        .replace("{each}", &RUNS_PER_ITEM.to_string())
        .replace("{context}", CONTEXT)
        .replace("{now}", &now_ms().to_string())
}

/// Fills a database that has our schema and a worker.
pub(crate) fn fill_postgres(cluster: &Cluster, database: &str, runs: u64) {
    let mut statements = format!(
        "CREATE TEMPORARY TABLE numbers AS SELECT n FROM generate_series(1::bigint, {runs}) AS s (n);\n\
         ANALYZE numbers;\n"
    );
    for statement in ALL {
        statements.push_str(&filled(statement, runs));
        statements.push_str(";\n");
    }
    let items = runs / RUNS_PER_ITEM;
    statements.push_str(&format!(
        "SELECT setval('run_ids', {runs}), setval('wakeup_ids', {runs}), \
             setval(pg_get_serial_sequence('items', 'id'), {items});\n\
         VACUUM (ANALYZE);\nCHECKPOINT;\n"
    ));
    cluster.sql(database, &statements).expect("the history is written");
}

/// Fills a file that has our schema and a worker.
pub(crate) fn fill_sqlite(file: &Path, runs: u64) {
    let db = Connection::open(file).expect("the file opens");
    if runs > 0 {
        write_sqlite(&db, runs);
    }
    db.execute_batch("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)").expect("the log is emptied");
}

fn write_sqlite(db: &Connection, runs: u64) {
    let numbers = format!(
        "CREATE TEMPORARY TABLE numbers (n INTEGER PRIMARY KEY);
         WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {runs})
         INSERT INTO numbers SELECT n FROM s;"
    );
    db.execute_batch(&numbers).expect("numbers");
    db.execute_batch("PRAGMA cache_size = -400000").expect("a large cache");
    for statement in ALL {
        db.execute(&filled(statement, runs), []).expect("the history is written");
    }
}
