//! Finding the item that a decision is about, and locking its row.
//!
//! The lock is had by a statement of its own. What it joins may be from before the lock was waited for; only the columns
//! of the locked row are sure, so everything else is read afterwards.

use baton_core::slot::limits;
use baton_core::slot::{ItemKey, RunId};
use baton_core::time::millis;
use baton_ports::store::{StartSearch, Target};

use crate::arg::{Arg, args};
use crate::fault::Fault;
use crate::postgres::Locking;
use crate::row::StoredItem;
use crate::session::Session;
use crate::sql::{Sql, Text, placeholders, sql};

pub(crate) const BY_KEY: Sql = sql!("SELECT " ITEM " FROM items item WHERE item.key = $1" LOCK_ITEM);

/// Whoever makes a row has it locked; it is nothing when somebody else was faster.
const MAKE: Sql = sql!(
    "INSERT INTO items (key, kind, repo) VALUES ($1, $2, $3) ON CONFLICT (key) DO NOTHING RETURNING " MADE_ITEM
);

pub(crate) const OF_RUN: Sql = sql!(
    "SELECT " ITEM " FROM items item WHERE item.id = (SELECT run.item_id FROM runs run WHERE run.id = $1)"
    LOCK_ITEM
);

pub(crate) const TO_HEAL: Sql = sql!(
    "SELECT " ITEM " FROM items item WHERE item.id IN (
        SELECT owned.id FROM items owned JOIN runs run ON run.id = owned.execution_run_id
        WHERE owned.execution_run_id IS NOT NULL
            AND run.status NOT IN ('queued', 'scheduled_retry', 'running')
        UNION ALL
        SELECT run.item_id FROM runs run LEFT JOIN workers worker ON worker.id = run.worker_id
            JOIN items owned ON owned.execution_run_id = run.id
        WHERE run.status = 'running'
            AND (worker.id IS NULL OR worker.is_buried OR worker.until + $2 <= " NOW_ONCE ")
        UNION ALL
        SELECT wakeup.item_id FROM wakeups wakeup JOIN items free ON free.id = wakeup.item_id
        WHERE wakeup.status = 'deferred_issue_execution' AND free.execution_run_id IS NULL)
    ORDER BY item.id LIMIT 1"
    LOCK_FREE_ITEM
);

/// Up to the agents, which are as many as the worker knows. That the slot is not stamped is looked at again when the row
/// is locked, so that workers who search at the same time do not all come for the same run.
const TO_START: Sql = sql!(
    "SELECT " ITEM " FROM " QUEUED_RUNS_JOIN " items item
        ON item.id = run.item_id AND item.execution_run_id = run.id
    WHERE run.status IN ('queued', 'scheduled_retry') AND " DUE_RUN "
        AND item.is_open AND item.execution_locked_at IS NULL
        AND item.paused IS NULL AND item.held IS NULL AND item.blocked IS NULL
        AND NOT EXISTS (SELECT 1 FROM effects effect
            WHERE effect.item_id = item.id AND effect.status IN ('pending', 'sending'))
        AND NOT EXISTS (SELECT 1 FROM counters counter
            WHERE counter.name = 'all' AND counter.in_use >= counter.max)
        AND NOT EXISTS (SELECT 1 FROM counters counter
            WHERE counter.in_use >= counter.max AND counter.name IN (
                'agent:' || run.agent_key,
                'repo:' || item.repo,
                CASE WHEN item.repo IS NOT NULL THEN 'repo:' END,
                'cost:' || run.agent_key || ':',
                'cost:' || run.agent_key || ':' || " TODAY ",
                'runs:' || run.agent_key || ':',
                'runs:' || run.agent_key || ':' || " TODAY "))"
);
const ITS_AGENT_IS_IN: &str = " AND run.agent_key IN ";
const OLDEST: Sql = sql!(" ORDER BY run.id LIMIT 1" LOCK_FREE_ITEM);

