//! Waiting for a chain.

use serde_json::json;

use crate::chain::seat::Seat;
use crate::chain::waiting::{SOON, eventually};
use crate::chain::world::{World, branch, execute};

/// How often the forge is asked whether it was asked something.
const LOOKS_MAX: u32 = 20_000;

#[tokio::test(flavor = "multi_thread")]
async fn waiting_ends_when_the_last_is_merged() {
    let world = World::with_branches("login").await;
    let seat = world.seat();
    seat.run(&execute("login")).await.exits(0);
    seat.run(&["chain", "wait", "login", "--until", "open"]).await.exits(0);
    seat.run(&["chain", "wait", "login", "--timeout", "1s"]).await.exits(1).says("the time is over");
    world.merge("api", "login").await;
    world.merge("web", "login").await;
    world.clear_meter().await;
    let mut child = seat.command(&["chain", "wait", "login", "--every", "200ms", "--json"]).spawn().unwrap();
    // It has looked before the last one is merged.
    for look in 0.. {
        let rows = world.admin.must("GET", "/_forge/meter", &json!(null), 200).await;
        if rows.to_string().contains("pulls/{pull_number}") {
            break;
        }
        assert!(look < LOOKS_MAX && child.try_wait().unwrap().is_none(), "it does not look");
    }
    world.merge("docs", "login").await;
    let ran = Seat::end(child).await.exits(0).json();
    let statuses: Vec<_> =
        ran["parts"].as_array().unwrap().iter().map(|part| part["status"].clone()).collect();
    assert_eq!(statuses, ["merged", "merged", "merged"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_ends_with_no_when_one_is_closed() {
    let world = World::with_branches("login").await;
    let seat = world.seat();
    seat.run(&execute("login")).await.exits(0);
    let child = seat.command(&["chain", "wait", "login", "--every", "200ms"]).spawn().unwrap();
    world.edit("web", "login", json!({ "state": "closed" })).await;
    Seat::end(child).await.exits(1).says("admin/web#1 was closed without a merge");
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_sees_what_another_command_opens_meanwhile_and_outlives_an_outage() {
    let world = World::new().await;
    ["api", "docs"].iter().for_each(|repo| world.push(repo, &[&branch("login")]));
    let seat = world.seat();
    seat.run(&execute("login")).await.exits(1);
    world.fault("GET", "/pulls", "before", json!({ "status": 502 }), Some(12)).await;
    let arguments = ["chain", "wait", "login", "--until", "open", "--every", "200ms"];
    let child = seat.command(&arguments).spawn().unwrap();
    world.push("web", &[&branch("login")]);
    eventually("an execution that nothing disturbs", SOON, || {
        let mut execution = seat.command(&["chain", "execute", "login"]).into_std();
        execution.output().unwrap().status.success().then_some(())
    })
    .await;
    Seat::end(child).await.exits(0).says("admin/web#1  open");
}
