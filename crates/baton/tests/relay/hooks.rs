//! Webhooks: the forge tells the engine at once, and nobody has to wait for the next poll.

use baton_fixtures::ports::free_port;
use serde_json::json;

use crate::relay::setup::{HOOK_SECRET, Relay, Setup};

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_wakes_the_agent_long_before_the_next_poll() {
    let port = free_port();
    let yaml = format!("poll: 10min\nreconcile_every: 10min\nwebhooks: {{listen: '127.0.0.1:{port}'}}\n");
    let relay = Relay::running(Setup { yaml: &yaml, ..Setup::default() }).await;
    let bea = relay.person("bea").await;
    let health = format!("http://127.0.0.1:{port}/healthz");
    relay
        .until("the engine listens", async || {
            let answer = relay.forge.admin.send("GET", &health, None, &[]).await?;
            (answer.status == 200).then_some(())
        })
        .await;
    let url = format!("http://127.0.0.1:{port}/webhooks/github");
    let config = json!({ "url": url, "secret": HOOK_SECRET, "content_type": "json" });
    relay.repo.send("POST", "/hooks", json!({ "name": "web", "config": config, "events": ["*"] })).await;
    let issue = relay.repo.issue("At once", &["stage:Plan"]).await;
    relay.until_issue(issue, "Plan is complete", |facts| facts.has("stage:Plan:complete")).await;
    bea.comment(issue, "And now?").await;
    relay.until_runs(issue, 2).await;
    relay.move_by_hand(issue, "Plan", "Build").await;
    relay.until_issue(issue, "Build is complete", |facts| facts.has("stage:Build:complete")).await;
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Plan comments", "Build stage"]);
    relay.end().await;
}
