//! Agents that start from a block, and launches that are given up.

use std::path::PathBuf;
use std::time::Duration;

use baton_agent::{AgentProcess, Launch, LaunchError, StartingBlock, StopHow};
use baton_claims::machine::SystemClock;
use baton_core::agent::AgentExit;
use rustix::process::Signal;

use crate::agents::desk::{Desk, ended, eventually, from_now, is_alive, parent, send};

/// A desk whose supervisors go by a name of their own, so that they can be told from those of other tests.
fn set() -> (StartingBlock, Desk) {
    let desk = Desk::new();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_baton"), supervisor(&desk)).unwrap();
    (StartingBlock::new(supervisor(&desk)), desk)
}

fn supervisor(desk: &Desk) -> PathBuf {
    desk.root.join("baton")
}

fn script(desk: &Desk, script: &str) -> Launch {
    Launch { supervisor: supervisor(desk), ..desk.script(script) }
}

/// Returns the supervisors of a desk.
fn supervisors(desk: &Desk) -> Vec<i32> {
    let own = i32::try_from(std::process::id()).unwrap();
    let named = format!("{}\0__guard\0", supervisor(desk).display());
    children(own).into_iter().filter(|pid| arguments(*pid).starts_with(&named)).collect()
}

fn children(of: i32) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| parent_of(*pid) == Some(of)).collect()
}

fn parent_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

fn arguments(pid: i32) -> String {
    let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&arguments).into_owned()
}

/// Waits until a supervisor has both of its processes.
async fn warm(desk: &Desk, but: Option<i32>) -> i32 {
    let is_ready = |pid: &i32| Some(*pid) != but && children(*pid).len() == 2;
    eventually("a supervisor that waits", || supervisors(desk).into_iter().find(is_ready)).await
}

async fn launch(block: &StartingBlock, desk: &Desk, script: &str) -> AgentProcess<SystemClock> {
    block.launch(self::script(desk, script), SystemClock).await.unwrap()
}

#[tokio::test]
async fn an_agent_starts_under_the_supervisor_that_waited_and_the_next_one_gets_ready() {
    let (block, desk) = set();
    block.prepare();
    let first = warm(&desk, None).await;
    let agent =
        launch(&block, &desk, "cat > prompt; pwd -P; echo $X; until [ -e go ]; do sleep 0.01; done").await;
    assert_eq!(parent(agent.group()), first);
    let second = warm(&desk, Some(first)).await;
    std::fs::write(desk.root.join("work/go"), "").unwrap();
    assert_eq!(ended(&agent).await.exit, AgentExit::Exited(0));
    assert!(is_alive(second));
    drop(block);
    eventually("the end of what waited", || (!is_alive(second)).then_some(())).await;
}

#[tokio::test]
async fn what_waits_ends_with_everything_it_has_started_when_nobody_wants_it_any_more() {
    let (block, desk) = set();
    block.prepare();
    let supervisor = warm(&desk, None).await;
    let all = children(supervisor);
    drop(block);
    for pid in all.into_iter().chain([supervisor]) {
        eventually("its end", || (!is_alive(pid)).then_some(())).await;
    }
}

#[tokio::test]
async fn a_supervisor_that_was_killed_while_it_waited_is_replaced() {
    let (block, desk) = set();
    block.prepare();
    let supervisor = warm(&desk, None).await;
    let all = children(supervisor);
    send(supervisor, Signal::KILL);
    for pid in all {
        eventually("the end of what it has started", || (!is_alive(pid)).then_some(())).await;
    }
    let agent = launch(&block, &desk, "exit 3").await;
    assert_eq!(ended(&agent).await.exit, AgentExit::Exited(3));
}

#[tokio::test]
async fn a_refusal_from_a_block_is_told_like_any_other() {
    let (block, desk) = set();
    block.prepare();
    warm(&desk, None).await;
    let mut order = script(&desk, "exit 0");
    order.cwd = desk.root.join("gone");
    let refused = block.launch(order, SystemClock).await;
    let Err(LaunchError::Refused(why)) = refused else { panic!("{refused:?}") };
    assert!(why.contains("its directory"), "{why}");
}

#[tokio::test]
async fn an_agent_that_is_stopped_while_it_starts_ends() {
    for how in [StopHow::Interrupt, StopHow::Terminate, StopHow::Kill] {
        let (block, desk) = set();
        let agent = launch(&block, &desk, "while :; do sleep 0.01; done").await;
        agent.stop(how);
        assert_eq!(ended(&agent).await.exit, AgentExit::Stopped, "{how:?}");
    }
}

#[tokio::test]
async fn a_launch_that_is_given_up_leaves_nothing_behind() {
    let (_, desk) = set();
    for wait_ms in [0, 1, 3, 10, 30] {
        let mut order = script(&desk, "echo $$ >> pids; while :; do sleep 0.01; done");
        order.deadline = from_now(Duration::from_secs(3600));
        let launched = baton_agent::launch(order, SystemClock);
        let _ = tokio::time::timeout(Duration::from_millis(wait_ms), launched).await;
    }
    eventually("the end of every supervisor", || supervisors(&desk).is_empty().then_some(())).await;
    let pids = desk.numbers("pids").unwrap_or_default();
    assert!(pids.iter().all(|pid| !is_alive(*pid)), "{pids:?}");
}
