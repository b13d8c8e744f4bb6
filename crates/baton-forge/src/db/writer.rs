//! The one writer: every change runs on its thread, and changes that wait together share a commit.
//!
//! Each change has a savepoint of its own, so a refused one leaves nothing behind while its neighbours go on. Answers
//! are sent only after the commit that carries them: what a client was told is on disk.

use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::readers::Readers;
use super::replica::Replicas;

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
}

impl Deref for Tx<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

type Deliver = Box<dyn FnOnce(Result<(), WriteError>) + Send>;
type Change = Box<dyn FnOnce(&Tx<'_>) -> (bool, Deliver) + Send>;

pub(crate) struct Writer {
    changes: Sender<Change>,
}

impl Writer {
    pub(super) fn start(connection: Connection, readers: Arc<Readers>, replicas: Arc<Replicas>) -> Self {
        let (changes, queue) = channel();
        thread::spawn(move || run(&connection, &queue, &readers, &replicas));
        Self { changes }
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

fn run(connection: &Connection, queue: &Receiver<Change>, readers: &Readers, replicas: &Replicas) {
    while let Ok(first) = queue.recv() {
        let batch = std::iter::once(first).chain(queue.try_iter().take(BATCH_MAX - 1));
        let (committed, deliveries) = commit_together(connection, batch);
        if committed.is_ok() {
            readers.committed();
            replicas.committed();
        }
        for deliver in deliveries {
            deliver(committed.clone());
        }
    }
}

fn commit_together(
    connection: &Connection,
    batch: impl Iterator<Item = Change>,
) -> (Result<(), WriteError>, Vec<Deliver>) {
    let mut deliveries = Vec::new();
    let began = execute(connection, "BEGIN IMMEDIATE");
    let applied = began.and_then(|()| {
        for change in batch {
            deliveries.push(apply(connection, change)?);
        }
        execute(connection, "COMMIT")
    });
    let committed = applied.map_err(|error| {
        tracing::error!(%error, "a commit failed and was rolled back");
        // The transaction may have ended by itself; then there is nothing to roll back.
        drop(connection.execute_batch("ROLLBACK"));
        WriteError::Commit(error.to_string())
    });
    (committed, deliveries)
}

fn apply(connection: &Connection, change: Change) -> rusqlite::Result<Deliver> {
    execute(connection, "SAVEPOINT change")?;
    let (keep, deliver) = change(&Tx { connection });
    if !keep {
        execute(connection, "ROLLBACK TO change")?;
    }
    execute(connection, "RELEASE change")?;
    Ok(deliver)
}

fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}
