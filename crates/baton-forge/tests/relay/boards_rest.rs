//! Boards over REST: what GitHub describes for organisations and users.

use serde_json::{Value, json};

use crate::relay::boards::Board;
use crate::relay::world::{REPO, World};

const BOARD: &str = "/orgs/acme/projectsV2/1";

fn named<'v>(fields: &'v Value, name: &str) -> &'v Value {
    fields.as_array().unwrap().iter().find(|field| field["name"] == name).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_and_its_fields_are_read_and_added_to() {
    let world = World::new().await;
    Board::new(&world, "work").await;
    let admin = &world.admin;
    let listed = world.ok(admin, "GET", "/orgs/acme/projectsV2", Value::Null).await;
    let board = world.ok(admin, "GET", BOARD, Value::Null).await;
    assert_eq!(listed, json!([board]));
    assert_eq!(
        (&board["title"], &board["owner"]["login"], &board["state"]),
        (&json!("work"), &json!("acme"), &json!("open"))
    );
    assert_eq!(world.ok(admin, "GET", "/orgs/acme/projectsV2?q=is:closed", Value::Null).await, json!([]));

    let body = json!({ "name": "Size", "data_type": "single_select", "single_select_options": [
        { "name": "S", "color": "BLUE", "description": "small" }, { "name": { "raw": "L", "html": "L" } }] });
    let made = world.ok(admin, "POST", &format!("{BOARD}/fields"), body).await;
    assert_eq!(made["options"][1]["name"]["raw"], "L");
    let fields = world.ok(admin, "GET", &format!("{BOARD}/fields?per_page=100"), Value::Null).await;
    assert_eq!(fields.as_array().unwrap().len(), 11);
    assert_eq!(named(&fields, "Size"), &made);
    let one = world.ok(admin, "GET", &format!("{BOARD}/fields/{}", made["id"]), Value::Null).await;
    assert_eq!(one, made);
    for body in [
        json!({}),
        json!({ "name": "Size", "data_type": "text" }),
        json!({ "name": "X", "data_type": "iteration" }),
        json!({ "name": "X", "data_type": "title" }),
        json!({ "name": "X", "data_type": "single_select", "single_select_options": [] }),
        json!({ "name": "X", "data_type": "single_select", "single_select_options": [{ "name": "a", "color": "MAUVE" }] }),
    ] {
        let (status, answer) = world.ask(admin, "POST", &format!("{BOARD}/fields"), body.clone()).await;
        assert_eq!(status, 422, "{body}: {answer}");
    }
    assert_eq!(world.ask(admin, "GET", "/orgs/acme/projectsV2/7", Value::Null).await.0, 404);
    assert_eq!(world.ask(admin, "GET", "/users/acme/projectsV2/1", Value::Null).await.0, 404);
    assert_eq!(world.ask(&world.eve, "GET", BOARD, Value::Null).await.0, 404, "it is private");
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_added_changed_paged_and_deleted() {
    let world = World::new().await;
    Board::new(&world, "work").await;
    let admin = &world.admin;
    let items = format!("{BOARD}/items");
    for title in ["one", "two"] {
        world
            .ok(admin, "POST", &format!("{REPO}/issues"), json!({ "title": title, "labels": ["bug"] }))
            .await;
    }
    let pull = world.pull("topic", "Closes #1").await;
    let by_place = json!({ "type": "Issue", "owner": "acme", "repo": "web", "number": 1 });
    let first = world.ok(admin, "POST", &items, by_place).await;
    assert_eq!(first["content_type"], "Issue");
    let issue = world.get(&format!("{REPO}/issues/2")).await;
    world.ok(admin, "POST", &items, json!({ "type": "Issue", "id": issue["id"] })).await;
    let added = world.ok(admin, "POST", &items, json!({ "type": "PullRequest", "id": pull["id"] })).await;
    assert_eq!(added["content_type"], "PullRequest");
    let draft = world
        .ok(admin, "POST", &format!("{BOARD}/drafts"), json!({ "title": "later", "body": "words" }))
        .await;
    assert_eq!((&draft["content_type"], &draft["content"]["body"]), (&json!("DraftIssue"), &json!("words")));
    for body in [json!({ "type": "Card", "id": 1 }), json!({ "id": 1 }), json!({ "type": "Issue" })] {
        assert_eq!(world.ask(admin, "POST", &items, body.clone()).await.0, 422, "{body}");
    }
    assert_eq!(world.ask(admin, "POST", &items, json!({ "type": "Issue", "id": 999_999 })).await.0, 404);

    let fields = world.ok(admin, "GET", &format!("{BOARD}/fields"), Value::Null).await;
    let (status, labels) = (&named(&fields, "Status")["id"], &named(&fields, "Labels")["id"]);
    let one = format!("{items}/{}", first["id"]);
    let set = |value: Value| json!({ "fields": [{ "id": status, "value": value }] });
    let shown = format!("{one}?fields={status},{labels}");
    world.ok(admin, "PATCH", &one, set(json!("98236657"))).await;
    let read = world.ok(admin, "GET", &shown, Value::Null).await;
    assert_eq!(read["fields"][0]["value"]["name"]["raw"], "Done");
    assert_eq!(read["fields"][1]["value"][0]["name"], "bug");
    assert_eq!(read["content"]["title"], "one");
    for body in [
        set(json!("00000000")),
        set(json!(7)),
        set(json!([])),
        json!({}),
        json!({ "fields": [{ "id": status }] }),
    ] {
        let (code, answer) = world.ask(admin, "PATCH", &one, body.clone()).await;
        assert_eq!(code, 422, "{body}: {answer}");
    }
    assert_eq!(world.ok(admin, "GET", &shown, Value::Null).await, read, "what is refused changes nothing");
    world.ok(admin, "PATCH", &one, set(Value::Null)).await;
    assert_eq!(world.ok(admin, "GET", &shown, Value::Null).await["fields"][0]["value"], Value::Null);

    let every = fields.as_array().unwrap().iter().map(|field| field["id"].to_string()).collect::<Vec<_>>();
    let listed = world.ok(admin, "GET", &format!("{items}?fields={}", every.join(",")), Value::Null).await;
    let titles: Vec<_> =
        listed.as_array().unwrap().iter().map(|item| item["fields"][0]["value"]["raw"].clone()).collect();
    assert_eq!(titles, ["one", "two", "topic", "later"]);
    assert_eq!(world.ask(admin, "GET", &format!("{items}?fields=1000"), Value::Null).await.0, 422);
    assert_eq!(world.ask(admin, "GET", &format!("{items}?after=nonsense"), Value::Null).await.0, 422);
    let filtered = world.ok(admin, "GET", &format!("{items}?q=is:pr"), Value::Null).await;
    assert_eq!(filtered.as_array().unwrap().len(), 1);

    world.ok(admin, "DELETE", &one, Value::Null).await;
    assert_eq!(world.ask(admin, "GET", &one, Value::Null).await.0, 404);
    assert_eq!(world.ask(admin, "DELETE", &one, Value::Null).await.0, 404);
    assert_eq!(
        world.ask(&world.eve, "POST", &format!("{BOARD}/drafts"), json!({ "title": "mine" })).await.0,
        404
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_leads_to_its_neighbours() {
    let world = World::new().await;
    Board::new(&world, "work").await;
    for n in 0..5 {
        let draft = json!({ "title": format!("{n}") });
        world.ok(&world.admin, "POST", &format!("{BOARD}/drafts"), draft).await;
    }
    for (path, whole) in [(format!("{BOARD}/items"), 5), (format!("{BOARD}/fields"), 10)] {
        let (mut next, mut seen) = (Some(format!("{path}?per_page=2")), Vec::new());
        let mut back = None;
        while let Some(path) = next {
            let (links, page) = world.page(&world.admin, &path).await;
            seen.extend(page.as_array().unwrap().iter().map(|entry| entry["id"].as_i64().unwrap()));
            (next, back) = (links.get("next").cloned(), links.get("prev").cloned().or(back));
        }
        assert_eq!(seen.len(), whole, "{path}");
        assert!(seen.is_sorted(), "{seen:?}");
        let (_, page) = world.page(&world.admin, &back.unwrap()).await;
        assert_eq!(page.as_array().unwrap().len(), 2);
    }
}
