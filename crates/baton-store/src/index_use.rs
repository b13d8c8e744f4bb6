//! Shows that what is asked often is found by an index, however many rows are finished: neither database reads a whole
//! table of rows that only ever grow.

use std::sync::Arc;

use baton_core::slot::effect::EffectStatus;
use baton_core::slot::{AgentKey, WakeupStatus, WorkerId};
use baton_core::time::StoreTime;
use baton_ports::store::{EffectFilter, RunFilter, StartSearch, WakeupFilter};
use baton_testbed::shared::url_for_new_database;
use sqlx::AssertSqlSafe;

use crate::arg::{Arg, args};
use crate::postgres::Locking;
use crate::row::Row;
use crate::session::Session;
use crate::store::SqlStore;
use crate::{deliveries, effects, find, lists, load, workers};

const FINISHED: u32 = 20_000;
/// The tables that only grow.
const GROWING: [&str; 6] = ["items", "runs", "wakeups", "effects", "transfers", "deliveries"];

/// The indexes over rows that are not finished.
const SHORT: [&str; 6] = [
    "effects_dead",
    "runs_to_start",
    "runs_running",
    "wakeups_deferred",
    "effects_unfinished",
    "deliveries_unread",
];

/// Fills the tables with what is over, a few that wait, and two that run.
fn rows(series: &str) -> String {
    format!(
        "INSERT INTO workers (name, host, since, until)
            SELECT 'w', 'h', 0, 9000000000000 FROM {series} WHERE n <= 1000;
        INSERT INTO items (id, key, kind, repo) SELECT n, 'acme/web#' || n, 'issue', 'acme/web' FROM {series};
        INSERT INTO wakeups (id, item_id, agent, agent_key, source, reason, context, asked_by, asked_by_person, key,
            status, attempt, interruptions, not_before, created_at)
            SELECT n, n, 'A', 'a', 'cli', 'manual', '{{}}', 'ada', true, 'k' || n,
            CASE WHEN n % 2000 = 0 THEN 'deferred_issue_execution' ELSE 'completed' END, 0, 0, 0, n FROM {series};
        INSERT INTO runs (id, item_id, wakeup_id, agent, agent_key, status, context, fence, attempt, interruptions,
            not_before, created_at)
            SELECT n, n, n, 'A', 'a',
            CASE n % 2000 WHEN 1 THEN 'queued' WHEN 2 THEN 'running' ELSE 'succeeded' END,
            '{{}}', 1, 0, 0, 0, n FROM {series};
        UPDATE items SET execution_run_id = id WHERE id % 2000 IN (1, 2);
        INSERT INTO effects (item_id, version, step, deed, fence, status, not_before, created_at)
            SELECT n, 1, 0, '{{\"do\":\"close_issue\"}}', 1,
            CASE WHEN n % 2000 = 3 THEN 'pending' ELSE 'done' END, 0, n FROM {series};
        INSERT INTO transfers (at, item_id, agent_key, fence, reason) SELECT n, n, 'a', 1, 'taken' FROM {series};
        INSERT INTO deliveries (id, event, payload, received_at, is_read)
            SELECT 'd' || n, 'issues', '{{}}', n, n % 2000 <> 0 FROM {series};
        ANALYZE;"
    )
}

/// The plan of a statement, one line for each step.
async fn plan(session: &mut Session, text: String, args: Vec<Arg<'_>>) -> Vec<String> {
    let explain = if session.is_postgres() { "EXPLAIN " } else { "EXPLAIN QUERY PLAN " };
    let rows = session.rows(format!("{explain}{text}"), args).await.unwrap();
    let line = |row: &Row| match row {
        Row::Postgres(_) => row.columns("plan").text().unwrap(),
        Row::Sqlite(row) => sqlx::Row::get(row, 3),
    };
    rows.iter().map(line).collect()
}

