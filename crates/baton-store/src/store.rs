//! The store port over either database.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use baton_core::slot::effect::{AfterTry, Effect};
use baton_core::slot::limits::Limit;
use baton_core::slot::{
    Decision, EffectId, Item, ItemId, ItemKey, ItemMemory, Situation, Transfer, WorkerId, WorkerLease,
};
use baton_core::time::StoreTime;
use baton_ports::store::{
    Accepted, CounterRow, Delivery, EffectFilter, EffectRow, Heartbeat, Lookup, RunFilter, RunRow,
    TakenEffect, Target, Verdict, WakeupFilter, WakeupRow, WorkerRow,
};
use baton_ports::{Store, StoreError, StoreErrorKind};
use sqlx::postgres::PgConnectOptions;

use crate::fault::Fault;
use crate::nudges::{PostgresNudges, StoreNudges};
use crate::pool::{Lease, Pool};
use crate::postgres::Locking;
use crate::session::Session;
use crate::sockets::Sockets;
use crate::sqlite::Clock;
use crate::write::NOTIFY;
use crate::{count, deliveries, effects, lists, load, migrate, workers};

type Answer<T> = Result<T, StoreError>;

/// What is special to a database.
pub(crate) enum Backend {
    Sqlite { clock: Clock, begin: &'static str, sockets: Sockets },
    Postgres { connect: Box<PgConnectOptions>, locking: Locking },
}

/// A store in a file of SQLite or on a PostgreSQL server. Clones share its connections.
#[derive(Clone)]
pub struct SqlStore {
    inner: Arc<Inner>,
}

struct Inner {
    backend: Backend,
    writers: Arc<Pool>,
    readers: Arc<Pool>,
    /// The address as it is shown, without a password.
    address: String,
    /// How long an answer is waited for.
    patience: Duration,
}

impl std::fmt::Debug for SqlStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SqlStore").field(&self.inner.address).finish()
    }
}

impl SqlStore {
    pub(crate) fn new(
        backend: Backend,
        (writers, readers): (Arc<Pool>, Arc<Pool>),
        address: String,
        patience: Duration,
    ) -> Self {
        Self { inner: Arc::new(Inner { backend, writers, readers, address, patience }) }
    }

    /// Returns the address, without a password.
    pub fn address(&self) -> &str {
        &self.inner.address
    }

    /// Makes the first connection and brings the schema up to date.
    pub(crate) async fn open(&self) -> Answer<()> {
        let opening = async {
            let mut lease = self.inner.writers.lend().await?;
            migrate::migrate(&mut lease).await?;
            lease.give_back();
            Ok(())
        };
        self.told("opening the database", opening).await
    }

    pub(crate) fn locking(&self) -> Locking {
        match &self.inner.backend {
            Backend::Sqlite { .. } => Locking::default(),
            Backend::Postgres { locking, .. } => *locking,
        }
    }

    /// Begins a transaction that writes.
    pub(crate) async fn begin(&self) -> Result<Lease, Fault> {
        match self.begin_once().await {
            Err(fault) if self.may_be_stale(&fault) => self.begin_once().await,
            begun => begun,
        }
    }

    /// Begins a transaction for a decision. SQLite begins with the first statement, which looks for an item. If that has to
    /// know the time, one from before the lock does: it can only find less, and the rule looks again.
    pub(crate) async fn begin_for_decision(&self) -> Result<Lease, Fault> {
        let Backend::Sqlite { clock, begin, .. } = &self.inner.backend else { return self.begin().await };
        let mut tx = self.inner.writers.lend().await?;
        tx.now = clock();
        tx.begins_with = Some(*begin);
        Ok(tx)
    }

    /// Reads SQLite's clock, now that the lock is had.
    pub(crate) fn read_clock(&self, session: &mut Session) {
        if let Backend::Sqlite { clock, .. } = &self.inner.backend {
            session.now = clock();
        }
    }

    /// SQLite's clock is read when the lock is had.
    async fn begin_once(&self) -> Result<Lease, Fault> {
        let mut tx = self.inner.writers.lend().await?;
        match &self.inner.backend {
            Backend::Sqlite { clock, begin, .. } => {
                tx.simple(*begin).await?;
                tx.now = clock();
            }
            Backend::Postgres { .. } => tx.simple("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE").await?,
        }
        Ok(tx)
    }

