//! What the tests of this crate share: both stores, and asks in few words.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use baton_core::slot::finish::{Baton, Fenced, FinishAsk, finish};
use baton_core::slot::policy::Policy;
use baton_core::slot::start::{StartOutcome, Started, start};
use baton_core::slot::wake::{WakeAsk, WakeOutcome, wake};
use baton_core::slot::{
    AgentName, Asker, Context, ItemKey, NewEffect, Reason, RunEnd, RunStatus, Source, WorkerId,
};
use baton_ports::Store;
use baton_ports::store::{Lookup, StartSearch, Target, Verdict};
use baton_sim::HandClock;
use baton_store::{Clock, SqlStore};
use baton_testbed::shared::{TestDatabase, url_for_new_database};
use tempfile::TempDir;

pub(crate) const TTL: Duration = Duration::from_secs(45);
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// A clock that stands still.
pub(crate) fn still_clock() -> Clock {
    let clock = HandClock::default();
    Arc::new(move || clock.now())
}

/// A directory for a file of SQLite, short enough for sockets beside it.
pub(crate) struct Place {
    pub(crate) directory: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::Builder::new().prefix("baton").tempdir_in("/tmp").unwrap() }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.directory.path().join("deep/down/baton.db")
    }

    pub(crate) fn address(&self) -> String {
        format!("sqlite:{}", self.file().display())
    }
}

pub(crate) async fn sqlite(place: &Place) -> SqlStore {
    SqlStore::sqlite(&place.file(), still_clock()).await.unwrap()
}

/// What keeps a store's database there.
pub(crate) enum Ground {
    File(Place),
    Server(TestDatabase),
}

/// Both stores, each empty.
pub(crate) async fn both(name: &str) -> Vec<(SqlStore, Ground)> {
    let place = Place::new();
    let database = url_for_new_database(name).unwrap();
    let postgres = SqlStore::postgres(&database.url()).await.unwrap();
    vec![(sqlite(&place).await, Ground::File(place)), (postgres, Ground::Server(database))]
}

impl Ground {
    /// Runs a statement beside the store, and returns what the database says against it.
    pub(crate) async fn refusal(&self, statement: &str) -> Option<String> {
        use sqlx::Connection as _;
        match self {
            Self::Server(database) => database.sql(statement).err().map(|error| error.to_string()),
            Self::File(place) => {
                let mut db = sqlx::SqliteConnection::connect(&place.address()).await.unwrap();
                let ran = sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut db).await;
                db.close().await.unwrap();
                ran.err().map(|error| error.to_string())
            }
        }
    }

    pub(crate) async fn run(&self, statement: &str) {
        assert_eq!(self.refusal(statement).await, None, "{statement}");
    }
}

pub(crate) fn key(number: u64) -> ItemKey {
    format!("acme/web#{number}").parse().unwrap()
}

pub(crate) fn ask(agent: &str, context: &str) -> WakeAsk {
    WakeAsk {
        agent: AgentName::from(agent),
        source: Source::Webhook,
        reason: Reason::IssueCommented,
        context: Context::parse(context).unwrap(),
        asked_by: Asker { who: "ada".to_owned(), is_person: true, run: None },
        key: None,
    }
}

pub(crate) async fn woken(store: &SqlStore, item: &ItemKey, ask: &WakeAsk) -> WakeOutcome {
    let policy = Policy::default();
    let wake_key = ask.key.clone().map(|key| (ask.agent.key(), key));
    let lookup = Lookup { wake_key, run: ask.asked_by.run };
    let verdict =
        store.decide(&Target::Key(item.clone()), &lookup, |situation| wake(situation, ask, &policy)).await;
    committed(verdict.unwrap())
}

#[track_caller]
pub(crate) fn committed<T: std::fmt::Debug>(verdict: Verdict<T>) -> T {
    match verdict {
        Verdict::Committed(value) => value,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn enlisted(store: &SqlStore) -> WorkerId {
    store.enlist("worker", "host", TTL).await.unwrap().worker
}

pub(crate) async fn try_start(store: &SqlStore, worker: WorkerId) -> Verdict<StartOutcome> {
    let policy = Policy::default();
    let search = StartSearch { worker, agents: Vec::new() };
    let rule = |situation: &_| start(situation, worker, &policy);
    store.decide(&Target::ToStart(search), &Lookup::default(), rule).await.unwrap()
}

pub(crate) async fn started(store: &SqlStore, worker: WorkerId) -> Started {
    match try_start(store, worker).await {
        Verdict::Committed(StartOutcome::Started(started)) => *started,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn finished(
    store: &SqlStore,
    started: &Started,
    end: RunEnd,
    effects: Vec<NewEffect>,
) -> Fenced<RunStatus> {
    let policy = Policy::default();
    let run = &started.run;
    let baton = Baton { run: run.id, worker: run.worker.unwrap(), fence: run.fence };
    let ask = FinishAsk { baton, end, cost_micros: 1_500, effects, outcome: None };
    let target = Target::OfRun(run.id);
    committed(
        store
            .decide(&target, &Lookup::default(), |situation| finish(situation, &ask, &policy))
            .await
            .unwrap(),
    )
}
