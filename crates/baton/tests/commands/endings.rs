//! How an engine ends: in good order when it is told to, and at once when it is told again.

use baton_fixtures::TestEngine;
use baton_fixtures::wait::wait_for;

use crate::commands::setup::Setup;

/// An agent that does not heed a polite word.
const STUBBORN: &str = "agents:
  coder: {adapter: command, command: [sh, -c, 'trap \"\" TERM; while :; do sleep 1; done']}
";

async fn at_work(grace: &str) -> (Setup, TestEngine) {
    let setup = Setup::new(&format!("{STUBBORN}kill_grace: {grace}\n"), &["stage:Plan"]).await;
    let engine = setup.env.engine(&["engine"]);
    wait_for("an agent at work", || setup.env.runs().pop().filter(|run| run["status"] == "running"));
    (setup, engine)
}

#[tokio::test(flavor = "multi_thread")]
async fn told_to_stop_an_engine_ends_its_agents_and_gives_their_runs_back() {
    let (setup, engine) = at_work("500ms").await;
    engine.terminate();
    let (code, said) = engine.ends();
    assert_eq!(code, 0, "{said:?}");
    assert!(said.iter().any(|line| line.starts_with("stopping: ")), "{said:?}");
    let run = setup.env.runs().pop().unwrap();
    assert_ne!(run["status"], "running", "{run}");
    assert!(run["status"] != "failed" && run["attempt"] == 1, "the agent was blamed for it: {run}");
    let shape = setup.env.run(&["status", "--json"]).exits(0).json();
    assert_eq!(shape["workers"].as_array().map(Vec::len), Some(0), "{shape}");
}

#[tokio::test(flavor = "multi_thread")]
async fn told_twice_an_engine_leaves_at_once() {
    let (_setup, engine) = at_work("30s").await;
    engine.terminate();
    engine.hears("once more to leave at once");
    engine.terminate();
    let (code, said) = engine.ends();
    assert_eq!(code, 1, "{said:?}");
    assert!(said.iter().any(|line| line.contains("left at once")), "{said:?}");
}
