//! The one writer: every change runs on its thread, and changes that wait together share a commit.
//!
//! Each change has a savepoint of its own, so a refused one leaves nothing behind while its neighbours go on. Answers
//! are sent only after the commit that carries them: what a client was told is on disk. So is the news of a change:
//! listeners hear of it when it can no longer be undone.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use rusqlite::Connection;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::readers::Readers;
use super::replica::Replicas;
use crate::hooks::post::Post;
use crate::hooks::publish::{Told, publish};
use crate::news::News;
use crate::sync::lock;

/// Changes that share one commit at most. More would make the first of them wait for the last.
const BATCH_MAX: usize = 128;

/// Why a change was not made.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum WriteError {
    #[error("the commit failed: {0}")]
    Commit(String),
    #[error("the change panicked and was rolled back")]
    Panicked,
    #[error("the change was not made: its transaction could not begin, or the forge is shutting down")]
    NotMade,
}

/// A change's view of the database, inside its savepoint.
pub(crate) struct Tx<'c> {
    connection: &'c Connection,
    post: &'c Post,
    told: RefCell<Vec<Told>>,
    has_mail: Cell<bool>,
}

impl Tx<'_> {
    /// Tells what this change has brought about. It is heard only if the change is kept. A deletion is told while its
    /// subject is still there.
    pub(crate) fn tell(&self, news: News) {
        let told = Told::new(self.connection, self.post, news);
        self.told.borrow_mut().push(told);
    }

    /// Says that this change leaves something to be delivered.
    pub(crate) fn leave_mail(&self) {
        self.has_mail.set(true);
    }
}

impl Deref for Tx<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

