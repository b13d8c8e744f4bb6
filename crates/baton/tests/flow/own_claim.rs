//! `baton claim` by an agent inside a run. There is no tracker here, so whatever would ask one fails.

use baton_core::slot::finish::{Baton, Fenced};
use baton_engine::relay::StartAnswer;
use baton_ports::Store as _;
use serde_json::json;

use crate::flow::desk::{Desk, ISSUE, SOON, finish};

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_claims_the_issue_of_its_run_has_it() {
    let baton = env!("CARGO_BIN_EXE_baton");
    let script = format!("'{baton}' claim $BATON_ISSUE && '{baton}' claim Acme/Web#7 -- echo inside");
    for desk in Desk::on_both(&[("dev", &script)]) {
        desk.wake(&["dev"]).await.exits(0);
        desk.execute().await.says("run 1 succeeded");
        let log = desk.run(&["logs", "1"]).await.exits(0);
        log.says("acme/web#7 is held by run 1, which this belongs to; its worker renews it").says("inside");
        assert!(!desk.path(".baton/state/leases").exists(), "a claim was noted on this machine");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lease_of_the_run_is_told_with_its_token_and_nothing_is_written() {
    for desk in Desk::on_both(&[("dev", "true")]) {
        desk.wake(&["dev"]).await.exits(0);
        let relay = desk.relay().await;
        let worker = relay.store.enlist("worker", "here", SOON).await.unwrap().worker;
        let StartAnswer::Started(started) = relay.start(worker).await.unwrap() else {
            panic!("nothing to start")
        };
        let baton = Baton { run: started.run.id, worker, fence: started.run.fence };
        let kept = relay.keep_lease(&baton, Some("4fe1".to_owned())).await.unwrap();
        assert_eq!(kept, Fenced::Done(()));
        let before = desk.dump().await;
        let claim = |run: &str, issue: &str| {
            let mut command = desk.command(&["claim", issue, "--json"]);
            command.env("BATON_RUN_ID", run);
            command
        };
        let told = finish(claim("1", ISSUE)).await.exits(0).json();
        let expected = json!({ "outcome": "won", "issue": ISSUE, "run": 1, "lease": { "nonce": "4fe1" } });
        assert_eq!(told, expected);
        // Whoever does not own the issue goes on to the tracker, which is not there.
        finish(claim("2", ISSUE)).await.exits(3);
        finish(claim("1", "acme/web#8")).await.exits(3);
        assert_eq!(desk.dump().await, before);
        desk.run(&["claim", ISSUE, "--json"]).await.exits(3);
    }
}
