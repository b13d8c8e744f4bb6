//! The forge's record: one SQLite file in WAL mode, many readers, one writer.
//!
//! Reads run on the caller's thread inside a snapshot ([`Database::read`]). Writes run one after another on the
//! writer's thread and share commits ([`writer`]). Lagging reads are answered from snapshots pinned at earlier commits
//! ([`replica`]), so every read endpoint lags alike without knowing it.
//!
//! The functions that ask and change are grouped by noun in this module's children; they take a plain connection, so the
//! same ones serve a snapshot and a transaction.

pub(crate) mod accounts;
pub(crate) mod checks;
pub(crate) mod ci_jobs;
pub(crate) mod closing_links;
pub(crate) mod comments;
pub(crate) mod events;
pub(crate) mod hooks;
pub(crate) mod issue_query;
pub(crate) mod issue_removal;
pub(crate) mod issue_transfer;
pub(crate) mod issues;
pub(crate) mod keyset;
pub(crate) mod labels;
pub(crate) mod links;
mod memo;
pub(crate) mod merge_intents;
pub(crate) mod milestones;
pub(crate) mod participants;
pub(crate) mod pins;
pub(crate) mod project_fields;
pub(crate) mod project_items;
pub(crate) mod project_shown;
pub(crate) mod project_values;
pub(crate) mod projects;
pub(crate) mod protections;
pub(crate) mod pull_query;
pub(crate) mod pulls;
pub(crate) mod reactions;
mod readers;
pub(crate) mod refs;
pub(crate) mod replica;
pub(crate) mod repos;
pub(crate) mod review_comments;
pub(crate) mod review_requests;
pub(crate) mod review_threads;
pub(crate) mod reviews;
mod schema;
pub(crate) mod statuses;
pub(crate) mod teams;
pub(crate) mod timeline;
pub(crate) mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::sync::lock;
pub(crate) use memo::Memo;
use readers::{Freshness, Readers};
use replica::Replicas;
pub(crate) use writer::{Tx, WriteError, Writer};

/// The database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// SQLite refused.
    #[error("cannot open the forge's database {}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// The file was written by a newer release.
    #[error(
        "the forge's database {} has schema {found}, and this release knows schemas up to {known}: run a newer baton, or another --data directory",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema of this binary.
        known: i64,
    },
    /// A directory could not be made.
    #[error("cannot create the data directory {}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

/// Prepared statements kept per connection: more than the crate has, so none is compiled twice.
const STATEMENTS_MAX: usize = 256;

/// How much of the database readers map into memory; what lies beyond is read in the ordinary way.
const MAPPED_BYTES_MAX: i64 = 1 << 30;

/// How long a connection waits for what another process has locked.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct Database {
    readers: Arc<Readers>,
    writer: Writer,
    replicas: Arc<Replicas>,
}

impl Database {
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        let sqlite = |source| OpenError::Sqlite { path: path.to_owned(), source };
        let mut connection = connect(path).map_err(sqlite)?;
        schema::migrate(&mut connection, path)?;
        let (readers, replicas) = (Arc::new(Readers::new(path)), Arc::new(Replicas::new(path)));
        let writer = Writer::start(connection, Arc::clone(&readers), Arc::clone(&replicas));
        Ok(Self { readers, writer, replicas })
    }

    pub(crate) fn writer(&self) -> &Writer {
        &self.writer
    }

    pub(crate) fn replicas(&self) -> &Replicas {
        &self.replicas
    }

    /// Runs `ask` on the newest committed state.
    pub(crate) fn read<R>(&self, ask: impl FnOnce(&Connection) -> R) -> rusqlite::Result<R> {
        self.readers.read(Freshness::Newest, |conn, _| ask(conn))
    }

    /// Runs `ask` on a state that has everything this process has committed, but may miss what another process
    /// committed in the last moment. It costs less; an answer that something is not there must be asked again.
    pub(crate) fn read_own<R>(&self, ask: impl FnOnce(&Connection, &mut Memo) -> R) -> rusqlite::Result<R> {
        self.readers.read(Freshness::OwnCommits, ask)
    }

    /// Runs `ask` without a snapshot: each question sees the newest state, what was written in between included.
    pub(crate) fn read_unpinned<R>(&self, ask: impl FnOnce(&Connection) -> R) -> rusqlite::Result<R> {
        self.readers.unpinned(ask)
    }

    /// Runs `ask` on the state of `lag` ago.
    pub(crate) fn read_lagging<R>(
        &self,
        lag: Duration,
        ask: impl FnOnce(&Connection) -> R,
    ) -> rusqlite::Result<R> {
        match self.replicas.before(lag) {
            Some(pinned) => Ok(ask(&lock(&pinned))),
            None => self.read(ask),
        }
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags())?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // Other processes (the `baton forge` commands) write too, each for a moment.
    connection.busy_timeout(BUSY_TIMEOUT)?;
    use_wal(&connection)?;
    // An acknowledged write must survive the machine's death, not only the process's; group commit pays for it.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// Sets WAL mode. While another process does so for the same new file, SQLite says "locked" without waiting for the busy timeout.
fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            answer => return answer,
        }
    }
}

fn connect_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags())?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "query_only", true)?;
    // Pages are read where they lie instead of being copied into each reader's cache.
    connection.pragma_update(None, "mmap_size", MAPPED_BYTES_MAX)?;
    connection.pragma_update(None, "cache_size", -2_000)?;
    Ok(connection)
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_can_open_a_new_database_at_once() {
        let dir = tempfile::tempdir().unwrap();
        for round in 0..20 {
            let path = dir.path().join(format!("{round}.db"));
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| drop(Database::open(&path).unwrap()));
                }
            });
        }
    }
}
