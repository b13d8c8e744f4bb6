//! Agents that start from a block, and launches that are given up.

use std::path::PathBuf;
use std::time::Duration;

use baton_agent::{AgentProcess, Launch, LaunchError, StartingBlock, StopHow};
use baton_claims::machine::SystemClock;
use baton_core::agent::AgentExit;
use baton_fixtures::processes::{Signal, arguments, children, is_alive, parent, send};
use baton_fixtures::wait::eventually;
use baton_fixtures::{TestAgent, baton};

/// An agent whose supervisors go by a name of their own, so that they can be told from those of other tests.
fn set() -> (StartingBlock, TestAgent) {
    let test = TestAgent::new();
    std::os::unix::fs::symlink(baton(), supervisor(&test)).unwrap();
    (StartingBlock::new(supervisor(&test)), test)
}

fn supervisor(test: &TestAgent) -> PathBuf {
    test.root.join("baton")
}

fn script(test: &TestAgent, script: &str) -> Launch {
    Launch { supervisor: supervisor(test), ..test.script(script) }
}

/// Returns the supervisors that go by that name.
fn supervisors(test: &TestAgent) -> Vec<i32> {
    let own = i32::try_from(std::process::id()).unwrap();
    let named = format!("{}\0__guard\0", supervisor(test).display());
    children(own).into_iter().filter(|pid| arguments(*pid).starts_with(&named)).collect()
}

/// Waits until a supervisor has both of its processes.
async fn warm(test: &TestAgent, but: Option<i32>) -> i32 {
    let is_ready = |pid: &i32| Some(*pid) != but && children(*pid).len() == 2;
    eventually("a supervisor that waits", || supervisors(test).into_iter().find(is_ready)).await
}

async fn launch(block: &StartingBlock, test: &TestAgent, script: &str) -> AgentProcess<SystemClock> {
    block.launch(self::script(test, script), SystemClock).await.unwrap()
}

#[tokio::test]
async fn an_agent_starts_under_the_supervisor_that_waited_and_the_next_one_gets_ready() {
    let (block, test) = set();
    block.prepare();
    let first = warm(&test, None).await;
    let agent =
        launch(&block, &test, "cat > prompt; pwd -P; echo $X; until [ -e go ]; do sleep 0.01; done").await;
    assert_eq!(parent(agent.group()), first);
    let second = warm(&test, Some(first)).await;
    std::fs::write(test.root.join("work/go"), "").unwrap();
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::Exited(0));
    assert!(is_alive(second));
    drop(block);
    eventually("the end of what waited", || (!is_alive(second)).then_some(())).await;
}

#[tokio::test]
async fn what_waits_ends_with_everything_it_has_started_when_nobody_wants_it_any_more() {
    let (block, test) = set();
    block.prepare();
    let supervisor = warm(&test, None).await;
    let all = children(supervisor);
    drop(block);
    for pid in all.into_iter().chain([supervisor]) {
        eventually("its end", || (!is_alive(pid)).then_some(())).await;
    }
}

#[tokio::test]
async fn a_supervisor_that_was_killed_while_it_waited_is_replaced() {
    let (block, test) = set();
    block.prepare();
    let supervisor = warm(&test, None).await;
    let all = children(supervisor);
    send(supervisor, Signal::KILL);
    for pid in all {
        eventually("the end of what it has started", || (!is_alive(pid)).then_some(())).await;
    }
    let agent = launch(&block, &test, "exit 3").await;
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::Exited(3));
}

#[tokio::test]
async fn a_refusal_from_a_block_is_told_like_any_other() {
    let (block, test) = set();
    block.prepare();
    warm(&test, None).await;
    let mut order = script(&test, "exit 0");
    order.cwd = test.root.join("gone");
    let refused = block.launch(order, SystemClock).await;
    let Err(LaunchError::Refused(why)) = refused else { panic!("{refused:?}") };
    assert!(why.contains("its directory"), "{why}");
}

#[tokio::test]
async fn an_agent_that_is_stopped_while_it_starts_ends() {
    for how in [StopHow::Interrupt, StopHow::Terminate, StopHow::Kill] {
        let (block, test) = set();
        let agent = launch(&block, &test, "while :; do sleep 0.01; done").await;
        agent.stop(how);
        assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::Stopped, "{how:?}");
    }
}

#[tokio::test]
async fn a_launch_that_is_given_up_leaves_nothing_behind() {
    let (_, test) = set();
    for wait_ms in [0, 1, 3, 10, 30] {
        let mut order = script(&test, "echo $$ >> pids; while :; do sleep 0.01; done");
        order.deadline = TestAgent::from_now(Duration::from_secs(3600));
        let launched = baton_agent::launch(order, SystemClock);
        let _ = tokio::time::timeout(Duration::from_millis(wait_ms), launched).await;
    }
    eventually("the end of every supervisor", || supervisors(&test).is_empty().then_some(())).await;
    let pids = test.numbers("pids").unwrap_or_default();
    assert!(pids.iter().all(|pid| !is_alive(*pid)), "{pids:?}");
}
