//! What a person should know: a few lines on the board, all of it on a screen of its own.

use baton_view::Warning;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{first_row, instead, put, rule};
use crate::app::{App, Pane, Screen};
use crate::text;

pub(super) fn short_lines(app: &App, width: usize, rows: usize) -> Vec<Line<'static>> {
    if app.warnings().is_empty() || rows == 0 {
        return Vec::new();
    }
    let theme = super::theme(app);
    let is_focused = app.screen() == Screen::Board && app.pane == Pane::Warnings;
    let count = app.warnings().len();
    let mut lines = vec![rule(&format!("Warnings {count}"), is_focused, theme, width)];
    let first = first_row(app.warning, count, rows - 1);
    for (at, warning) in app.warnings().iter().enumerate().skip(first).take(rows - 1) {
        let is_chosen = is_focused && at == app.warning;
        let words = text::ends(&format!("! {}", words(warning)), &age(app, warning), width.saturating_sub(2));
        let style = if is_chosen { theme.chosen() } else { theme.warn() };
        lines
            .push(Line::from(vec![Span::raw(if is_chosen { "▌" } else { " " }), Span::styled(words, style)]));
    }
    lines
}

fn words(warning: &Warning) -> String {
    match &warning.issue {
        Some(issue) => format!("{issue} {}", warning.words),
        None => warning.words.clone(),
    }
}

fn age(app: &App, warning: &Warning) -> String {
    let board = app.board.value.as_ref();
    let now = board.map_or(app.now, |board| app.board.there(app.now, board.now));
    text::short(now.since(warning.at))
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let (width, rows) = (usize::from(area.width), usize::from(area.height));
    let theme = super::theme(app);
    if app.warnings().is_empty() {
        let words = match (&app.board.value, &app.board.failure) {
            (Some(_), _) => "There is nothing that a person should know.".to_owned(),
            (None, Some(failure)) => format!("The board could not be read: {failure}"),
            (None, None) => "Reading the board …".to_owned(),
        };
        return put(frame, area, instead(&words, theme, width));
    }
    let (mut lines, mut chosen) = (vec![Line::default()], 0);
    for (at, warning) in app.warnings().iter().enumerate() {
        let is_chosen = at == app.warning;
        chosen = if is_chosen { lines.len() } else { chosen };
        let bar = if is_chosen { "▌" } else { " " };
        let name = warning.issue.as_deref().unwrap_or("the relay");
        let head =
            text::ends(&format!("! {name}"), &format!("{} ago", age(app, warning)), width.saturating_sub(3));
        let style = if is_chosen { theme.warn().patch(theme.chosen()) } else { theme.warn() };
        lines.push(Line::from(vec![Span::raw(bar), Span::styled(head, style)]));
        for line in text::wrap(&warning.words, width.saturating_sub(5)) {
            lines.push(Line::from(vec![Span::raw(bar), Span::raw(format!("  {line}"))]));
        }
        lines.push(Line::default());
    }
    lines.drain(..first_row(chosen, lines.len(), rows));
    put(frame, area, lines);
}
