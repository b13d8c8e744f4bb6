//! Leases of workers.

use std::time::Duration;

use baton_core::slot::{RunId, Stop, WorkerId, WorkerLease};
use baton_core::time::millis;
use baton_ports::store::Heartbeat;

use crate::arg::{Arg, args};
use crate::fault::Fault;
use crate::row::Row;
use crate::session::Session;
use crate::sql::{Sql, sql};

const ENLIST: Sql = sql!(
    "INSERT INTO workers (name, host, since, until) VALUES ($2, $3, " NOW ", " NOW " + $4) RETURNING id, until"
);

/// The clock is read again when the row was waited for, which others lock to bury the worker.
pub(crate) const RENEW: Sql = sql!(
    "UPDATE workers SET until = " NOW " + $3 WHERE id = $2 AND NOT is_buried AND until > " NOW " RETURNING until"
);
pub(crate) const RUNNING: &str = "SELECT run.id, run.stop FROM runs run WHERE run.worker_id = $1 AND run.status = 'running' ORDER BY run.id";
const RETIRE: Sql = sql!(
    "UPDATE workers SET is_buried = true, until = CASE WHEN until < " NOW " THEN until ELSE " NOW " END WHERE id = $2"
);

fn ms(duration: Duration) -> Arg<'static> {
    // Half of the range, so that a sum with the time is still a number.
    Arg::from(i64::try_from(millis(duration)).unwrap_or(i64::MAX).min(i64::MAX / 2))
}

/// Gives a new worker a lease.
pub(crate) async fn enlist(
    session: &mut Session,
    name: &str,
    host: &str,
    ttl: Duration,
) -> Result<WorkerLease, Fault> {
    let args = vec![session.time(), Arg::from(name), Arg::from(host), ms(ttl)];
    let row = session.row(ENLIST, args).await?;
    let row = row.ok_or_else(|| Fault::Corrupt("table workers: no number for a new one".to_owned()))?;
    let mut columns = row.columns("workers");
    let worker = WorkerId(columns.int()?);
    Ok(WorkerLease { worker, until: columns.time()?, is_buried: false })
}

/// Renews a lease that is not over, and tells which runs must stop.
pub(crate) async fn heartbeat(
    session: &mut Session,
    worker: WorkerId,
    ttl: Duration,
) -> Result<Heartbeat, Fault> {
    let args = vec![session.time(), Arg::from(worker.0), ms(ttl)];
    let Some(row) = session.row(RENEW, args).await? else { return Ok(Heartbeat::Lost) };
    let until = row.columns("workers").time()?;
    let rows = session.rows(RUNNING, args![worker.0]).await?;
    let running: Vec<_> = rows.iter().map(running_run).collect::<Result<_, _>>()?;
    let stops = running.iter().filter_map(|(run, stop)| stop.map(|stop| (*run, stop))).collect();
    Ok(Heartbeat::Alive { until, stops, running: running.into_iter().map(|(run, _)| run).collect() })
}

fn running_run(row: &Row) -> Result<(RunId, Option<Stop>), Fault> {
    let mut columns = row.columns("runs");
    Ok((RunId(columns.int()?), columns.stop()?))
}

/// Ends a lease for good.
pub(crate) async fn retire(session: &mut Session, worker: WorkerId) -> Result<(), Fault> {
    session.execute(RETIRE, vec![session.time(), Arg::from(worker.0)]).await.map(drop)
}
