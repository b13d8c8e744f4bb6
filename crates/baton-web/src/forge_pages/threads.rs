//! Threads of review comments: read from the forge, shown, answered and settled.

use axum::http::StatusCode;
use maud::{Markup, html};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{ForgeClient, ForgeError};
use super::fields::Fields;
use super::notice::{self, Done};
use super::parts::{badge, person, prose};
use super::place::Place;
use super::shell::Reader;
use super::wire::{Connection, Thread, ThreadComment};

/// GitHub's limit of one page.
const PAGE: &str = "query($owner: String!, $repo: String!, $number: Int!, $after: String) {
    repository(owner: $owner, name: $repo) { pullRequest(number: $number) { reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        nodes { id path line originalLine diffSide isResolved isOutdated resolvedBy { login }
            comments(first: 100) { totalCount nodes { databaseId body createdAt author { login } } } } } } } }";

#[derive(Deserialize)]
struct Answer {
    repository: Option<Repository>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Repository {
    pull_request: Option<PullRequest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullRequest {
    review_threads: Connection<Thread>,
}

/// Reads all threads of a pull request.
pub(crate) async fn read(
    client: &ForgeClient,
    place: &Place,
    number: u64,
) -> Result<Vec<Thread>, ForgeError> {
    let mut all = Vec::new();
    let mut after = Value::Null;
    loop {
        let wish = json!({ "owner": place.owner(), "repo": place.repo(), "number": number, "after": after });
        let answer: Answer = client.graph("review threads", PAGE, wish).await?;
        let pull = answer.repository.and_then(|repository| repository.pull_request);
        let Connection { nodes, page_info, .. } = pull.ok_or_else(|| missing(place, number))?.review_threads;
        all.extend(nodes);
        match page_info.filter(|info| info.has_next_page).and_then(|info| info.end_cursor) {
            Some(cursor) => after = Value::String(cursor),
            None => return Ok(all),
        }
    }
}

fn missing(place: &Place, number: u64) -> ForgeError {
    ForgeError::Refused {
        asked: "POST /graphql (review threads)".to_owned(),
        status: StatusCode::NOT_FOUND,
        message: format!("There is no pull request {place}#{number}."),
    }
}

/// Returns what is said when an order about a thread was followed.
pub(crate) fn meant(fields: &Fields) -> Option<Done> {
    match fields.get("order") {
        "reply" => Some(notice::REPLIED),
        "resolve" => Some(notice::RESOLVED),
        "unresolve" => Some(notice::UNRESOLVED),
        _ => None,
    }
}

/// Gives an order that [`meant`] knows.
pub(crate) async fn give(
    client: &ForgeClient,
    place: &Place,
    number: u64,
    fields: &Fields,
) -> Result<(), ForgeError> {
    let mutation = match fields.get("order") {
        "resolve" => "resolveReviewThread",
        "unresolve" => "unresolveReviewThread",
        _ => {
            let comment: u64 = fields.get("reply_to").parse().unwrap_or(0);
            let path = place.api(format_args!("pulls/{number}/comments/{comment}/replies"));
            return client.send(Method::POST, &path, json!({ "body": fields.text("reply") })).await;
        }
    };
    let query =
        format!("mutation($id: ID!) {{ it: {mutation}(input: {{ threadId: $id }}) {{ thread {{ id }} }} }}");
    let wish = json!({ "id": fields.get("thread") });
    client.graph::<Value>(mutation, &query, wish).await.map(drop)
}

/// Shows a thread.
pub(crate) fn show(reader: &Reader, thread: &Thread, typed: &Fields) -> Markup {
    let first = thread.comments.nodes.first().and_then(|comment| comment.database_id);
    let id = first.map_or_else(|| "thread".to_owned(), |id| format!("thread-{id}"));
    html! {
        section class="forge-thread" id=(id) aria-label={ "Thread on " (thread.path) } {
            header {
                code { (spot(thread)) }
                @if thread.is_outdated { (badge("quiet", "outdated")) }
                @match thread.is_resolved {
                    true => { (badge("forge-violet", "resolved")) @if let Some(by) = &thread.resolved_by { " by " (by.login) } }
                    false => (badge("good", "open")),
                }
            }
            @for comment in &thread.comments.nodes { (remark(reader, comment)) }
            @if let Some(more) = left_out(&thread.comments) { p class="quiet" { (more) } }
            div class="forge-row" {
                @if let Some(first) = first { (answer(reader, first, typed)) }
                form method="post" {
                    (reader.field())
                    input type="hidden" name="thread" value=(thread.id);
                    @if thread.is_resolved { button name="order" value="unresolve" { "Open again" } }
                    @else { button name="order" value="resolve" { "Resolve" } }
                }
            }
        }
    }
}

fn spot(thread: &Thread) -> String {
    match thread.line.or(thread.original_line) {
        Some(line) => format!("{}:{line}", thread.path),
        None => thread.path.clone(),
    }
}

fn remark(reader: &Reader, comment: &ThreadComment) -> Markup {
    html! {
        div class="forge-remark" {
            p { strong { (person(comment.author.as_ref())) } " " (reader.moment(&comment.created_at)) }
            (prose(Some(&comment.body)))
        }
    }
}

fn left_out(comments: &Connection<ThreadComment>) -> Option<String> {
    let shown = comments.nodes.len();
    let all = usize::try_from(comments.total_count?).ok()?;
    (all > shown).then(|| format!("{} more comments are not shown.", all - shown))
}

fn answer(reader: &Reader, first: u64, typed: &Fields) -> Markup {
    let is_this = typed.get("reply_to") == first.to_string();
    let text = if is_this { typed.text("reply") } else { String::new() };
    html! {
        details open[is_this] {
            summary { "Answer" }
            form method="post" class="forge-form" {
                (reader.field())
                input type="hidden" name="reply_to" value=(first);
                label for={ "reply-" (first) } { "Answer" }
                textarea id={ "reply-" (first) } name="reply" rows="3" required { (text) }
                button name="order" value="reply" { "Answer" }
            }
        }
    }
}
