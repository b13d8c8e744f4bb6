//! Webhooks: the forge tells the engine at once, and nobody has to wait for the next poll.

use std::net::TcpListener;

use serde_json::json;

use crate::relay::world::{HOOK_SECRET, Setup, World};

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_wakes_the_agent_long_before_the_next_poll() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let yaml = format!("poll: 10min\nreconcile_every: 10min\nwebhooks: {{listen: '127.0.0.1:{port}'}}\n");
    let world = World::running(Setup { yaml: &yaml, ..Setup::default() }).await;
    let bea = world.person("bea").await;
    let health = format!("http://127.0.0.1:{port}/healthz");
    world
        .until("the engine listens", async |world| {
            let answer = world.client.send("GET", &health, None, &[]).await?;
            (answer.status == 200).then_some(())
        })
        .await;
    let url = format!("http://127.0.0.1:{port}/webhooks/github");
    let config = json!({ "url": url, "secret": HOOK_SECRET, "content_type": "json" });
    world.send("POST", "/hooks", json!({ "name": "web", "config": config, "events": ["*"] })).await;
    let issue = world.issue("At once", &["stage:Plan"]).await;
    world.until_issue(issue, "Plan is complete", |facts| facts.has("stage:Plan:complete")).await;
    world.comment_as(&bea, issue, "And now?").await;
    world.until_runs(issue, 2).await;
    world.move_by_hand(issue, "Plan", "Build").await;
    world.until_issue(issue, "Build is complete", |facts| facts.has("stage:Build:complete")).await;
    assert_eq!(world.diary().deeds(issue), ["Plan stage", "Plan comments", "Build stage"]);
    world.end().await;
}
