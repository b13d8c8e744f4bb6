//! Runs that an operator ends.

use baton_fixtures::TestAgent;
use serde_json::json;

use crate::flow::setup::Setup;

/// Notes that it lives, and ends only when it is killed.
const TICK: &str = "trap '' INT TERM; echo $$ > pid; while :; do echo tick; sleep 0.02; done";

#[test]
fn a_run_that_has_not_started_ends_at_once_and_with_it_what_waits_behind() {
    for setup in Setup::on_both(&[("dev", "true"), ("ops", "true")]) {
        setup.wake(&["dev"]).exits(0);
        setup.wake(&["ops"]).exits(0);
        setup.env.run(&["cancel", "1"]).exits(0).says("run 1 is cancelled");
        setup.env.run(&["cancel", "1"]).exits(1).says("run 1 was over already: cancelled");
        let wakeups = setup.env.wakeups();
        assert!(wakeups.iter().all(|wakeup| wakeup["status"] == "cancelled"), "{wakeups:?}");
        setup.execute();
        assert_eq!(setup.env.runs().len(), 1);
        setup.env.run(&["logs", "1"]).exits(1).says("it was cancelled before it started");
        setup.env.run(&["cancel", "99"]).exits(1).says("there is no run 99");
        let told = setup.env.run(&["cancel", "99", "--json"]).exits(1).json();
        assert_eq!(told, json!({ "outcome": "no_such_run", "run": 99, "status": null, "host": null }));
    }
}

#[test]
fn what_waits_goes_on_when_the_queue_is_kept() {
    for setup in Setup::on_both(&[("dev", "true"), ("ops", "true")]) {
        setup.wake(&["dev"]).exits(0);
        setup.wake(&["ops"]).exits(0);
        setup.env.run(&["cancel", "1", "--keep-queue"]).exits(0);
        setup.execute();
        let [_, kept] = setup.env.runs().try_into().unwrap();
        assert_eq!((&kept["agent"], &kept["status"]), (&json!("ops"), &json!("succeeded")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agent_of_a_running_run_is_dead_when_its_cancellation_is_told() {
    for setup in Setup::on_both(&[("dev", TICK)]) {
        let engine = setup.env.engine(&["engine", "--idle"]);
        setup.wake(&["dev"]).exits(0);
        let group = setup.agent();
        setup
            .env
            .run(&["cancel", "1"])
            .exits(0)
            .says("was asked to stop: its worker on")
            .says("within a heartbeat");
        let over = setup.reaches(1, "cancelled");
        assert_eq!(over["cause"], "operator");
        let log = std::fs::read(setup.env.path(".baton/logs/1.log")).unwrap();
        TestAgent::dies(group).await;
        assert_eq!(
            std::fs::read(setup.env.path(".baton/logs/1.log")).unwrap(),
            log,
            "it worked on after its end"
        );
        assert_eq!(setup.env.runs().len(), 1, "it was tried again");
        assert_eq!(setup.env.wakeups()[0]["status"], "cancelled");
        engine.stop();
    }
}