/// The item that was found.
pub(crate) struct Found {
    pub(crate) stored: StoredItem,
    /// Whether it was made for this.
    pub(crate) is_new: bool,
}

/// Finds the item and locks its row until the end of the transaction.
pub(crate) async fn find(
    session: &mut Session,
    target: &Target,
    locking: &Locking,
) -> Result<Option<Found>, Fault> {
    let old = |stored| Found { stored, is_new: false };
    match target {
        Target::Key(key) => by_key(session, key, locking).await.map(Some),
        Target::OfRun(run) => Ok(item(session, locking.apply(OF_RUN, session), args![run.0]).await?.map(old)),
        Target::ToHeal { stop_grace } => {
            let grace = i64::try_from(millis(*stop_grace)).unwrap_or(i64::MAX);
            let args = vec![session.time(), Arg::from(grace)];
            Ok(item(session, locking.apply(TO_HEAL, session), args).await?.map(old))
        }
        Target::ToStart(search) if !locking.item_before_run => run_first(session, search).await,
        Target::ToStart(search) => {
            let text = to_start(search, session, locking);
            let args = start_args(search, session);
            Ok(item(session, text, args).await?.map(old))
        }
    }
}

async fn item(
    session: &mut Session,
    text: impl Into<Text> + Send,
    args: Vec<Arg<'_>>,
) -> Result<Option<StoredItem>, Fault> {
    let row = session.row(text, args).await?;
    row.map(|row| row.columns("items").item()).transpose()
}

async fn by_key(session: &mut Session, key: &ItemKey, locking: &Locking) -> Result<Found, Fault> {
    let text = key.to_string();
    if let Some(stored) = item(session, locking.apply(BY_KEY, session), args![text.as_str()]).await? {
        return Ok(Found { stored, is_new: false });
    }
    if let Some(stored) = make(session, key, &text).await? {
        return Ok(Found { stored, is_new: true });
    }
    let stored = item(session, locking.apply(BY_KEY, session), args![text.as_str()]).await?;
    let stored = stored.ok_or_else(|| Fault::Corrupt(format!("table items: {text} was made and is gone")))?;
    Ok(Found { stored, is_new: false })
}

async fn make(session: &mut Session, key: &ItemKey, text: &str) -> Result<Option<StoredItem>, Fault> {
    let kind = match key {
        ItemKey::Issue(_) => "issue",
        ItemKey::Task { .. } => "task",
    };
    let repo = limits::of_repo(key).and_then(|name| name.strip_prefix(limits::PER_REPO).map(str::to_owned));
    item(session, MAKE, args![text, kind, repo]).await
}

pub(crate) fn to_start(search: &StartSearch, session: &Session, locking: &Locking) -> String {
    let mut text = locking.apply(TO_START, session).into_owned();
    if !search.agents.is_empty() {
        text.push_str(ITS_AGENT_IS_IN);
        text.push_str(&format!("({})", placeholders(2, search.agents.len())));
    }
    text.push_str(&locking.apply(OLDEST, session));
    text
}

fn start_args<'a>(search: &'a StartSearch, session: &Session) -> Vec<Arg<'a>> {
    let agents = search.agents.iter().map(|agent| Arg::from(agent.0.as_str()));
    std::iter::once(session.time()).chain(agents).collect()
}

/// Locks the run and then its item: the order that must not be.
async fn run_first(session: &mut Session, search: &StartSearch) -> Result<Option<Found>, Fault> {
    let text = to_start(search, session, &Locking::default());
    let text = text.replacen("SELECT ", "SELECT run.id, ", 1).replace("OF item", "OF run");
    let args = start_args(search, session);
    let Some(row) = session.row(text, args).await? else { return Ok(None) };
    let run = RunId(row.columns("runs").int()?);
    let found = item(session, OF_RUN, args![run.0]).await?;
    Ok(found.map(|stored| Found { stored, is_new: false }))
}
