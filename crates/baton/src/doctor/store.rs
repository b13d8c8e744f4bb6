//! Facts of the store, which is neither made nor brought up to date by a look, and of the wakeups in it.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use baton_core::config::StoreAddress;
use baton_core::doctor::store::{OwnerFacts, StoreFacts, WakeupFacts, schema, store, wakeups};
use baton_core::doctor::{CheckId, Finding, Grade, Report};
use baton_core::slot::{RunStatus, WakeupStatus};
use baton_ports::store::{RunFilter, RunRow, WakeupFilter, WorkerRow};
use baton_ports::{Store as _, StoreError};
use baton_store::{Examined, SqlStore, examine_postgres, examine_sqlite};

use super::within;
use crate::flow::context::{Desk, open};
use crate::flow::machine::CLERK_SUFFIX;

/// How long a database may take to answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);
/// How many rows are looked at.
const ROWS_MAX: u32 = 1_000;

/// What came of it.
pub(super) enum Stored {
    /// It can be looked into, or there is none yet.
    Usable,
    /// It cannot, for this reason.
    Unusable(&'static str),
}

pub(super) async fn examine(desk: &Desk, report: &mut Report) -> Stored {
    let address = desk.store_address();
    let (facts, shown) = facts(&address).await;
    report.add([store(&shown, &facts), schema(&facts)]);
    let is_bad = |check| report.of(check).any(|finding: &Finding| finding.grade != Grade::Ok);
    let because = match (is_bad(CheckId::Store), is_bad(CheckId::Schema)) {
        (true, _) => "the store cannot be used (see `store`)",
        (false, true) => "the schema of the store is not the one that this program knows (see `schema`)",
        (false, false) => {
            let found = wakeups_in(desk, &address, &facts).await;
            report.add(found.unwrap_or_else(|why| {
                let found = format!("the wakeups cannot be listed: {why}");
                vec![Finding::fail(CheckId::Wakeups, found, "try it by hand: baton wakeups")]
            }));
            return Stored::Usable;
        }
    };
    report.skip(&[CheckId::Wakeups], because);
    Stored::Unusable(because)
}

async fn facts(address: &StoreAddress) -> (StoreFacts, String) {
    match address {
        StoreAddress::Sqlite(path) => {
            let facts = match examine_sqlite(path, ANSWER_TIME_MAX).await {
                Ok(Some(found)) => opened(found),
                Ok(None) => StoreFacts::Absent(can_be_made(path)),
                Err(error) => unreachable(&error),
            };
            (facts, format!("sqlite:{}", path.display()))
        }
        StoreAddress::Postgres(url) => {
            let facts = match examine_postgres(url, ANSWER_TIME_MAX).await {
                Ok(found) => opened(found),
                Err(error) => unreachable(&error),
            };
            (facts, address.to_string())
        }
    }
}

fn opened(found: Examined) -> StoreFacts {
    StoreFacts::Open { version: found.version, known: found.known, write: found.write }
}

fn unreachable(error: &StoreError) -> StoreFacts {
    StoreFacts::Unreachable(error.answer.clone())
}

/// Returns whether the nearest directory that is there may be written.
fn can_be_made(path: &Path) -> Result<(), String> {
    let place = path.ancestors().skip(1).find(|path| path.exists()).unwrap_or(Path::new("/"));
    let found = place.metadata().map_err(|error| format!("{}: {error}", place.display()))?;
    if !found.is_dir() {
        return Err(format!("{} is no directory", place.display()));
    }
    let access = rustix::fs::access(place, rustix::fs::Access::WRITE_OK);
    access.map_err(|error| format!("{} (mode {:o}): {error}", place.display(), found.mode() & 0o7777))
}

async fn wakeups_in(desk: &Desk, address: &StoreAddress, facts: &StoreFacts) -> Result<Vec<Finding>, String> {
    let alarm = desk.config().deferred_alarm;
    if matches!(facts, StoreFacts::Absent(_)) {
        return Ok(wakeups(&[], alarm, false));
    }
    within(async {
        let store = open(address).await.map_err(|error| error.to_string())?;
        let (found, is_worker_alive) = waiting(desk, &store).await.map_err(|error| error.to_string())?;
        Ok(wakeups(&found, alarm, is_worker_alive))
    })
    .await
}

async fn waiting(desk: &Desk, store: &SqlStore) -> Result<(Vec<WakeupFacts>, bool), StoreError> {
    let now = store.now().await?;
    let statuses = vec![WakeupStatus::Queued, WakeupStatus::Deferred];
    let open = store.wakeups(&WakeupFilter { statuses, limit: ROWS_MAX, ..WakeupFilter::default() }).await?;
    let statuses = vec![RunStatus::Queued, RunStatus::ScheduledRetry, RunStatus::Running];
    let runs = store.runs(&RunFilter { statuses, limit: ROWS_MAX, ..RunFilter::default() }).await?;
    let runs: BTreeMap<_, RunRow> = runs.into_iter().map(|row| (row.item.clone(), row)).collect();
    let workers = store.workers().await?;
    let live: Vec<&WorkerRow> = workers.iter().filter(|worker| worker.lease.is_live(now)).collect();
    let owner = |row: &RunRow| OwnerFacts {
        run: row.run.id,
        status: row.run.status,
        has_worker: live.iter().any(|worker| Some(worker.lease.worker) == row.run.worker),
    };
    let facts = open.into_iter().map(|row| WakeupFacts {
        id: row.wakeup.id,
        agent: row.wakeup.agent.to_string(),
        is_agent_known: desk.config().agent(&row.wakeup.agent.to_string()).is_some(),
        status: row.wakeup.status,
        age: now.since(row.wakeup.created_at),
        owner: runs.get(&row.item).map(owner),
        item: row.item.to_string(),
    });
    let is_worker_alive = live.iter().any(|worker| !worker.name.ends_with(CLERK_SUFFIX));
    Ok((facts.collect(), is_worker_alive))
}
