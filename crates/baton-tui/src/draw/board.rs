//! The board's screen: columns side by side where they fit, else one list; active runs and warnings below.

use std::collections::BTreeSet;

use baton_view::{Card, Column};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::cards::CardLook;
use super::theme::Theme;
use super::{active, first_row, instead, put, rule, warnings};
use crate::app::{App, COLUMNS_FROM, Pane};
use crate::text;

/// The narrowest column.
const COLUMN_WIDTH_MIN: u16 = 24;
/// From this many rows on, a title may take two.
const TALL_FROM: u16 = 14;
/// From this many rows on, what happens with it may too.
const TALLER_FROM: u16 = 24;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let rows_max = if area.height < 20 { 1 } else { 4 };
    let active_rows = if app.active().is_empty() { 0 } else { app.active().len().min(rows_max) + 1 };
    let warning_rows = if app.warnings().is_empty() { 0 } else { app.warnings().len().min(rows_max) + 1 };
    let length = |rows: usize| Constraint::Length(u16::try_from(rows).unwrap_or(0));
    let [cards, runs, below] =
        Layout::vertical([Constraint::Min(0), length(active_rows), length(warning_rows)]).areas(area);
    draw_cards(frame, cards, app);
    put(frame, runs, active::lines(app, usize::from(runs.width), usize::from(runs.height)));
    put(frame, below, warnings::short_lines(app, usize::from(below.width), usize::from(below.height)));
}

fn draw_cards(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let width = usize::from(area.width);
    if let Some(words) = nothing(app) {
        return put(frame, area, instead(&words, super::theme(app), width));
    }
    if area.width < COLUMNS_FROM {
        return put(frame, area, list(app, look(app, width, (1, 1)), usize::from(area.height)));
    }
    draw_columns(frame, area, app);
}

/// Why there is no card to show, if there is none.
fn nothing(app: &App) -> Option<String> {
    let Some(board) = &app.board.value else {
        return Some(match &app.board.failure {
            Some(failure) => format!(
                "The board could not be read: {failure}\n\nIt is tried again every few seconds. `q` leaves."
            ),
            None => format!("Reading the board from {} …", app.settings.source),
        });
    };
    if board.cards().next().is_none() {
        let columns: Vec<_> = board.columns.iter().map(|column| text::clean(&column.name)).collect();
        let columns = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
        return Some(format!(
            "No issue is on the board.\n\nPut an issue into one of the columns on the tracker{columns}, and it appears here."
        ));
    }
    let is_filtered = app.visible().iter().all(|(_, cards)| cards.is_empty());
    is_filtered.then(|| format!("No issue matches `{}`.\n\nEsc drops the filter.", app.filter))
}

fn look(app: &App, width: usize, (title_lines, word_lines): (usize, usize)) -> CardLook {
    let board = app.board.value.as_ref();
    let repos: BTreeSet<_> =
        board.into_iter().flat_map(|board| board.cards()).map(|card| &card.repo).collect();
    let now = board.map_or(app.now, |board| app.board.there(app.now, board.now));
    CardLook { theme: super::theme(app), width, now, is_one_repo: repos.len() < 2, title_lines, word_lines }
}

/// The heading of a column: its name, how many cards it has, and how many more are not shown.
fn title(column: &Column, cards: &[&Card]) -> String {
    let hidden = if column.hidden > 0 { format!(" +{}", column.hidden) } else { String::new() };
    format!("{} {}{hidden}", column.name, cards.len())
}

fn list(app: &App, look: CardLook, rows: usize) -> Vec<Line<'static>> {
    let is_focused = app.pane == Pane::Cards;
    let (mut lines, mut chosen) = (Vec::new(), 0);
    for (at, (column, cards)) in app.visible().into_iter().enumerate() {
        if cards.is_empty() {
            continue;
        }
        lines.push(rule(
            &title(column, &cards),
            is_focused && at == app.cursor.column,
            look.theme,
            look.width,
        ));
        for card in cards {
            let is_chosen = app.cursor.issue.as_ref() == Some(&card.issue);
            chosen = if is_chosen { lines.len() } else { chosen };
            lines.extend(look.in_list(card, is_chosen && is_focused));
        }
    }
    // The heading above the first card is shown with it.
    let first = first_row(chosen, lines.len(), rows);
    lines.drain(..first);
    lines.truncate(rows);
    lines
}

fn draw_columns(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let columns = app.visible();
    let count = columns.len();
    let shown = usize::from(area.width / COLUMN_WIDTH_MIN).clamp(1, count.max(1));
    let theme = super::theme(app);
    let mut area = area;
    if shown < count {
        let [strip, rest] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
        put(frame, strip, vec![overview(app, &columns, theme, usize::from(strip.width))]);
        area = rest;
    }
    let first = first_row(app.cursor.column, count, shown);
    let places = Layout::horizontal(vec![Constraint::Fill(1); shown]).split(area);
    for (place, (at, (column, cards))) in places.iter().zip(columns.iter().enumerate().skip(first)) {
        let lines = match area.height {
            0..TALL_FROM => (1, 1),
            TALL_FROM..TALLER_FROM => (2, 1),
            TALLER_FROM.. => (2, 2),
        };
        let look = look(app, usize::from(place.width), lines);
        put(frame, *place, column_lines(app, look, at, column, cards, usize::from(place.height)));
    }
}

/// All columns in one line, for those that are out of sight.
fn overview(app: &App, columns: &[(&Column, Vec<&Card>)], theme: Theme, width: usize) -> Line<'static> {
    let mut spans = Vec::new();
    let mut room = width;
    for (at, (column, cards)) in columns.iter().enumerate() {
        let is_here = at == app.cursor.column;
        let count = if cards.is_empty() { "·".to_owned() } else { cards.len().to_string() };
        let words = format!("{}{} {count}", if is_here { "▸" } else { " " }, text::clean(&column.name));
        let words = text::fit(&words, room);
        room = room.saturating_sub(text::width(&words));
        spans.push(Span::styled(words, if is_here { theme.strong() } else { theme.dim() }));
    }
    Line::from(spans)
}

fn column_lines(
    app: &App,
    look: CardLook,
    at: usize,
    column: &Column,
    cards: &[&Card],
    rows: usize,
) -> Vec<Line<'static>> {
    let is_focused = app.pane == Pane::Cards && at == app.cursor.column;
    let width = look.width.saturating_sub(1);
    let mut lines = vec![rule(&title(column, cards), is_focused, look.theme, width)];
    if cards.is_empty() {
        lines.push(Line::styled("  empty", look.theme.dim()));
        return lines;
    }
    let fitting = (rows.saturating_sub(1) / look.rows()).max(1);
    let first = if at == app.cursor.column { first_row(app.cursor.row, cards.len(), fitting) } else { 0 };
    for (row, card) in cards.iter().enumerate().skip(first).take(fitting) {
        lines.extend(look.in_column(card, is_focused && row == app.cursor.row));
    }
    let below = cards.len().saturating_sub(first + fitting);
    if below > 0 {
        lines.truncate(rows.saturating_sub(1));
        lines.push(Line::styled(format!("  ↓ {below} more"), look.theme.dim()));
    }
    lines
}
