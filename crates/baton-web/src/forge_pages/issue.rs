//! One issue: what was written, its labels, and whether it is open.

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use super::client::{ForgeClient, ForgeError};
use super::fields::Fields;
use super::notice::{self, Done, Notice, Spot};
use super::parts::{badge, comment_form, label_box, said, state_form};
use super::place::{Place, encoded};
use super::shell::{Guest, Reader, Tab, back, bare, failure, heading, nowhere, page};
use super::wire::{Comment, Issue, Label};

/// What an address remembers.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Memory {
    pub(crate) done: Option<String>,
}

pub(crate) async fn show(
    State(client): State<ForgeClient>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    Query(memory): Query<Memory>,
    guest: Guest,
) -> Response {
    let Some(place) = Place::new(&owner, &repo) else { return nowhere() };
    let notice = Notice::remembered(memory.done.as_deref());
    render(&client, &place, number, &Reader::of(guest), StatusCode::OK, &notice).await
}

pub(crate) async fn order(
    State(client): State<ForgeClient>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    guest: Guest,
    Form(fields): Form<Fields>,
) -> Response {
    let Some(place) = Place::new(&owner, &repo) else { return nowhere() };
    let Some((spot, done)) = meant(&fields) else { return unknown_order(&fields) };
    match give(&client, &place, number, &fields).await {
        Ok(()) => back(&place.page(format_args!("issues/{number}")), done),
        Err(error) => {
            let notice = Notice::refused(spot, &error, fields);
            render(&client, &place, number, &Reader::of(guest), error.status(), &notice).await
        }
    }
}

/// Says that a form asks for what nobody knows.
pub(crate) fn unknown_order(fields: &Fields) -> Response {
    let body = html! {
        h1 { "Unknown order" }
        p { "The form asked for “" (fields.get("order")) "”, which this page cannot do. Go back and load the page again." }
    };
    bare(StatusCode::BAD_REQUEST, "Unknown order", &body)
}

/// Returns where an order belongs on the page, and what is said when it was followed. These are known by pull requests too.
pub(crate) fn meant(fields: &Fields) -> Option<(Spot, Done)> {
    Some(match fields.get("order") {
        "comment" => (Spot::Comment, notice::COMMENTED),
        "label" => (Spot::Labels, notice::LABELLED),
        "unlabel" => (Spot::Labels, notice::UNLABELLED),
        "close" => (Spot::State, notice::CLOSED),
        "reopen" => (Spot::State, notice::REOPENED),
        _ => return None,
    })
}

/// Gives an order that [`meant`] knows.
pub(crate) async fn give(
    client: &ForgeClient,
    place: &Place,
    number: u64,
    fields: &Fields,
) -> Result<(), ForgeError> {
    let path = |rest: &str| place.api(format_args!("issues/{number}{rest}"));
    let label = fields.get("label");
    match fields.get("order") {
        "comment" => {
            let body = json!({ "body": fields.text("comment") });
            client.send(Method::POST, &path("/comments"), body).await
        }
        "label" => client.send(Method::POST, &path("/labels"), json!({ "labels": [label] })).await,
        "unlabel" => {
            let path = path(&format!("/labels/{}", encoded(label)));
            client.send(Method::DELETE, &path, json!({})).await
        }
        order => {
            let state = if order == "close" { "closed" } else { "open" };
            client.send(Method::PATCH, &path(""), json!({ "state": state })).await
        }
    }
}

async fn render(
    client: &ForgeClient,
    place: &Place,
    number: u64,
    reader: &Reader,
    status: StatusCode,
    notice: &Notice,
) -> Response {
    match read(client, place, number).await {
        Ok((issue, _, _)) if issue.pull_request.is_some() => {
            Redirect::to(&place.page(format_args!("pulls/{number}"))).into_response()
        }
        Ok((issue, comments, labels)) => {
            let title = format!("{} · #{number} · {place}", issue.title);
            page(reader, status, &title, &body(place, reader, notice, &issue, &comments, &labels))
        }
        Err(error) => failure(&error),
    }
}

async fn read(
    client: &ForgeClient,
    place: &Place,
    number: u64,
) -> Result<(Issue, Vec<Comment>, Vec<Label>), ForgeError> {
    let path = place.api(format_args!("issues/{number}"));
    let (comments, labels) = (format!("{path}/comments"), place.api("labels"));
    tokio::try_join!(
        client.get(&path),
        client.get_all(&comments, |page: Vec<Comment>| page),
        client.get_all(&labels, |page: Vec<Label>| page),
    )
}

fn body(
    place: &Place,
    reader: &Reader,
    notice: &Notice,
    issue: &Issue,
    comments: &[Comment],
    labels: &[Label],
) -> Markup {
    let is_open = issue.state == "open";
    html! {
        (heading(place, Tab::Issues))
        h1 { (issue.title) " " span class="forge-number" { "#" (issue.number) } }
        p { (state(issue)) }
        (notice.at(Spot::Top))
        div class="forge-columns" {
            div class="forge-talk" {
                (said(reader, "description", issue.user.as_ref(), "opened this", &issue.created_at, issue.body.as_deref()))
                @for comment in comments { (remark(reader, comment)) }
                (comment_form(reader, notice))
            }
            aside class="forge-side" aria-label="About this issue" {
                (label_box(reader, notice, &issue.labels, labels))
                (state_form(reader, notice, is_open, "issue"))
            }
        }
    }
}

pub(crate) fn remark(reader: &Reader, comment: &Comment) -> Markup {
    let id = format!("comment-{}", comment.id);
    said(reader, &id, comment.user.as_ref(), "commented", &comment.created_at, comment.body.as_deref())
}

fn state(issue: &Issue) -> Markup {
    match (issue.state.as_str(), issue.state_reason.as_deref()) {
        ("open", _) => badge("good", "open"),
        (_, Some("not_planned")) => badge("quiet", "closed as not planned"),
        _ => badge("forge-violet", "closed"),
    }
}
