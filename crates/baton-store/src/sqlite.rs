//! Opening a store in a file of SQLite.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use baton_core::time::StoreTime;
use baton_ports::StoreError;
use rustix::fs::{FlockOperation, flock};
use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use crate::fault::Fault;
use crate::migrate;
use crate::pool::{Pool, Source};
use crate::session::Session;
use crate::sockets::Sockets;
use crate::store::{Backend, SqlStore};

/// The clock of a store on one machine.
pub type Clock = Arc<dyn Fn() -> StoreTime + Send + Sync>;

/// How a file is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqliteOptions {
    /// How long others may keep the file locked.
    pub busy_timeout: Duration,
    /// How many connections only read.
    pub readers_max: usize,
    /// Whether a transaction takes the lock when it begins. It does, except in the test that shows why.
    #[doc(hidden)]
    pub begin_immediate: bool,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(30), readers_max: 4, begin_immediate: true }
    }
}

impl SqlStore {
    /// Opens the file, which is made if it is not there, and brings its schema up to date.
    pub async fn sqlite(path: &Path, clock: Clock) -> Result<Self, StoreError> {
        Self::sqlite_with(path, clock, SqliteOptions::default()).await
    }

    /// Opens the file in some other way than usual.
    pub async fn sqlite_with(path: &Path, clock: Clock, options: SqliteOptions) -> Result<Self, StoreError> {
        let address = format!("sqlite:{}", path.display());
        let told = |fault: Fault| fault.told("opening the file", &address);
        let path = prepare(path).map_err(|error| told(Fault::Sql(sqlx::Error::Io(error))))?;
        let connect = SqliteConnectOptions::new()
            .filename(&path)
            .foreign_keys(true)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(options.busy_timeout)
            .statement_cache_capacity(256)
            // Two megabytes, which is the default, do not hold the upper pages of the indexes of a long history.
            .pragma("cache_size", "-32768")
            .disable_statement_logging();
        let first = open(&path, &connect, options.busy_timeout).await.map_err(told)?;
        let pool = |max| Pool::new(Source::Sqlite(Box::new(connect.clone())), max, options.busy_timeout);
        let (writer, readers) = (pool(1), pool(options.readers_max));
        writer.put(first);
        let begin = if options.begin_immediate { "BEGIN IMMEDIATE" } else { "BEGIN" };
        let backend = Backend::Sqlite { clock, begin, sockets: Sockets::beside(&path) };
        // Waiting for this process's own writer, and then for another's.
        let patience = options.busy_timeout * 2 + Duration::from_secs(5);
        Ok(Self::new(backend, (writer, readers), address, patience))
    }
}

/// Opens the first connection. Only who makes the file, or changes its schema, waits for others who open it.
async fn open(path: &Path, connect: &SqliteConnectOptions, wait: Duration) -> Result<Session, Fault> {
    let mut session = Source::Sqlite(Box::new(connect.clone())).connect().await?;
    if is_ready(&mut session).await? {
        return Ok(session);
    }
    drop(session);
    let _guard = lock(path, wait).await?;
    let with_wal = connect.clone().journal_mode(SqliteJournalMode::Wal);
    let mut session = Source::Sqlite(Box::new(with_wal)).connect().await?;
    migrate::migrate(&mut session).await?;
    Ok(session)
}

async fn is_ready(session: &mut Session) -> Result<bool, Fault> {
    let mode = session.row("PRAGMA journal_mode", Vec::new()).await?;
    let mode = mode.map(|row| row.columns("journal_mode").text()).transpose()?;
    Ok(mode.as_deref() == Some("wal") && migrate::is_current(session).await?)
}

/// Waits for the lock of a file beside the store. SQLite's own locks do not serve here: changing to the write-ahead log
/// fails instead of waiting. The file of the store itself must not be opened for it, because closing it again would drop
/// the locks that this process has on it.
async fn lock(path: &Path, wait: Duration) -> Result<File, Fault> {
    let path = with_suffix(path, ".lock");
    let locking = tokio::task::spawn_blocking(move || {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        flock(&file, FlockOperation::LockExclusive)?;
        io::Result::Ok(file)
    });
    match tokio::time::timeout(wait, locking).await {
        Ok(Ok(file)) => file.map_err(|error| Fault::Sql(sqlx::Error::Io(error))),
        Ok(Err(error)) => Err(Fault::Unreachable(error.to_string())),
        Err(_) => Err(Fault::Busy("another process is opening it and does not come to an end".to_owned())),
    }
}

/// Makes the directory and the file, for nobody else to read, and returns the file's full path.
fn prepare(path: &Path) -> io::Result<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    let name = path.file_name().ok_or_else(|| io::Error::other("it names no file"))?;
    let path = fs::canonicalize(parent)?.join(name);
    if !path.try_exists()? {
        make(&path)?;
    }
    Ok(path)
}

/// Makes an empty file. It gets its name when it is closed already; see [`lock`] for why.
fn make(path: &Path) -> io::Result<()> {
    let draft = with_suffix(path, &format!(".{}.new", std::process::id()));
    OpenOptions::new().create(true).append(true).mode(0o600).open(&draft)?;
    let made = match fs::hard_link(&draft, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    };
    // Another task of this process may have removed it.
    let _ = fs::remove_file(&draft);
    match made {
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.exists() => Ok(()),
        made => made,
    }
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
