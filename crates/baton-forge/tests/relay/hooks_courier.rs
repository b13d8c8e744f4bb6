//! The courier: redelivery, receivers that fail, crashes, and the knobs.

use baton_forge::{ClockSetting, KnobsPatch, Span, WebhookKnobs};
use serde_json::{Value, json};

use crate::relay::receiver::{Received, Receiver};
use crate::relay::world::{REPO, World};

async fn open_issues(world: &World, count: usize) {
    for number in 1..=count {
        let fields = json!({ "title": format!("issue {number}") });
        world.ok(&world.ada, "POST", &format!("{REPO}/issues"), fields).await;
    }
}

fn turn(world: &World, webhooks: WebhookKnobs) {
    world.forge.turn(KnobsPatch { webhooks: Some(webhooks), ..KnobsPatch::default() }).unwrap();
}

fn numbers(received: &[Received]) -> Vec<i64> {
    received.iter().filter_map(|received| received.json()["issue"]["number"].as_i64()).collect()
}

/// Waits until so many deliveries of a hook are written down; newest first.
async fn delivered(world: &World, hook: i64, count: usize) -> Vec<Value> {
    let path = format!("{REPO}/hooks/{hook}/deliveries?per_page=100");
    world
        .eventually("deliveries are written down", async |world| {
            let found = world.ok(&world.admin, "GET", &path, Value::Null).await;
            let found = found.as_array().unwrap().clone();
            (found.len() >= count).then_some(found)
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_is_written_down_and_made_again_on_request() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    let hook = receiver.hook(&world, REPO, "/all", &["issues"]).await;
    open_issues(&world, 1).await;
    let first = receiver.wait(&world, "/all", 1).await[0].clone();
    let found = delivered(&world, hook, 2).await;
    assert_eq!((&found[0]["event"], &found[0]["action"]), (&json!("issues"), &json!("opened")));
    assert_eq!((&found[0]["guid"], &found[1]["event"]), (&json!(first.guid()), &json!("ping")));
    assert_eq!((&found[0]["status"], &found[0]["status_code"]), (&json!("OK"), &json!(200)));
    let path = format!("{REPO}/hooks/{hook}/deliveries/{}", found[0]["id"]);
    let whole = world.ok(&world.admin, "GET", &path, Value::Null).await;
    assert_eq!(whole["request"]["payload"], first.json());
    assert_eq!(whole["request"]["headers"]["X-GitHub-Event"], "issues");
    assert_eq!(
        (&whole["response"]["payload"], &whole["response"]["headers"]["x-receiver"]),
        (&json!("thanks"), &json!("test"))
    );
    let (status, _) = world.ask(&world.admin, "POST", &format!("{path}/attempts"), Value::Null).await;
    assert_eq!(status, 202);
    let again = receiver.wait(&world, "/all", 2).await[1].clone();
    assert_eq!((again.guid(), &again.body), (first.guid(), &first.body));
    let found = delivered(&world, hook, 3).await;
    assert_eq!(found[0]["redelivery"], true);
    let shown = world.ok(&world.admin, "GET", &format!("{REPO}/hooks/{hook}"), Value::Null).await;
    assert_eq!(shown["last_response"], json!({ "code": 200, "status": "active", "message": "OK" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_are_listed_page_by_page_from_the_newest() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    let hook = receiver.hook(&world, REPO, "/all", &["issues"]).await;
    open_issues(&world, 4).await;
    let all: Vec<Value> = delivered(&world, hook, 5).await.iter().map(|found| found["id"].clone()).collect();
    let mut url = format!("{}{REPO}/hooks/{hook}/deliveries?per_page=2", world.forge.url());
    let mut seen = Vec::new();
    let client = reqwest::Client::builder().user_agent("relay-test").no_proxy().build().unwrap();
    loop {
        let answer = client.get(&url).bearer_auth(&world.admin).send().await.unwrap();
        let link = answer.headers().get("link").map(|link| link.to_str().unwrap().to_owned());
        let page: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        seen.extend(page.as_array().unwrap().iter().map(|found| found["id"].clone()));
        let Some(link) = link else { break };
        link[1..link.find('>').unwrap()].clone_into(&mut url);
    }
    assert_eq!(seen, all);
    let failed = format!("{REPO}/hooks/{hook}/deliveries?status=failure");
    assert_eq!(world.ok(&world.admin, "GET", &failed, Value::Null).await, json!([]));
    let wrong = format!("{REPO}/hooks/{hook}/deliveries?cursor=nonsense");
    assert_eq!(world.ask(&world.admin, "GET", &wrong, Value::Null).await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_fails_is_asked_once_and_holds_up_nobody_else() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    let silent = receiver.hook(&world, REPO, "/silent", &["issues"]).await;
    let moved = receiver.hook(&world, REPO, "/moved", &["issues"]).await;
    let broken = receiver.hook(&world, REPO, "/broken", &["issues"]).await;
    let config = json!({ "url": "http://127.0.0.1:9/", "content_type": "json" });
    let fields = json!({ "config": config, "events": ["issues"] });
    let dead = world.ok(&world.admin, "POST", &format!("{REPO}/hooks"), fields).await["id"].as_i64().unwrap();
    receiver.hook(&world, REPO, "/well", &["issues"]).await;
    open_issues(&world, 3).await;
    assert_eq!(numbers(&receiver.wait(&world, "/well", 3).await), [1, 2, 3]);
    let codes = async |hook| {
        let found = delivered(&world, hook, 4).await;
        found.iter().map(|found| found["status_code"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(codes(moved).await, [302; 4]);
    assert_eq!(codes(broken).await, [500; 4]);
    assert_eq!(codes(dead).await, [502; 4]);
    assert!(receiver.all("/elsewhere").is_empty(), "a redirect was followed");
    assert_eq!(numbers(&receiver.all("/broken")), [1, 2, 3], "a failed delivery was tried again by itself");
    // The greeting is still waiting for its answer, and everything else behind it.
    assert_eq!((receiver.pings("/silent").len(), receiver.all("/silent").len()), (1, 0));
    let path = format!("{REPO}/hooks/{silent}/deliveries");
    assert_eq!(world.ok(&world.admin, "GET", &path, Value::Null).await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_knob_makes_the_courier_try_again() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    receiver.hook(&world, REPO, "/broken", &["issues"]).await;
    turn(&world, WebhookKnobs { retries: 2, ..WebhookKnobs::default() });
    open_issues(&world, 1).await;
    let all = receiver.wait(&world, "/broken", 3).await;
    assert!(all.iter().all(|received| received.guid() == all[0].guid()));
}

#[tokio::test(flavor = "multi_thread")]
async fn knobs_lose_double_and_reorder_deliveries_the_same_way_each_time() {
    let run = async || {
        let world = World::new().await;
        let receiver = Receiver::start().await;
        receiver.hook(&world, REPO, "/all", &["issues"]).await;
        let knobs = WebhookKnobs {
            lose_percent: 30,
            duplicate_percent: 30,
            reorder_percent: 30,
            ..WebhookKnobs::default()
        };
        // What waits together can overtake each other, so everything is there before anything goes.
        turn(&world, WebhookKnobs { delay: Span::exactly(600_000), ..knobs });
        open_issues(&world, 30).await;
        let mut world = world.restart(|config| config.knobs.webhooks = knobs).await;
        world.forge.turn(KnobsPatch { webhooks: Some(knobs), ..KnobsPatch::default() }).unwrap();
        let hook = world.ok(&world.admin, "GET", &format!("{REPO}/hooks"), Value::Null).await;
        delivered(&world, hook[0]["id"].as_i64().unwrap(), 31).await;
        let numbers = numbers(&receiver.all("/all"));
        world = world.restart(|_| {}).await;
        drop(world);
        numbers
    };
    let first = run().await;
    let mut sorted = first.clone();
    sorted.sort_unstable();
    assert_ne!(first, sorted, "nothing was reordered");
    let doubled = sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
    sorted.dedup();
    assert!((3..=18).contains(&doubled), "{doubled} were sent twice: {first:?}");
    assert!((12..=27).contains(&sorted.len()), "{} of 30 arrived: {first:?}", sorted.len());
    assert_eq!(first, run().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_delivery_is_written_down_as_such_and_can_be_asked_for_again() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    let hook = receiver.hook(&world, REPO, "/all", &["issues"]).await;
    delivered(&world, hook, 1).await;
    turn(&world, WebhookKnobs { lose_percent: 100, ..WebhookKnobs::default() });
    open_issues(&world, 1).await;
    let found = delivered(&world, hook, 2).await;
    assert_eq!((&found[0]["status"], &found[0]["status_code"]), (&json!("lost"), &json!(0)));
    assert!(receiver.all("/all").is_empty());
    turn(&world, WebhookKnobs::default());
    let path = format!("{REPO}/hooks/{hook}/deliveries/{}/attempts", found[0]["id"]);
    world.ok(&world.admin, "POST", &path, Value::Null).await;
    assert_eq!(numbers(&receiver.wait(&world, "/all", 1).await), [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_delivered_before_a_crash_is_delivered_after_it() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    receiver.hook(&world, REPO, "/all", &["issues"]).await;
    turn(&world, WebhookKnobs { delay: Span::exactly(600_000), ..WebhookKnobs::default() });
    open_issues(&world, 5).await;
    let world = world.restart(|_| {}).await;
    assert_eq!(numbers(&receiver.wait(&world, "/all", 5).await), [1, 2, 3, 4, 5]);
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_are_forgotten_after_three_days() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    world.forge.set_clock(ClockSetting::OffsetS(-4 * 24 * 3_600));
    let hook = receiver.hook(&world, REPO, "/all", &["issues"]).await;
    open_issues(&world, 1).await;
    delivered(&world, hook, 2).await;
    let world = world.restart(|_| {}).await;
    let path = format!("{REPO}/hooks/{hook}/deliveries");
    world
        .eventually("old deliveries are forgotten", async |world| {
            let found = world.ok(&world.admin, "GET", &path, Value::Null).await;
            (found == json!([])).then_some(())
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_knobs_are_read_and_turned_over_http() {
    let world = World::new().await;
    let turned = json!({ "webhooks": { "lose_percent": 5, "delay": { "min_ms": 1, "max_ms": 2 } } });
    let shown = world.ok(&world.admin, "PATCH", "/_forge/knobs", turned).await;
    let expected = json!({
        "duplicate_percent": 0, "reorder_percent": 0, "lose_percent": 5, "retries": 0,
        "delay": { "min_ms": 1, "max_ms": 2 },
    });
    assert_eq!(shown["webhooks"], expected);
    for wrong in [json!({ "lose_percent": 101 }), json!({ "delay": { "min_ms": 2, "max_ms": 1 } })] {
        let (status, _) =
            world.ask(&world.admin, "PATCH", "/_forge/knobs", json!({ "webhooks": wrong })).await;
        assert_eq!(status, 422);
    }
}
