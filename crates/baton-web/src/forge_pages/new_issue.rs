//! The form that opens an issue.

use axum::Form;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::client::{ForgeClient, ForgeError};
use super::fields::Fields;
use super::notice::{Notice, OPENED, Spot};
use super::parts::known_labels;
use super::place::Place;
use super::shell::{Guest, Reader, Tab, back, failure, heading, nowhere, page};
use super::wire::Label;

pub(crate) async fn show(
    State(client): State<ForgeClient>,
    Path((owner, repo)): Path<(String, String)>,
    guest: Guest,
) -> Response {
    let Some(place) = Place::new(&owner, &repo) else { return nowhere() };
    render(&client, &place, &Reader::of(guest), StatusCode::OK, &Notice::default()).await
}

#[derive(Deserialize)]
struct Opened {
    number: u64,
}

pub(crate) async fn open(
    State(client): State<ForgeClient>,
    Path((owner, repo)): Path<(String, String)>,
    guest: Guest,
    Form(fields): Form<Fields>,
) -> Response {
    let Some(place) = Place::new(&owner, &repo) else { return nowhere() };
    let order = json!({
        "title": fields.get("title"),
        "body": fields.text("body"),
        "labels": fields.names("labels"),
    });
    let opened: Result<Opened, ForgeError> = client.post(&place.api("issues"), order).await;
    match opened {
        Ok(Opened { number }) => back(&place.page(format_args!("issues/{number}")), OPENED),
        Err(error) => {
            let notice = Notice::refused(Spot::Top, &error, fields);
            render(&client, &place, &Reader::of(guest), error.status(), &notice).await
        }
    }
}

async fn render(
    client: &ForgeClient,
    place: &Place,
    reader: &Reader,
    status: StatusCode,
    notice: &Notice,
) -> Response {
    match client.get_all(&place.api("labels"), |page: Vec<Label>| page).await {
        Ok(labels) => {
            page(reader, status, &format!("New issue in {place}"), &body(place, reader, notice, &labels))
        }
        Err(error) => failure(&error),
    }
}

fn body(place: &Place, reader: &Reader, notice: &Notice, labels: &[Label]) -> Markup {
    html! {
        (heading(place, Tab::Issues))
        h1 { "New issue" }
        (notice.at(Spot::Top))
        form method="post" class="forge-form" {
            (reader.field())
            label for="title" { "Title" }
            input id="title" name="title" required maxlength="256" value=(notice.typed.get("title"));
            label for="body" { "Description" }
            textarea id="body" name="body" rows="10" { (notice.typed.text("body")) }
            label for="labels" { "Labels, separated by commas" }
            input id="labels" name="labels" list="known-labels" autocomplete="off" aria-describedby="labels-hint"
                value=(notice.typed.get("labels"));
            (known_labels(labels))
            p class="quiet" id="labels-hint" {
                "The label of a column, such as " code { "stage:Specify" } ", puts the issue onto the board."
            }
            div class="forge-row" {
                button class="main" { "Open issue" }
                a class="forge-button" href=(place.page("issues")) { "Cancel" }
            }
        }
    }
}
