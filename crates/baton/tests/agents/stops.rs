//! Agents that are ended: because it was asked for, because their time is up, or because nobody wants them any more.

use std::time::Duration;

use baton_agent::StopHow;
use baton_claims::machine::SystemClock;
use baton_core::agent::{AgentExit, Limit};
use baton_fixtures::TestAgent;
use baton_fixtures::processes::{Signal, is_group_alive, send};
use baton_fixtures::wait::eventually;
use baton_ports::Clock as _;

/// Notes which signals it hears, and goes on.
const DEAF: &str = "
    for s in INT TERM; do trap \"echo $s >> heard\" $s; done
    echo up > up
    while :; do sleep 0.01; done";

/// Ends when it is asked to, with a last word.
const POLITE: &str = "
    trap 'echo bye; exit 0' INT
    echo up > up
    while :; do sleep 0.01; done";

async fn working(test: &TestAgent, script: &str) -> baton_agent::AgentProcess<SystemClock> {
    let agent = TestAgent::start(test.script(script)).await;
    eventually("the agent", || test.note("up")).await;
    agent
}

#[tokio::test]
async fn a_stop_goes_from_signal_to_signal_until_the_agent_is_dead() {
    let rows =
        [(StopHow::Interrupt, Some("INT\nTERM")), (StopHow::Terminate, Some("TERM")), (StopHow::Kill, None)];
    for (how, heard) in rows {
        let test = TestAgent::new();
        let agent = working(&test, DEAF).await;
        agent.stop(how);
        assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::Stopped, "{how:?}");
        assert_eq!(test.note("heard").as_deref(), heard, "{how:?}");
        assert!(!is_group_alive(agent.group()), "{how:?}");
    }
}

#[tokio::test]
async fn an_agent_that_hears_the_first_signal_gets_no_other() {
    let test = TestAgent::new();
    let agent = working(&test, POLITE).await;
    agent.stop(StopHow::Interrupt);
    let end = TestAgent::ended(&agent).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::Stopped, "bye"));
}

#[tokio::test]
async fn an_agent_that_was_stopped_by_someone_is_woken_to_end() {
    let test = TestAgent::new();
    let agent = working(&test, POLITE).await;
    send(agent.group(), Signal::STOP);
    agent.stop(StopHow::Interrupt);
    assert_eq!(TestAgent::ended(&agent).await.last_line, "bye");
}

#[tokio::test]
async fn an_agent_is_dead_by_its_deadline() {
    let test = TestAgent::new();
    let mut order = test.script(DEAF);
    let deadline = TestAgent::from_now(Duration::from_secs(10));
    order.deadline = deadline;
    let agent = TestAgent::start(order).await;
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::DeadlinePassed);
    assert_eq!(test.note("heard").as_deref(), Some("TERM"));
    // SIGKILL comes half a grace time before the deadline at the earliest.
    assert!(TestAgent::from_now(Duration::from_millis(100)) >= deadline, "it was ended before its time");
}

#[tokio::test]
async fn an_extended_deadline_keeps_an_agent_alive() {
    let test = TestAgent::new();
    let mut order = test.script(POLITE);
    let first = TestAgent::from_now(Duration::from_secs(10));
    order.deadline = first;
    let agent = TestAgent::start(order).await;
    agent.extend(TestAgent::from_now(Duration::from_secs(3600)));
    let past = first.plus(Duration::from_millis(500));
    eventually("the first deadline", || (SystemClock.boot_now() >= past).then_some(())).await;
    assert!(is_group_alive(agent.group()));
    agent.extend(TestAgent::from_now(Duration::ZERO));
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::DeadlinePassed);
}

#[tokio::test]
async fn an_agent_that_takes_too_long_is_ended() {
    let test = TestAgent::new();
    let mut order = test.script("while :; do echo busy; sleep 0.01; done");
    order.wall_time = Some(Duration::from_secs(5));
    order.inactivity = Some(Duration::from_secs(60));
    let end = TestAgent::run(order).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::TimedOut(Limit::WallTime), "busy"));
}

#[tokio::test]
async fn an_agent_that_prints_nothing_for_too_long_is_ended() {
    let test = TestAgent::new();
    // It prints for longer than it may be silent, and lives; then it is silent.
    let mut order = test.script(
        "for n in $(seq 100); do printf .; sleep 0.05; done; echo; echo silent; while :; do sleep 0.01; done",
    );
    order.inactivity = Some(Duration::from_secs(4));
    let end = TestAgent::run(order).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::TimedOut(Limit::Inactivity), "silent"));
}

#[tokio::test]
async fn an_agent_that_nobody_waits_for_any_more_is_ended() {
    let test = TestAgent::new();
    let agent = working(&test, DEAF).await;
    let group = agent.group();
    drop(agent);
    TestAgent::dies(group).await;
    assert_eq!(test.note("heard").as_deref(), Some("TERM"));
}
