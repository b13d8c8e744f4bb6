//! Agents that are scripts of bash, and a store of their own: a file, or a database of a server.

use std::sync::Arc;

use baton_claims::machine::SystemEntropy;
use baton_core::slot::{ItemKey, Policy};
use baton_engine::relay::Relay;
use baton_fixtures::wait::wait_for;
use baton_fixtures::{CommandOutput, TestEnv, clock};
use baton_ports::Store as _;
use baton_ports::store::{RunFilter, WakeupFilter};
use baton_store::SqlStore;
use baton_testbed::shared::{TestDatabase, url_for_new_database};
use serde_json::Value;

pub(crate) const ISSUE: &str = "acme/web#7";

/// Times that tests wait for are short, and those that must not come are long.
const SETTINGS: &str = "user: ann
kill_grace: 500ms
workers: {heartbeat: 1s, ttl: 15s}
retry: {base: 1h, cap: 2h}
";

pub(crate) struct Setup {
    pub(crate) env: TestEnv,
    /// The database, unless the store is a file.
    pub(crate) database: Option<TestDatabase>,
}

impl Setup {
    /// These agents, each a script of bash, and a store in a file.
    pub(crate) fn on_sqlite(agents: &[(&str, &str)]) -> Self {
        let mut env = TestEnv::new();
        let store = format!("sqlite:{}", env.path("baton.db").display());
        env.set("BATON_STORE", Some(&store));
        Self { env, database: None }.with_agents(agents)
    }

    /// The same with a database of a server.
    pub(crate) fn on_postgres(agents: &[(&str, &str)]) -> Self {
        let database = url_for_new_database("flow").unwrap();
        let env = TestEnv::new().with("BATON_STORE", &database.url());
        Self { env, database: Some(database) }.with_agents(agents)
    }

    pub(crate) fn on_both(agents: &[(&str, &str)]) -> [Self; 2] {
        [Self::on_sqlite(agents), Self::on_postgres(agents)]
    }

    fn with_agents(mut self, agents: &[(&str, &str)]) -> Self {
        // No tracker is asked; one that would be is not there.
        self.env.set("BATON_GITHUB_API_URL", Some("http://127.0.0.1:9"));
        self.env.set("BATON_REQUEST_TIMEOUT", Some("1s"));
        let mut yaml = format!("{SETTINGS}agents:\n");
        for (name, script) in agents {
            self.env.write(&format!("{name}.sh"), script);
            yaml.push_str(&format!(
                "  {name}: {{adapter: command, command: [bash, {name}.sh], workspace: directory}}\n"
            ));
        }
        self.env.write("baton.yaml", &yaml);
        self
    }

    /// Adds lines to `baton.yaml`.
    pub(crate) fn with_settings(self, yaml: &str) -> Self {
        self.env.write("baton.yaml", &format!("{yaml}{}", self.env.read("baton.yaml")));
        self
    }

    /// Writes something else into `baton.yaml` in the place of something.
    #[track_caller]
    pub(crate) fn edit(&self, old: &str, new: &str) {
        let yaml = self.env.read("baton.yaml");
        assert!(yaml.contains(old), "`{old}` is not in {yaml}");
        self.env.write("baton.yaml", &yaml.replace(old, new));
    }

    pub(crate) fn wake(&self, more: &[&str]) -> CommandOutput {
        self.env.run(&[&["wake", ISSUE, "--agent"], more].concat())
    }

    /// Executes all that there is.
    #[track_caller]
    pub(crate) fn execute(&self) -> CommandOutput {
        self.env.run(&["engine", "--idle", "--once"]).exits(0)
    }

    /// Waits for an agent that writes its process id to `pid`, and returns its process group.
    #[track_caller]
    pub(crate) fn agent(&self) -> i32 {
        wait_for("the agent", || self.env.note("pid")?.parse().ok())
    }

    /// Waits until a run has a status.
    #[track_caller]
    pub(crate) fn reaches(&self, run: usize, status: &str) -> Value {
        let has_it = |run: &&Value| run["status"] == status;
        wait_for(&format!("run {run} is {status}"), || self.env.runs().get(run - 1).filter(has_it).cloned())
    }

    /// The relay over the same store, for what no command does yet.
    pub(crate) async fn relay(&self) -> Relay<SqlStore, SystemEntropy> {
        let store = match &self.database {
            Some(database) => SqlStore::postgres(&database.url()).await,
            None => SqlStore::sqlite(&self.env.path("baton.db"), Arc::new(clock::store_time)).await,
        };
        Relay { store: store.unwrap(), entropy: SystemEntropy, policy: Policy::default() }
    }

    /// Everything in the store, to be compared.
    pub(crate) async fn dump(&self) -> String {
        let store = self.relay().await.store;
        let runs = store.runs(&RunFilter { limit: 1000, ..RunFilter::default() }).await.unwrap();
        let wakeups = store.wakeups(&WakeupFilter { limit: 1000, ..WakeupFilter::default() }).await.unwrap();
        let (item, workers) = (store.item(&issue()).await.unwrap(), store.workers().await.unwrap());
        format!("{runs:#?}\n{wakeups:#?}\n{item:#?}\n{workers:#?}\n{:#?}", store.counters().await.unwrap())
    }
}

pub(crate) fn issue() -> ItemKey {
    ISSUE.parse().unwrap()
}
