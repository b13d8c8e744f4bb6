//! Claims and releases by accounts that may not write: they block nothing, end nothing, and are reported.

use baton_fixtures::TestEnv;
use serde_json::{Value, json};

use crate::claims::setup::{Protocol, Setup, check, claim, reference};
use crate::claims::standing::value;

const FORGED_CLAIM: &str = "<!-- agent-claim:codename=mallory firing_id=20260501-194217-643a ts=2026-05-01T19:42:33Z \
                            ttl=14400s nonce=000102030405060708090a0b0c0d0e0f state=held -->";

async fn say(setup: &Setup, env: &TestEnv, issue: u64, body: &str) {
    let client = setup.forge.client(env.variable("BATON_TOKEN").unwrap());
    setup.repo.by(&client).comment(issue, body).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_by_a_stranger_blocks_nothing_and_is_reported() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (stranger, worker) = (setup.account("stranger", None).await, setup.worker("worker").await);
        let reader = setup.account("reader", Some("pull")).await;
        let issue = setup.issue().await;
        say(&setup, &stranger, issue, FORGED_CLAIM).await;
        say(&setup, &reader, issue, FORGED_CLAIM).await;
        let standing = check(&worker, issue).await.exits(0).json();
        let forged = ["stranger", "reader"].map(|login| format!("mallory:20260501-194217-643a by {login}"));
        assert_eq!(standing["ignored_claims"], json!(forged), "{protocol}");
        assert_eq!((&standing["claimable"], &standing["holder"]), (&json!(true), &Value::Null), "{protocol}");
        let text = worker.run_async(&["check", &reference(issue)]).await.exits(0);
        text.says("ignored: a claim for mallory:20260501-194217-643a by stranger, who may not write");
        claim(&worker, issue).await.exits(0);
        assert_eq!(setup.repo.labels(issue).await, ["agent:in-flight"], "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_by_a_stranger_ends_nothing_and_is_reported() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (stranger, worker) = (setup.account("stranger", None).await, setup.worker("worker").await);
        let rival = setup.worker("rival").await;
        let issue = setup.issue().await;
        let lease = claim(&worker, issue).await.exits(0).json()["lease"].clone();
        let text = |key: &str| lease[key].as_str().unwrap().to_owned();
        let release = format!(
            "<!-- agent-release:codename=worker firing_id={} claim={} nonce={} outcome=success to=agent:implement -->",
            text("firing_id"),
            lease["comment"],
            text("nonce"),
        );
        assert_eq!(
            value(&release, "nonce"),
            value(&setup.repo.bodies(issue).await[0], "nonce"),
            "it names the claim"
        );
        say(&setup, &stranger, issue, &release).await;
        let standing = check(&rival, issue).await.exits(1).json();
        assert_eq!(
            (&standing["ignored_releases"], &standing["holder"]["codename"]),
            (&json!(1), &json!("worker"))
        );
        rival.run_async(&["check", &reference(issue)]).await.exits(1).says("ignored: 1 release");
        let lost = claim(&rival, issue).await.exits(1).json();
        assert_eq!(lost["outcome"], "lost", "{protocol}");
        worker.run_async(&["renew", &reference(issue)]).await.exits(0);
        // The same words from someone who may write do end it; on a claim ref, only the ref does.
        say(&setup, &rival, issue, &release).await;
        let expected = if protocol == Protocol::Comment { 0 } else { 1 };
        check(&rival, issue).await.exits(expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_may_not_write_is_refused_with_the_reason() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        for env in [setup.account("stranger", None).await, setup.account("reader", Some("pull")).await] {
            let issue = setup.issue().await;
            let text = env.run_async(&["claim", &reference(issue)]).await;
            assert_eq!(text.code, 1, "{protocol}: {text:?}");
            assert!(text.err.contains("may not write"), "{protocol}: {text:?}");
            let refused = claim(&env, issue).await.exits(1).json();
            assert_eq!(refused["outcome"], "refused", "{protocol}");
            assert_eq!(setup.repo.labels(issue).await, ["agent:implement"], "{protocol}");
            let worker =
                setup.worker(&format!("worker-for-{}", env.variable("BATON_CODENAME").unwrap())).await;
            claim(&worker, issue).await.exits(0);
        }
    }
}
