//! What is kept of what agents print.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use baton_agent::Graces;
use baton_core::agent::AgentExit;
use baton_fixtures::TestAgent;
use baton_fixtures::processes::{arguments, parent};
use baton_fixtures::wait::eventually;

#[tokio::test]
async fn output_and_errors_are_kept_in_whole_lines_for_the_owner_alone() {
    let test = TestAgent::new();
    let script = "for n in $(seq 200); do printf out; echo err-$n >&2; echo -$n; done; printf 'the end'";
    let end = TestAgent::run(test.script(script)).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::Exited(0), "the end"));
    assert_eq!(end.last_error, "err-200");
    let log = test.log();
    assert_eq!(log.lines().count(), 401);
    assert_eq!(end.output_bytes + 1, log.len() as u64, "all but the last end of line was printed");
    for kind in ["out", "err"] {
        let lines: Vec<_> = log.lines().filter(|line| line.starts_with(kind)).collect();
        let expected: Vec<_> = (1..=200).map(|n| format!("{kind}-{n}")).collect();
        assert_eq!(lines, expected);
    }
    let path = test.root.join("logs/run/agent.log");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[tokio::test]
async fn output_is_in_the_log_and_counted_while_the_agent_runs() {
    let test = TestAgent::new();
    let agent = TestAgent::start(test.script("echo hello; until [ -e go ]; do sleep 0.01; done")).await;
    eventually("the line", || (agent.output_bytes() == 6 && test.log() == "hello\n").then_some(())).await;
    std::fs::write(test.root.join("work/go"), "").unwrap();
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::Exited(0));
}

#[tokio::test]
async fn a_log_is_full_at_its_cap_and_the_agent_is_drained_all_the_same() {
    let test = TestAgent::new();
    let mut order = test.script("seq 1000000; echo done >&2; exit 5");
    order.log_cap = 1000;
    let end = TestAgent::run(order).await;
    assert_eq!(end.exit, AgentExit::Exited(5));
    assert!(end.output_bytes > 6_000_000, "{}", end.output_bytes);
    assert_eq!((end.last_line.as_str(), end.last_error.as_str()), ("1000000", "done"));
    let log = test.log();
    assert!(log.len() < 1100, "{}", log.len());
    assert_eq!(log.lines().filter(|line| line.starts_with("[baton: ")).count(), 1);
    assert!(log.ends_with("not kept]\n"), "{log}");
}

#[tokio::test]
async fn secrets_are_masked_also_when_they_come_in_two_pieces() {
    let test = TestAgent::new();
    // The second piece comes when the first one has been read: it is a line of the other stream that says so.
    let script = "printf 'token=hun'; echo read >&2; until [ -e go ]; do sleep 0.01; done
        printf 'ter2.\\n'; echo hunter2 >&2; printf 'last hunter2'";
    let mut order = test.script(script);
    order.redact = vec!["hunter2".to_owned()];
    let agent = TestAgent::start(order).await;
    eventually("the first piece", || (agent.output_bytes() == 14).then_some(())).await;
    std::fs::write(test.root.join("work/go"), "").unwrap();
    let end = TestAgent::ended(&agent).await;
    assert_eq!((end.last_line.as_str(), end.last_error.as_str()), ("last ***", "***"));
    let mut lines: Vec<_> = test.log().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["***", "last ***", "read", "token=***."]);
}

#[tokio::test]
async fn secrets_are_not_on_the_command_line_of_the_supervisor() {
    let test = TestAgent::new();
    let mut order = test.script("echo up; until [ -e go ]; do sleep 0.01; done");
    (order.redact, order.stdin) = (vec!["hunter2".to_owned()], b"hunter2".to_vec());
    let agent = TestAgent::start(order).await;
    let arguments = arguments(parent(agent.group()));
    assert!(arguments.contains("__guard") && !arguments.contains("hunter2"), "{arguments}");
    std::fs::write(test.root.join("work/go"), "").unwrap();
    TestAgent::ended(&agent).await;
}

#[tokio::test]
async fn an_escaped_reader_of_the_output_does_not_keep_an_agent_from_ending() {
    let test = TestAgent::new();
    let mut order = test.script("setsid sleep 1000 & echo $! > pid; exit 0");
    order.kill_grace = Graces::both(Duration::from_millis(50));
    assert_eq!(TestAgent::run(order).await.exit, AgentExit::Exited(0));
}