type Deliver = Box<dyn FnOnce(Result<(), WriteError>) + Send>;
type Change = Box<dyn FnOnce(&Tx<'_>) -> (bool, Deliver) + Send>;
/// Whoever hears the news. One that has gone away is forgotten.
type Audience = Arc<Mutex<Vec<UnboundedSender<Arc<News>>>>>;

pub(crate) struct Writer {
    changes: Sender<Change>,
    audience: Audience,
    post: Arc<Post>,
}

/// What is told around the commits of the writer.
struct Surroundings {
    readers: Arc<Readers>,
    replicas: Arc<Replicas>,
    audience: Audience,
    post: Arc<Post>,
}

/// What a batch of changes leaves to be done after its commit.
#[derive(Default)]
struct Aftermath {
    deliveries: Vec<Deliver>,
    news: Vec<News>,
    has_mail: bool,
}

impl Writer {
    pub(super) fn start(connection: Connection, readers: Arc<Readers>, replicas: Arc<Replicas>) -> Self {
        let (changes, queue) = channel();
        let audience = Audience::default();
        let post = Arc::<Post>::default();
        let around =
            Surroundings { readers, replicas, audience: Arc::clone(&audience), post: Arc::clone(&post) };
        thread::spawn(move || run(&connection, &queue, &around));
        Self { changes, audience, post }
    }

    /// What payloads are written with, and whom new deliveries wake.
    pub(crate) fn post(&self) -> &Arc<Post> {
        &self.post
    }

    /// Returns the news of every commit from now on, in their order.
    pub(crate) fn listen(&self) -> UnboundedReceiver<Arc<News>> {
        let (teller, listener) = unbounded_channel();
        lock(&self.audience).push(teller);
        listener
    }

    /// Queues a change; the receiver gets its answer after the commit. An `Err` rolls the change back.
    pub(crate) fn submit<T: Send + 'static, E: Send + 'static>(
        &self,
        change: impl FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> oneshot::Receiver<Result<Result<T, E>, WriteError>> {
        let (answer, receiver) = oneshot::channel();
        let job: Change = Box::new(move |tx| match catch_unwind(AssertUnwindSafe(|| change(tx))) {
            Ok(result) => {
                let keep = result.is_ok();
                let deliver: Deliver =
                    Box::new(move |committed| drop(answer.send(committed.map(|()| result))));
                (keep, deliver)
            }
            Err(_) => (false, Box::new(move |_| drop(answer.send(Err(WriteError::Panicked))))),
        });
        // A closed queue drops the job and with it the sender, which the receiver reports as NotMade.
        drop(self.changes.send(job));
        receiver
    }

    /// Makes a change from async code.
    pub(crate) async fn write<T: Send + 'static, E: Send + From<WriteError> + 'static>(
        &self,
        change: impl FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        settle(self.submit(change).await)
    }

    /// Makes a change from a thread that may block.
    pub(crate) fn write_blocking<T: Send + 'static, E: Send + From<WriteError> + 'static>(
        &self,
        change: impl FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        settle(self.submit(change).blocking_recv())
    }
}

fn settle<T, E: From<WriteError>>(
    received: Result<Result<Result<T, E>, WriteError>, oneshot::error::RecvError>,
) -> Result<T, E> {
    received.unwrap_or(Err(WriteError::NotMade))?
}

fn run(connection: &Connection, queue: &Receiver<Change>, around: &Surroundings) {
    while let Ok(first) = queue.recv() {
        let batch = std::iter::once(first).chain(queue.try_iter().take(BATCH_MAX - 1));
        let (committed, aftermath) = commit_together(connection, &around.post, batch);
        if committed.is_ok() {
            around.readers.committed();
            around.replicas.committed();
            around.pass_on(aftermath.news);
            if aftermath.has_mail {
                around.post.wake();
            }
        }
        for deliver in aftermath.deliveries {
            deliver(committed.clone());
        }
    }
}

impl Surroundings {
    fn pass_on(&self, news: Vec<News>) {
        if news.is_empty() {
            return;
        }
        let mut audience = lock(&self.audience);
        for news in news.into_iter().map(Arc::new) {
            audience.retain(|listener| listener.send(Arc::clone(&news)).is_ok());
        }
    }
}

fn commit_together(
    connection: &Connection,
    post: &Post,
    batch: impl Iterator<Item = Change>,
) -> (Result<(), WriteError>, Aftermath) {
    let mut aftermath = Aftermath::default();
    let began = execute(connection, "BEGIN IMMEDIATE");
    let applied = began.and_then(|()| {
        for change in batch {
            apply(connection, post, change, &mut aftermath)?;
        }
        execute(connection, "COMMIT")
    });
    let committed = applied.map_err(|error| {
        tracing::error!(%error, "a commit failed and was rolled back");
        // The transaction may have ended by itself; then there is nothing to roll back.
        drop(connection.execute_batch("ROLLBACK"));
        WriteError::Commit(error.to_string())
    });
    (committed, aftermath)
}

fn apply(
    connection: &Connection,
    post: &Post,
    change: Change,
    aftermath: &mut Aftermath,
) -> rusqlite::Result<()> {
    execute(connection, "SAVEPOINT change")?;
    let tx = Tx { connection, post, told: RefCell::default(), has_mail: Cell::new(false) };
    let (keep, deliver) = change(&tx);
    aftermath.deliveries.push(deliver);
    if keep {
        let told = tx.told.into_inner();
        aftermath.has_mail |= announce(connection, post, &told)? | tx.has_mail.get();
        aftermath.news.extend(told.into_iter().map(|told| told.news));
    } else {
        execute(connection, "ROLLBACK TO change")?;
    }
    execute(connection, "RELEASE change")
}

/// Writes the deliveries of a change. One that cannot be rendered at all costs a webhook, never the writer.
fn announce(connection: &Connection, post: &Post, told: &[Told]) -> rusqlite::Result<bool> {
    catch_unwind(AssertUnwindSafe(|| publish(connection, post, told))).unwrap_or_else(|_| {
        tracing::error!("the webhooks of a change panicked and are left out");
        Ok(false)
    })
}

fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}
