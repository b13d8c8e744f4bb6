//! A place for one agent: its directory, its launch, and what can be seen of it from outside.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use baton_agent::{AgentEnd, AgentProcess, Environment, Graces, Launch, RecordTerms, launch};
use baton_claims::machine::SystemClock;
use baton_core::agent_lines::Program;
use baton_core::slot::{AgentKey, ItemKey, RunId};
use baton_core::time::BootTime;
use baton_ports::Clock as _;
pub(crate) use baton_testbed::processes::is_group_alive;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Long enough for anything that must happen, however busy the machine is.
pub(crate) const SOON: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(10);

pub(crate) struct Desk {
    pub(crate) root: PathBuf,
    _held: Option<tempfile::TempDir>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let held = tempfile::tempdir().unwrap();
        let desk = Self { root: held.path().to_owned(), _held: Some(held) };
        std::fs::create_dir(desk.root.join("work")).unwrap();
        desk
    }

    /// Returns the place that another process has made.
    pub(crate) fn at(root: PathBuf) -> Self {
        Self { root, _held: None }
    }

    /// An agent that is a script of bash, with an hour to live.
    pub(crate) fn script(&self, script: &str) -> Launch {
        self.program(&["bash", "-c", script])
    }

    pub(crate) fn program(&self, argv: &[&str]) -> Launch {
        Launch {
            supervisor: env!("CARGO_BIN_EXE_baton").into(),
            argv: argv.iter().map(Into::into).collect(),
            cwd: self.root.join("work"),
            env: Environment::allowed(std::env::vars_os(), &[]),
            stdin: Vec::new(),
            program: Program::Plain,
            log: self.root.join("logs/run/agent.log"),
            log_cap: 1 << 20,
            redact: Vec::new(),
            deadline: from_now(Duration::from_secs(3600)),
            kill_grace: Graces::both(Duration::from_millis(200)),
            wall_time: None,
            inactivity: None,
            record: None,
        }
    }

    /// An agent of which a record is kept.
    pub(crate) fn recorded(&self, script: &str) -> Launch {
        Launch { record: Some(self.record_terms()), ..self.script(script) }
    }

    pub(crate) fn record_terms(&self) -> RecordTerms {
        RecordTerms::new(&self.records(), &item(), &AgentKey("vera".to_owned()), Some("Plan"), RunId(7))
    }

    /// The directory of all records.
    pub(crate) fn records(&self) -> PathBuf {
        self.root.join("agents")
    }

    /// Reads a file that the agent wrote where it works; nothing until it has a whole line.
    pub(crate) fn note(&self, name: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.root.join("work").join(name)).ok()?;
        text.ends_with('\n').then(|| text.trim_end().to_owned())
    }

    /// Reads numbers that the agent wrote where it works.
    pub(crate) fn numbers(&self, name: &str) -> Option<Vec<i32>> {
        self.note(name)?.split_whitespace().map(|number| number.parse().ok()).collect()
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.root.join("logs/run/agent.log")).unwrap()
    }
}

pub(crate) fn item() -> ItemKey {
    "o/r#7".parse().unwrap()
}

/// Returns every process that has the mark of a run in its environment.
pub(crate) fn marked(mark: &str) -> Vec<i32> {
    let wanted = format!("BATON_RUN_MARK={mark}");
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let has_mark = |pid: &i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    pids.filter(has_mark).collect()
}

pub(crate) async fn start(order: Launch) -> AgentProcess<SystemClock> {
    launch(order, SystemClock).await.unwrap()
}

/// Launches an agent and waits for its end.
pub(crate) async fn run(order: Launch) -> AgentEnd {
    let agent = start(order).await;
    let end = ended(&agent).await;
    assert!(!is_group_alive(agent.group()), "{end:?}: something of its group is left");
    end
}

pub(crate) async fn ended(agent: &AgentProcess<SystemClock>) -> AgentEnd {
    tokio::time::timeout(SOON, agent.wait()).await.expect("the agent ends")
}

pub(crate) fn from_now(wait: Duration) -> BootTime {
    SystemClock.boot_now().plus(wait)
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

pub(crate) async fn dies(group: i32) {
    eventually("the death of the group", || (!is_group_alive(group)).then_some(())).await;
}

pub(crate) fn is_alive(pid: i32) -> bool {
    test_kill_process(Pid::from_raw(pid).unwrap()).is_ok()
}

pub(crate) fn send(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

pub(crate) fn parent(pid: i32) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().parse().unwrap()
}
