//! Engines that are told to stop, or are killed: no agent goes on, and no run is lost.

use std::time::Instant;

use baton_fixtures::TestAgent;
use baton_fixtures::processes::{Signal, is_group_alive, send};
use baton_fixtures::wait::SOON;
use serde_json::json;

use crate::flow::setup::Setup;

/// Works until it is told to stop the first time, and is done at once the second time.
const FIRST_FOREVER: &str = "[ -e pid ] && exit 0; echo $$ > pid; while :; do echo tick; sleep 0.02; done";

#[test]
fn an_engine_that_is_told_to_stop_gives_its_run_back() {
    for (setup, signal) in
        Setup::on_both(&[("dev", FIRST_FOREVER)]).into_iter().zip([Signal::TERM, Signal::INT])
    {
        let engine = setup.env.engine(&["engine", "--idle"]);
        setup.wake(&["dev"]).exits(0);
        let group = setup.agent();
        send(engine.pid(), signal);
        let (code, said) = engine.ends();
        assert_eq!(code, 0, "{said:?}");
        assert!(!is_group_alive(group), "the agent has outlived its engine");
        let [given_back, again] = setup.env.runs().try_into().unwrap();
        let told = (&given_back["status"], &given_back["cause"]);
        assert_eq!(told, (&json!("interrupted"), &json!("worker_stopped")));
        assert_eq!(
            (&again["status"], &again["retry_of"], &again["attempt"]),
            (&json!("queued"), &json!(1), &json!(1))
        );
        setup.execute();
        setup.reaches(2, "succeeded");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_dies_with_its_engine_and_its_run_goes_on_elsewhere() {
    for setup in Setup::on_both(&[("dev", FIRST_FOREVER)]) {
        let engine = setup.env.engine(&["engine", "--idle"]);
        setup.wake(&["dev"]).exits(0);
        let group = setup.agent();
        engine.kill();
        TestAgent::dies(group).await;
        // Nobody but an engine of later times finds out, when the lease of the dead one is over.
        let started = Instant::now();
        while setup.env.runs().len() < 2 {
            assert!(started.elapsed() < SOON, "the run of a dead engine is not taken up");
            setup.execute();
        }
        let [lost, again] = setup.env.runs().try_into().unwrap();
        assert_eq!((&lost["status"], &lost["cause"]), (&json!("interrupted"), &json!("worker_lost")));
        assert_eq!(again["retry_of"], 1);
        setup.reaches(2, "succeeded");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_an_engine_whose_agent_does_not_listen() {
    let deaf = "trap '' INT TERM; echo $$ > pid; while :; do sleep 0.02; done";
    let setup = Setup::on_sqlite(&[("dev", deaf)]).with_settings("inactivity_timeout: 1h\n");
    setup.edit("kill_grace: 500ms", "kill_grace: 3s");
    setup.edit("ttl: 15s", "ttl: 30s");
    let engine = setup.env.engine(&["engine", "--idle"]);
    setup.wake(&["dev"]).exits(0);
    let group = setup.agent();
    engine.terminate();
    engine.hears("once more");
    engine.terminate();
    let (code, said) = engine.ends();
    assert_eq!(code, 1, "{said:?}");
    TestAgent::dies(group).await;
}
