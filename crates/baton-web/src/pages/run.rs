//! Runs of agents: the list, and one from near with its log.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use baton_view::{Lookout, LookoutError, RunLine, RunQuery, RunState, RunView, Stamp};
use maud::{Markup, html};
use serde::Deserialize;

use crate::dashboard::Site;
use crate::pages::shell::{self, Asking, Place, Sheet};
use crate::pages::{card, log, moment};

/// How many runs the list shows.
const RUNS_MAX: u32 = 100;

pub(crate) async fn list<L: Lookout>(State(site): State<Arc<Site<L>>>, asking: Asking) -> Response {
    let sheet = draw_list(&site).await;
    shell::answer(&site, &asking, sheet)
}

async fn draw_list<L: Lookout>(site: &Site<L>) -> Result<Sheet, LookoutError> {
    let runs = site.lookout.runs(&RunQuery { limit: Some(RUNS_MAX), ..RunQuery::default() }).await?;
    // The list does not tell the time, and the fleet does.
    let now = site.lookout.fleet().await?.now;
    let empty = "No agent has run yet. Move an issue to the first working column of the board, and one will.";
    let main = html! {
        div data-refresh {
            h1 { "Runs" }
            section #runs data-live { (table(&runs, now, "The latest runs, newest first", empty)) }
        }
    };
    Ok(Sheet { title: "Runs".to_owned(), place: Place::Runs, now: Some(now), is_wide: false, main })
}

/// Returns a run's state as a word with a dot.
pub(crate) fn state(state: RunState) -> Markup {
    let class = match state {
        RunState::Succeeded => "good",
        RunState::Failed | RunState::TimedOut => "bad",
        RunState::Cancelled | RunState::Interrupted => "warn",
        RunState::Running => "busy",
        RunState::Queued | RunState::ScheduledRetry => "plain",
    };
    html! { span class={ "sign " (class) } { (state.words()) } }
}

/// Returns how long a run took, or takes.
fn took(run: &RunLine, now: Stamp) -> String {
    let end = run.finished_at.unwrap_or(now);
    run.started_at.map_or_else(|| "–".to_owned(), |start| moment::span(end.since(start).as_secs()))
}

fn cost(run: &RunLine) -> String {
    let so_far = run.numbers.as_ref().and_then(|numbers| i64::try_from(numbers.cost_micros).ok());
    moment::money(run.cost_micros.max(so_far.unwrap_or(0)))
}

/// Returns runs as a table, or what to do when there are none.
pub(crate) fn table(runs: &[RunLine], now: Stamp, caption: &str, empty: &str) -> Markup {
    html! {
        @if runs.is_empty() { p.quiet { (empty) } } @else {
            div.scroll tabindex="0" {
                table.runs {
                    caption.sr-only { (caption) }
                    thead {
                        tr {
                            th scope="col" { "Run" } th scope="col" { "State" } th scope="col" { "What for" } th scope="col" { "Agent" }
                            th.num scope="col" { "Took" } th.num scope="col" { "Cost" } th scope="col" { "Began" }
                        }
                    }
                    tbody { @for run in runs { (row(run, now)) } }
                }
            }
        }
    }
}

fn row(run: &RunLine, now: Stamp) -> Markup {
    html! {
        tr {
            th scope="row" { a href={ "/runs/" (run.run) } { (run.run) } }
            td { (state(run.state)) }
            td {
                @match &run.issue {
                    Some(issue) => { @if let Some(stage) = &run.stage { (stage) " of " } (card::link(issue)) },
                    None => (run.errand),
                }
                @if let Some(error) = &run.error { p.bad-words { (error) } }
                @if let Some(numbers) = &run.numbers { p.quiet { (card::turns(Some(numbers.turns), numbers.turns_max)) " " (numbers.last_line) } }
            }
            td { (run.agent) @if run.attempt > 1 { span.quiet { " try " (run.attempt) } } }
            td.num { (took(run, now)) }
            td.num { (cost(run)) }
            td { (moment::time(now, run.started_at.unwrap_or(run.created_at))) }
        }
    }
}

/// From where on to show a log.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct From {
    from: String,
}

/// Returns the place that an address names; the beginning if it names none.
fn from_place(from: Result<Query<From>, QueryRejection>) -> Result<u64, LookoutError> {
    let From { from } = shell::asked(from)?;
    let refused =
        |_| LookoutError::Refused(format!("`from={from}` is no place in a log: it is a number of bytes"));
    if from.is_empty() { Ok(0) } else { from.parse().map_err(refused) }
}

