//! The orders that a pull request takes beside those of an issue: reviews, merging, comments on lines.

use reqwest::Method;
use serde_json::{Map, Value, json};

use super::client::{ForgeClient, ForgeError};
use super::fields::Fields;
use super::notice::{self, Done, Spot};
use super::place::Place;
use super::{issue, threads};

/// Returns where an order belongs on the page, and what is said when it was followed.
pub(crate) fn meant(fields: &Fields) -> Option<(Spot, Done)> {
    match fields.get("order") {
        "review" => Some((Spot::Review, notice::REVIEWED)),
        "merge" => Some((Spot::Merge, notice::MERGED)),
        "line" => Some((Spot::Line, notice::NOTED)),
        _ => threads::meant(fields).map(|done| (Spot::Threads, done)).or_else(|| issue::meant(fields)),
    }
}

/// Gives an order that [`meant`] knows.
pub(crate) async fn give(
    client: &ForgeClient,
    place: &Place,
    number: u64,
    fields: &Fields,
) -> Result<(), ForgeError> {
    let path = |rest: &str| place.api(format_args!("pulls/{number}/{rest}"));
    match fields.get("order") {
        "review" => client.send(Method::POST, &path("reviews"), review(fields)).await,
        "merge" => client.send(Method::PUT, &path("merge"), merge(fields)).await,
        "line" => client.send(Method::POST, &path("comments"), line(fields)).await,
        _ if threads::meant(fields).is_some() => threads::give(client, place, number, fields).await,
        _ => issue::give(client, place, number, fields).await,
    }
}

fn review(fields: &Fields) -> Value {
    let mut order = Map::new();
    order.insert("event".to_owned(), json!(fields.get("event")));
    order.insert("commit_id".to_owned(), json!(fields.get("sha")));
    let body = fields.text("review");
    if !body.is_empty() {
        order.insert("body".to_owned(), json!(body));
    }
    Value::Object(order)
}

fn merge(fields: &Fields) -> Value {
    json!({ "merge_method": fields.get("method"), "sha": fields.get("sha") })
}

fn line(fields: &Fields) -> Value {
    json!({
        "path": fields.get("path"),
        "side": fields.get("side"),
        "line": fields.get("line").parse::<u64>().ok(),
        "commit_id": fields.get("sha"),
        "body": fields.text("note"),
    })
}
