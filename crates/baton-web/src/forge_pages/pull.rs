//! One pull request: its conversation, its checks, its threads, a review, and its merge.

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};

use super::client::ForgeClient;
use super::fields::Fields;
use super::issue::{Memory, unknown_order};
use super::notice::{Notice, Spot};
use super::parts::{comment_form, label_box, state_form};
use super::place::Place;
use super::pull_parts::{Side, awaited, checks, commits, conversation, head, review_form};
use super::pull_reading::{Reading, read};
use super::shell::{Guest, Reader, back, failure, nowhere, page};
use super::{merge_box, pull_orders, threads};

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
    let Some((spot, done)) = pull_orders::meant(&fields) else { return unknown_order(&fields) };
    match pull_orders::give(&client, &place, number, &fields).await {
        Ok(()) => back(&place.page(format_args!("pulls/{number}")), done),
        Err(error) => {
            let notice = Notice::refused(spot, &error, fields);
            render(&client, &place, number, &Reader::of(guest), error.status(), &notice).await
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
        Ok(reading) => {
            let title = format!("{} · #{number} · {place}", reading.pull.title);
            page(reader, status, &title, &body(place, reader, notice, &reading))
        }
        Err(error) => failure(&error),
    }
}

fn body(place: &Place, reader: &Reader, notice: &Notice, reading: &Reading) -> Markup {
    let pull = &reading.pull;
    html! {
        (head(place, pull, Side::Conversation))
        (notice.at(Spot::Top))
        div class="forge-columns" {
            div class="forge-talk" {
                (conversation(reader, reading))
                (all_threads(reader, notice, reading))
                (comment_form(reader, notice))
                (review_form(reader, notice, pull))
            }
            aside class="forge-side" aria-label="About this pull request" {
                (merge_box::show(reader, notice, reading))
                (checks(&reading.checks, &reading.statuses))
                (awaited(pull))
                (label_box(reader, notice, &pull.labels, &reading.labels))
                (commits(reader, pull, &reading.commits))
                @if !pull.merged { (state_form(reader, notice, pull.state == "open", "pull request")) }
            }
        }
    }
}

fn all_threads(reader: &Reader, notice: &Notice, reading: &Reading) -> Markup {
    html! {
        section id="threads" aria-labelledby="threads-title" {
            @if reading.threads.is_empty() {
                h2 id="threads-title" class="sr-only" { "Threads" }
            } @else {
                h2 id="threads-title" { "Threads" }
            }
            (notice.at(Spot::Threads))
            @for thread in &reading.threads { (threads::show(reader, thread, &notice.typed)) }
        }
    }
}
