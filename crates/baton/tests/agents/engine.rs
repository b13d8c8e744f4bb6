//! An engine in a process of its own, which can be killed and stopped: this test program, started again.
//!
//! It launches one agent and extends its deadline all the time, always by the same lease, and notes each deadline
//! before it tells it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use baton_agent::Graces;
use baton_claims::machine::SystemClock;
use baton_ports::Clock as _;
use tokio::process::{Child, Command};

use crate::agents::desk::{Desk, eventually, from_now, start};

const DIRECTORY: &str = "BATON_TEST_ENGINE";
pub(crate) const LEASE: Duration = Duration::from_secs(3);
pub(crate) const GRACE: Duration = Duration::from_secs(1);
const EXTEND_EVERY: Duration = Duration::from_millis(50);

/// Notes when it lives, by the boot clock and in hundredths of a second, and when it is asked to stop; hears nothing.
pub(crate) const WORK: &str = r#"
    now() { local up; read -r up _ < /proc/uptime; echo "${up/./}"; }
    trap 'now >> asked' TERM INT
    while :; do now >> ticks; sleep 0.02; done"#;

/// An engine that has an agent at work. It is killed when dropped.
pub(crate) struct Engine {
    child: Child,
    pub(crate) desk: Desk,
    pub(crate) group: i32,
}

impl Engine {
    pub(crate) async fn start() -> Self {
        let desk = Desk::new();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["agents::engine::an_engine_extends_the_deadline_of_its_agent", "--exact", "--nocapture"])
            .env(DIRECTORY, &desk.root)
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let group = eventually("the engine's agent", || desk.numbers("group")).await[0];
        // The agent has outlived its first deadline, so extending it is what keeps it alive.
        let first = eventually("the deadline", || deadline_ms(&desk.root)).await;
        eventually("an extended deadline", || (SystemClock.boot_now().ms > first).then_some(())).await;
        eventually("work", || desk.numbers("ticks").filter(|ticks| ticks.len() > 10)).await;
        Self { child, desk, group }
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.child.id().unwrap()).unwrap()
    }

    /// The newest deadline that the agent can have been told.
    pub(crate) fn deadline_ms(&self) -> u64 {
        deadline_ms(&self.desk.root).unwrap()
    }
}

fn deadline_ms(root: &Path) -> Option<u64> {
    std::fs::read_to_string(root.join("deadline")).ok()?.parse().ok()
}

#[tokio::test]
async fn an_engine_extends_the_deadline_of_its_agent() {
    let Some(root) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let desk = Desk::at(root);
    let mut order = desk.script(WORK);
    (order.deadline, order.kill_grace) = (from_now(LEASE), Graces::both(GRACE));
    let note = |ms: u64| {
        let (new, path) = (desk.root.join("deadline.new"), desk.root.join("deadline"));
        std::fs::write(&new, ms.to_string()).and_then(|()| std::fs::rename(new, path)).unwrap();
    };
    note(order.deadline.ms);
    let agent = start(order).await;
    std::fs::write(desk.root.join("work/group"), format!("{}\n", agent.group())).unwrap();
    loop {
        let deadline = from_now(LEASE);
        note(deadline.ms);
        agent.extend(deadline);
        SystemClock.sleep_until(from_now(EXTEND_EVERY)).await;
    }
}
