//! Agents of the adapter `command` behind the port: programs of the configuration, each under a supervisor of its own.
//!
//! Deliberately absent: what an agent's output means. Its exit code is all that is judged.

use std::path::PathBuf;

use baton_agent::{AgentEnd, AgentProcess, Environment, Graces, Launch, LaunchError, StopHow, launch};
use baton_claims::machine::SystemClock;
use baton_core::agent::{AgentExit, Limit};
use baton_core::agent_lines::Program;
use baton_core::config::{AgentConfig, Config, StoreAddress};
use baton_core::slot::start::Started;
use baton_core::slot::{Reason, RunEnd, WakeupStatus};
use baton_core::time::BootTime;
use baton_ports::store::WakeupFilter;
use baton_ports::{Agent, AgentReport, Agents, Clock as _, Store, StoreError};
use baton_store::SqlStore;

use super::context::{Desk, WITHHELD_VARIABLE};
use super::{log_file, prompt, table};
use crate::config::Loaded;

/// How much of an agent's last words is kept with its run.
const LAST_WORDS_CHARS_MAX: usize = 500;
/// Shorter values would black out half of the log.
const SECRET_LEN_MIN: usize = 8;
/// What the names of variables end with whose values must not be seen in a log.
const SECRET_ENDINGS: [&str; 5] = ["TOKEN", "KEY", "SECRET", "PASSWORD", "CREDENTIALS"];
/// An item has one run that is not over, and so one wakeup that it follows; more would be a mistake elsewhere.
const WAKEUPS_MAX: u32 = 16;

/// The agents of the configuration.
pub(super) struct CommandAgents {
    config: Config,
    supervisor: PathBuf,
    directory: PathBuf,
    state_dir: PathBuf,
    log_dir: PathBuf,
    store_address: StoreAddress,
    store: SqlStore,
    /// What no log may show.
    secrets: Vec<String>,
}

impl CommandAgents {
    pub(super) fn new(desk: &Desk, store: SqlStore, supervisor: PathBuf) -> Self {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        Self {
            config: desk.config().clone(),
            supervisor,
            directory: absolute(desk.loaded.directory.clone()),
            state_dir: absolute(desk.loaded.state_dir()),
            log_dir: absolute(desk.log_dir()),
            store_address: desk.store_address(),
            store,
            secrets: secrets(&desk.loaded),
        }
    }

    /// Why the run was wanted: that of the wakeup it follows, which is queued for as long as the run is not over.
    async fn reason(&self, started: &Started) -> Result<Reason, StoreError> {
        let filter = WakeupFilter {
            item: Some(started.item.key.clone()),
            statuses: vec![WakeupStatus::Queued],
            created_before: None,
            limit: WAKEUPS_MAX,
        };
        let rows = self.store.wakeups(&filter).await?;
        let followed = rows.iter().find(|row| row.wakeup.id == started.run.wakeup);
        Ok(followed.map_or(Reason::Manual, |row| row.wakeup.reason))
    }

    fn order(&self, agent: &AgentConfig, started: &Started, reason: Reason, deadline: BootTime) -> Launch {
        Launch {
            supervisor: self.supervisor.clone(),
            argv: agent.command.iter().map(Into::into).collect(),
            cwd: self.directory.clone(),
            env: self.environment(agent, started, reason),
            stdin: prompt::document(started, reason),
            program: Program::Plain,
            log: log_file::path(&self.log_dir, started.run.id),
            log_cap: self.config.log_cap_bytes,
            redact: self.secrets.clone(),
            deadline,
            kill_grace: Graces::both(self.config.kill_grace),
            wall_time: self.config.max_wall_time,
            inactivity: Some(self.config.inactivity_timeout),
            record: None,
        }
    }

    fn environment(&self, agent: &AgentConfig, started: &Started, reason: Reason) -> Environment {
        let also: Vec<_> = agent.env.iter().map(String::as_str).collect();
        let mut environment = Environment::allowed(std::env::vars_os(), &also);
        for (name, value) in prompt::variables(started, reason) {
            environment = environment.with(name, value);
        }
        environment = environment.with("BATON_STATE_DIR", self.state_dir.as_os_str());
        match self.shown_store() {
            Some(address) => environment.with("BATON_STORE", address),
            None => environment.with(WITHHELD_VARIABLE, "1"),
        }
    }

