//! Waiting for a chain.

use baton_fixtures::TestEnv;
use baton_fixtures::wait::{eventually, eventually_async};
use serde_json::json;

use crate::chain::setup::{Setup, branch, execute};

#[tokio::test(flavor = "multi_thread")]
async fn waiting_ends_when_the_last_is_merged() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(0);
    env.run_async(&["chain", "wait", "login", "--until", "open"]).await.exits(0);
    env.run_async(&["chain", "wait", "login", "--timeout", "1s"]).await.exits(1).says("the time is over");
    setup.merge("api", "login").await;
    setup.merge("web", "login").await;
    setup.forge.clear_meter().await;
    let mut child = env.spawn(&["chain", "wait", "login", "--every", "200ms", "--json"]);
    // It has looked before the last one is merged.
    eventually_async("it looks", async || {
        assert!(child.try_wait().unwrap().is_none(), "it does not look");
        let rows = setup.forge.meter().await;
        rows.iter().any(|row| row.to_string().contains("pulls/{pull_number}")).then_some(())
    })
    .await;
    setup.merge("docs", "login").await;
    let ran = TestEnv::ended(child).await.exits(0).json();
    let statuses: Vec<_> =
        ran["parts"].as_array().unwrap().iter().map(|part| part["status"].clone()).collect();
    assert_eq!(statuses, ["merged", "merged", "merged"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_ends_with_no_when_one_is_closed() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(0);
    let child = env.spawn(&["chain", "wait", "login", "--every", "200ms"]);
    setup.edit("web", "login", json!({ "state": "closed" })).await;
    TestEnv::ended(child).await.exits(1).says("admin/web#1 was closed without a merge");
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_sees_what_another_command_opens_meanwhile_and_outlives_an_outage() {
    let setup = Setup::new().await;
    ["api", "docs"].iter().for_each(|repo| setup.push(repo, &[&branch("login")]));
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(1);
    setup
        .forge
        .fault(
            json!({ "method": "GET", "path_contains": "/pulls" }),
            "before",
            json!({ "status": 502 }),
            0,
            Some(12),
        )
        .await;
    let arguments = ["chain", "wait", "login", "--until", "open", "--every", "200ms"];
    let child = env.spawn(&arguments);
    setup.push("web", &[&branch("login")]);
    eventually("an execution that nothing disturbs", || {
        (env.run(&["chain", "execute", "login"]).code == 0).then_some(())
    })
    .await;
    TestEnv::ended(child).await.exits(0).says("admin/web#1  open");
}
