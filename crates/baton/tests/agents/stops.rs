//! Agents that are ended: because it was asked for, because their time is up, or because nobody wants them any more.

use std::time::Duration;

use baton_agent::StopHow;
use baton_claims::machine::SystemClock;
use baton_core::agent::{AgentExit, Limit};
use baton_ports::Clock as _;

use crate::agents::desk::{Desk, dies, ended, eventually, from_now, is_group_alive, run, start};

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

async fn working(desk: &Desk, script: &str) -> baton_agent::AgentProcess<SystemClock> {
    let agent = start(desk.script(script)).await;
    eventually("the agent", || desk.note("up")).await;
    agent
}

#[tokio::test]
async fn a_stop_goes_from_signal_to_signal_until_the_agent_is_dead() {
    let rows =
        [(StopHow::Interrupt, Some("INT\nTERM")), (StopHow::Terminate, Some("TERM")), (StopHow::Kill, None)];
    for (how, heard) in rows {
        let desk = Desk::new();
        let agent = working(&desk, DEAF).await;
        agent.stop(how);
        assert_eq!(ended(&agent).await.exit, AgentExit::Stopped, "{how:?}");
        assert_eq!(desk.note("heard").as_deref(), heard, "{how:?}");
        assert!(!is_group_alive(agent.group()), "{how:?}");
    }
}

#[tokio::test]
async fn an_agent_that_hears_the_first_signal_gets_no_other() {
    let desk = Desk::new();
    let agent = working(&desk, POLITE).await;
    agent.stop(StopHow::Interrupt);
    let end = ended(&agent).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::Stopped, "bye"));
}

#[tokio::test]
async fn an_agent_that_was_stopped_by_someone_is_woken_to_end() {
    let desk = Desk::new();
    let agent = working(&desk, POLITE).await;
    crate::agents::desk::send(agent.group(), rustix::process::Signal::STOP);
    agent.stop(StopHow::Interrupt);
    assert_eq!(ended(&agent).await.last_line, "bye");
}

#[tokio::test]
async fn an_agent_is_dead_by_its_deadline() {
    let desk = Desk::new();
    let mut order = desk.script(DEAF);
    let deadline = from_now(Duration::from_secs(2));
    order.deadline = deadline;
    let agent = start(order).await;
    assert_eq!(ended(&agent).await.exit, AgentExit::DeadlinePassed);
    assert_eq!(desk.note("heard").as_deref(), Some("TERM"));
    // SIGKILL comes half a grace time before the deadline at the earliest.
    assert!(from_now(Duration::from_millis(100)) >= deadline, "it was ended before its time");
}

#[tokio::test]
async fn an_extended_deadline_keeps_an_agent_alive() {
    let desk = Desk::new();
    let mut order = desk.script(POLITE);
    let first = from_now(Duration::from_secs(2));
    order.deadline = first;
    let agent = start(order).await;
    agent.extend(from_now(Duration::from_secs(3600)));
    let past = first.plus(Duration::from_millis(500));
    eventually("the first deadline", || (SystemClock.boot_now() >= past).then_some(())).await;
    assert!(is_group_alive(agent.group()));
    agent.extend(from_now(Duration::ZERO));
    assert_eq!(ended(&agent).await.exit, AgentExit::DeadlinePassed);
}

#[tokio::test]
async fn an_agent_that_takes_too_long_is_ended() {
    let desk = Desk::new();
    let mut order = desk.script("while :; do echo busy; sleep 0.01; done");
    order.wall_time = Some(Duration::from_millis(500));
    order.inactivity = Some(Duration::from_secs(60));
    let end = run(order).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::TimedOut(Limit::WallTime), "busy"));
}

#[tokio::test]
async fn an_agent_that_prints_nothing_for_too_long_is_ended() {
    let desk = Desk::new();
    // It prints for longer than it may be silent, and lives; then it is silent.
    let mut order = desk.script(
        "for n in $(seq 40); do printf .; sleep 0.05; done; echo; echo silent; while :; do sleep 0.01; done",
    );
    order.inactivity = Some(Duration::from_secs(1));
    let end = run(order).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::TimedOut(Limit::Inactivity), "silent"));
}

#[tokio::test]
async fn an_agent_that_nobody_waits_for_any_more_is_ended() {
    let desk = Desk::new();
    let agent = working(&desk, DEAF).await;
    let group = agent.group();
    drop(agent);
    dies(group).await;
    assert_eq!(desk.note("heard").as_deref(), Some("TERM"));
}
