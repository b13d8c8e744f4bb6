//! What people see: lists, and single rows without a lock.
//!
//! Conditions are put together from those that were asked for, with statuses as literals: only then do both databases see
//! that a partial index has all the rows.

use baton_core::slot::effect::Effect;
use baton_core::slot::{Item, ItemId, ItemKey, ItemMemory, Transfer};
use baton_ports::store::{
    CounterRow, EffectFilter, EffectRow, RunFilter, RunRow, WakeupFilter, WakeupRow, WorkerRow,
};

use crate::arg::{Arg, args};
use crate::fault::Fault;
use crate::row::Row;
use crate::session::Session;
use crate::sql::{Sql, sql};

const ITEM: Sql = sql!("SELECT " ITEM " FROM items item WHERE item.key = $1");
const MEMORY: &str = "SELECT memory FROM item_memory WHERE item_id = $1";
const RUNS: Sql = sql!(
    "SELECT " RUN ", item.key, worker.host FROM runs run JOIN items item ON item.id = run.item_id
        LEFT JOIN workers worker ON worker.id = run.worker_id"
);
const WAKEUPS: Sql = sql!(
    "SELECT " WAKEUP ", item.key FROM wakeups wakeup JOIN items item ON item.id = wakeup.item_id"
);
const TRANSFERS: &str =
    "SELECT id, at, item_id, from_run_id, to_run_id, agent_key, fence, reason, after FROM transfers";
pub(crate) const EFFECTS: Sql = sql!(
    "SELECT " EFFECT " FROM effects effect
    WHERE effect.item_id = (SELECT id FROM items WHERE key = $1) ORDER BY effect.id"
);
const EFFECT_ROWS: Sql =
    sql!("SELECT " EFFECT ", item.key FROM effects effect JOIN items item ON item.id = effect.item_id");
const COUNTERS: &str = "SELECT name, in_use, max FROM counters";
const WORKERS: Sql = sql!("SELECT " WORKER " FROM workers worker ORDER BY worker.id DESC");

/// Conditions and their values.
#[derive(Default)]
struct Conditions<'a> {
    text: String,
    args: Vec<Arg<'a>>,
}

impl<'a> Conditions<'a> {
    fn and(&mut self, condition: &str) {
        self.text.push_str(if self.text.is_empty() { " WHERE " } else { " AND " });
        self.text.push_str(condition);
    }

    /// Adds a condition that ends with the placeholder of its value.
    fn given(&mut self, before: &str, value: impl Into<Arg<'a>>, after: &str) {
        self.args.push(value.into());
        let placeholder = self.args.len();
        self.and(&format!("{before}${placeholder}{after}"));
    }

    fn of_item(&mut self, column: &str, item: Option<&ItemKey>) {
        if let Some(item) = item {
            let before = format!("{column} = (SELECT id FROM items WHERE key = ");
            self.given(&before, item.to_string(), ")");
        }
    }