fn number(text: &str) -> Result<i64, LookoutError> {
    text.parse().map_err(|_| LookoutError::NoSuch(format!("there is no run `{text}`: runs have numbers")))
}

pub(crate) async fn show<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Path(run): Path<String>,
    from: Result<Query<From>, QueryRejection>,
    asking: Asking,
) -> Response {
    let sheet = match from_place(from) {
        Ok(from) => draw(&site, &run, from).await,
        Err(error) => Err(error),
    };
    shell::answer(&site, &asking, sheet)
}

async fn draw<L: Lookout>(site: &Site<L>, run: &str, from: u64) -> Result<Sheet, LookoutError> {
    let number = number(run)?;
    let view = site.lookout.run(number).await?;
    let log = match view.has_log {
        true => log::whole(&site.lookout.log(number, from).await?),
        false => log::elsewhere(&view),
    };
    Ok(Sheet {
        title: format!("Run {number}"),
        place: Place::Runs,
        now: Some(view.now),
        is_wide: false,
        main: page(&view, &log),
    })
}

/// Answers with what a log says from a place on; with nothing to show when it says nothing more yet.
pub(crate) async fn more<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Path(run): Path<String>,
    from: Result<Query<From>, QueryRejection>,
    asking: Asking,
) -> Response {
    let page = match (number(&run), from_place(from)) {
        (Ok(run), Ok(from)) => site.lookout.log(run, from).await,
        (Err(error), _) | (_, Err(error)) => Err(error),
    };
    match page {
        Ok(page) if page.entries.is_empty() && page.next == page.from && !page.is_over => {
            StatusCode::NO_CONTENT.into_response()
        }
        Ok(page) => shell::part(log::part(&page)),
        // A part that could not be read is asked for again, so what is shown stays.
        Err(LookoutError::OutOfReach(_)) if asking.wants_part => StatusCode::NO_CONTENT.into_response(),
        Err(error) => shell::answer(&site, &asking, Err(error)),
    }
}

fn page(view: &RunView, log: &Markup) -> Markup {
    let run = &view.line;
    html! {
        // What a run has come to does not change once it is over, and its numbers are counted from its whole log.
        div data-refresh=(if run.state.is_active() { "" } else { "over" }) {
            header #head .issue-head data-live {
                p.crumbs { a href="/runs" { "Runs" } " / " span.no { (run.run) } }
                h1 { "Run " (run.run) ": " (run.errand) }
                p.under {
                    (state(run.state))
                    @if let Some(cause) = &run.cause { span { (cause.replace('_', " ")) } }
                    @if let Some(issue) = &run.issue { (card::link(issue)) }
                    @if let Some(title) = &view.title { span.quiet { (title) } }
                }
                @if let Some(error) = &run.error { p.result.bad { b { "It went wrong. " } (error) } }
            }
            (facts(view))
        }
        section.log-section aria-labelledby="log-title" {
            div.log-head {
                h2 #log-title { "Log" }
                label.follow hidden[!run.state.is_active()] { input #follow type="checkbox"; " Follow" }
            }
            (log)
        }
    }
}

fn facts(view: &RunView) -> Markup {
    let run = &view.line;
    let numbers = run.numbers.as_ref();
    let fact = |name: &str, value: Markup| html! { div { dt { (name) } dd { (value) } } };
    html! {
        section #facts data-live aria-label="Facts" {
            dl.facts {
                (fact("Agent", html! { (run.agent) }))
                (fact("Try", html! { (run.attempt) @if let Some(retry_of) = view.retry_of { " after " a href={ "/runs/" (retry_of) } { "run " (retry_of) } } }))
                (fact("Machine", html! { (run.host.as_deref().unwrap_or("–")) }))
                (fact("Began", html! { (moment::time(view.now, run.started_at.unwrap_or(run.created_at))) }))
                (fact("Took", html! { (took(run, view.now)) }))
                (fact("Cost", html! { (cost(run)) }))
                @if let Some(numbers) = numbers {
                    (fact("Turns", html! { (card::turns(Some(numbers.turns), numbers.turns_max)) @if let Some(max) = numbers.turns_max { progress value=(numbers.turns) max=(max) aria-label="turns" {} } }))
                    (fact("Tokens", html! { (moment::count(numbers.input_tokens)) " read, " (moment::count(numbers.output_tokens)) " written" }))
                }
            }
        }
    }
}
