//! The engine: a marshal who decides, a clerk who performs what was decided, and a worker who runs agents, put together.
//!
//! They share a store and know of each other through it alone, and through a bell: what was performed deserves a look. Any
//! number of engines may share a store, or only a tracker.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use baton_core::slot::effect::Deed;
use baton_core::slot::{ItemKey, Safeguards};
use baton_ports::StoreError;
use futures_util::FutureExt as _;
use futures_util::future::{join3, select};

use crate::bell::Bell;
use crate::clerk::{Clerk, ClerkSettings};
use crate::leg::{LegBook, Legs};
use crate::marshal::{Book, Marshal, Parts};
use crate::outbox::{Outbox, Performed};
use crate::worker::{News, Worker, WorkerSettings};

/// The legs of an engine.
pub type LegsOf<P> = Legs<
    Arc<<P as Parts>::Workspaces>,
    <P as Parts>::Programs,
    <P as Parts>::Tracker,
    <P as Parts>::Store,
    Arc<Book<P>>,
>;

/// Hears what becomes of runs.
pub type TellRun = Box<dyn Fn(&News<'_>) + Send + Sync>;
/// Hears what was performed.
pub type TellDeed = Box<dyn Fn(&ItemKey, &Deed, &Performed) + Send + Sync>;

/// An engine.
pub struct Engine<P: Parts> {
    /// Who decides.
    pub marshal: Arc<Marshal<P>>,
    /// The programs of agents.
    pub programs: P::Programs,
    /// What is the same for all legs.
    pub legs: LegBook,
    /// How the worker keeps time.
    pub worker: WorkerSettings,
    /// How the clerk works.
    pub clerk: ClerkSettings,
    /// How long a write may take to become visible to reads of the tracker.
    pub visible_within: Duration,
    /// How long a call to the tracker may take, its repetitions included.
    pub request_timeout: Duration,
    /// Hears what becomes of runs.
    pub tell_run: TellRun,
    /// Hears what was performed.
    pub tell_deed: TellDeed,
    /// Which safeguards are on. All of them, except in the tests that show what each is for.
    #[doc(hidden)]
    pub safeguards: Safeguards,
}

impl<P: Parts> Engine<P> {
    /// Runs until `end` is ready: then nothing more is decided, agents are stopped and their runs given back, and what is
    /// being performed is finished.
    pub async fn run(self, end: impl Future<Output = ()> + Send) -> Result<(), StoreError> {
        let end = end.shared();
        let marshal = Arc::clone(&self.marshal);
        let store = marshal.relay.store.clone();
        let bell = marshal.bell.clone();
        let tell_run = self.tell_run;
        let worker = Worker {
            relay: marshal.relay.clone(),
            clock: marshal.clock.clone(),
            agents: Legs::new(
                Arc::clone(&marshal.workspaces),
                self.programs,
                marshal.tracker.clone(),
                store.clone(),
                Arc::clone(&marshal.leases),
                self.legs,
            ),
            settings: self.worker,
            tell: move |news: News<'_>| tell_run(&news),
        };
        let tell_deed = self.tell_deed;
        let of_the_dead = Arc::clone(&marshal);
        let clerk = Clerk {
            outbox: Outbox {
                store,
                tracker: marshal.tracker.clone(),
                clock: marshal.clock.clone(),
                leases: Arc::clone(&marshal.leases),
                arbiter: Arc::clone(&marshal),
                visible_within: self.visible_within,
                request_timeout: self.request_timeout,
                safeguards: self.safeguards,
            },
            settings: self.clerk,
            tell: move |item: &ItemKey, deed: &Deed, performed: &Performed| {
                tell_deed(item, deed, performed);
                if let ItemKey::Issue(issue) = item {
                    match performed {
                        Performed::Dead(..) => of_the_dead.note_dead(issue),
                        Performed::Dropped(..) => of_the_dead.note_dropped(issue),
                        _ => {}
                    }
                    bell.ring(issue.clone());
                }
            },
        };
        let (has_drained, ends) = (Bell::default(), Bell::default());
        let working = async {
            let worked = worker.run(end.clone()).await;
            has_drained.ring(());
            ends.ring(());
            worked
        };
        let performing = clerk.run(has_drained.heard().map(drop));
        // A worker that cannot go on ends the whole engine: decisions that nobody carries out only look like work.
        let is_over = pin!(ends.heard());
        let deciding = marshal.run(select(end.clone(), is_over).map(drop));
        let (worked, (), ()) = join3(working, performing, deciding).await;
        worked
    }
}
