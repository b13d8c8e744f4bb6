//! The other side on SQLite: a bare loop of the same statements on one connection for each thread.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension as _, Result, params};

use crate::ours::{CONTEXT, now_ms};
use crate::plan::{Plan, Work};

const UPSERT: &str = "INSERT INTO items (key, kind, repo) VALUES (?1, 'issue', 'acme/web') ON CONFLICT (key) DO \
     UPDATE SET repo = items.repo RETURNING id, is_open, paused, held, blocked, execution_run_id, \
     execution_fence + 1, version";
const READ_FOR_WAKE: &str = "SELECT EXISTS (SELECT 1 FROM effects WHERE item_id = ?1 AND status IN ('pending', \
     'sending')), EXISTS (SELECT 1 FROM wakeups WHERE item_id = ?1 AND status = 'deferred_issue_execution'), \
     (SELECT status FROM runs WHERE id = ?2)";
const ADD_WAKEUP: &str = "INSERT INTO wakeups (item_id, agent, agent_key, source, reason, context, asked_by, \
     asked_by_person, status, attempt, interruptions, not_before, created_at) VALUES (?1, 'Builder', 'builder', \
     'webhook', 'issue_commented', ?2, 'ada', true, 'queued', 0, 0, ?3, ?3) RETURNING id";
const ADD_RUN: &str = "INSERT INTO runs (item_id, wakeup_id, agent, agent_key, status, context, fence, attempt, \
     interruptions, not_before, created_at) VALUES (?1, ?2, 'Builder', 'builder', 'queued', ?3, ?4, 0, 0, ?5, ?5) \
     RETURNING id";
const TAKE_SLOT: &str = "UPDATE items SET execution_run_id = ?2, execution_agent_name_key = 'builder', \
     execution_fence = ?3 WHERE id = ?1";
const TAKEN: &str = "INSERT INTO transfers (at, item_id, to_run_id, agent_key, fence, reason) \
     VALUES (?1, ?2, ?3, 'builder', ?4, 'taken')";

const FIND: &str = "SELECT item.id, run.id FROM runs run JOIN items item ON item.id = run.item_id AND \
     item.execution_run_id = run.id WHERE run.status IN ('queued', 'scheduled_retry') AND run.not_before <= ?1 AND \
     item.is_open AND item.execution_locked_at IS NULL AND item.paused IS NULL AND item.held IS NULL AND \
     item.blocked IS NULL AND NOT EXISTS (SELECT 1 FROM effects effect WHERE effect.item_id = item.id AND \
     effect.status IN ('pending', 'sending')) ORDER BY run.id LIMIT 1";
const READ_FOR_START: &str = "SELECT run.agent, run.context, run.status, run.wakeup_id, run.fence, worker.until, \
     worker.is_buried FROM runs run JOIN workers worker ON worker.id = 1 WHERE run.id = ?1";
const START: &str = "UPDATE runs SET status = 'running', worker_id = 1, started_at = ?2 WHERE id = ?1";
const STAMP: &str = "UPDATE items SET execution_locked_at = ?2 WHERE id = ?1";
const COUNT_UP: &str = "INSERT INTO counters (name, made_like, in_use) VALUES ('all', '', 1), ('agent:builder', '', \
     1), ('repo:acme/web', 'repo:', 1) ON CONFLICT (name) DO UPDATE SET in_use = counters.in_use + 1 WHERE \
     counters.max IS NULL OR counters.in_use < counters.max";

const ITEM_OF_RUN: &str = "SELECT id, is_open, execution_run_id, execution_fence, version FROM items \
     WHERE id = (SELECT item_id FROM runs WHERE id = ?1)";
const READ_FOR_FINISH: &str = "SELECT run.wakeup_id, run.status, run.context, run.stop, worker.until, EXISTS (SELECT \
     1 FROM wakeups WHERE item_id = run.item_id AND status = 'deferred_issue_execution') FROM runs run JOIN workers \
     worker ON worker.id = run.worker_id WHERE run.id = ?1";
const FINISH: &str =
    "UPDATE runs SET status = 'succeeded', cost_micros = 1500, finished_at = ?2 WHERE id = ?1";
const COMPLETE: &str = "UPDATE wakeups SET status = 'completed', finished_at = ?2 WHERE id = ?1";
const FREE_SLOT: &str = "UPDATE items SET execution_run_id = NULL, execution_agent_name_key = NULL, \
     execution_locked_at = NULL WHERE id = ?1";
const FREED: &str = "INSERT INTO transfers (at, item_id, from_run_id, agent_key, fence, reason, after) \
     VALUES (?1, ?2, ?3, 'builder', ?4, 'freed', 'succeeded')";
const COUNT_DOWN: &str = "INSERT INTO counters (name, made_like, in_use) VALUES ('all', '', -1), ('agent:builder', \
     '', -1), ('repo:acme/web', 'repo:', -1), ('cost:builder:2026-01-01', 'cost:builder:', 1500) \
     ON CONFLICT (name) DO UPDATE SET in_use = counters.in_use + excluded.in_use";

