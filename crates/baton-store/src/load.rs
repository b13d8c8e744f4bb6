//! Reading a situation, after the item's row was locked.

use baton_core::slot::situation::{LookedUp, Situation};
use baton_core::slot::{Run, RunId, Wakeup, WakeupId, WorkerId};
use baton_core::time::StoreTime;
use baton_ports::store::{Lookup, Target};

use crate::arg::{Arg, args};
use crate::fault::Fault;
use crate::row::{Row, StoredItem};
use crate::session::Session;
use crate::sql::{Sql, sql};

/// Everything that is one row. A statement of its own, so that what it sees and the clock it reads are from after the
/// lock was had.
pub(crate) const AROUND: Sql = sql!(
    "SELECT " NOW ", " NEXT_RUN ", " NEXT_WAKEUP ",
        EXISTS (SELECT 1 FROM effects effect
            WHERE effect.item_id = $2 AND effect.status IN ('pending', 'sending')),
        EXISTS (SELECT 1 FROM wakeups wakeup
            WHERE wakeup.item_id = $2 AND wakeup.status = 'deferred_issue_execution'),
        (SELECT wakeup.id FROM wakeups wakeup
            WHERE wakeup.item_id = $2 AND wakeup.agent_key = $3 AND wakeup.key = $4),
        asking.until, asking.is_buried, owning.until, owning.is_buried, " RUN "
    FROM (SELECT 1) one
        LEFT JOIN runs run ON run.id = $5
        LEFT JOIN workers owning ON owning.id = run.worker_id
        LEFT JOIN workers asking ON asking.id = $6"
);
pub(crate) const WAITING: Sql = sql!(
    "SELECT " WAKEUP " FROM wakeups wakeup
    WHERE wakeup.item_id = $1 AND wakeup.status = 'deferred_issue_execution' ORDER BY wakeup.id"
);
const WAKEUP_OF_ID: Sql = sql!("SELECT " WAKEUP " FROM wakeups wakeup WHERE wakeup.id = $1");
const RUN_OF_ID: Sql = sql!("SELECT " RUN " FROM runs run WHERE run.id = $1");
const CLOCK: Sql = sql!("SELECT " NOW);

/// Reads the clock.
pub(crate) async fn clock(session: &mut Session) -> Result<StoreTime, Fault> {
    let row = session.row(CLOCK, vec![session.time()]).await?;
    let row = row.ok_or_else(|| Fault::Corrupt("the clock gave no answer".to_owned()))?;
    row.columns("clock").time()
}

/// Reads everything that a rule may ask for.
pub(crate) async fn situation(
    session: &mut Session,
    stored: &StoredItem,
    target: &Target,
    lookup: &Lookup,
) -> Result<Situation, Fault> {
    let item = &stored.item;
    let asking = match target {
        Target::ToStart(search) => Some(search.worker),
        _ => None,
    };
    let (agent, key) = lookup.wake_key.as_ref().map(|(agent, key)| (agent.0.as_str(), key.as_str())).unzip();
    let time = session.time();
    let mut args = vec![time];
    args.extend(args![item.id.0, agent, key, item.owner.map(|run| run.0), asking.map(|worker| worker.0)]);
    let row = session.row(AROUND, args).await?;
    let row = row.ok_or_else(|| Fault::Corrupt("a situation without a row".to_owned()))?;
    let around = Around::read(&row, asking)?;
    let mut situation = around.situation(stored);
    if around.has_waiting {
        situation.waiting = wakeups(session, WAITING, item.id.0).await?;
    }
    if let Some(id) = around.same_key {
        situation.looked_up.same_key = wakeups(session, WAKEUP_OF_ID, id.0).await?.pop();
    }
    situation.looked_up.run = named_run(session, lookup.run, situation.owner.as_ref()).await?;
    Ok(situation)
}

async fn wakeups(session: &mut Session, sql: Sql, id: i64) -> Result<Vec<Wakeup>, Fault> {
    let rows = session.rows(sql, args![id]).await?;
    rows.iter().map(|row| row.columns("wakeups").wakeup()).collect()
}

async fn named_run(
    session: &mut Session,
    named: Option<RunId>,
    owner: Option<&Run>,
) -> Result<Option<Run>, Fault> {
    let Some(id) = named else { return Ok(None) };
    if let Some(owner) = owner.filter(|owner| owner.id == id) {
        return Ok(Some(owner.clone()));
    }
    let row = session.row(RUN_OF_ID, vec![Arg::from(id.0)]).await?;
    row.map(|row| row.columns("runs").run()).transpose()
}

struct Around {
    now: StoreTime,
    next_run: RunId,
    next_wakeup: WakeupId,
    has_pending_effects: bool,
    has_waiting: bool,
    same_key: Option<WakeupId>,
    asking: Option<baton_core::slot::WorkerLease>,
    owning: Option<baton_core::slot::WorkerLease>,
    owner: Option<Run>,
}

impl Around {
    fn read(row: &Row, asking: Option<WorkerId>) -> Result<Self, Fault> {
        let mut columns = row.columns("runs");
        let (now, next_run, next_wakeup) = (columns.time()?, columns.int()?, columns.int()?);
        let (has_pending_effects, has_waiting) = (columns.bool()?, columns.bool()?);
        let same_key = columns.opt_int()?.map(WakeupId);
        let asking = columns.opt_lease(asking)?;
        // The worker's number is in the run, which comes last.
        let owning = columns.opt_lease(Some(WorkerId(0)))?;
        let owner = columns.opt_run()?;
        let worker = owner.as_ref().and_then(|run| run.worker);
        let owning =
            owning.zip(worker).map(|(lease, worker)| baton_core::slot::WorkerLease { worker, ..lease });
        let (next_run, next_wakeup) = (RunId(next_run), WakeupId(next_wakeup));
        Ok(Self {
            now,
            next_run,
            next_wakeup,
            has_pending_effects,
            has_waiting,
            same_key,
            asking,
            owning,
            owner,
        })
    }

    fn situation(&self, stored: &StoredItem) -> Situation {
        Situation {
            now: self.now,
            next_run: self.next_run,
            next_wakeup: self.next_wakeup,
            item: stored.item.clone(),
            owner: self.owner.clone(),
            owner_lease: self.owning,
            waiting: Vec::new(),
            has_pending_effects: self.has_pending_effects,
            looked_up: LookedUp { same_key: None, run: None, worker: self.asking },
        }
    }
}