fn reads_whole_table(line: &str) -> bool {
    let is_growing = |named: &str| GROWING.contains(&named.trim_end_matches([',', ';']));
    match line.trim_start_matches(['-', '>', ' ']).strip_prefix("Seq Scan on ") {
        Some(rest) => rest.split(' ').next().is_some_and(is_growing),
        // SQLite calls it a scan too when it walks the whole of an index; those over unfinished rows are short. There
        // is one row that everything about an item is joined to.
        None => {
            let is_one = ["SCAN one", "SCAN CONSTANT ROW"].contains(&line);
            line.starts_with("SCAN ") && !is_one && !SHORT.iter().any(|name| line.contains(name))
        }
    }
}

async fn assert_indexed(session: &mut Session) {
    let locking = Locking::default();
    let worker = WorkerId(1);
    let agents = ["a", "b"].map(|agent| AgentKey(agent.to_owned())).to_vec();
    let search = StartSearch { worker, agents };
    let filter = RunFilter { item: Some("acme/web#7".parse().unwrap()), limit: 20, ..RunFilter::default() };
    let statuses = vec![WakeupStatus::Deferred];
    let created_before = Some(StoreTime { ms: 9_000 });
    let waiting = WakeupFilter { statuses, created_before, limit: 20, ..WakeupFilter::default() };
    let (runs, runs_args) = lists::select_runs(&filter);
    let (wakeups, wakeups_args) = lists::select_wakeups(&waiting);
    let dead = EffectFilter { statuses: vec![EffectStatus::Dead], limit: 20, ..EffectFilter::default() };
    let (dead, dead_args) = lists::select_effects(&dead);
    let fixed = |sql| locking.apply(sql, session).into_owned();
    let questions = [
        ("by key", fixed(find::BY_KEY), args!["acme/web#7"]),
        ("of a run", fixed(find::OF_RUN), args![7i64]),
        ("to heal", fixed(find::TO_HEAL), args![1_000i64, 10i64]),
        ("to start", find::to_start(&search, session, &locking), args![1_000i64, "a", "b"]),
        ("around", fixed(load::AROUND), args![1_000i64, 7i64, Some("a"), Some("k7"), Some(7i64), Some(1i64)]),
        ("waiting", fixed(load::WAITING), args![2_000i64]),
        ("next effect", fixed(effects::NEXT), args![1_000i64, 10i64]),
        ("running", workers::RUNNING.to_owned(), args![1i64]),
        ("renew", fixed(workers::RENEW), args![1_000i64, 1i64, 10i64]),
        ("unread", deliveries::UNREAD.to_owned(), args![10i64]),
        ("forget", fixed(deliveries::FORGET), args![1_000i64, 999i64]),
        ("effects", fixed(lists::EFFECTS), args!["acme/web#7"]),
        ("what never took effect", dead, dead_args),
        ("runs of an item", runs, runs_args),
        ("who waits too long", wakeups, wakeups_args),
    ];
    for (name, text, args) in questions {
        let plan = plan(session, text, args).await;
        assert!(!plan.iter().any(|line| reads_whole_table(line)), "{name}:\n{}", plan.join("\n"));
        assert!(!plan.is_empty());
    }
}

#[tokio::test]
async fn postgres_finds_everything_by_an_index() {
    let database = url_for_new_database("index").unwrap();
    let store = SqlStore::postgres(&database.url()).await.unwrap();
    database.sql(&rows(&format!("generate_series(1, {FINISHED}) n"))).unwrap();
    let mut tx = store.begin().await.unwrap();
    assert_indexed(&mut tx).await;
    assert!(reads_whole_table("->  Seq Scan on runs run  (cost=0.00..1.00 rows=1 width=8)"));
}

#[tokio::test]
async fn sqlite_finds_everything_by_an_index() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(|| StoreTime { ms: 1_000 });
    let store = SqlStore::sqlite(&directory.path().join("baton.db"), clock).await.unwrap();
    let series = format!(
        "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {FINISHED}) SELECT n FROM s)"
    );
    let mut tx = store.begin().await.unwrap();
    tx.simple(AssertSqlSafe(rows(&series))).await.unwrap();
    assert_indexed(&mut tx).await;
    assert!(reads_whole_table("SCAN run") && reads_whole_table("SCAN run USING INDEX runs_of_item"));
}
