//! An issue from near: why it moves or not, its pull request, what happened, what was said, and what may be ordered.

mod orders;
mod pull;
mod story;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use baton_core::tracker::IssueKey;
use baton_view::{EffectLine, IssueView, Lookout, LookoutError, WhyView};
use maud::{Markup, html};

use crate::dashboard::Site;
use crate::pages::shell::{self, Asking, Place, Sheet};
use crate::pages::{card, fleet, moment, run};

pub(crate) use orders::give;

/// Returns the issue that an address names.
fn key(owner: &str, name: &str, number: &str) -> Result<IssueKey, LookoutError> {
    let text = format!("{owner}/{name}#{number}");
    text.parse().map_err(|error| LookoutError::NoSuch(format!("{error}")))
}

pub(crate) async fn show<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Path((owner, name, number)): Path<(String, String, String)>,
    asking: Asking,
) -> Response {
    let sheet = match key(&owner, &name, &number) {
        Ok(issue) => draw(&site, &issue, &asking, html! {}).await,
        Err(error) => Err(error),
    };
    shell::answer(&site, &asking, sheet)
}

/// Draws the page, with what became of an order.
async fn draw<L: Lookout>(
    site: &Site<L>,
    issue: &IssueKey,
    asking: &Asking,
    result: Markup,
) -> Result<Sheet, LookoutError> {
    let view = site.lookout.issue(issue).await?;
    Ok(Sheet {
        title: format!("{} {}", view.card.issue, view.card.title),
        place: Place::Board,
        now: Some(view.now),
        is_wide: false,
        main: page(&view, asking, result),
    })
}

fn page(view: &IssueView, asking: &Asking, result: Markup) -> Markup {
    html! {
        div data-refresh {
            (header(view))
            div.two {
                div.main-side {
                    (why(&view.why))
                    @if !view.spending.is_empty() {
                        section #budgets data-live { h2 { "Budgets" } (fleet::spending_list(&view.spending)) }
                    }
                    (effects(view))
                    (pull::pull(view))
                    (story::timeline(view))
                    (story::comments(view))
                    section #runs data-live { h2 { "Runs" } (run::table(&view.runs, view.now, "The runs of this issue, newest first", "No agent has worked on it yet.")) }
                }
                div.other-side { (orders::panel(view, asking, result)) (facts(view)) }
            }
        }
    }
}

fn header(view: &IssueView) -> Markup {
    let card = &view.card;
    html! {
        header #head .issue-head data-live {
            p.crumbs { a href="/" { "Board" } " / " (card.column) " / " span.no { (card.issue) } }
            h1 { (card.title) }
            p.under {
                (card::pill(card.state))
                span { (card.words) }
                @if let Some(holder) = &card.holder {
                    span { b { (holder.name) } @if let Some(run) = holder.run { " " a href={ "/runs/" (run) } { "run " (run) } } " " (card::turns(holder.turns, holder.turns_max)) }
                }
                span.quiet { "since " (moment::time(view.now, card.since)) }
                @if let Some(url) = &card.url { a href=(url) rel="noreferrer" { "On the tracker" } }
            }
        }
    }
}

fn why(why: &WhyView) -> Markup {
    html! {
        section #why .why data-live {
            h2 { "Why" }
            p.sentence { (why.sentence) }
            @if !why.effects.is_empty() {
                h3 { "What comes of it" }
                ul.plain { @for effect in &why.effects { li { (effect) } } }
            }
            details #trail {
                summary { "The rules that were asked, in order (" (why.trail.len()) ")" }
                ol.trail {
                    @for line in &why.trail {
                        li .decisive[line.is_decisive] {
                            p { code { (line.rule) } " " span.quiet { (line.about) } }
                            p.found { (line.found) @if line.is_decisive { " " b { "This decided." } } }
                        }
                    }
                }
            }
            @if let Some(line) = why.trail.iter().find(|line| line.is_decisive) {
                p.decided { span.quiet { "Decided by" } " " code { (line.rule) } ": " (line.found) }
            }
        }
    }
}

fn effects(view: &IssueView) -> Markup {
    html! {
        section #effects data-live hidden[view.effects.is_empty()] {
            h2 { "Decided, not done" }
            (effect_table(&view.effects, view))
        }
    }
}

fn effect_table(effects: &[EffectLine], view: &IssueView) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                caption.sr-only { "What was decided and is not done" }
                thead { tr { th scope="col" { "What" } th scope="col" { "Status" } th scope="col" { "Tries" } th scope="col" { "Since" } } }
                tbody {
                    @for effect in effects {
                        tr {
                            td { (effect.deed) @if let Some(error) = &effect.error { p.bad-words { (error) } } }
                            td { (effect.status) }
                            td.num { (effect.attempts) }
                            td { (moment::time(view.now, effect.created_at)) }
                        }
                    }
                }
            }
        }
    }
}

fn facts(view: &IssueView) -> Markup {
    html! {
        section #facts .panel data-live {
            h2 { "Facts" }
            dl {
                dt { "Repository" } dd { (view.card.repo) }
                dt { "Column" } dd { (view.card.column) }
                dt { "Tracker" } dd { @if view.is_closed { "closed" } @else { "open" } }
                dt { "Comes after" }
                dd {
                    @if view.blockers.is_empty() { "nothing" } @else {
                        ul.plain {
                            @for blocker in &view.blockers {
                                li { (card::link(&blocker.issue)) @if blocker.is_open { " (open)" } @else { " (done)" } }
                            }
                        }
                    }
                }
                dt { "Labels" }
                dd { @if view.labels.is_empty() { "none" } @else { ul.tags { @for label in &view.labels { li { (label) } } } } }
            }
        }
    }
}