    fn one_of(&mut self, column: &str, words: &[&'static str]) {
        if !words.is_empty() {
            let words: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
            // With one word the condition is that of the index, letter for letter, which SQLite wants to see.
            let condition = match words.as_slice() {
                [word] => format!("{column} = {word}"),
                words => format!("{column} IN ({})", words.join(", ")),
            };
            self.and(&condition);
        }
    }

    fn newest(mut self, select: Sql, id: &str, limit: u32) -> (String, Vec<Arg<'a>>) {
        self.args.push(limit.into());
        let placeholder = self.args.len();
        // Nothing here differs between the databases.
        (format!("{}{} ORDER BY {id} DESC LIMIT ${placeholder}", select.sqlite, self.text), self.args)
    }
}

pub(crate) async fn item(session: &mut Session, key: &ItemKey) -> Result<Option<Item>, Fault> {
    let row = session.row(ITEM, args![key.to_string()]).await?;
    row.map(|row| Ok(row.columns("items").item()?.item)).transpose()
}

pub(crate) async fn memory(session: &mut Session, item: ItemId) -> Result<ItemMemory, Fault> {
    let row = session.row(MEMORY, args![item.0]).await?;
    Ok(row.map(|row| row.columns("item_memory").memory()).transpose()?.unwrap_or_default())
}

pub(crate) async fn runs(session: &mut Session, filter: &RunFilter) -> Result<Vec<RunRow>, Fault> {
    let (text, args) = select_runs(filter);
    let rows = session.rows(text, args).await?;
    rows.iter().map(run_row).collect()
}

pub(crate) fn select_runs(filter: &RunFilter) -> (String, Vec<Arg<'_>>) {
    let mut conditions = Conditions::default();
    conditions.of_item("run.item_id", filter.item.as_ref());
    if let Some(id) = filter.id {
        conditions.given("run.id = ", id.0, "");
    }
    if let Some(since) = filter.finished_since {
        conditions.given("run.finished_at >= ", since, "");
    }
    let words: Vec<_> = filter.statuses.iter().map(|status| status.as_str()).collect();
    conditions.one_of("run.status", &words);
    conditions.newest(RUNS, "run.id", filter.limit)
}

fn run_row(row: &Row) -> Result<RunRow, Fault> {
    let mut columns = row.columns("runs");
    Ok(RunRow { run: columns.run()?, item: columns.item_key()?, host: columns.opt_text()? })
}

pub(crate) async fn wakeups(session: &mut Session, filter: &WakeupFilter) -> Result<Vec<WakeupRow>, Fault> {
    let (text, args) = select_wakeups(filter);
    let rows = session.rows(text, args).await?;
    rows.iter().map(wakeup_row).collect()
}

pub(crate) fn select_wakeups(filter: &WakeupFilter) -> (String, Vec<Arg<'_>>) {
    let mut conditions = Conditions::default();
    conditions.of_item("wakeup.item_id", filter.item.as_ref());
    if let Some(before) = filter.created_before {
        conditions.given("wakeup.created_at < ", before, "");
    }
    let words: Vec<_> = filter.statuses.iter().map(|status| status.as_str()).collect();
    conditions.one_of("wakeup.status", &words);
    conditions.newest(WAKEUPS, "wakeup.id", filter.limit)
}

fn wakeup_row(row: &Row) -> Result<WakeupRow, Fault> {
    let mut columns = row.columns("wakeups");
    Ok(WakeupRow { wakeup: columns.wakeup()?, item: columns.item_key()? })
}

pub(crate) async fn transfers(session: &mut Session, item: Option<&ItemKey>) -> Result<Vec<Transfer>, Fault> {
    let mut conditions = Conditions::default();
    conditions.of_item("item_id", item);
    let text = format!("{TRANSFERS}{} ORDER BY id", conditions.text);
    let rows = session.rows(text, conditions.args).await?;
    rows.iter().map(|row| row.columns("transfers").transfer()).collect()
}

pub(crate) async fn effects(session: &mut Session, item: &ItemKey) -> Result<Vec<Effect>, Fault> {
    let rows = session.rows(EFFECTS, args![item.to_string()]).await?;
    rows.iter().map(|row| row.columns("effects").effect()).collect()
}

pub(crate) async fn effect_rows(
    session: &mut Session,
    filter: &EffectFilter,
) -> Result<Vec<EffectRow>, Fault> {
    let (text, args) = select_effects(filter);
    let rows = session.rows(text, args).await?;
    let row = |row: &Row| {
        let mut columns = row.columns("effects");
        Ok(EffectRow { effect: columns.effect()?, item: columns.item_key()? })
    };
    rows.iter().map(row).collect()
}

pub(crate) fn select_effects(filter: &EffectFilter) -> (String, Vec<Arg<'_>>) {
    let mut conditions = Conditions::default();
    if let Some(since) = filter.finished_since {
        conditions.given("effect.finished_at >= ", since, "");
    }
    let words: Vec<_> = filter.statuses.iter().map(|status| status.as_str()).collect();
    conditions.one_of("effect.status", &words);
    conditions.newest(EFFECT_ROWS, "effect.id", filter.limit)
}

/// Lists the counters, in the order of bytes, which is not that of every database.
pub(crate) async fn counters(session: &mut Session) -> Result<Vec<CounterRow>, Fault> {
    let rows = session.rows(COUNTERS, Vec::new()).await?;
    let mut counters: Vec<_> = rows.iter().map(counter).collect::<Result<_, _>>()?;
    counters.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(counters)
}

fn counter(row: &Row) -> Result<CounterRow, Fault> {
    let mut columns = row.columns("counters");
    Ok(CounterRow { name: columns.text()?, in_use: columns.int()?, max: columns.opt_int()? })
}

pub(crate) async fn workers(session: &mut Session) -> Result<Vec<WorkerRow>, Fault> {
    let rows = session.rows(WORKERS, Vec::new()).await?;
    rows.iter().map(|row| row.columns("workers").worker()).collect()
}
