//! Databases for tests that need no server to themselves.
//!
//! Each caller gets an empty database with a name nobody else has. The server is the one that `BATON_TEST_POSTGRES`
//! names by its socket directory, which `cargo xtask test` starts for all tests; without it, one server of this process
//! serves all its tests for as long as any of them has a database.

use std::env;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::cluster::Cluster;
use crate::error::TestbedError;
use crate::programs::Programs;
use crate::server::Server;

/// The variable that names the socket directory of a running server.
pub const VARIABLE: &str = "BATON_TEST_POSTGRES";

/// The server of this process; a static is never dropped, so the databases hold it and this only finds it again.
static OF_THIS_PROCESS: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

/// A database of one test; it is removed when this value is dropped.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    server: Server,
    /// Held so that the server outlives its databases, and not longer.
    _cluster: Option<Arc<Cluster>>,
}

impl TestDatabase {
    /// Returns the address, as libpq and sqlx read it.
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// Returns the name, which begins with the prefix that was asked for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs statements through `psql`, as [`Cluster::sql`] does.
    pub fn sql(&self, statements: &str) -> Result<String, TestbedError> {
        self.server.sql(&self.name, statements)
    }

    /// Ends every session of this database, as [`Cluster::cut_connections`] does.
    pub fn cut_connections(&self) -> Result<usize, TestbedError> {
        self.server.cut_connections(&self.name)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // A test may have stopped the server; then the database goes with it.
        let _ = self.server.drop_database(&self.name);
    }
}

/// Makes an empty database on the shared server.
pub fn url_for_new_database(prefix: &str) -> Result<TestDatabase, TestbedError> {
    new_database(env::var_os(VARIABLE).map(PathBuf::from), prefix)
}

fn new_database(named: Option<PathBuf>, prefix: &str) -> Result<TestDatabase, TestbedError> {
    let (server, cluster) = match named {
        Some(socket_dir) => (named_server(socket_dir)?, None),
        None => {
            let cluster = cluster_of_this_process()?;
            (cluster.server().clone(), Some(cluster))
        }
    };
    let name = unique(prefix);
    server.create_database(&name)?;
    Ok(TestDatabase { name, server, _cluster: cluster })
}

fn named_server(socket_dir: PathBuf) -> Result<Server, TestbedError> {
    let place = socket_dir.display().to_string();
    let server = Server { programs: Programs::find()?, socket_dir };
    server.answers().map_err(|error| TestbedError::NamedServer {
        variable: VARIABLE,
        place,
        source: Box::new(error),
    })?;
    Ok(server)
}

fn cluster_of_this_process() -> Result<Arc<Cluster>, TestbedError> {
    let mut known = OF_THIS_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cluster) = known.upgrade() {
        return Ok(cluster);
    }
    let cluster = Arc::new(Cluster::start()?);
    *known = Arc::downgrade(&cluster);
    Ok(cluster)
}

/// Names a database after this process and a count; the time is for a process that was killed and whose id came again.
fn unique(prefix: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.subsec_nanos());
    format!("{prefix}_{}_{nanos:x}_{count}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_of_one_process_are_apart_and_their_server_ends_with_the_last() {
        let first = new_database(None, "first").unwrap();
        let second = new_database(None, "second").unwrap();
        assert_eq!(first.server.socket_dir, second.server.socket_dir);
        first.sql("CREATE TABLE only_here (id int)").unwrap();
        assert_eq!(second.sql("SELECT to_regclass('only_here') IS NULL").unwrap(), "t");
        let socket_dir = first.server.socket_dir.clone();
        drop(first);
        assert_eq!(second.sql("SELECT current_database()").unwrap(), second.name());
        drop(second);
        assert!(!socket_dir.exists());
    }

    #[test]
    fn a_named_server_is_used_and_cleaned_up_after() {
        let cluster = Cluster::start().unwrap();
        let count = || {
            cluster.sql("postgres", "SELECT count(*) FROM pg_database WHERE datname LIKE 'named%'").unwrap()
        };
        let database = new_database(Some(cluster.socket_dir().to_owned()), "named").unwrap();
        assert_eq!(count(), "1");
        assert_eq!(database.url(), cluster.url(database.name()));
        drop(database);
        assert_eq!(count(), "0");
    }

    #[test]
    fn a_named_server_that_does_not_answer_is_told_with_its_variable() {
        let error = new_database(Some("/nowhere/at/all".into()), "never").unwrap_err().to_string();
        assert!(error.starts_with("BATON_TEST_POSTGRES names the server at `/nowhere/at/all`"), "{error}");
    }
}
