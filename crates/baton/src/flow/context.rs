//! What every command of flow needs: the configuration, the store, and the relay's verbs over it.
//!
//! No token and no tracker: a store is all that these commands ask.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use baton_claims::machine::SystemEntropy;
use baton_core::agent::RUN_VARIABLE;
use baton_core::config::{AgentConfig, Config, Source, StoreAddress};
use baton_core::slot::{ItemKey, Policy, RunId};
use baton_core::time::StoreTime;
use baton_engine::relay::Relay;
use baton_ports::store::{RunFilter, RunRow};
use baton_ports::{Store as _, StoreError, StoreErrorKind};
use baton_store::{PostgresOptions, SqlStore};
use clap::Args;
use tokio::runtime::Runtime;

use crate::claims::naming::{IssueArgument, Naming};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Loaded, Surroundings};

/// How long a person waits for a database that does not answer.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// The variable that tells a program inside a run that the engine's store has a password, which it is not given.
pub(crate) const WITHHELD_VARIABLE: &str = "BATON_STORE_WITHHELD";

/// Options of every command that works on the store.
#[derive(Debug, Default, Args)]
pub(crate) struct StoreArguments {
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

impl StoreArguments {
    /// Reads the configuration; the store is not touched yet.
    pub(crate) fn read(&self) -> Result<Desk, CommandError> {
        let desk = Desk::read(&self.config)?;
        desk.loaded.print_warnings();
        Ok(desk)
    }
}

/// The configuration, and where the command stands.
pub(crate) struct Desk {
    pub(crate) surroundings: Surroundings,
    pub(crate) loaded: Loaded,
}

/// The store is open.
pub(crate) struct Flow {
    pub(crate) desk: Desk,
    pub(crate) relay: Relay<SqlStore, SystemEntropy>,
    runtime: Runtime,
}

impl Desk {
    pub(crate) fn read(argument: &ConfigArgument) -> Result<Self, CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = argument.load(Vec::new(), &surroundings)?;
        Ok(Self { surroundings, loaded })
    }

    pub(crate) fn config(&self) -> &Config {
        &self.loaded.resolved.config
    }

    /// The issue that a person named.
    pub(crate) fn item(&self, argument: &IssueArgument) -> Result<ItemKey, CommandError> {
        let naming = Naming { api_url: &self.config().api_url, surroundings: &self.surroundings };
        Ok(ItemKey::issue(&naming.issue(argument)?))
    }

    /// The agent that a person named, as it is configured.
    pub(crate) fn agent(&self, name: &str) -> Result<&AgentConfig, CommandError> {
        let agents = &self.config().agents;
        agents.get(&baton_core::config::agent_key(name)).ok_or_else(|| {
            let known: Vec<_> = agents.values().map(|agent| agent.name.as_str()).collect();
            CommandError::Usage(match known.as_slice() {
                [] => format!(
                    "there is no agent `{name}`: none is configured; add it under `agents:` in baton.yaml"
                ),
                known => format!("there is no agent `{name}`: the configured ones are {}", known.join(", ")),
            })
        })
    }

    /// The run that this process belongs to, if an engine has started it.
    pub(crate) fn own_run(&self) -> Result<Option<RunId>, CommandError> {
        let run = self.surroundings.variable(RUN_VARIABLE).map(str::parse::<RunId>).transpose();
        run.map_err(|error| CommandError::Usage(format!("{RUN_VARIABLE}: {error}")))
    }

    pub(crate) fn store_address(&self) -> StoreAddress {
        self.config().store.beginning_at(&self.loaded.directory)
    }

    /// Where the logs of runs are.
    pub(crate) fn log_dir(&self) -> PathBuf {
        self.loaded.directory.join(&self.config().log_dir)
    }

    /// Opens the store if it is there. A look must not leave a file behind.
    pub(crate) fn open_if_there(self) -> Result<Option<Flow>, CommandError> {
        self.check_withheld()?;
        match self.store_address() {
            StoreAddress::Sqlite(path) if !path.exists() => Ok(None),
            _ => self.open().map(Some),
        }
    }

    /// Opens the store, which is made if it is a file that is not there.
    pub(crate) fn open(self) -> Result<Flow, CommandError> {
        self.check_withheld()?;
        let address = self.store_address();
        self.open_at(&address)
    }

    /// Opens another store than the configured one.
    pub(crate) fn open_at(self, address: &StoreAddress) -> Result<Flow, CommandError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| CommandError::OutOfReach(format!("no runtime: {error}")))?;
        let store = runtime.block_on(open(address))?;
        let relay = Relay { store, entropy: SystemEntropy, policy: Policy::of(self.config()) };
        Ok(Flow { desk: self, relay, runtime })
    }
}

impl Desk {
    /// Refuses to use a file of its own where the engine's store is meant: nobody would read it.
    fn check_withheld(&self) -> Result<(), CommandError> {
        let is_withheld = self.surroundings.variable(WITHHELD_VARIABLE).is_some();
        if !is_withheld || *self.loaded.resolved.source("store") != Source::Default {
            return Ok(());
        }
        Err(CommandError::OutOfReach(
            "the engine's store has a password, which agents are not given: use PGPASSWORD or ~/.pgpass for it, or name BATON_STORE under the agent's `env`"
                .to_owned(),
        ))
    }
}

impl Flow {
    /// Runs something to its end.
    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Closes the store.
    pub(crate) fn into_desk(self) -> Desk {
        self.desk
    }

    /// Returns a run as people see it.
    pub(crate) async fn run_row(&self, id: RunId) -> Result<Option<RunRow>, StoreError> {
        let filter = RunFilter { id: Some(id), limit: 1, ..RunFilter::default() };
        Ok(self.relay.store.runs(&filter).await?.pop())
    }
}

/// Opens a store, which is made if it is a file that is not there.
pub(crate) async fn open(address: &StoreAddress) -> Result<SqlStore, StoreError> {
    match address {
        StoreAddress::Sqlite(path) => SqlStore::sqlite(path, Arc::new(wall_clock)).await,
        StoreAddress::Postgres(url) => {
            let options = PostgresOptions { acquire_timeout: CONNECT_WITHIN, ..PostgresOptions::default() };
            SqlStore::postgres_with(url, options).await
        }
    }
}

/// The clock of a store on this machine.
fn wall_clock() -> StoreTime {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    StoreTime { ms: i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX) }
}

/// The name of this machine, under which others find what is kept on it.
pub(crate) fn host_name() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name.is_empty() { "localhost".to_owned() } else { name }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        match error.kind {
            StoreErrorKind::Address => Self::Usage(error.to_string()),
            _ => Self::OutOfReach(error.to_string()),
        }
    }
}
