//! The board: a column for each stage. It is drawn whole here, and kept up by events; see [`crate::live`].

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use baton_view::{Board, Card, CardState, Column, ColumnKind, Lookout, LookoutError, Stamp, Warning};
use maud::{Markup, html};
use serde::Deserialize;

use crate::dashboard::Site;
use crate::pages::shell::{self, Asking, Place, Sheet};
use crate::pages::{card, moment};

/// Which cards to show.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Filter {
    q: String,
}

impl Filter {
    /// Returns whether each word occurs somewhere on a card. `app.js` judges cards that come later by the same rule.
    fn fits(&self, card: &Card) -> bool {
        let mut words = self.q.split_whitespace().peekable();
        if words.peek().is_none() {
            return true;
        }
        let text = text_of(card);
        words.all(|word| text.contains(&word.to_lowercase()))
    }
}

fn text_of(card: &Card) -> String {
    let holder = card.holder.as_ref().map_or("", |holder| holder.name.as_str());
    let badges = card.badges.iter().map(|badge| badge.words.as_str());
    let mut text = [&card.issue, &card.title, &card.words, card::state_words(card.state), holder].join(" ");
    for word in badges.chain(card.labels.iter().map(String::as_str)) {
        text.push(' ');
        text.push_str(word);
    }
    text.to_lowercase()
}

/// Returns whether cards should name their repository: there are several.
pub(crate) fn names_repos(board: &Board) -> bool {
    let mut repos = board.cards().map(|card| &card.repo);
    let first = repos.next();
    repos.any(|repo| Some(repo) != first)
}

pub(crate) async fn show<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    asking: Asking,
    filter: Result<Query<Filter>, QueryRejection>,
) -> Response {
    let sheet = match shell::asked(filter) {
        Ok(filter) => draw(&site, &filter).await,
        Err(error) => Err(error),
    };
    shell::answer(&site, &asking, sheet)
}

async fn draw<L: Lookout>(site: &Site<L>, filter: &Filter) -> Result<Sheet, LookoutError> {
    // The number is read first: what is told meanwhile is then told to this page again, and not missed.
    let told = site.feed.told();
    let board = Arc::new(site.lookout.board().await?);
    site.feed.begin_from(&board);
    Ok(Sheet {
        title: "Board".to_owned(),
        place: Place::Board,
        now: Some(board.now),
        is_wide: true,
        main: page(&board, filter, told),
    })
}

fn page(board: &Board, filter: &Filter, told: u64) -> Markup {
    let names_repo = names_repos(board);
    html! {
        div.title-row {
            h1 { "Board" }
            (tally(board))
            form.search role="search" action="/" method="get" hx-get="/" hx-target="#board" hx-select="#board"
                hx-swap="outerHTML" hx-push-url="true" hx-trigger="input changed delay:200ms from:#q, submit" {
                label.sr-only for="q" { "Show only cards with these words" }
                input #q type="search" name="q" value=(filter.q) placeholder="Filter: words, repository, label" autocomplete="off";
                button { "Filter" }
            }
        }
        (warnings(&board.warnings, board.now))
        div #board .board data-live data-told=(told) data-q=(filter.q) role="region" aria-label="Columns" tabindex="0" {
            (notice(board, filter))
            @for (place, column) in board.columns.iter().enumerate() {
                (self::column(column, place, board.now, filter, names_repo))
            }
        }
    }
}

/// Returns how many cards are in the states that people look for.
fn tally(board: &Board) -> Markup {
    let states =
        [CardState::Asking, CardState::Paused, CardState::Running, CardState::Queued, CardState::Waiting];
    html! {
        ul #tally .tally data-live aria-label="Cards by state" {
            @for state in states {
                @let count = board.cards().filter(|card| card.state == state).count();
                li class=(card::state_class(state)) data-tally=(card::state_class(state)) {
                    span.pill { b { (count) } " " (card::state_words(state)) }
                }
            }
        }
    }
}

/// Returns the warnings: always one line high, so that nothing jumps when there is one more or less.
pub(crate) fn warnings(warnings: &[Warning], now: Stamp) -> Markup {
    html! {
        section #warnings .warnings data-live aria-label="Warnings" .some[!warnings.is_empty()] {
            @match warnings {
                [] => p.line { "Nothing needs you." },
                [first, ..] => details {
                    summary.line {
                        b { (warnings.len()) @if warnings.len() == 1 { " warning" } @else { " warnings" } }
                        span { (first.words) }
                    }
                    ul {
                        @for warning in warnings {
                            li {
                                @if let Some(issue) = &warning.issue { (card::link(issue)) " " }
                                (warning.words) " " (moment::time(now, warning.at))
                            }
                        }
                    }
                },
            }
        }
    }
}

fn column(column: &Column, place: usize, now: Stamp, filter: &Filter, names_repo: bool) -> Markup {
    let cards: Vec<_> = column.cards.iter().filter(|card| filter.fits(card)).collect();
    let about = match column.kind {
        ColumnKind::Work => "agents work here",
        ColumnKind::Waiting => "people move issues on from here",
        ColumnKind::Done => "the end",
        ColumnKind::Unknown => "the pipeline does not know this column",
    };
    html! {
        section.column .unknown[column.kind == ColumnKind::Unknown] aria-labelledby={ "column-" (place) } {
            h2 id={ "column-" (place) } title=(about) { (column.name) " " span.count { (cards.len()) } }
            ol.cards data-column=(column.name) {
                @for card in cards { (card::card(card, now, names_repo)) }
            }
            p.hidden hidden[column.hidden == 0] { "and " span { (column.hidden) } " older" }
        }
    }
}

/// Returns what to do when no card is to be seen.
fn notice(board: &Board, filter: &Filter) -> Markup {
    let shown = board.cards().filter(|card| filter.fits(card)).count();
    let first = board.columns.iter().find(|column| column.kind == ColumnKind::Work);
    html! {
        div #notice .notice hidden[shown > 0] {
            @if filter.q.trim().is_empty() {
                p.lead { "No issue is on the board yet." }
                p {
                    "Open an issue and move it to "
                    @match first {
                        Some(column) => b { (column.name) },
                        None => "the first column of the pipeline",
                    }
                    ", by its label or on the project's board: an agent then picks it up. "
                    code { "baton explain OWNER/REPO#42" } " says why one is not picked up."
                }
            } @else {
                p.lead { "No card has “" (filter.q.trim()) "” on it." }
                p { a href="/" { "Show all cards" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_view::example;

    use super::*;

    #[test]
    fn a_thousand_cards_take_modest_bytes() {
        let mut board = example::board();
        let running = board.columns[4].cards[0].clone();
        board.columns[4].cards = vec![running; 1_000];
        let bytes = page(&board, &Filter::default(), 0).into_string().len();
        assert!(bytes < 1_000 * 800, "{bytes} bytes");
    }

    #[test]
    fn a_filter_wants_each_word_somewhere_on_the_card() {
        let board = example::board();
        let fitting = |q: &str| {
            let filter = Filter { q: q.to_owned() };
            board.cards().filter(|card| filter.fits(card)).map(|card| card.number).collect::<Vec<_>>()
        };
        assert_eq!(fitting("VOUCHER running"), [15]);
        assert_eq!(fitting("acme/web#9"), [9]);
        assert_eq!(fitting("import"), [12]);
        assert_eq!(fitting("nothing-like-this"), [0; 0]);
        assert_eq!(fitting("  ").len(), board.cards().count());
    }
}
