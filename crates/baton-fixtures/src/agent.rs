//! An agent under its supervisor, without an engine: its directory, its launch, and what it left.

use std::path::PathBuf;
use std::time::Duration;

use baton_agent::{AgentEnd, AgentProcess, Environment, Graces, Launch, RecordTerms, launch};
use baton_claims::machine::SystemClock;
use baton_core::agent_lines::Program;
use baton_core::slot::{AgentKey, ItemKey, RunId};
use baton_core::time::BootTime;
use baton_ports::Clock as _;

use crate::baton;
use crate::processes::is_group_alive;
use crate::wait::{SOON, eventually};

/// A directory for one agent. A place that another process has made is not removed.
pub struct TestAgent {
    pub root: PathBuf,
    _held: Option<tempfile::TempDir>,
}

impl Default for TestAgent {
    fn default() -> Self {
        Self::new()
    }
}

impl TestAgent {
    pub fn new() -> Self {
        let held = tempfile::tempdir().unwrap();
        let place = Self { root: held.path().to_owned(), _held: Some(held) };
        std::fs::create_dir(place.root.join("work")).unwrap();
        place
    }

    /// Returns the place that another process has made.
    pub fn at(root: PathBuf) -> Self {
        Self { root, _held: None }
    }

    /// An agent that is a script of bash, with an hour to live.
    pub fn script(&self, script: &str) -> Launch {
        self.program(&["bash", "-c", script])
    }

    pub fn program(&self, argv: &[&str]) -> Launch {
        Launch {
            supervisor: baton(),
            argv: argv.iter().map(Into::into).collect(),
            cwd: self.root.join("work"),
            env: Environment::allowed(std::env::vars_os(), &[]),
            stdin: Vec::new(),
            program: Program::Plain,
            log: self.root.join("logs/run/agent.log"),
            log_cap: 1 << 20,
            redact: Vec::new(),
            deadline: Self::from_now(Duration::from_secs(3600)),
            kill_grace: Graces::both(Duration::from_millis(200)),
            wall_time: None,
            inactivity: None,
            record: None,
        }
    }

    /// An agent of which a record is kept.
    pub fn recorded(&self, script: &str) -> Launch {
        Launch { record: Some(self.record_terms()), ..self.script(script) }
    }

    pub fn record_terms(&self) -> RecordTerms {
        RecordTerms::new(&self.records(), &Self::item(), &AgentKey("vera".to_owned()), Some("Plan"), RunId(7))
    }

    /// The directory of all records.
    pub fn records(&self) -> PathBuf {
        self.root.join("agents")
    }

    /// Reads a file that the agent wrote where it works; nothing until it has a whole line.
    pub fn note(&self, name: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.root.join("work").join(name)).ok()?;
        text.ends_with('\n').then(|| text.trim_end().to_owned())
    }

    /// Reads numbers that the agent wrote where it works.
    pub fn numbers(&self, name: &str) -> Option<Vec<i32>> {
        self.note(name)?.split_whitespace().map(|number| number.parse().ok()).collect()
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.root.join("logs/run/agent.log")).unwrap()
    }

    /// The issue that records name.
    pub fn item() -> ItemKey {
        "o/r#7".parse().unwrap()
    }

    /// Launches an agent.
    pub async fn start(order: Launch) -> AgentProcess<SystemClock> {
        launch(order, SystemClock).await.unwrap()
    }

    /// Launches an agent and waits for its end, at which nothing of its group is left.
    pub async fn run(order: Launch) -> AgentEnd {
        let agent = Self::start(order).await;
        let end = Self::ended(&agent).await;
        assert!(!is_group_alive(agent.group()), "{end:?}: something of its group is left");
        end
    }

    /// Waits for the end of an agent.
    pub async fn ended(agent: &AgentProcess<SystemClock>) -> AgentEnd {
        tokio::time::timeout(SOON, agent.wait()).await.expect("the agent ends")
    }

    /// Waits until nothing of a process group runs.
    pub async fn dies(group: i32) {
        eventually("the death of the group", || (!is_group_alive(group)).then_some(())).await;
    }

    /// Returns a deadline.
    pub fn from_now(wait: Duration) -> BootTime {
        SystemClock.boot_now().plus(wait)
    }
}
