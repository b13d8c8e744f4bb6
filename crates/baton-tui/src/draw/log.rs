//! What an agent prints: what it says in full, what it does with tools in a line each unless they are unfolded.

use baton_view::{LogEntry, LogKind};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme::Theme;
use super::{instead, put, rule};
use crate::app::{App, Follow};
use crate::text;

/// The rows above the log.
pub(super) const HEAD_ROWS: usize = 1;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let (width, rows) = (usize::from(area.width), usize::from(area.height));
    let Some(log) = &app.log else { return };
    let theme = super::theme(app);
    let state = match (log.is_over, log.is_at_end) {
        (true, _) => "over",
        (false, true) => "following",
        (false, false) => "G follows",
    };
    let run = app.runs.value.iter().flatten().find(|run| run.run == log.run);
    let errand = run.map(|run| format!(" · {}", run.errand)).unwrap_or_default();
    let mut shown = vec![rule(&format!("Run {}{errand} · {state}", log.run), true, theme, width)];
    let lines = lines(log, theme, width);
    let room = rows.saturating_sub(HEAD_ROWS);
    let last = lines.len().saturating_sub(room);
    let first = if log.is_at_end { last } else { log.scroll.min(last) };
    shown.extend(lines.into_iter().skip(first).take(room));
    put(frame, area, shown);
}

/// The whole log in lines.
pub(super) fn lines(log: &Follow, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if log.dropped > 0 {
        let words =
            format!(" {} earlier entries are left out; `baton logs {}` has all", log.dropped, log.run);
        lines.push(Line::styled(text::fit(&words, width), theme.dim()));
    }
    for entry in &log.entries {
        lines.extend(self::entry(entry, log.is_unfolded, theme, width));
    }
    match &log.failure {
        Some(failure) => lines.extend(instead(&format!("✗ {failure}"), theme, width)),
        None if !log.is_read => lines.extend(instead("Reading the log …", theme, width)),
        None if log.entries.is_empty() => lines.extend(instead("Nothing was printed yet.", theme, width)),
        None => {}
    }
    lines
}

fn entry(entry: &LogEntry, is_unfolded: bool, theme: Theme, width: usize) -> Vec<Line<'static>> {
    match entry.kind {
        LogKind::Said if entry.head.trim().is_empty() => block(entry, 1, theme.plain(), width),
        LogKind::Said => {
            let name =
                Line::styled(format!(" {}", text::fit(&entry.head, width.saturating_sub(2))), theme.strong());
            let mut lines = vec![Line::default(), name];
            lines.extend(block(entry, 1, theme.plain(), width));
            lines.push(Line::default());
            lines
        }
        LogKind::Thought => tool(entry, "~", is_unfolded, theme.dim(), width),
        LogKind::Tool => tool(entry, "▸", is_unfolded, theme.plain(), width),
        LogKind::Answer => tool(entry, "  ←", is_unfolded, theme.dim(), width),
        LogKind::Session => vec![one_line(entry, "·", theme.dim(), width)],
        LogKind::Line => block(entry, 1, theme.dim(), width),
        LogKind::Trouble => {
            let mut lines = vec![one_line(entry, "✗", theme.bad(), width)];
            lines.extend(block(entry, 3, theme.bad(), width).into_iter().skip(1));
            lines
        }
        LogKind::End => {
            let mut lines = vec![Line::default(), Line::styled(" Result", theme.strong())];
            lines.extend(block(entry, 1, theme.plain(), width));
            lines
        }
    }
}

/// A tool's line, and under it what it was given or answered when that is unfolded.
fn tool(entry: &LogEntry, mark: &str, is_unfolded: bool, style: Style, width: usize) -> Vec<Line<'static>> {
    if !is_unfolded {
        return vec![one_line(entry, mark, style, width)];
    }
    let name = text::fit(&format!(" {mark} {}", entry.head), width);
    let mut lines = vec![Line::styled(name, style)];
    lines.extend(block(entry, 5, style, width));
    lines
}

/// The name and the first line of a text, and how many more there are.
fn one_line(entry: &LogEntry, mark: &str, style: Style, width: usize) -> Line<'static> {
    let first = entry.text.lines().next().unwrap_or_default();
    let more = entry.text.lines().count().saturating_sub(1);
    let more = if more > 0 { format!("+{more} lines") } else { String::new() };
    let words = text::ends(&format!(" {mark} {} {first}", entry.head), &more, width.saturating_sub(1));
    Line::from(Span::styled(words, style))
}

fn block(entry: &LogEntry, indent: usize, style: Style, width: usize) -> Vec<Line<'static>> {
    let mut lines = text::wrap(&entry.text, width.saturating_sub(indent + 1));
    if entry.is_cut {
        lines.push("… the rest was cut".to_owned());
    }
    lines.into_iter().map(|line| Line::styled(format!("{}{line}", " ".repeat(indent)), style)).collect()
}
