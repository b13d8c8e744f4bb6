//! A place to work: a directory with a `baton.yaml` and scripts for agents, a store of its own, and the binary.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use baton_claims::machine::SystemEntropy;
use baton_core::slot::{ItemKey, Policy};
use baton_core::time::StoreTime;
use baton_engine::relay::Relay;
use baton_ports::Store as _;
use baton_ports::store::{RunFilter, WakeupFilter};
use baton_store::SqlStore;
pub(crate) use baton_testbed::processes::is_group_alive;
use baton_testbed::shared::{TestDatabase, url_for_new_database};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

/// Long enough for anything that must happen, however busy the machine is.
pub(crate) const SOON: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub(crate) const ISSUE: &str = "acme/web#7";

/// Times that tests wait for are short, and those that must not come are long.
const SETTINGS: &str = "user: ann
kill_grace: 500ms
workers: {heartbeat: 300ms, ttl: 4s}
retry: {base: 1h, cap: 2h}
";

pub(crate) struct Desk {
    pub(crate) store: String,
    pub(crate) database: Option<TestDatabase>,
    directory: tempfile::TempDir,
}

/// What a run of `baton` came to.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        let code = output.status.code().unwrap_or(-1);
        Self { code, out: text(&output.stdout), err: text(&output.stderr) }
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// Insists on words in what it printed, for people or in its complaint.
    #[track_caller]
    pub(crate) fn says(self, words: &str) -> Self {
        assert!(self.out.contains(words) || self.err.contains(words), "`{words}` is not in {self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Desk {
    /// A desk with these agents, each a script of bash, and a store in a file.
    pub(crate) fn on_sqlite(agents: &[(&str, &str)]) -> Self {
        // Short, because sockets lie beside the file.
        let directory = tempfile::Builder::new().prefix("flow").tempdir_in("/tmp").unwrap();
        let store = format!("sqlite:{}/baton.db", directory.path().display());
        Self { store, database: None, directory }.with_agents(agents)
    }

    /// The same with a database of a server.
    pub(crate) fn on_postgres(agents: &[(&str, &str)]) -> Self {
        let database = url_for_new_database("flow").unwrap();
        let directory = tempfile::Builder::new().prefix("flow").tempdir_in("/tmp").unwrap();
        Self { store: database.url(), database: Some(database), directory }.with_agents(agents)
    }

    pub(crate) fn on_both(agents: &[(&str, &str)]) -> [Self; 2] {
        [Self::on_sqlite(agents), Self::on_postgres(agents)]
    }

    fn with_agents(self, agents: &[(&str, &str)]) -> Self {
        let mut yaml = format!("{SETTINGS}agents:\n");
        for (name, script) in agents {
            std::fs::write(self.path(&format!("{name}.sh")), script).unwrap();
            yaml.push_str(&format!(
                "  {name}: {{adapter: command, command: [bash, {name}.sh], workspace: directory}}\n"
            ));
        }
        std::fs::write(self.path("baton.yaml"), yaml).unwrap();
        self
    }

    /// Adds lines to `baton.yaml`.
    pub(crate) fn with_settings(self, yaml: &str) -> Self {
        let path = self.path("baton.yaml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, format!("{yaml}{text}")).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn write(&self, name: &str) {
        std::fs::write(self.path(name), "").unwrap();
    }

    /// Reads a file that an agent wrote; nothing until it has a whole line.
    pub(crate) fn note(&self, name: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.path(name)).ok()?;
        text.ends_with('\n').then(|| text.trim_end().to_owned())
    }

    /// A run that has not been started. Nothing of the test's own environment reaches it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("BATON_STORE", &self.store)
            .env("BATON_GITHUB_API_URL", "http://127.0.0.1:9")
            .env("BATON_REQUEST_TIMEOUT", "1s")
            .current_dir(self.root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Ran {
        finish(self.command(arguments)).await
    }

    /// Runs with something on standard input.
    pub(crate) async fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A program that has seen enough does not read to the end.
        let _ = stdin.write_all(input).await;
        drop(stdin);
        ended(child).await
    }

    pub(crate) async fn wake(&self, more: &[&str]) -> Ran {
        self.run(&[&["wake", ISSUE, "--agent"], more].concat()).await
    }

    /// Executes all that there is.
    pub(crate) async fn execute(&self) -> Ran {
        self.run(&["engine", "--idle", "--once"]).await.exits(0)
    }

    /// An engine that goes on until it is ended.
    pub(crate) fn engine(&self) -> Child {
        self.command(&["engine", "--idle"]).stderr(Stdio::inherit()).spawn().unwrap()
    }

    /// The runs, oldest first.
    pub(crate) async fn runs(&self) -> Vec<Value> {
        self.list("runs").await
    }

    /// The wakeups, oldest first.
    pub(crate) async fn wakeups(&self) -> Vec<Value> {
        self.list("wakeups").await
    }

    async fn list(&self, what: &str) -> Vec<Value> {
        let listed = self.run(&[what, "--json", "--limit", "1000"]).await.exits(0).json();
        let mut listed = listed[what].as_array().unwrap().clone();
        listed.reverse();
        listed
    }

    /// Waits until a run has a status.
    pub(crate) async fn reaches(&self, run: usize, status: &str) -> Value {
        let started = Instant::now();
        loop {
            let runs = self.runs().await;
            if let Some(found) = runs.get(run - 1).filter(|run| run["status"] == status) {
                return found.clone();
            }
            assert!(started.elapsed() < SOON, "run {run} is not {status}: {runs:?}");
        }
    }

    /// The relay over the same store, for what no command does yet.
    pub(crate) async fn relay(&self) -> Relay<SqlStore, SystemEntropy> {
        let store = match &self.database {
            Some(database) => SqlStore::postgres(&database.url()).await.unwrap(),
            None => SqlStore::sqlite(&self.path("baton.db"), Arc::new(wall_clock)).await.unwrap(),
        };
        Relay { store, entropy: SystemEntropy, policy: Policy::default() }
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

fn wall_clock() -> StoreTime {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    StoreTime { ms: i64::try_from(since_1970.as_millis()).unwrap() }
}

pub(crate) async fn finish(mut command: Command) -> Ran {
    ended(command.spawn().unwrap()).await
}

pub(crate) async fn ended(child: Child) -> Ran {
    Ran::of(&tokio::time::timeout(SOON, child.wait_with_output()).await.expect("it hangs").unwrap())
}

/// Waits until something is there; fails after the bound, with its name.
pub(crate) async fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < SOON, "{what}: not within {SOON:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Waits until nothing is left of an agent that wrote its process id to this file.
pub(crate) async fn dies(desk: &Desk, pid_file: &str) {
    let group = group_of(desk, pid_file);
    eventually("the death of the agent", || (!is_group_alive(group)).then_some(())).await;
}

/// Returns the process group of an agent that wrote its process id to this file.
pub(crate) fn group_of(desk: &Desk, pid_file: &str) -> i32 {
    desk.note(pid_file).unwrap().parse().unwrap()
}

pub(crate) fn send(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}
