//! Rows that statements answer with, and how the core's types are read from them, column by column.
//!
//! The order of columns is that of the names in `sql`.

use std::str::FromStr;

use baton_core::slot::effect::{Deed, Effect, EffectKey};
use baton_core::slot::situation::Transfer;
use baton_core::slot::{
    AgentKey, AgentName, Asker, Context, EffectId, Gates, Item, ItemId, Run, RunId, Stop, Wakeup, WakeupId,
    WorkerId, WorkerLease,
};
use baton_core::time::StoreTime;
use baton_ports::store::WorkerRow;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;

use crate::fault::Fault;

/// A row.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// Reads a row from left to right.
pub(crate) struct Columns<'r> {
    row: &'r Row,
    at: usize,
    table: &'static str,
    /// The number of the row that is being read, once it is known.
    id: Option<i64>,
}

type Read<T> = Result<T, Fault>;

macro_rules! getter {
    ($name:ident, $type:ty) => {
        pub(crate) fn $name(&mut self) -> Read<$type> {
            use sqlx::Row as _;
            let at = self.at;
            self.at += 1;
            let value = match self.row {
                Row::Sqlite(row) => row.try_get(at),
                Row::Postgres(row) => row.try_get(at),
            };
            value.map_err(|error| self.corrupt(&error.to_string()))
        }
    };
}

impl Row {
    /// Begins to read; the table is named when something cannot be understood.
    pub(crate) fn columns(&self, table: &'static str) -> Columns<'_> {
        Columns { row: self, at: 0, table, id: None }
    }
}

impl<'r> Columns<'r> {
    getter!(int, i64);
    getter!(opt_int, Option<i64>);
    getter!(text, String);
    getter!(opt_text, Option<String>);
    getter!(bool, bool);
    getter!(opt_bool, Option<bool>);

    fn corrupt(&self, why: &str) -> Fault {
        let id = self.id.map_or_else(|| "?".to_owned(), |id| id.to_string());
        Fault::Corrupt(format!("table {}, row {id}: {why}", self.table))
    }

    fn id(&mut self) -> Read<i64> {
        let id = self.int()?;
        self.id = Some(id);
        Ok(id)
    }

    pub(crate) fn time(&mut self) -> Read<StoreTime> {
        Ok(StoreTime { ms: self.int()? })
    }

    pub(crate) fn opt_time(&mut self) -> Read<Option<StoreTime>> {
        Ok(self.opt_int()?.map(|ms| StoreTime { ms }))
    }

    fn count(&mut self) -> Read<u32> {
        let value = self.int()?;
        u32::try_from(value).map_err(|_| self.corrupt(&format!("{value} is no count")))
    }

    fn parsed<T: FromStr<Err: ToString>>(&self, text: &str) -> Read<T> {
        text.parse().map_err(|error: T::Err| self.corrupt(&error.to_string()))
    }

    fn word<T: FromStr<Err: ToString>>(&mut self) -> Read<T> {
        let text = self.text()?;
        self.parsed(&text)
    }

    fn opt_word<T: FromStr<Err: ToString>>(&mut self) -> Read<Option<T>> {
        let text = self.opt_text()?;
        text.map(|text| self.parsed(&text)).transpose()
    }

    fn context(&mut self) -> Read<Context> {
        let text = self.text()?;
        Context::parse(&text).map_err(|error| self.corrupt(&error.to_string()))
    }

    fn json<T: serde::de::DeserializeOwned>(&mut self) -> Read<T> {
        let text = self.text()?;
        serde_json::from_str(&text).map_err(|error| self.corrupt(&error.to_string()))
    }

    pub(crate) fn stop(&mut self) -> Read<Option<Stop>> {
        self.opt_word()
    }

    pub(crate) fn memory(&mut self) -> Read<baton_core::slot::ItemMemory> {
        self.json()
    }

    pub(crate) fn item_key(&mut self) -> Read<baton_core::slot::ItemKey> {
        self.word()
    }

    /// Reads `ITEM`.
    pub(crate) fn item(&mut self) -> Read<StoredItem> {
        let item = Item {
            id: ItemId(self.id()?),
            key: self.word()?,
            is_open: self.bool()?,
            gates: Gates { paused: self.opt_text()?, held: self.opt_text()?, blocked: self.opt_text()? },
            owner: self.opt_int()?.map(RunId),
            fence: self.int()?,
            lease: self.opt_text()?,
            version: self.int()?,
        };
        Ok(StoredItem { item, agent_key: self.opt_text()?, locked_at: self.opt_time()? })
    }

