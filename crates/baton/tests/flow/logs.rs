//! What agents print, as `baton logs` shows it.

use baton_ports::Store as _;
use rustix::process::Signal;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::flow::desk::{Desk, ended, send};

/// Prints a line, and a second one when it may.
const TWO_LINES: &str = "echo one; until [ -e go ]; do sleep 0.02; done; echo two >&2";

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_followed_from_before_the_start_to_the_end_of_its_run() {
    for desk in Desk::on_both(&[("dev", TWO_LINES)]) {
        desk.wake(&["dev"]).await.exits(0);
        desk.run(&["logs", "1"]).await.exits(1).says("run 1 has no log yet: it is queued");
        let mut follower = desk.command(&["logs", "1", "-f"]).spawn().unwrap();
        let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
        let engine = desk.engine();
        assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("one"));
        assert_eq!(desk.runs().await[0]["status"], "running");
        desk.write("go");
        assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("two"));
        assert_eq!(lines.next_line().await.unwrap(), None);
        ended(follower).await.exits(0);
        assert_eq!(desk.runs().await[0]["status"], "succeeded");
        assert_eq!(desk.run(&["logs", "1"]).await.exits(0).out, "one\ntwo");
        send(&engine, Signal::TERM);
        ended(engine).await.exits(0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_whose_reader_has_gone_stops_quietly() {
    let desk = Desk::on_sqlite(&[("dev", "while :; do echo again; sleep 0.02; done")]);
    let engine = desk.engine();
    desk.wake(&["dev"]).await.exits(0);
    let mut follower = desk.command(&["logs", "1", "-f"]).spawn().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("again"));
    drop(lines);
    let ran = ended(follower).await.exits(0);
    assert_eq!(ran.err, "");
    assert_eq!(desk.runs().await[0]["status"], "running");
    send(&engine, Signal::TERM);
    ended(engine).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_on_another_machine_is_said_to_be_there() {
    for desk in Desk::on_both(&[("dev", "true")]) {
        desk.wake(&["dev"]).await.exits(0);
        let relay = desk.relay().await;
        let lease = relay.store.enlist("other", "far-away", crate::flow::desk::SOON).await.unwrap();
        relay.start(lease.worker).await.unwrap();
        for arguments in [&["logs", "1"][..], &["logs", "1", "-f"]] {
            desk.run(arguments).await.exits(1).says("the log of run 1 is on far-away");
        }
        desk.run(&["cancel", "1"]).await.exits(0).says("its worker on far-away stops it");
        relay.store.retire(lease.worker).await.unwrap();
        desk.run(&["cancel", "1"]).await.exits(0).says("its worker on far-away is not heard of any more");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_was_removed_is_missed() {
    let desk = Desk::on_sqlite(&[("dev", "echo hello")]);
    desk.wake(&["dev"]).await.exits(0);
    desk.execute().await;
    std::fs::remove_file(desk.path(".baton/logs/1.log")).unwrap();
    desk.run(&["logs", "1"]).await.exits(1).says("it was removed, or `log_dir` was another");
    desk.run(&["logs", "1", "-f"]).await.exits(1).says("it was removed");
    desk.run(&["logs", "2"]).await.exits(1).says("there is no run 2");
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_are_secret_by_their_names_are_not_in_the_log() {
    let desk = Desk::on_sqlite(&[("dev", "echo token=$MY_TOKEN word=$MY_WORD")]);
    let yaml = std::fs::read_to_string(desk.path("baton.yaml")).unwrap();
    let yaml = yaml.replace("command: [bash, dev.sh]", "command: [bash, dev.sh], env: [MY_TOKEN, MY_WORD]");
    std::fs::write(desk.path("baton.yaml"), yaml).unwrap();
    desk.wake(&["dev"]).await.exits(0);
    let mut engine = desk.command(&["engine", "--idle", "--once"]);
    engine.env("MY_TOKEN", "ghp_1234567890").env("MY_WORD", "everybody-may-know");
    crate::flow::desk::finish(engine).await.exits(0);
    let log = desk.run(&["logs", "1"]).await.exits(0).says("word=everybody-may-know").out;
    assert!(log.contains("token=") && !log.contains("ghp_1234567890"), "{log}");
}
