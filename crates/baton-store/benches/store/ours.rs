//! Our side: the relay's verbs over a store, by clients that are tasks with a connection each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use baton_core::slot::finish::{Baton, Fenced, FinishAsk};
use baton_core::slot::policy::Policy;
use baton_core::slot::start::Started;
use baton_core::slot::wake::{WakeAsk, WakeOutcome};
use baton_core::slot::{AgentName, Asker, Context, ItemKey, Reason, RunEnd, Source, WorkerId};
use baton_core::time::StoreTime;
use baton_engine::relay::{Relay, StartAnswer};
use baton_ports::{Entropy, Store as _};
use baton_store::{Clock, SqlStore};
use tokio::runtime::Runtime;

use crate::plan::{Plan, Work};

/// Longer than any benchmark.
const TTL: Duration = Duration::from_secs(24 * 3600);
/// What the bare SQL has too.
pub(crate) const CONTEXT: &str = r#"{"comment_ids":[7],"note":"please look at this again"}"#;

/// Retries, which are all that dice are for, do not happen here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoDice;

impl Entropy for NoDice {
    fn bits(&self) -> u128 {
        0
    }
}

/// A store with a worker.
#[derive(Clone)]
pub(crate) struct Ours {
    pub(crate) relay: Arc<Relay<SqlStore, NoDice>>,
    worker: WorkerId,
    /// The next fresh issue.
    next: Arc<AtomicU64>,
}

impl Ours {
    pub(crate) async fn new(store: SqlStore) -> Self {
        let worker = store.enlist("bench", "here", TTL).await.expect("a worker is enlisted").worker;
        let relay = Arc::new(Relay { store, entropy: NoDice, policy: Policy::default() });
        Self { relay, worker, next: Arc::new(AtomicU64::new(10_000_000)) }
    }

    pub(crate) async fn wake(&self) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let item: ItemKey = format!("acme/web#{number}").parse().expect("the name of an issue");
        let outcome = self.relay.wake(&item, &ask()).await.expect("a wake");
        assert!(matches!(outcome, WakeOutcome::Queued { .. }), "{outcome:?}");
    }

    /// Starts the oldest run, if there is one that nobody else just takes.
    pub(crate) async fn start(&self) -> Option<Box<Started>> {
        match self.relay.start(self.worker).await.expect("a start") {
            StartAnswer::Started(started) => Some(started),
            _ => None,
        }
    }

    pub(crate) async fn finish(&self, started: &Started) {
        let run = &started.run;
        let baton = Baton { run: run.id, worker: self.worker, fence: run.fence };
        let ask = FinishAsk {
            baton,
            end: RunEnd::Succeeded,
            cost_micros: 1_500,
            effects: Vec::new(),
            outcome: None,
        };
        let ended = self.relay.finish(&ask).await.expect("an end");
        assert!(matches!(ended, Fenced::Done(_)), "{ended:?}");
    }

    async fn once(&self, work: Work) {
        self.wake().await;
        if work == Work::Cycle {
            let started = loop {
                match self.start().await {
                    Some(started) => break started,
                    None => tokio::task::yield_now().await,
                }
            };
            self.finish(&started).await;
        }
    }

    /// Returns how often a second the work is done by so many clients.
    pub(crate) fn rate(&self, runtime: &Runtime, plan: &Plan, work: Work, clients: usize) -> f64 {
        let begun = Instant::now();
        let until = begun + plan.round;
        let tasks: Vec<_> = (0..clients)
            .map(|_| {
                let ours = self.clone();
                runtime.spawn(async move {
                    let mut count = 0_u32;
                    while Instant::now() < until {
                        ours.once(work).await;
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        let counts = tasks.into_iter().map(|task| runtime.block_on(task).expect("a client"));
        let count: u32 = counts.sum();
        f64::from(count) / begun.elapsed().as_secs_f64()
    }
}

fn ask() -> WakeAsk {
    WakeAsk {
        agent: AgentName::from("Builder"),
        source: Source::Webhook,
        reason: Reason::IssueCommented,
        context: Context::parse(CONTEXT).expect("a context"),
        asked_by: Asker { who: "ada".to_owned(), is_person: true, run: None },
        key: None,
    }
}

/// This machine's clock.
pub(crate) fn clock() -> Clock {
    Arc::new(|| StoreTime { ms: now_ms() })
}

pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
