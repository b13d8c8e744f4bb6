//! Runs that an operator ends.

use rustix::process::Signal;
use serde_json::json;

use crate::flow::desk::{Desk, dies, ended, eventually, send};

/// Notes that it lives, and ends only when it is killed.
const TICK: &str = "trap '' INT TERM; echo $$ > pid; while :; do echo tick; sleep 0.02; done";

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_has_not_started_ends_at_once_and_with_it_what_waits_behind() {
    for desk in Desk::on_both(&[("dev", "true"), ("ops", "true")]) {
        desk.wake(&["dev"]).await.exits(0);
        desk.wake(&["ops"]).await.exits(0);
        desk.run(&["cancel", "1"]).await.exits(0).says("run 1 is cancelled");
        desk.run(&["cancel", "1"]).await.exits(1).says("run 1 was over already: cancelled");
        let wakeups = desk.wakeups().await;
        assert!(wakeups.iter().all(|wakeup| wakeup["status"] == "cancelled"), "{wakeups:?}");
        desk.execute().await;
        assert_eq!(desk.runs().await.len(), 1);
        desk.run(&["logs", "1"]).await.exits(1).says("it was cancelled before it started");
        desk.run(&["cancel", "99"]).await.exits(1).says("there is no run 99");
        let told = desk.run(&["cancel", "99", "--json"]).await.exits(1).json();
        assert_eq!(told, json!({ "outcome": "no_such_run", "run": 99, "status": null, "host": null }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_goes_on_when_the_queue_is_kept() {
    for desk in Desk::on_both(&[("dev", "true"), ("ops", "true")]) {
        desk.wake(&["dev"]).await.exits(0);
        desk.wake(&["ops"]).await.exits(0);
        desk.run(&["cancel", "1", "--keep-queue"]).await.exits(0);
        desk.execute().await;
        let [_, kept] = desk.runs().await.try_into().unwrap();
        assert_eq!((&kept["agent"], &kept["status"]), (&json!("ops"), &json!("succeeded")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agent_of_a_running_run_is_dead_when_its_cancellation_is_told() {
    for desk in Desk::on_both(&[("dev", TICK)]) {
        let engine = desk.engine();
        desk.wake(&["dev"]).await.exits(0);
        eventually("the agent", || desk.note("pid")).await;
        desk.run(&["cancel", "1"])
            .await
            .exits(0)
            .says("was asked to stop: its worker on")
            .says("within a heartbeat");
        let over = desk.reaches(1, "cancelled").await;
        assert_eq!(over["cause"], "operator");
        let log = std::fs::read(desk.path(".baton/logs/1.log")).unwrap();
        dies(&desk, "pid").await;
        assert_eq!(std::fs::read(desk.path(".baton/logs/1.log")).unwrap(), log, "it worked on after its end");
        assert_eq!(desk.runs().await.len(), 1, "it was tried again");
        assert_eq!(desk.wakeups().await[0]["status"], "cancelled");
        send(&engine, Signal::TERM);
        ended(engine).await.exits(0);
    }
}
