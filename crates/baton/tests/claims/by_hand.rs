//! Labels that people change by hand, pull requests that they merge and close, and work that fails: what renewals and
//! sweeps make of it.

use baton_fixtures::TestEnv;
use baton_fixtures::clock::wall_s;
use serde_json::{Value, json};

use crate::claims::held::pull_for;
use crate::claims::setup::{Protocol, REPO, Setup, assert_same, claim, reference};

/// How long a label may stand without a claim.
const MISSING_CLAIM_GRACE_S: i64 = 600;

async fn sweep(env: &TestEnv) -> Value {
    env.run_async(&["sweep", "--repo", REPO, "--json"]).await.exits(0).json()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_puts_right_what_people_change_on_an_issue_that_is_held() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (worker, issue) = (setup.worker("worker").await, setup.issue().await);
        claim(&worker, issue).await.exits(0);
        let renew = async || worker.run_async(&["renew", &reference(issue)]).await.exits(0);
        setup.repo.label(issue, "agent:implement").await;
        renew().await;
        assert_eq!(setup.repo.labels(issue).await, ["agent:in-flight"], "{protocol}: made eligible by hand");
        setup.repo.unlabel(issue, "agent:in-flight").await;
        renew().await;
        assert_eq!(
            setup.repo.labels(issue).await,
            ["agent:in-flight"],
            "{protocol}: the label was taken off"
        );
        setup.repo.label(issue, "bug").await;
        renew().await;
        assert_eq!(setup.repo.labels(issue).await, ["agent:in-flight", "bug"], "{protocol}: others stay");
        assert_eq!(sweep(&setup.operator()).await["issues"], json!([]), "{protocol}: it is held");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_without_a_claim_is_left_alone_for_its_grace_and_swept_after_it() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let now = wall_s();
        setup.forge.freeze_clock(now).await;
        let alone = setup.repo.issue("something to do", &["agent:in-flight", "bug"]).await;
        let beside = setup.repo.issue("something to do", &["agent:in-flight", "agent:pr-open"]).await;
        let operator = setup.operator();
        setup.forge.freeze_clock(now + MISSING_CLAIM_GRACE_S).await;
        let before = setup.dump_all().await;
        assert_eq!(sweep(&operator).await["issues"], json!([]), "{protocol}");
        assert_same(&before, &setup.dump_all().await, &format!("{protocol}: the grace is not over"));
        setup.forge.freeze_clock(now + MISSING_CLAIM_GRACE_S + 1).await;
        let before = setup.dump_all().await;
        let dry = operator.run_async(&["sweep", "--repo", REPO, "--dry-run"]).await.exits(0);
        dry.says("would be put right");
        assert_same(&before, &setup.dump_all().await, &format!("{protocol}: a dry run changes nothing"));
        let swept = sweep(&operator).await;
        assert_eq!(swept["issues"][0]["requeued"], json!(true), "{protocol}: {swept}");
        assert_eq!(setup.repo.labels(alone).await, ["agent:implement", "bug"], "{protocol}");
        assert_eq!(setup.repo.labels(beside).await, ["agent:pr-open"], "{protocol}: only one may stay");
        assert_eq!(sweep(&operator).await["issues"], json!([]), "{protocol}: there is nothing left to do");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_failed_attempts_hand_an_issue_to_a_person_until_that_person_gives_it_back() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        // Whoever hands an issue back may count as well; here that is left to the sweep.
        let worker = setup.worker("worker").await.with("BATON_CLAIMS_ATTEMPTS_MAX", "99");
        let operator = setup.operator();
        let issue = setup.issue().await;
        let outcomes = ["failure-lint", "rate-limit", "no-commit", "push-failed"];
        for (at, outcome) in outcomes.iter().enumerate() {
            assert_eq!(sweep(&operator).await["issues"], json!([]), "{protocol}: after {at} releases");
            claim(&worker, issue).await.exits(0);
            worker.run_async(&["release", &reference(issue), "--outcome", outcome]).await.exits(0);
        }
        let swept = sweep(&operator).await;
        assert_eq!(swept["issues"][0]["scoped_after"], json!(3), "{protocol}: {swept}");
        assert_eq!(setup.repo.labels(issue).await, ["needs:human-scope"], "{protocol}");
        let listing = setup.repo.bodies(issue).await.pop().unwrap();
        for outcome in ["failure-lint", "no-commit", "push-failed"] {
            assert!(listing.contains(outcome), "{protocol}: {outcome} is not in {listing}");
        }
        assert!(!listing.contains("rate-limit"), "{protocol}: {listing}");
        claim(&worker, issue).await.exits(1).says("needs:human-scope");
        assert_eq!(sweep(&operator).await["issues"], json!([]), "{protocol}: once is enough");
        setup.repo.unlabel(issue, "needs:human-scope").await;
        setup.repo.label(issue, "agent:implement").await;
        assert_eq!(sweep(&operator).await["issues"], json!([]), "{protocol}: a person has given it back");
        claim(&worker, issue).await.exits(0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merged_pull_request_makes_an_issue_done_and_a_closed_one_puts_it_back() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (worker, operator) = (setup.worker("worker").await, setup.operator());
        let (merged, closed, open) = (setup.issue().await, setup.issue().await, setup.issue().await);
        let mut pulls = Vec::new();
        for issue in [merged, closed, open] {
            let pull = pull_for(&setup, issue).await;
            worker.run_async(&["claim", &reference(issue), "--", "true"]).await.exits(0);
            assert_eq!(setup.repo.labels(issue).await, ["agent:pr-open"], "{protocol}");
            claim(&worker, issue).await.exits(1).says("agent:pr-open");
            pulls.push(pull["number"].as_u64().unwrap());
        }
        assert_eq!(sweep(&operator).await["issues"], json!([]), "{protocol}: all are open");
        setup.repo.send("PUT", &format!("/pulls/{}/merge", pulls[0]), json!({})).await;
        setup.repo.send("PATCH", &format!("/pulls/{}", pulls[1]), json!({ "state": "closed" })).await;
        // Labels outrank a release only if they were changed in a later second.
        setup.run_clock(2).await;
        let swept = sweep(&operator).await;
        let moves: Vec<_> =
            swept["issues"].as_array().unwrap().iter().map(|it| it["moved_to"].clone()).collect();
        assert_eq!(moves, ["agent:done", "agent:implement"], "{protocol}: {swept}");
        assert_eq!(
            setup.repo.labels(merged).await,
            ["agent:done"],
            "{protocol}: although merging has closed it"
        );
        assert_eq!(setup.repo.labels(closed).await, ["agent:implement"], "{protocol}");
        assert_eq!(setup.repo.labels(open).await, ["agent:pr-open"], "{protocol}");
        claim(&worker, closed).await.exits(0);
    }
}