/// A file that is worked on without our store.
pub(crate) struct Bare {
    file: PathBuf,
    /// The next fresh issue.
    next: AtomicU64,
}

impl Bare {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self { file, next: AtomicU64::new(10_000_000) }
    }

    /// Returns how often a second the work is done by so many threads.
    pub(crate) fn rate(&self, plan: &Plan, work: Work, clients: usize) -> f64 {
        let dbs: Vec<_> = (0..clients).map(|_| open(&self.file)).collect();
        let begun = Instant::now();
        let until = begun + plan.round;
        let count: u32 = thread::scope(|scope| {
            let clients = dbs.into_iter().map(|db| scope.spawn(move || self.client(&db, work, until)));
            let clients: Vec<_> = clients.collect();
            clients.into_iter().map(|client| client.join().expect("a client")).sum()
        });
        f64::from(count) / begun.elapsed().as_secs_f64()
    }

    fn client(&self, db: &Connection, work: Work, until: Instant) -> u32 {
        let mut count = 0;
        while Instant::now() < until {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            enqueue(db, number).expect("a wakeup");
            if work == Work::Cycle {
                let run = start(db).expect("a start").expect("something to start");
                finish(db, run).expect("an end");
            }
            count += 1;
        }
        count
    }
}

fn open(file: &Path) -> Connection {
    let db = Connection::open(file).expect("the file opens");
    db.busy_timeout(Duration::from_secs(30)).expect("a timeout");
    db.set_prepared_statement_cache_capacity(64);
    db.execute_batch("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL").expect("settings");
    db
}

/// Begins a transaction that writes, and reads the clock.
fn begin(db: &Connection) -> Result<i64> {
    db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    Ok(now_ms())
}

fn commit(db: &Connection) -> Result<()> {
    db.prepare_cached("COMMIT")?.execute([]).map(drop)
}

fn enqueue(db: &Connection, number: u64) -> Result<()> {
    let now = begin(db)?;
    let key = format!("acme/web#{number}");
    let (item, owner, fence): (i64, Option<i64>, i64) =
        db.prepare_cached(UPSERT)?.query_row([&key], |row| {
            let _rest: (bool, Option<String>, Option<String>, Option<String>, i64) =
                (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(7)?);
            Ok((row.get(0)?, row.get(5)?, row.get(6)?))
        })?;
    db.prepare_cached(READ_FOR_WAKE)?.query_row(params![item, owner], |row| {
        Ok((row.get::<_, bool>(0)?, row.get::<_, bool>(1)?, row.get::<_, Option<String>>(2)?))
    })?;
    let wakeup: i64 =
        db.prepare_cached(ADD_WAKEUP)?.query_row(params![item, CONTEXT, now], |row| row.get(0))?;
    let run: i64 = db
        .prepare_cached(ADD_RUN)?
        .query_row(params![item, wakeup, CONTEXT, fence, now], |row| row.get(0))?;
    db.prepare_cached(TAKE_SLOT)?.execute(params![item, run, fence])?;
    db.prepare_cached(TAKEN)?.execute(params![now, item, run, fence])?;
    commit(db)
}

fn start(db: &Connection) -> Result<Option<i64>> {
    let now = begin(db)?;
    let found: Option<(i64, i64)> =
        db.prepare_cached(FIND)?.query_row([now], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    if let Some((item, run)) = found {
        db.prepare_cached(READ_FOR_START)?.query_row([run], |row| {
            let text: (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let rest: (i64, i64, i64, bool) = (row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?);
            Ok((text, rest))
        })?;
        db.prepare_cached(START)?.execute([run, now])?;
        db.prepare_cached(STAMP)?.execute([item, now])?;
        db.prepare_cached(COUNT_UP)?.execute([])?;
    }
    commit(db)?;
    Ok(found.map(|(_, run)| run))
}

fn finish(db: &Connection, run: i64) -> Result<()> {
    let now = begin(db)?;
    let (item, fence): (i64, i64) = db.prepare_cached(ITEM_OF_RUN)?.query_row([run], |row| {
        let _rest: (bool, i64, i64) = (row.get(1)?, row.get(2)?, row.get(4)?);
        Ok((row.get(0)?, row.get(3)?))
    })?;
    let wakeup: i64 = db.prepare_cached(READ_FOR_FINISH)?.query_row([run], |row| {
        let _rest: (String, String, Option<String>, i64, bool) =
            (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?);
        row.get(0)
    })?;
    db.prepare_cached(FINISH)?.execute([run, now])?;
    db.prepare_cached(COMPLETE)?.execute([wakeup, now])?;
    db.prepare_cached(FREE_SLOT)?.execute([item])?;
    db.prepare_cached(FREED)?.execute(params![now, item, run, fence])?;
    db.prepare_cached(COUNT_DOWN)?.execute([])?;
    commit(db)
}
