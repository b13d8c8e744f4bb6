//! An engine in a process of its own, which can be killed and stopped: this test program, started again.
//!
//! It launches one agent and extends its deadline all the time, always by the same lease, and notes each deadline
//! before it tells it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use baton_agent::Graces;
use baton_claims::machine::SystemClock;
use baton_fixtures::wait::eventually;
use baton_fixtures::{TestAgent, TestEngine, clock};
use baton_ports::Clock as _;

const DIRECTORY: &str = "BATON_TEST_ENGINE";
pub(crate) const LEASE: Duration = Duration::from_secs(8);
pub(crate) const GRACE: Duration = Duration::from_secs(1);
const EXTEND_EVERY: Duration = Duration::from_millis(50);

/// Notes when it lives, by the boot clock and in hundredths of a second, and when it is asked to stop; hears nothing.
pub(crate) const WORK: &str = r#"
    now() { local up; read -r up _ < /proc/uptime; echo "${up/./}"; }
    trap 'now >> asked' TERM INT
    while :; do now >> ticks; sleep 0.02; done"#;

/// An engine that has an agent at work. It is killed when dropped.
pub(crate) struct ExtendingEngine {
    pub(crate) process: TestEngine,
    pub(crate) test: TestAgent,
    pub(crate) group: i32,
}

impl ExtendingEngine {
    pub(crate) async fn start() -> Self {
        let test = TestAgent::new();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["agents::engine::an_engine_extends_the_deadline_of_its_agent", "--exact", "--nocapture"])
            .env(DIRECTORY, &test.root);
        let process = TestEngine::start(command, &test.root.join("engine.log"));
        let group = eventually("the engine's agent", || test.numbers("group")).await[0];
        // The agent has outlived its first deadline, so extending it is what keeps it alive.
        let first = eventually("the deadline", || deadline_ms(&test.root)).await;
        eventually("an extended deadline", || (clock::boot_ms() > first).then_some(())).await;
        eventually("work", || test.numbers("ticks").filter(|ticks| ticks.len() > 10)).await;
        Self { process, test, group }
    }

    /// The newest deadline that the agent can have been told.
    pub(crate) fn deadline_ms(&self) -> u64 {
        deadline_ms(&self.test.root).unwrap()
    }
}

fn deadline_ms(root: &Path) -> Option<u64> {
    std::fs::read_to_string(root.join("deadline")).ok()?.parse().ok()
}

#[tokio::test]
async fn an_engine_extends_the_deadline_of_its_agent() {
    let Some(root) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let test = TestAgent::at(root);
    let mut order = test.script(WORK);
    (order.deadline, order.kill_grace) = (TestAgent::from_now(LEASE), Graces::both(GRACE));
    let note = |ms: u64| {
        let (new, path) = (test.root.join("deadline.new"), test.root.join("deadline"));
        std::fs::write(&new, ms.to_string()).and_then(|()| std::fs::rename(new, path)).unwrap();
    };
    note(order.deadline.ms);
    let agent = TestAgent::start(order).await;
    std::fs::write(test.root.join("work/group"), format!("{}\n", agent.group())).unwrap();
    loop {
        let deadline = TestAgent::from_now(LEASE);
        note(deadline.ms);
        agent.extend(deadline);
        SystemClock.sleep_until(TestAgent::from_now(EXTEND_EVERY)).await;
    }
}