    /// Returns whether a connection that lay idle may have been at fault, and forgets all that do. What only reads, or has
    /// only begun, may then be tried over a new one.
    fn may_be_stale(&self, fault: &Fault) -> bool {
        let is_lost = matches!(fault, Fault::Sql(_)) && fault.kind() == StoreErrorKind::Unreachable;
        if is_lost {
            self.inner.writers.forget_idle();
            self.inner.readers.forget_idle();
        }
        is_lost
    }

    pub(crate) async fn commit(&self, mut tx: Lease) -> Result<(), Fault> {
        if !std::mem::take(&mut tx.is_committed) {
            tx.simple("COMMIT").await?;
        }
        tx.give_back();
        Ok(())
    }

    pub(crate) async fn roll_back(&self, mut tx: Lease) -> Result<(), Fault> {
        tx.simple("ROLLBACK").await?;
        tx.give_back();
        Ok(())
    }

    /// Ends a transaction that failed, and returns why it did.
    pub(crate) async fn abandon(&self, tx: Lease, fault: Fault) -> Fault {
        // A connection that is broken is closed instead, by being dropped.
        if fault.kind() != StoreErrorKind::Unreachable {
            let _ = self.roll_back(tx).await;
        }
        fault
    }

    /// Nudges the other processes on this machine, if the database does not.
    pub(crate) fn tell_neighbours(&self, is_news: bool) {
        if let (true, Backend::Sqlite { sockets, .. }) = (is_news, &self.inner.backend) {
            sockets.tell();
        }
    }

    /// Ends a transaction as its result wants it.
    async fn end<T>(&self, mut tx: Lease, result: Result<T, Fault>, is_news: bool) -> Result<T, Fault> {
        let value = match result {
            Ok(value) => value,
            Err(fault) => return Err(self.abandon(tx, fault).await),
        };
        if is_news && tx.is_postgres() {
            tx.rows(format!("SELECT {NOTIFY}"), Vec::new()).await?;
        }
        self.commit(tx).await?;
        self.tell_neighbours(is_news);
        Ok(value)
    }

    /// Waits for an answer, for as long as that makes sense, and says what was tried when there is none.
    async fn told<T>(&self, tried: &str, work: impl Future<Output = Result<T, Fault>> + Send) -> Answer<T> {
        let Inner { patience, address, .. } = self.inner.as_ref();
        let answer = tokio::time::timeout(*patience, work).await.unwrap_or_else(|_| {
            let waited = patience.as_secs();
            let why =
                format!("there was no answer for {waited} s; whether anything was committed is unknown");
            Err(Fault::Unreachable(why))
        });
        answer.map_err(|fault| {
            self.may_be_stale(&fault);
            fault.told(tried, address)
        })
    }
}

/// Runs one question on a connection that only reads.
macro_rules! read {
    ($self:ident, $tried:literal, $question:path $(, $arg:expr)*) => {{
        let once = async || {
            let mut session = $self.inner.readers.lend().await?;
            let answer = $question(&mut session $(, $arg)*).await?;
            session.give_back();
            Ok(answer)
        };
        let asking = async {
            match once().await {
                Err(fault) if $self.may_be_stale(&fault) => once().await,
                answer => answer,
            }
        };
        $self.told($tried, asking).await
    }};
}

/// Runs one change in a transaction of its own.
macro_rules! change {
    ($self:ident, $tried:literal, $is_news:expr, $change:path $(, $arg:expr)*) => {{
        let changing = async {
            let mut tx = $self.begin().await?;
            let result = $change(&mut tx $(, $arg)*).await;
            $self.end(tx, result, $is_news).await
        };
        $self.told($tried, changing).await
    }};
}

impl Store for SqlStore {
    type Nudges = StoreNudges;

    async fn decide<T, R>(&self, target: &Target, lookup: &Lookup, rule: R) -> Answer<Verdict<T>>
    where
        T: Send,
        R: Fn(&Situation) -> Decision<T> + Send + Sync,
    {
        self.told("deciding about an item", self.decide_until_committed(target, lookup, rule)).await
    }

    async fn item(&self, key: &ItemKey) -> Answer<Option<Item>> {
        read!(self, "reading an item", lists::item, key)
    }

    async fn memory(&self, item: ItemId) -> Answer<ItemMemory> {
        read!(self, "reading what is remembered", lists::memory, item)
    }

