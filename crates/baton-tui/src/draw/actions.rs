//! The menu of orders: what may be given, what not and why, and the line for words.

use baton_view::OrderKind;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::float;
use super::theme::Theme;
use crate::app::{App, Menu, Step, columns, obstacle, offers, question};
use crate::text;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, menu: &Menu) {
    let theme = super::theme(app);
    let width = usize::from(area.width).saturating_sub(4).min(72);
    let lines = match menu.step {
        Step::Pick => orders(app, menu, theme, width),
        Step::Type => typing(menu, theme, width, usize::from(area.height).saturating_sub(6)),
        Step::Column => places(app, menu, theme, width, usize::from(area.height).saturating_sub(3)),
        Step::Confirm => confirming(menu, theme, width),
        Step::Sent => vec![Line::raw(format!("{} was sent; waiting for the answer …", menu.kind().word()))],
    };
    let title = match menu.step {
        Step::Pick => menu.issue.to_string(),
        _ => format!("{} · {}", menu.kind().word(), menu.issue),
    };
    float(frame, area, &title, lines, theme);
}

fn orders(app: &App, menu: &Menu, theme: Theme, width: usize) -> Vec<Line<'static>> {
    if offers(app, menu).is_none() {
        let failure = app.near.as_ref().and_then(|near| near.read.failure.clone());
        let words = match failure {
            Some(failure) => format!("What may be ordered could not be read: {failure}"),
            None => "Reading what may be ordered …".to_owned(),
        };
        return text::wrap(&words, width).into_iter().map(Line::raw).collect();
    }
    OrderKind::ALL
        .into_iter()
        .enumerate()
        .map(|(at, kind)| order(app, menu, at, kind, theme, width))
        .collect()
}

fn order(app: &App, menu: &Menu, at: usize, kind: OrderKind, theme: Theme, width: usize) -> Line<'static> {
    let obstacle = obstacle(app, menu, kind);
    let (about, style) = match &obstacle {
        Some(why_not) => (format!("– {why_not}"), theme.dim()),
        None => (about(kind).to_owned(), theme.plain()),
    };
    let is_chosen = at == menu.row;
    let style = if is_chosen { style.patch(theme.chosen()) } else { style };
    let mark = if is_chosen { "▸" } else { " " };
    let words = text::pad(&format!("{mark} {:<8} {about}", kind.word()), width);
    Line::from(Span::styled(words, style))
}

fn about(kind: OrderKind) -> &'static str {
    match kind {
        OrderKind::Pause => "no agent starts; one at work stops",
        OrderKind::Resume => "agents may go on",
        OrderKind::Wake => "an agent looks at it now",
        OrderKind::Cancel => "end the run",
        OrderKind::Hold => "nobody claims it",
        OrderKind::Unhold => "it may be claimed again",
        OrderKind::Approve => "the plan is good",
        OrderKind::Reject => "the plan is not good",
        OrderKind::Move => "to another column",
        OrderKind::Comment => "say something",
    }
}

fn typing(menu: &Menu, theme: Theme, width: usize, rows: usize) -> Vec<Line<'static>> {
    let ask = question(menu.kind()).map_or("", |(ask, _)| ask);
    let mut typed = text::wrap(&format!("{}▏", menu.text), width.saturating_sub(2));
    // The end is where one types.
    typed.drain(..typed.len().saturating_sub(rows.max(1)));
    let mut lines = vec![Line::styled(text::pad(ask, width), theme.strong())];
    lines.extend(typed.into_iter().map(|line| Line::raw(format!("> {line}"))));
    lines
}

fn places(app: &App, menu: &Menu, theme: Theme, width: usize, rows: usize) -> Vec<Line<'static>> {
    let columns = columns(app, menu);
    if columns.is_empty() {
        return vec![Line::raw("There is no column to move it to.")];
    }
    let first = super::first_row(menu.column, columns.len(), rows);
    let line = |(at, name): (usize, &String)| {
        let is_chosen = at == menu.column;
        let style = if is_chosen { theme.chosen() } else { theme.plain() };
        let mark = if is_chosen { "▸" } else { " " };
        Line::styled(text::pad(&format!("{mark} {name}"), width.min(40)), style)
    };
    columns.iter().enumerate().skip(first).take(rows.max(1)).map(line).collect()
}

fn confirming(menu: &Menu, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let words = format!(
        "End the run that works on {}? The agent is stopped, and what it has not pushed may be lost.",
        menu.issue
    );
    let mut lines: Vec<_> = text::wrap(&words, width).into_iter().map(Line::raw).collect();
    lines.push(Line::default());
    lines.push(Line::styled("y  end it      n  leave it", theme.strong()));
    lines
}