    /// Reads `RUN`, if there is one to the right of the others that were joined.
    pub(crate) fn opt_run(&mut self) -> Read<Option<Run>> {
        let Some(id) = self.opt_int()? else { return Ok(None) };
        self.id = Some(id);
        Ok(Some(Run {
            id: RunId(id),
            item: ItemId(self.int()?),
            agent: AgentName(self.text()?),
            wakeup: WakeupId(self.int()?),
            status: self.word()?,
            context: self.context()?,
            fence: self.int()?,
            worker: self.opt_int()?.map(WorkerId),
            attempt: self.count()?,
            interruptions: self.count()?,
            retry_of: self.opt_int()?.map(RunId),
            not_before: self.time()?,
            stop: self.opt_word()?,
            created_at: self.time()?,
            started_at: self.opt_time()?,
            finished_at: self.opt_time()?,
            cause: self.opt_word()?,
            error: self.opt_text()?,
            cost_micros: self.int()?,
        }))
    }

    /// Reads `RUN`.
    pub(crate) fn run(&mut self) -> Read<Run> {
        let run = self.opt_run()?;
        run.ok_or_else(|| self.corrupt("a run without a number"))
    }

    /// Reads `WAKEUP`.
    pub(crate) fn wakeup(&mut self) -> Read<Wakeup> {
        Ok(Wakeup {
            id: WakeupId(self.id()?),
            item: ItemId(self.int()?),
            agent: AgentName(self.text()?),
            source: self.word()?,
            reason: self.word()?,
            context: self.context()?,
            asked_by: Asker { who: self.text()?, is_person: self.bool()?, run: self.opt_int()?.map(RunId) },
            key: self.opt_text()?,
            status: self.word()?,
            disposition: self.opt_word()?,
            skip: self.opt_word()?,
            run: self.opt_int()?.map(RunId),
            merged_into: self.opt_int()?.map(WakeupId),
            attempt: self.count()?,
            interruptions: self.count()?,
            not_before: self.time()?,
            created_at: self.time()?,
            finished_at: self.opt_time()?,
        })
    }

    /// Reads `EFFECT`.
    pub(crate) fn effect(&mut self) -> Read<Effect> {
        Ok(Effect {
            id: EffectId(self.id()?),
            key: EffectKey { item: ItemId(self.int()?), version: self.int()?, step: self.count()? },
            deed: self.json::<Deed>()?,
            lease: self.opt_text()?,
            fence: self.int()?,
            status: self.word()?,
            attempts: self.count()?,
            not_before: self.time()?,
            sending_at: self.opt_time()?,
            created_at: self.time()?,
            finished_at: self.opt_time()?,
            error: self.opt_text()?,
        })
    }

    /// Reads the end and the burial of a lease that was joined.
    pub(crate) fn opt_lease(&mut self, worker: Option<WorkerId>) -> Read<Option<WorkerLease>> {
        let (until, is_buried) = (self.opt_time()?, self.opt_bool()?);
        let lease = worker.zip(until).zip(is_buried);
        Ok(lease.map(|((worker, until), is_buried)| WorkerLease { worker, until, is_buried }))
    }

    /// Reads `WORKER`.
    pub(crate) fn worker(&mut self) -> Read<WorkerRow> {
        let worker = WorkerId(self.id()?);
        let lease = WorkerLease { worker, until: self.time()?, is_buried: self.bool()? };
        Ok(WorkerRow { lease, name: self.text()?, host: self.text()?, since: self.time()? })
    }

    /// Reads a transfer; its own number comes first.
    pub(crate) fn transfer(&mut self) -> Read<Transfer> {
        self.id()?;
        Ok(Transfer {
            at: self.time()?,
            item: ItemId(self.int()?),
            from: self.opt_int()?.map(RunId),
            to: self.opt_int()?.map(RunId),
            agent: AgentKey(self.text()?),
            fence: self.int()?,
            reason: self.word()?,
            after: self.opt_word()?,
        })
    }
}

/// An item with what is kept for people beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredItem {
    pub(crate) item: Item,
    /// The agent that has the slot.
    pub(crate) agent_key: Option<String>,
    /// When a worker took the run that has the slot.
    pub(crate) locked_at: Option<StoreTime>,
}
