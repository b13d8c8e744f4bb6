//! Engines and supervisors that are killed or stopped: no agent outlives its deadline, by its own notes.

use std::time::Duration;

use baton_core::agent::AgentExit;
use baton_fixtures::processes::{Signal, arguments, children, is_alive, is_group_alive, parent, send};
use baton_fixtures::wait::eventually;
use baton_fixtures::{TestAgent, clock};

use crate::agents::engine::{ExtendingEngine, GRACE, WORK};

const BUSY: &str = "trap '' INT TERM; echo up > up; while :; do sleep 0.01; done";

/// The boot clock of the agent is in hundredths of a second.
fn as_ms(hundredths: i32) -> u64 {
    u64::try_from(hundredths).unwrap() * 10
}

fn last_tick_ms(test: &TestAgent) -> u64 {
    as_ms(*test.numbers("ticks").unwrap().last().unwrap())
}

fn grace_ms() -> u64 {
    u64::try_from(GRACE.as_millis()).unwrap()
}

#[tokio::test]
async fn an_agent_is_asked_to_stop_and_dies_when_its_engine_is_killed() {
    let engine = ExtendingEngine::start().await;
    let killed_ms = clock::boot_ms();
    send(engine.process.pid(), Signal::KILL);
    TestAgent::dies(engine.group).await;
    let asked = engine.test.numbers("asked").expect("it was asked before it was killed");
    let asked_ms = as_ms(asked[0]);
    assert!(asked_ms + 10 >= killed_ms, "it was asked before its engine was killed");
    let deadline_ms = engine.deadline_ms();
    assert!(
        asked_ms + 500 < deadline_ms - grace_ms(),
        "asked at {asked_ms}, only for its deadline {deadline_ms}"
    );
    assert!(last_tick_ms(&engine.test) <= deadline_ms, "it has outlived its deadline");
}

#[tokio::test]
async fn an_agent_is_dead_by_its_deadline_when_its_engine_stands_still() {
    let engine = ExtendingEngine::start().await;
    send(engine.process.pid(), Signal::STOP);
    TestAgent::dies(engine.group).await;
    let deadline_ms = engine.deadline_ms();
    let last = last_tick_ms(&engine.test);
    assert!(last <= deadline_ms, "it worked at {last}, after its deadline {deadline_ms}");
    let asked = as_ms(engine.test.numbers("asked").expect("it was asked before it was killed")[0]);
    assert!(asked + 10 + grace_ms() >= deadline_ms - 50, "asked at {asked}, long before {deadline_ms}");
    assert!(last > asked, "it could have finished its sentence");
}

#[tokio::test]
async fn an_agent_dies_with_its_supervisor() {
    let test = TestAgent::new();
    let agent = TestAgent::start(test.script(BUSY)).await;
    eventually("the agent", || test.note("up")).await;
    send(parent(agent.group()), Signal::KILL);
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::SupervisorLost);
    TestAgent::dies(agent.group()).await;
}

#[tokio::test]
async fn an_agent_dies_when_its_engine_and_its_supervisor_are_killed_at_once() {
    let engine = ExtendingEngine::start().await;
    let supervisor = parent(engine.group);
    // Neither can do anything any more when the first of them is gone.
    for pid in [engine.process.pid(), supervisor] {
        send(pid, Signal::STOP);
    }
    for pid in [engine.process.pid(), supervisor] {
        send(pid, Signal::KILL);
    }
    TestAgent::dies(engine.group).await;
    assert_eq!(engine.test.numbers("asked"), None, "there was nobody left to ask");
}

#[tokio::test]
async fn an_agent_is_dead_by_its_deadline_when_its_supervisor_stands_still() {
    let test = TestAgent::new();
    let mut order = test.script(WORK);
    let deadline = TestAgent::from_now(Duration::from_secs(10));
    order.deadline = deadline;
    let agent = TestAgent::start(order).await;
    eventually("the agent", || test.note("ticks")).await;
    let supervisor = parent(agent.group());
    send(supervisor, Signal::STOP);
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::SupervisorLost);
    let last = last_tick_ms(&test);
    assert!(last <= deadline.ms, "it worked at {last}, after its deadline {deadline:?}");
    eventually("the death of the supervisor", || (!is_alive(supervisor)).then_some(())).await;
    TestAgent::dies(agent.group()).await;
}

#[tokio::test]
async fn an_agent_whose_second_watch_is_gone_is_still_supervised() {
    let test = TestAgent::new();
    let mut order = test.script(BUSY);
    order.deadline = TestAgent::from_now(Duration::from_secs(15));
    let agent = TestAgent::start(order).await;
    eventually("the agent", || test.note("up")).await;
    let watch = second_watch_of(parent(agent.group()), agent.group());
    send(watch, Signal::KILL);
    eventually("the death of the watch", || (!is_alive(watch)).then_some(())).await;
    agent.extend(TestAgent::from_now(Duration::from_secs(5)));
    assert!(is_group_alive(agent.group()));
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::DeadlinePassed);
}

/// Returns the child of a supervisor that is not the agent.
fn second_watch_of(supervisor: i32, agent: i32) -> i32 {
    let is_watch = |pid: &i32| arguments(*pid).contains(&format!("__watch\0--group\0{agent}\0"));
    children(supervisor).into_iter().find(is_watch).expect("a second watch")
}
