//! Reading connections, each with a snapshot that is kept for as long as it is the newest.
//!
//! Beginning and ending a read transaction takes file locks, which cost more than most questions. So a connection keeps its
//! transaction between requests, and the writer ends those of idle connections after each commit: a kept snapshot is
//! never older than this process's last commit. Other processes commit too, now and then; a snapshot is therefore kept
//! for a few milliseconds only, and whoever must know everything asks for the newest.
//!
//! Each thread has a place of its own for its connection. What SQLite allocates is then freed by the thread that
//! allocated it, and no two threads wait for each other's memory.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::memo::Memo;
use crate::sync::lock;

/// How long another process's commit may stay unseen by readers that allow it.
const KEPT_MAX: Duration = Duration::from_millis(20);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freshness {
    Newest,
    OwnCommits,
}

struct Reader {
    connection: Connection,
    snapshot: Option<Snapshot>,
    /// What was learnt from this snapshot, and goes with it.
    memo: Memo,
}

#[derive(Clone, Copy)]
struct Snapshot {
    begun: Instant,
    /// How many commits this process had made by then.
    commits: u64,
}

/// More places than threads that usually read at once; threads beyond that share.
const PLACES: usize = 32;
/// Connections without a transaction that are kept for the next question of that kind.
const LOOSE_MAX: usize = 8;

thread_local! {
    static PLACE: usize = NEXT_PLACE.fetch_add(1, Ordering::Relaxed) % PLACES;
}
static NEXT_PLACE: AtomicUsize = AtomicUsize::new(0);

pub(super) struct Readers {
    path: PathBuf,
    places: [Mutex<Option<Reader>>; PLACES],
    /// Connections that are in no transaction.
    loose: Mutex<Vec<Connection>>,
    commits: AtomicU64,
}

impl Readers {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            places: std::array::from_fn(|_| Mutex::default()),
            loose: Mutex::default(),
            commits: AtomicU64::new(0),
        }
    }

    /// Called by the writer after every commit, before anybody is told of it.
    pub(super) fn committed(&self) {
        self.commits.fetch_add(1, Ordering::AcqRel);
        for place in &self.places {
            let mut place = lock(place);
            // An outdated snapshot would also keep the write-ahead log from being reused. One that cannot be ended
            // goes with its connection.
            if place.as_mut().is_some_and(|reader| reader.end().is_err()) {
                *place = None;
            }
        }
    }

    pub(super) fn read<R>(
        &self,
        freshness: Freshness,
        ask: impl FnOnce(&Connection, &mut Memo) -> R,
    ) -> rusqlite::Result<R> {
        let place = &self.places[PLACE.with(|place| *place)];
        // The connection is taken out, so that a question inside a question gets one of its own.
        let mut reader = match lock(place).take() {
            Some(reader) => reader,
            None => Reader {
                connection: super::connect_reader(&self.path)?,
                snapshot: None,
                memo: Memo::default(),
            },
        };
        if !self.may_keep(&reader, freshness) {
            reader.end()?;
            reader.begin(self.commits.load(Ordering::Acquire))?;
        }
        let answer = ask(&reader.connection, &mut reader.memo);
        let mut place = lock(place);
        // The writer ends what lies in a place; what was in use while it did so ends here.
        if reader.snapshot.is_some_and(|snapshot| snapshot.commits != self.commits.load(Ordering::Acquire)) {
            reader.end()?;
        }
        *place = Some(reader);
        Ok(answer)
    }

    /// Asks on a connection without a transaction.
    pub(super) fn unpinned<R>(&self, ask: impl FnOnce(&Connection) -> R) -> rusqlite::Result<R> {
        let kept = lock(&self.loose).pop();
        let connection = match kept {
            Some(connection) => connection,
            None => super::connect_reader(&self.path)?,
        };
        let answer = ask(&connection);
        let mut loose = lock(&self.loose);
        if loose.len() < LOOSE_MAX {
            loose.push(connection);
        }
        Ok(answer)
    }

    fn may_keep(&self, reader: &Reader, freshness: Freshness) -> bool {
        freshness == Freshness::OwnCommits
            && reader.snapshot.is_some_and(|snapshot| {
                snapshot.commits == self.commits.load(Ordering::Acquire)
                    && snapshot.begun.elapsed() < KEPT_MAX
            })
    }
}

impl Reader {
    fn begin(&mut self, commits: u64) -> rusqlite::Result<()> {
        let begun = Instant::now();
        self.connection.prepare_cached("BEGIN")?.execute([])?;
        self.snapshot = Some(Snapshot { begun, commits });
        Ok(())
    }

    fn end(&mut self) -> rusqlite::Result<()> {
        if self.snapshot.take().is_some() {
            self.memo.clear();
            self.connection.prepare_cached("COMMIT")?.execute([])?;
        }
        Ok(())
    }
}
