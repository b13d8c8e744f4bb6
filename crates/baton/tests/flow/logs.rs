//! What agents print, as `baton logs` shows it.

use baton_fixtures::TestEnv;
use baton_fixtures::wait::SOON;
use baton_ports::Store as _;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::flow::setup::Setup;

/// Prints a line, and a second one when it may.
const TWO_LINES: &str = "echo one; until [ -e go ]; do sleep 0.02; done; echo two >&2";

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_followed_from_before_the_start_to_the_end_of_its_run() {
    for setup in Setup::on_both(&[("dev", TWO_LINES)]) {
        setup.wake(&["dev"]).exits(0);
        setup.env.run(&["logs", "1"]).exits(1).says("run 1 has no log yet: it is queued");
        let mut follower = setup.env.spawn(&["logs", "1", "-f"]);
        let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
        let engine = setup.env.engine(&["engine", "--idle"]);
        assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("one"));
        assert_eq!(setup.env.runs()[0]["status"], "running");
        setup.env.write("go", "");
        assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("two"));
        assert_eq!(lines.next_line().await.unwrap(), None);
        TestEnv::ended(follower).await.exits(0);
        assert_eq!(setup.env.runs()[0]["status"], "succeeded");
        assert_eq!(setup.env.run(&["logs", "1"]).exits(0).out, "one\ntwo");
        engine.stop();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_whose_reader_has_gone_stops_quietly() {
    let setup = Setup::on_sqlite(&[("dev", "while :; do echo again; sleep 0.02; done")]);
    let engine = setup.env.engine(&["engine", "--idle"]);
    setup.wake(&["dev"]).exits(0);
    let mut follower = setup.env.spawn(&["logs", "1", "-f"]);
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("again"));
    drop(lines);
    let ran = TestEnv::ended(follower).await.exits(0);
    assert_eq!(ran.err, "");
    assert_eq!(setup.env.runs()[0]["status"], "running");
    engine.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_on_another_machine_is_said_to_be_there() {
    for setup in Setup::on_both(&[("dev", "true")]) {
        setup.wake(&["dev"]).exits(0);
        let relay = setup.relay().await;
        let lease = relay.store.enlist("other", "far-away", SOON).await.unwrap();
        relay.start(lease.worker).await.unwrap();
        for arguments in [&["logs", "1"][..], &["logs", "1", "-f"]] {
            setup.env.run(arguments).exits(1).says("the log of run 1 is on far-away");
        }
        setup.env.run(&["cancel", "1"]).exits(0).says("its worker on far-away stops it");
        relay.store.retire(lease.worker).await.unwrap();
        setup.env.run(&["cancel", "1"]).exits(0).says("its worker on far-away is not heard of any more");
    }
}

#[test]
fn a_log_that_was_removed_is_missed() {
    let setup = Setup::on_sqlite(&[("dev", "echo hello")]);
    setup.wake(&["dev"]).exits(0);
    setup.execute();
    std::fs::remove_file(setup.env.path(".baton/logs/1.log")).unwrap();
    setup.env.run(&["logs", "1"]).exits(1).says("it was removed, or `log_dir` was another");
    setup.env.run(&["logs", "1", "-f"]).exits(1).says("it was removed");
    setup.env.run(&["logs", "2"]).exits(1).says("there is no run 2");
}

#[test]
fn values_that_are_secret_by_their_names_are_not_in_the_log() {
    let setup = Setup::on_sqlite(&[("dev", "echo token=$MY_TOKEN word=$MY_WORD")]);
    setup.edit("[bash, dev.sh]", "[bash, dev.sh], env: [MY_TOKEN, MY_WORD]");
    setup.wake(&["dev"]).exits(0);
    let given = setup.env.clone().with("MY_TOKEN", "ghp_1234567890").with("MY_WORD", "everybody-may-know");
    given.run(&["engine", "--idle", "--once"]).exits(0);
    let log = setup.env.run(&["logs", "1"]).exits(0).says("word=everybody-may-know").out;
    assert!(log.contains("token=") && !log.contains("ghp_1234567890"), "{log}");
}
