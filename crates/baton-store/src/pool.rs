//! Connections that are used again.
//!
//! A connection comes back only when whoever had it says that it is in order; one that was dropped in the middle of
//! something, because its caller was cancelled or failed, is closed, and its database ends what it had begun. An idle
//! connection is not asked whether it is alive, which would cost a round trip: whoever finds it dead at the first word
//! takes another.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::fault::Fault;
use crate::session::{Link, Session};

/// Where connections come from.
pub(crate) enum Source {
    Sqlite(Box<SqliteConnectOptions>),
    Postgres(Box<PgConnectOptions>),
}

/// A transaction that was left open, by a process that was stopped, must not keep a row for ever; and nobody waits for a
/// row for ever.
const POSTGRES_SETTINGS: &str = "SET lock_timeout = '30s'; SET idle_in_transaction_session_timeout = '5s'";

impl Source {
    pub(crate) async fn connect(&self) -> Result<Session, Fault> {
        Ok(match self {
            Self::Sqlite(options) => Session::new(Link::Sqlite(options.connect().await?)),
            Self::Postgres(options) => {
                let mut session = Session::new(Link::Postgres(options.connect().await?));
                session.simple(POSTGRES_SETTINGS).await?;
                session
            }
        })
    }
}

/// A pool.
pub(crate) struct Pool {
    source: Source,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<Session>>,
    wait: Duration,
}

impl Pool {
    pub(crate) fn new(source: Source, connections_max: usize, wait: Duration) -> Arc<Self> {
        let permits = Arc::new(Semaphore::new(connections_max.max(1)));
        Arc::new(Self { source, permits, idle: Mutex::default(), wait })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the idle connections, since what broke one has probably broken all.
    pub(crate) fn forget_idle(&self) {
        self.idle().clear();
    }

    /// Puts a connection in that was made elsewhere.
    pub(crate) fn put(&self, session: Session) {
        self.idle().push(session);
    }

    /// Lends a connection.
    pub(crate) async fn lend(self: &Arc<Self>) -> Result<Lease, Fault> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        let permit = tokio::time::timeout(self.wait, permit).await;
        let Ok(Ok(permit)) = permit else {
            let waited = self.wait.as_secs();
            return Err(Fault::Busy(format!("all connections were in use for {waited} s")));
        };
        let session = tokio::time::timeout(self.wait, self.session()).await;
        let session = session.map_err(|_| {
            Fault::Unreachable(format!("no connection was made within {} s", self.wait.as_secs()))
        })??;
        Ok(Lease { session, pool: Arc::clone(self), _permit: permit })
    }

    async fn session(&self) -> Result<Session, Fault> {
        let idle = self.idle().pop();
        match idle {
            Some(session) => Ok(session),
            None => self.source.connect().await,
        }
    }
}

/// A connection that was lent.
pub(crate) struct Lease {
    session: Session,
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
}

impl Lease {
    /// Gives the connection back, in order.
    pub(crate) fn give_back(self) {
        self.pool.put(self.session);
    }
}

impl Deref for Lease {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut Session {
        &mut self.session
    }
}
