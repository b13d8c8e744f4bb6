//! A page of a board over GraphQL, as an engine asks for it at every look: of a short board and of a long one, at its
//! beginning and at its end. Where a page lies must not be felt.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::load::{self, Load};
use crate::servers::ForgeServer;
use crate::table::Table;
use crate::{LARGE, ROUNDS, SMALL, compare, median};

/// The board as an engine reads it without going into any issue.
const SHALLOW: &str = "query($number: Int!, $after: String) { user(login: \"admin\") { projectV2(number: $number) {
  updatedAt items(first: 100, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { id updatedAt
    fieldValueByName(name: \"Status\") { ... on ProjectV2ItemFieldSingleSelectValue { name } }
    content { ... on Issue { number title state updatedAt labels(first: 10) { nodes { name } } } } } } } } }";

/// What leads to the last page: the place before its first item.
const BEFORE_LAST: &str =
    "query($number: Int!, $before: String) { user(login: \"admin\") { projectV2(number: $number) {
  items(last: 100, before: $before) { pageInfo { startCursor endCursor } } } } }";

pub(crate) async fn run(table: &mut Table, forge: &ForgeServer, directory: &Path) {
    let writes = seed(forge).await;
    table.note(&format!(
        "put {LARGE} + {SMALL} issues on boards, each with a status, at {writes:.0} writes/s"
    ));
    let mut pages = Vec::new();
    for (number, length) in [(1, "1,000"), (2, "10,000")] {
        for (page, after) in [("first", None), ("last", Some(last_cursor(forge, number).await))] {
            let load = graph(forge, SHALLOW, &json!({ "number": number, "after": after }));
            check(&load::sample(&load).await, page);
            let what = format!("board page of 100, {page} of {length}");
            compare(table, &what, forge, &load, directory, 16).await;
            pages.push(load);
        }
    }
    let [short_first, short_last, long_first, long_last] = pages.as_slice() else { return };
    for (what, one, other) in [
        ("board's first page at 10,000 against 1,000", long_first, short_first),
        ("board's last page at 10,000 against 1,000", long_last, short_last),
        ("board's last page at 10,000 against its first", long_last, long_first),
    ] {
        table.aim(what, in_turns(one, other).await, 1.0 / 1.2, true);
    }
}

/// How fast one page is against another: they are asked for in turns, so that a busy machine slows both alike.
async fn in_turns(one: &Load, other: &Load) -> f64 {
    let mut ratios = Vec::new();
    for _ in 0..4 * ROUNDS {
        let time = Duration::from_millis(250);
        let rate = load::measure(one, 4, time).await;
        ratios.push(rate / load::measure(other, 4, time).await);
    }
    median(ratios)
}

fn graph(forge: &ForgeServer, query: &str, variables: &Value) -> Load {
    let body = json!({ "query": query, "variables": variables }).to_string();
    Load::post(forge, &body, |_| "/graphql".to_owned())
}

async fn data(forge: &ForgeServer, query: &str, variables: Value) -> Value {
    let answer = load::sample(&graph(forge, query, &variables)).await;
    let answer: Value = serde_json::from_slice(&answer).expect("GraphQL answers with JSON");
    assert!(answer.get("errors").is_none(), "{answer}");
    answer["data"].clone()
}

/// A benchmark of an answer that is wrong would be worth nothing.
fn check(answer: &[u8], page: &str) {
    let answer: Value = serde_json::from_slice(answer).expect("GraphQL answers with JSON");
    let items = &answer["data"]["user"]["projectV2"]["items"];
    assert_eq!(items["nodes"].as_array().map(Vec::len), Some(100), "{answer}");
    assert_eq!(items["pageInfo"]["hasNextPage"], json!(page == "first"), "{page}");
    assert_eq!(items["nodes"][99]["fieldValueByName"]["name"], "Todo");
    assert_eq!(items["nodes"][99]["content"]["labels"]["nodes"].as_array().map(Vec::len), Some(2));
}

async fn last_cursor(forge: &ForgeServer, number: u64) -> String {
    let mut before = Value::Null;
    for cursor in ["startCursor", "endCursor"] {
        let answer = data(forge, BEFORE_LAST, json!({ "number": number, "before": before })).await;
        before = answer["user"]["projectV2"]["items"]["pageInfo"][cursor].clone();
    }
    before.as_str().expect("a cursor").to_owned()
}

/// Puts every issue of both repositories on a board of its own, in its first column; returns writes per second.
async fn seed(forge: &ForgeServer) -> f64 {
    let owner = data(forge, "{ viewer { id } }", json!({})).await["viewer"]["id"].clone();
    let mut seconds = 0.0;
    for (repo, count) in [("small", SMALL), ("large", LARGE)] {
        let create =
            "mutation($i: CreateProjectV2Input!) { createProjectV2(input: $i) { projectV2 { number } } }";
        let made = data(forge, create, json!({ "i": { "ownerId": owner, "title": repo } })).await;
        let board = format!("/users/admin/projectsV2/{}", made["createProjectV2"]["projectV2"]["number"]);
        let added = (AtomicU64::new(1), format!("{board}/items"));
        let add = Load::bodied(forge, "POST", move |_| {
            let number = added.0.fetch_add(1, Ordering::Relaxed);
            let body = json!({ "type": "Issue", "owner": "admin", "repo": repo, "number": number });
            (added.1.clone(), body.to_string())
        });
        seconds += load::count(&add, 32, count).await.as_secs_f64();
        seconds += fill(forge, &board, count).await;
    }
    2.0 * (SMALL + LARGE) as f64 / seconds
}

/// Gives every item of a board its status; returns how many seconds it took.
async fn fill(forge: &ForgeServer, board: &str, count: u64) -> f64 {
    let read = |path: String| async move {
        let body = load::sample(&Load::get(forge, move |_| path.clone())).await;
        serde_json::from_slice::<Value>(&body).expect("REST answers with JSON")
    };
    let fields = read(format!("{board}/fields")).await;
    let status = fields.as_array().and_then(|fields| fields.iter().find(|field| field["name"] == "Status"));
    let status = status.expect("a board has a status")["id"].clone();
    // Nothing else adds items meanwhile, so that their ids follow each other.
    let first = read(format!("{board}/items?per_page=1")).await[0]["id"].as_u64().expect("an item has an id");
    let (next, board) = (AtomicU64::new(first), board.to_owned());
    let set = Load::bodied(forge, "PATCH", move |_| {
        let id = next.fetch_add(1, Ordering::Relaxed);
        let body = json!({ "fields": [{ "id": status, "value": "f75ad846" }] });
        (format!("{board}/items/{id}"), body.to_string())
    });
    load::count(&set, 32, count).await.as_secs_f64()
}
