//! Engines that are told to stop, or are killed: no agent goes on, and no run is lost.

use std::time::Instant;

use rustix::process::Signal;
use serde_json::json;

use crate::flow::desk::{Desk, SOON, dies, ended, eventually, group_of, is_group_alive, send};

/// Works until it is told to stop the first time, and is done at once the second time.
const FIRST_FOREVER: &str = "[ -e pid ] && exit 0; echo $$ > pid; while :; do echo tick; sleep 0.02; done";

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_is_told_to_stop_gives_its_run_back() {
    for (desk, signal) in
        Desk::on_both(&[("dev", FIRST_FOREVER)]).into_iter().zip([Signal::TERM, Signal::INT])
    {
        let engine = desk.engine();
        desk.wake(&["dev"]).await.exits(0);
        eventually("the agent", || desk.note("pid")).await;
        send(&engine, signal);
        ended(engine).await.exits(0);
        assert!(!is_group_alive(group_of(&desk, "pid")), "the agent has outlived its engine");
        let [given_back, again] = desk.runs().await.try_into().unwrap();
        let told = (&given_back["status"], &given_back["cause"]);
        assert_eq!(told, (&json!("interrupted"), &json!("worker_stopped")));
        assert_eq!(
            (&again["status"], &again["retry_of"], &again["attempt"]),
            (&json!("queued"), &json!(1), &json!(1))
        );
        desk.execute().await;
        desk.reaches(2, "succeeded").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_dies_with_its_engine_and_its_run_goes_on_elsewhere() {
    for desk in Desk::on_both(&[("dev", FIRST_FOREVER)]) {
        let engine = desk.engine();
        desk.wake(&["dev"]).await.exits(0);
        eventually("the agent", || desk.note("pid")).await;
        send(&engine, Signal::KILL);
        dies(&desk, "pid").await;
        // Nobody but an engine of later times finds out, when the lease of the dead one is over.
        let started = Instant::now();
        while desk.runs().await.len() < 2 {
            assert!(started.elapsed() < SOON, "the run of a dead engine is not taken up");
            desk.execute().await;
        }
        let [lost, again] = desk.runs().await.try_into().unwrap();
        assert_eq!((&lost["status"], &lost["cause"]), (&json!("interrupted"), &json!("worker_lost")));
        assert_eq!(again["retry_of"], 1);
        desk.reaches(2, "succeeded").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_an_engine_whose_agent_does_not_listen() {
    let deaf = "trap '' INT TERM; echo $$ > pid; while :; do sleep 0.02; done";
    let desk = Desk::on_sqlite(&[("dev", deaf)]).with_settings("inactivity_timeout: 1h\n");
    let slow = std::fs::read_to_string(desk.path("baton.yaml"))
        .unwrap()
        .replace("kill_grace: 500ms", "kill_grace: 3s");
    std::fs::write(desk.path("baton.yaml"), slow.replace("ttl: 4s", "ttl: 30s")).unwrap();
    let mut engine = desk.command(&["engine", "--idle"]).spawn().unwrap();
    desk.wake(&["dev"]).await.exits(0);
    eventually("the agent", || desk.note("pid")).await;
    let mut lines =
        tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(engine.stderr.take().unwrap()));
    send(&engine, Signal::TERM);
    while !lines.next_line().await.unwrap().expect("it says that it stops").contains("once more") {}
    send(&engine, Signal::TERM);
    ended(engine).await.exits(1);
    dies(&desk, "pid").await;
}
