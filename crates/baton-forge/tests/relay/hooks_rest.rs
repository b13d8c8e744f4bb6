//! Hooks over REST: made, checked, shown, changed, deleted, and by whom.

use serde_json::{Value, json};

use crate::relay::receiver::Receiver;
use crate::relay::world::{REPO, World};

async fn refused(world: &World, fields: Value) -> (u16, Value) {
    world.ask(&world.admin, "POST", &format!("{REPO}/hooks"), fields).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_makes_no_sense_is_refused_with_a_reason() {
    let world = World::new().await;
    let url = json!({ "url": "http://127.0.0.1:1/" });
    let cases = [
        (json!({}), "Config must contain URL for webhooks"),
        (json!({ "config": {} }), "Config must contain URL for webhooks"),
        (json!({ "config": { "url": "ftp://x/" } }), "url is not a valid address of http or https"),
        (json!({ "config": { "url": "nonsense" } }), "url is not a valid address of http or https"),
        (json!({ "config": url, "events": ["isues"] }), "\"isues\" is not an event of webhooks"),
        (json!({ "config": url, "events": [] }), "Events must not be empty"),
        (json!({ "config": url, "name": "jenkins" }), "Only \"web\" hooks are there"),
        (
            json!({ "config": { "url": "http://x/", "content_type": "xml" } }),
            "content_type is \"json\" or \"form\"",
        ),
    ];
    for (fields, why) in cases {
        let (status, answer) = refused(&world, fields).await;
        assert_eq!((status, answer["errors"][0]["message"].as_str()), (422, Some(why)), "{answer}");
    }
    world.ok(&world.admin, "POST", &format!("{REPO}/hooks"), json!({ "config": url })).await;
    let (status, answer) = refused(&world, json!({ "config": url, "events": ["issues", "push"] })).await;
    assert_eq!(status, 422);
    assert_eq!(answer["errors"][0]["message"], "Hook already exists on this repository");
    // The same address may be told something else.
    world
        .ok(&world.admin, "POST", &format!("{REPO}/hooks"), json!({ "config": url, "events": ["issues"] }))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_is_changed_in_parts_and_its_secret_is_never_shown() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    for owner in [REPO, "/orgs/acme"] {
        let path = format!("/at{}", owner.replace('/', "-"));
        let id = receiver.hook(&world, owner, &path, &["issues"]).await;
        let at = format!("{owner}/hooks/{id}");
        let shown = world.ok(&world.admin, "GET", &at, Value::Null).await;
        let config = json!({ "url": receiver.url(&path), "content_type": "json", "insecure_ssl": "0", "secret": "********" });
        assert_eq!((&shown["config"], &shown["events"]), (&config, &json!(["issues"])));
        let change = json!({ "add_events": ["push"], "remove_events": ["issues"] });
        let shown = world.ok(&world.admin, "PATCH", &at, change).await;
        assert_eq!(shown["events"], json!(["push"]));
        let change = json!({ "content_type": "form", "insecure_ssl": "1" });
        let shown = world.ok(&world.admin, "PATCH", &format!("{at}/config"), change).await;
        assert_eq!((&shown["content_type"], &shown["insecure_ssl"]), (&json!("form"), &json!("1")));
        assert_eq!(shown["secret"], "********");
        // A config that is given whole and without a secret takes the secret away.
        let change = json!({ "config": { "url": receiver.url("/new") } });
        let shown = world.ok(&world.admin, "PATCH", &at, change).await;
        assert!(shown["config"].get("secret").is_none(), "{shown}");
        world.ok(&world.admin, "POST", &format!("{at}/pings"), Value::Null).await;
        world
            .eventually("a greeting on request", async |_| (!receiver.pings("/new").is_empty()).then_some(()))
            .await;
        world.ok(&world.admin, "DELETE", &at, Value::Null).await;
        assert_eq!(world.ask(&world.admin, "GET", &at, Value::Null).await.0, 404);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_are_their_owners_alone() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    let id = receiver.hook(&world, REPO, "/all", &["issues"]).await;
    let org = receiver.hook(&world, "/orgs/acme", "/org", &["issues"]).await;
    let ask = async |token: &str, path: String| world.ask(token, "GET", &path, Value::Null).await.0;
    assert_eq!(ask(&world.ada, format!("{REPO}/hooks")).await, 403);
    assert_eq!(ask(&world.eve, format!("{REPO}/hooks/{id}/deliveries")).await, 403);
    assert_eq!(ask(&world.ada, "/orgs/acme/hooks".to_owned()).await, 404);
    let config = json!({ "config": { "url": receiver.url("/eve") } });
    assert_eq!(world.ask(&world.eve, "POST", "/orgs/acme/hooks", config).await.0, 404);
    // A hook is found only at its owner.
    assert_eq!(ask(&world.admin, format!("{REPO}/hooks/{org}")).await, 404);
    assert_eq!(ask(&world.admin, format!("/orgs/acme/hooks/{id}")).await, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_sends_the_last_push_to_those_who_asked_for_pushes() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    let issues = receiver.hook(&world, REPO, "/issues", &["issues"]).await;
    let pushes = receiver.hook(&world, REPO, "/pushes", &["push"]).await;
    for id in [issues, pushes] {
        world.ok(&world.admin, "POST", &format!("{REPO}/hooks/{id}/tests"), Value::Null).await;
    }
    let all = receiver.wait(&world, "/pushes", 1).await;
    assert_eq!(all[0].json()["ref"], "refs/heads/main");
    assert_eq!(all[0].json()["head_commit"]["message"], "begin");
    assert!(receiver.all("/issues").is_empty());
}
