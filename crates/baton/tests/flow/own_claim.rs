//! `baton claim` by an agent inside a run. There is no tracker here, so whatever would ask one fails.

use baton_core::slot::finish::{Baton, Fenced};
use baton_engine::relay::StartAnswer;
use baton_fixtures::wait::SOON;
use baton_ports::Store as _;
use serde_json::json;

use crate::flow::setup::{ISSUE, Setup};

#[test]
fn an_agent_that_claims_the_issue_of_its_run_has_it() {
    let baton = baton_fixtures::baton();
    let baton = baton.display();
    let script = format!("'{baton}' claim $BATON_ISSUE && '{baton}' claim Acme/Web#7 -- echo inside");
    for setup in Setup::on_both(&[("dev", &script)]) {
        setup.wake(&["dev"]).exits(0);
        setup.execute().says("run 1 succeeded");
        let log = setup.env.run(&["logs", "1"]).exits(0);
        log.says("acme/web#7 is held by run 1, which this belongs to; its worker renews it").says("inside");
        assert!(!setup.env.path(".baton/state/leases").exists(), "a claim was noted on this machine");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lease_of_the_run_is_told_with_its_token_and_nothing_is_written() {
    for setup in Setup::on_both(&[("dev", "true")]) {
        setup.wake(&["dev"]).exits(0);
        let relay = setup.relay().await;
        let worker = relay.store.enlist("worker", "here", SOON).await.unwrap().worker;
        let StartAnswer::Started(started) = relay.start(worker).await.unwrap() else {
            panic!("nothing to start")
        };
        let baton = Baton { run: started.run.id, worker, fence: started.run.fence };
        let kept = relay.keep_lease(&baton, Some("4fe1".to_owned())).await.unwrap();
        assert_eq!(kept, Fenced::Done(()));
        let before = setup.dump().await;
        let claim = |run: &str, issue: &str| {
            setup.env.clone().with("BATON_RUN_ID", run).run(&["claim", issue, "--json"])
        };
        let told = claim("1", ISSUE).exits(0).json();
        let expected = json!({ "outcome": "won", "issue": ISSUE, "run": 1, "lease": { "nonce": "4fe1" } });
        assert_eq!(told, expected);
        // Whoever does not own the issue goes on to the tracker, which is not there.
        claim("2", ISSUE).exits(3);
        claim("1", "acme/web#8").exits(3);
        assert_eq!(setup.dump().await, before);
        setup.env.run(&["claim", ISSUE, "--json"]).exits(3);
    }
}