    async fn runs(&self, filter: &RunFilter) -> Answer<Vec<RunRow>> {
        read!(self, "listing runs", lists::runs, filter)
    }

    async fn wakeups(&self, filter: &WakeupFilter) -> Answer<Vec<WakeupRow>> {
        read!(self, "listing wakeups", lists::wakeups, filter)
    }

    async fn transfers(&self, item: Option<&ItemKey>) -> Answer<Vec<Transfer>> {
        read!(self, "listing transfers", lists::transfers, item)
    }

    async fn effects(&self, item: &ItemKey) -> Answer<Vec<Effect>> {
        read!(self, "listing effects", lists::effects, item)
    }

    async fn effect_rows(&self, filter: &EffectFilter) -> Answer<Vec<EffectRow>> {
        read!(self, "listing effects", lists::effect_rows, filter)
    }

    async fn counters(&self) -> Answer<Vec<CounterRow>> {
        read!(self, "listing counters", lists::counters)
    }

    async fn set_limits(&self, limits: &[Limit]) -> Answer<()> {
        change!(self, "setting limits", true, count::set_limits, limits)
    }

    async fn enlist(&self, name: &str, host: &str, ttl: Duration) -> Answer<WorkerLease> {
        change!(self, "enlisting a worker", false, workers::enlist, name, host, ttl)
    }

    async fn heartbeat(&self, worker: WorkerId, ttl: Duration) -> Answer<Heartbeat> {
        change!(self, "renewing a worker's lease", false, workers::heartbeat, worker, ttl)
    }

    async fn retire(&self, worker: WorkerId) -> Answer<()> {
        change!(self, "ending a worker's lease", true, workers::retire, worker)
    }

    async fn workers(&self) -> Answer<Vec<WorkerRow>> {
        read!(self, "listing workers", lists::workers)
    }

    async fn take_effect(&self, worker: WorkerId, stop_grace: Duration) -> Answer<Option<TakenEffect>> {
        change!(self, "taking an effect", false, effects::take, worker, stop_grace)
    }

    async fn effect_tried(&self, id: EffectId, worker: WorkerId, after: &AfterTry) -> Answer<bool> {
        change!(self, "noting a try of an effect", true, effects::tried, id, worker, after)
    }

    async fn accept(&self, delivery: &Delivery) -> Answer<Accepted> {
        change!(self, "accepting a delivery", true, deliveries::accept, delivery)
    }

    async fn accept_all(&self, deliveries: &[Delivery]) -> Answer<Vec<Accepted>> {
        let accepting = async {
            loop {
                let mut tx = self.begin().await?;
                let result = deliveries::accept_all(&mut tx, deliveries).await;
                match self.end(tx, result, true).await {
                    // Another process accepts the same ones in another order.
                    Err(fault) if fault.is_lock_conflict() => {}
                    ended => return ended,
                }
            }
        };
        self.told("accepting deliveries", accepting).await
    }

    async fn unread(&self, limit: u32) -> Answer<Vec<Delivery>> {
        read!(self, "listing deliveries", deliveries::unread, limit)
    }

    async fn mark_read(&self, id: &str) -> Answer<()> {
        change!(self, "marking a delivery", false, deliveries::mark_read, id)
    }

    async fn mark_all_read(&self, ids: &[String]) -> Answer<()> {
        change!(self, "marking deliveries", false, deliveries::mark_all_read, ids)
    }

    async fn forget_deliveries(&self, older_than: Duration) -> Answer<u64> {
        change!(self, "forgetting deliveries", false, deliveries::forget, older_than)
    }

    async fn now(&self) -> Answer<StoreTime> {
        match &self.inner.backend {
            Backend::Sqlite { clock, .. } => Ok(clock()),
            Backend::Postgres { .. } => read!(self, "reading the clock", load::clock),
        }
    }

    async fn listen(&self) -> Answer<StoreNudges> {
        let address = self.inner.address.clone();
        let listening = async {
            Ok(match &self.inner.backend {
                Backend::Sqlite { sockets, .. } => StoreNudges::of_sockets(sockets.listen()?, address),
                Backend::Postgres { connect, .. } => {
                    StoreNudges::of_postgres(PostgresNudges::listen((**connect).clone()).await?, address)
                }
            })
        };
        self.told("beginning to listen", listening).await
    }
}