    /// Where the store is, unless that would tell the agent a password.
    fn shown_store(&self) -> Option<String> {
        let shown = self.store_address.to_string();
        match &self.store_address {
            StoreAddress::Sqlite(_) => Some(shown),
            StoreAddress::Postgres(url) => (*url == shown).then_some(shown),
        }
    }
}

/// The values of our own environment and of `.env` that no log may show, and the store's address if it has a password.
fn secrets(loaded: &Loaded) -> Vec<String> {
    let is_secret =
        |name: &str| SECRET_ENDINGS.iter().any(|ending| name.to_ascii_uppercase().ends_with(ending));
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let in_file = loaded.dotenv().iter().map(|variable| (variable.name.clone(), variable.value.clone()));
    let address = match &loaded.resolved.config.store {
        StoreAddress::Postgres(url) if *url != loaded.resolved.config.store.to_string() => Some(url.clone()),
        _ => None,
    };
    variables
        .chain(in_file)
        .filter(|(name, value)| is_secret(name) && value.len() >= SECRET_LEN_MIN)
        .map(|(_, value)| value)
        .chain(address)
        .collect()
}

impl Agents for CommandAgents {
    type Agent = CommandAgent;

    async fn launch(
        &self,
        started: &Started,
        deadline: &(dyn Fn() -> BootTime + Sync),
    ) -> Result<CommandAgent, RunEnd> {
        let key = started.run.agent.key();
        let Some(agent) = self.config.agents.get(&key.0) else {
            return Err(RunEnd::Failed(format!("no agent `{key}` is configured on this machine")));
        };
        // A store that does not answer is not the agent's fault.
        let reason = self.reason(started).await.map_err(|_| RunEnd::GivenBack)?;
        let deadline = deadline();
        let launched = launch(self.order(agent, started, reason, deadline), SystemClock).await;
        // The supervisor starts nothing that it would have to stop at once. A machine that is too busy to start an agent in
        // time is not the agent's fault either.
        let is_late = SystemClock.boot_now().plus(2 * self.config.kill_grace) >= deadline;
        launched
            .map(CommandAgent)
            .map_err(|error| if is_late { RunEnd::GivenBack } else { not_launched(&error) })
    }
}

/// A program at work.
pub(super) struct CommandAgent(AgentProcess<SystemClock>);

impl Agent for CommandAgent {
    fn extend(&self, deadline: BootTime) {
        self.0.extend(deadline);
    }

    fn stop(&self) {
        self.0.stop(StopHow::Interrupt);
    }

    fn numbers(&self) -> baton_core::agent::RunNumbers {
        self.0.numbers()
    }

    async fn wait(&self) -> AgentReport {
        AgentReport { end: run_end(&self.0.wait().await), cost_micros: 0, leg: None }
    }
}

/// How a run ends whose agent was not started.
fn not_launched(error: &LaunchError) -> RunEnd {
    if matches!(error, LaunchError::TooLate) {
        return RunEnd::GivenBack;
    }
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    RunEnd::Failed(format!("{error}{}", cause.unwrap_or_default()))
}

fn run_end(end: &AgentEnd) -> RunEnd {
    match &end.exit {
        AgentExit::Exited(0) => RunEnd::Succeeded,
        AgentExit::Exited(code) => RunEnd::Failed(with_last_words(&format!("exit code {code}"), end)),
        AgentExit::Signalled(signal) => {
            RunEnd::Failed(with_last_words(&format!("ended by signal {signal}"), end))
        }
        AgentExit::NotRun(why) => RunEnd::Failed(table::one_line(why, LAST_WORDS_CHARS_MAX)),
        AgentExit::TimedOut(Limit::WallTime) => {
            RunEnd::TimedOut(with_last_words("it took longer than `max_wall_time`", end))
        }
        AgentExit::TimedOut(Limit::Inactivity) => {
            RunEnd::TimedOut(with_last_words("it printed nothing for `inactivity_timeout`", end))
        }
        AgentExit::Stopped => RunEnd::Stopped,
        // The lease has not been renewed. Whoever may still write gives the run back.
        AgentExit::DeadlinePassed => RunEnd::GivenBack,
        AgentExit::SupervisorLost => RunEnd::Failed(with_last_words("its supervisor was lost", end)),
    }
}

fn with_last_words(what: &str, end: &AgentEnd) -> String {
    let said = [&end.last_error, &end.last_line].into_iter().find(|line| !line.trim().is_empty());
    match said {
        Some(said) => format!("{what}: {}", table::one_line(said, LAST_WORDS_CHARS_MAX)),
        None => what.to_owned(),
    }
}
