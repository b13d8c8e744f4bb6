//! Agents that print without end, or nothing at all: memory stays bounded, and they are ended in time.

use std::time::{Duration, Instant};

use baton_agent::{AgentProcess, Graces, StopHow};
use baton_claims::machine::SystemClock;
use baton_core::agent::{AgentExit, Limit};
use baton_core::agent_lines::Program;
use baton_fixtures::TestAgent;
use baton_fixtures::processes::{is_group_alive, parent};
use baton_fixtures::wait::eventually;

/// What a supervisor may take besides the pages of its own program, which grow with the program and not with a flood.
const MEMORY_KB_MAX: u64 = 40 * 1024;
const ENOUGH_BYTES: u64 = 200 << 20;
/// Beyond the grace times: a busy machine.
const SLACK: Duration = Duration::from_secs(30);

/// The most memory that a process has ever had, without the pages of its program.
fn peak_kb(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let size = |name: &str| -> u64 {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    size("VmHWM:").saturating_sub(size("RssFile:"))
}

async fn stops_in_time(agent: &AgentProcess<SystemClock>, grace: Duration) {
    let asked = Instant::now();
    agent.stop(StopHow::Interrupt);
    let end = TestAgent::ended(agent).await;
    assert_eq!(end.exit, AgentExit::Stopped);
    assert!(asked.elapsed() < 2 * grace + SLACK, "{:?}", asked.elapsed());
    assert!(!is_group_alive(agent.group()));
}

#[tokio::test]
async fn a_flood_takes_bounded_memory_and_is_ended_in_time() {
    let ndjson = r#"exec yes '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"again and again"}]}}'"#;
    let long_lines = "while :; do head -c 20000000 /dev/zero | tr '\\0' x; echo; done";
    let rows =
        [("exec cat /dev/zero", Program::Plain), (ndjson, Program::Claude), (long_lines, Program::Claude)];
    for (script, program) in rows {
        let test = TestAgent::new();
        let mut order = test.script(script);
        (order.program, order.redact) = (program, vec!["hunter2-hunter2".to_owned()]);
        let agent = TestAgent::start(order).await;
        eventually("a flood", || (agent.output_bytes() > ENOUGH_BYTES).then_some(())).await;
        let peak = peak_kb(parent(agent.group()));
        assert!(peak < MEMORY_KB_MAX, "{script}: {peak} kB");
        stops_in_time(&agent, Duration::from_millis(200)).await;
        assert!(test.log().len() < 2 << 20);
    }
}

#[tokio::test]
async fn an_agent_that_closes_its_streams_and_lives_on_is_ended_for_its_silence() {
    let test = TestAgent::new();
    let mut order = test.script("echo bye; exec >&- 2>&- <&-; while :; do sleep 0.01; done");
    order.inactivity = Some(Duration::from_secs(5));
    let end = TestAgent::run(order).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::TimedOut(Limit::Inactivity), "bye"));
}

#[tokio::test]
async fn an_agent_that_hears_nothing_is_killed_when_its_graces_are_over() {
    let test = TestAgent::new();
    let mut order = test.script("trap '' INT TERM HUP; echo up > up; while :; do sleep 0.01; done");
    let (sigint, sigterm) = (Duration::from_millis(300), Duration::from_millis(600));
    order.kill_grace = Graces { sigint, sigterm };
    let agent = TestAgent::start(order).await;
    eventually("the agent", || test.note("up")).await;
    let asked = Instant::now();
    stops_in_time(&agent, sigterm).await;
    assert!(asked.elapsed() >= sigint + sigterm, "{:?}", asked.elapsed());
}

#[tokio::test]
async fn a_signal_without_a_grace_is_left_out() {
    let script = "for s in INT TERM; do trap \"echo $s >> heard\" $s; done; echo up > up; while :; do sleep 0.01; done";
    for (sigint, sigterm, heard) in [(0, 200, Some("TERM")), (200, 0, Some("INT")), (0, 0, None)] {
        let test = TestAgent::new();
        let mut order = test.script(script);
        let ms = Duration::from_millis;
        order.kill_grace = Graces { sigint: ms(sigint), sigterm: ms(sigterm) };
        let agent = TestAgent::start(order).await;
        eventually("the agent", || test.note("up")).await;
        stops_in_time(&agent, ms(200)).await;
        assert_eq!(test.note("heard").as_deref(), heard, "{sigint} {sigterm}");
    }
}
