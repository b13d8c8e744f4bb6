//! A server of this process, from `initdb` to the removal of its directory.
//!
//! By default it writes nothing through to the disk: tests lose nothing by it, and a crash of the server alone, which
//! [`Cluster::stop_hard`] is, keeps what was committed. A benchmark asks for [`ClusterBuilder::durable`].

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::account::Account;
use crate::error::TestbedError;
use crate::home::{self, Home};
use crate::postmaster::{Launch, Postmaster};
use crate::programs::{Programs, succeeded};
use crate::server::{PORT, Server, USER};

/// Connections for a whole test run at once, whatever the pools of the tests take.
const CONNECTIONS_MAX: u16 = 200;

/// A private server on a unix socket; it is stopped and removed when this value is dropped.
#[derive(Debug)]
pub struct Cluster {
    // The order matters: the server is stopped before its directory is removed.
    running: Mutex<Option<Postmaster>>,
    launch: Launch,
    server: Server,
    home: Home,
}

/// What to start.
#[derive(Clone, Debug, Default)]
pub struct ClusterBuilder {
    durable: bool,
    settings: Vec<String>,
}

impl Cluster {
    /// Starts a server for tests, which needs about two thirds of a second.
    pub fn start() -> Result<Self, TestbedError> {
        Self::builder().start()
    }

    /// Starts describing a server.
    pub fn builder() -> ClusterBuilder {
        ClusterBuilder::default()
    }

    /// Returns the address of a database, as libpq and sqlx read it.
    pub fn url(&self, database: &str) -> String {
        self.server.url(database)
    }

    /// Returns the directory with the server's socket.
    pub fn socket_dir(&self) -> &Path {
        self.server.socket_dir()
    }

    /// Returns the path of `pgbench`, of the same version as the server.
    pub fn pgbench_path(&self) -> PathBuf {
        self.launch.programs.path("pgbench")
    }

    /// Runs statements through `psql`, one by one and each in its own transaction, until one fails.
    ///
    /// Returns the bare values: a line for each row, with `|` between columns.
    pub fn sql(&self, database: &str, statements: &str) -> Result<String, TestbedError> {
        self.server.sql(database, statements)
    }

    /// Makes an empty database.
    pub fn create_database(&self, name: &str) -> Result<(), TestbedError> {
        self.server.create_database(name)
    }

    /// Makes a copy of a database that nobody is connected to.
    pub fn create_database_from(&self, name: &str, template: &str) -> Result<(), TestbedError> {
        self.server.create_database_from(name, template)
    }

    /// Removes a database if it exists, and ends its sessions first.
    pub fn drop_database(&self, name: &str) -> Result<(), TestbedError> {
        self.server.drop_database(name)
    }

    /// Ends every session of a database, waits for their end, and returns how many there were.
    pub fn cut_connections(&self, database: &str) -> Result<usize, TestbedError> {
        self.server.cut_connections(database)
    }

    /// Stops the server as a crash would, without a word to its clients; what was committed stays.
    pub fn stop_hard(&self) {
        if let Some(postmaster) = self.running().take() {
            postmaster.stop_hard();
        }
    }

    /// Starts the server that [`Self::stop_hard`] stopped, at the same address; one that runs is left alone.
    pub fn start_again(&self) -> Result<(), TestbedError> {
        let mut running = self.running();
        if running.is_none() {
            *running = Some(self.launch.start(&self.home)?);
        }
        Ok(())
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// A test that panicked between stop and start leaves a state that is still true.
    fn running(&self) -> MutexGuard<'_, Option<Postmaster>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClusterBuilder {
    /// Lets the server write every commit through to the disk, as one in production does.
    #[must_use]
    pub fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Adds a setting of `postgresql.conf`; it wins over the settings of the testbed.
    #[must_use]
    pub fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push(format!("{name}={value}"));
        self
    }

    /// Sweeps up after dead owners, and starts the server.
    pub fn start(self) -> Result<Cluster, TestbedError> {
        let (programs, account) = (Programs::find()?, Account::choose()?);
        home::sweep(&programs, account);
        let home = Home::create(account)?;
        initialise(&programs, account, &home, self.durable)?;
        let launch = Launch { programs: programs.clone(), account, settings: self.all_settings() };
        let server = Server { programs, socket_dir: home.path().to_owned() };
        let running = Mutex::new(Some(launch.start(&home)?));
        Ok(Cluster { running, launch, server, home })
    }

    fn all_settings(self) -> Vec<String> {
        let mut settings = vec![
            "listen_addresses=".to_owned(),
            format!("port={PORT}"),
            format!("max_connections={CONNECTIONS_MAX}"),
        ];
        if !self.durable {
            // Commits still reach the operating system, so they outlive the server's process, if not the machine.
            settings.extend(["fsync=off", "full_page_writes=off"].map(str::to_owned));
        }
        settings.extend(self.settings);
        settings
    }
}

fn initialise(programs: &Programs, account: Account, home: &Home, durable: bool) -> Result<(), TestbedError> {
    let tried = || format!("`initdb` in `{}`", home.path().display());
    let mut initdb = programs.command("initdb");
    initdb
        .args(["--auth=trust", "--encoding=UTF8", "--locale=C", "-U", USER, "-D"])
        .arg(home.data())
        .current_dir(home.path());
    if !durable {
        initdb.arg("--no-sync");
    }
    account.apply(&mut initdb);
    let output = initdb.output().map_err(TestbedError::io(tried()))?;
    succeeded(tried(), &output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_caller_come_last_and_so_win() {
        let settings = Cluster::builder().setting("max_connections", "20").all_settings();
        let wanted =
            ["listen_addresses=", "port=5432", "max_connections=200", "fsync=off", "full_page_writes=off"];
        assert_eq!(settings[..5], wanted);
        assert_eq!(settings[5..], ["max_connections=20"]);
    }

    #[test]
    fn a_durable_server_keeps_the_settings_of_production() {
        let settings = Cluster::builder().durable(true).all_settings();
        assert!(!settings.iter().any(|setting| setting.starts_with("fsync")), "{settings:?}");
    }
}
