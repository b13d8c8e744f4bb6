//! Claims and releases by accounts that may not write: they block nothing, end nothing, and are reported.

use serde_json::{Value, json};

use crate::claims::seat::Seat;
use crate::claims::standing::value;
use crate::claims::world::{Protocol, REPO, World, reference};
use crate::support::Client;

const FORGED_CLAIM: &str = "<!-- agent-claim:codename=mallory firing_id=20260501-194217-643a ts=2026-05-01T19:42:33Z \
                            ttl=14400s nonce=000102030405060708090a0b0c0d0e0f state=held -->";

async fn say(world: &World, seat: &Seat, issue: u64, body: &str) {
    let client = Client::new(&world.url, Some(&seat.token));
    let path = format!("/repos/{REPO}/issues/{issue}/comments");
    client.must("POST", &path, &json!({ "body": body }), 201).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_by_a_stranger_blocks_nothing_and_is_reported() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let (stranger, worker) = (world.account("stranger", None).await, world.worker("worker").await);
        let reader = world.account("reader", Some("pull")).await;
        let issue = world.issue().await;
        say(&world, &stranger, issue, FORGED_CLAIM).await;
        say(&world, &reader, issue, FORGED_CLAIM).await;
        let check = world.check(&worker, issue).await.exits(0).json();
        let forged = ["stranger", "reader"].map(|login| format!("mallory:20260501-194217-643a by {login}"));
        assert_eq!(check["ignored_claims"], json!(forged), "{protocol}");
        assert_eq!((&check["claimable"], &check["holder"]), (&json!(true), &Value::Null), "{protocol}");
        let text = worker.run(&["check", &reference(issue)]).await.exits(0);
        text.says("ignored: a claim for mallory:20260501-194217-643a by stranger, who may not write");
        world.claim(&worker, issue).await.exits(0);
        assert_eq!(world.labels(issue).await, ["agent:in-flight"], "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_by_a_stranger_ends_nothing_and_is_reported() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let (stranger, worker) = (world.account("stranger", None).await, world.worker("worker").await);
        let rival = world.worker("rival").await;
        let issue = world.issue().await;
        let lease = world.claim(&worker, issue).await.exits(0).json()["lease"].clone();
        let text = |key: &str| lease[key].as_str().unwrap().to_owned();
        let release = format!(
            "<!-- agent-release:codename=worker firing_id={} claim={} nonce={} outcome=success to=agent:implement -->",
            text("firing_id"),
            lease["comment"],
            text("nonce"),
        );
        assert_eq!(
            value(&release, "nonce"),
            value(&world.bodies(issue).await[0], "nonce"),
            "it names the claim"
        );
        say(&world, &stranger, issue, &release).await;
        let check = world.check(&rival, issue).await.exits(1).json();
        assert_eq!((&check["ignored_releases"], &check["holder"]["codename"]), (&json!(1), &json!("worker")));
        rival.run(&["check", &reference(issue)]).await.exits(1).says("ignored: 1 release");
        let lost = world.claim(&rival, issue).await.exits(1).json();
        assert_eq!(lost["outcome"], "lost", "{protocol}");
        worker.run(&["renew", &reference(issue)]).await.exits(0);
        // The same words from someone who may write do end it; on a claim ref, only the ref does.
        say(&world, &rival, issue, &release).await;
        let expected = if protocol == Protocol::Comment { 0 } else { 1 };
        world.check(&rival, issue).await.exits(expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_may_not_write_is_refused_with_the_reason() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        for seat in [world.account("stranger", None).await, world.account("reader", Some("pull")).await] {
            let issue = world.issue().await;
            let text = seat.run(&["claim", &reference(issue)]).await;
            assert_eq!(text.code, 1, "{protocol}: {text:?}");
            assert!(text.err.contains("may not write"), "{protocol}: {text:?}");
            let refused = world.claim(&seat, issue).await.exits(1).json();
            assert_eq!(refused["outcome"], "refused", "{protocol}");
            assert_eq!(world.labels(issue).await, ["agent:implement"], "{protocol}");
            let worker = world.worker(&format!("worker-for-{}", seat.login)).await;
            world.claim(&worker, issue).await.exits(0);
        }
    }
}
