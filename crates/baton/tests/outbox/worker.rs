//! A worker of the outbox in a process of its own, so that it can be killed: this program, started again.
//!
//! It opens the store, enlists, does what it was ordered to, and performs until the issue has nothing left to perform or
//! it has lost its lease.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use baton_claims::machine::SystemClock;
use baton_core::slot::ItemKey;
use baton_core::slot::effect::EffectStatus;
use baton_core::tracker::IssueKey;
use baton_engine::outbox::{Alone, Performed, Turn};
use baton_fixtures::TOKEN;
use baton_fixtures::clock::store_time;
use baton_fixtures::wait::SOON;
use baton_ports::store::Heartbeat;
use baton_ports::{Clock as _, Store as _};
use baton_store::SqlStore;
use baton_testbed::shared::{TestDatabase, url_for_new_database};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::outbox::effects::{Effects, comment, outbox};
use crate::outbox::setup::{REPO, github};

/// Says in the environment that this process is a worker, and what it is to do.
const ORDERS: &str = "BATON_OUTBOX_WORKER";
/// Stands before what a worker says, because a test program prints lines of its own.
const MARK: &str = "@outbox@";

/// How long the lease of a worker lasts that is going to die.
pub(crate) const SHORT_LIFE: Duration = Duration::from_secs(15);
pub(crate) const LONG_LIFE: Duration = Duration::from_secs(300);
const STOP_GRACE: Duration = Duration::from_millis(100);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Where the effects are; it is gone with this value.
pub(crate) enum TempStore {
    Sqlite(tempfile::TempDir),
    Postgres(TestDatabase),
}

impl TempStore {
    /// One of each kind, empty.
    pub(crate) fn both() -> [Self; 2] {
        let database = url_for_new_database("outbox").unwrap();
        [Self::Sqlite(tempfile::tempdir().unwrap()), Self::Postgres(database)]
    }

    pub(crate) fn address(&self) -> String {
        match self {
            Self::Sqlite(directory) => directory.path().join("baton.db").display().to_string(),
            Self::Postgres(database) => database.url(),
        }
    }

    pub(crate) async fn effects(&self) -> Effects<SqlStore> {
        Effects::over(open(&self.address()).await).await
    }
}

async fn open(address: &str) -> SqlStore {
    if address.starts_with("postgres") {
        return SqlStore::postgres(address).await.unwrap();
    }
    SqlStore::sqlite(address.as_ref(), Arc::new(store_time)).await.unwrap()
}

/// What a worker does before it performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    /// Nothing.
    Perform,
    /// It decides that something is to be said, and waits.
    Decide,
    /// It takes an effect, and waits.
    Take,
}

/// A worker, seen from the parent. It is killed when dropped.
pub(crate) struct Worker {
    pub(crate) child: Child,
}

impl Worker {
    pub(crate) fn start(at: &TempStore, url: &str, issue: &IssueKey, first: First, life: Duration) -> Self {
        let orders = json!({
            "store": at.address(),
            "url": url,
            "issue": issue.number,
            "first": format!("{first:?}"),
            "life_ms": baton_core::time::millis(life),
        });
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["outbox::outbox_worker", "--exact", "--nocapture", "--test-threads", "1"])
            .env(ORDERS, orders.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { child }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Waits until it has done what it does first.
    pub(crate) async fn waits(&mut self) {
        let mut lines = BufReader::new(self.child.stdout.as_mut().unwrap()).lines();
        let said = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if line.contains(MARK) {
                    return;
                }
            }
            panic!("it ended and said nothing");
        };
        timeout(SOON, said).await.unwrap();
    }

    /// Waits until it has ended by itself.
    pub(crate) async fn ends(&mut self) {
        let status = timeout(SOON, self.child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{status}");
    }

    /// Kills it.
    pub(crate) async fn dies(&mut self) {
        self.child.kill().await.unwrap();
    }
}

/// Serves as a worker, if that is what this process was started for.
pub(crate) fn serve_if_worker() {
    let Ok(orders) = std::env::var(ORDERS) else { return };
    let orders: Value = serde_json::from_str(&orders).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.unwrap().block_on(serve(&orders));
}

async fn serve(orders: &Value) {
    let store = open(orders["store"].as_str().unwrap()).await;
    let issue = IssueKey { repo: REPO.parse().unwrap(), number: orders["issue"].as_u64().unwrap() };
    let life = Duration::from_millis(orders["life_ms"].as_u64().unwrap());
    let worker = store.enlist("outbox", "here", life).await.unwrap().worker;
    match orders["first"].as_str() {
        Some("Decide") => {
            Effects::over(store.clone()).await.decide(&issue, vec![comment("one"), comment("two")]).await;
            wait_for_death().await;
        }
        Some("Take") => {
            store.take_effect(worker, STOP_GRACE).await.unwrap().unwrap();
            wait_for_death().await;
        }
        _ => {}
    }
    let mut outbox = outbox(store.clone(), github(orders["url"].as_str().unwrap(), TOKEN), Alone);
    outbox.request_timeout = REQUEST_TIMEOUT;
    loop {
        let write_until = SystemClock.boot_now().plus(life);
        if store.heartbeat(worker, life).await.unwrap() == Heartbeat::Lost {
            return;
        }
        let turn = Turn { worker, stop_grace: STOP_GRACE, write_until };
        let performed = outbox.perform_next(&turn).await.unwrap();
        if performed != Performed::Nothing {
            continue;
        }
        let effects = store.effects(&ItemKey::issue(&issue)).await.unwrap();
        let is_over = |status| matches!(status, EffectStatus::Done | EffectStatus::Dead);
        if effects.iter().all(|effect| is_over(effect.status)) {
            return;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

#[expect(clippy::print_stdout, reason = "it is how the parent hears that it may be killed")]
async fn wait_for_death() {
    println!("{MARK}");
    std::future::pending::<()>().await;
}
