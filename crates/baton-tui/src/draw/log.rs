//! What an agent prints: what it says in full, what it does with tools in a line each unless they are unfolded.

use std::collections::VecDeque;

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
    let room = rows.saturating_sub(HEAD_ROWS);
    let last = line_count(log, theme, width).saturating_sub(room);
    let first = if log.is_at_end { last } else { log.scroll.min(last) };
    let head = left_out(log, theme, width);
    let tail = instead_of_more(log, theme, width);
    // Only what is in sight is copied: a long log is many lines.
    let wrapped = log.wrapped.lines.iter().cloned();
    shown.extend(head.into_iter().chain(wrapped).chain(tail).skip(first).take(room));
    put(frame, area, shown);
}

/// Returns how many lines a log has.
pub(super) fn line_count(log: &Follow, theme: Theme, width: usize) -> usize {
    usize::from(log.dropped > 0) + log.wrapped.lines.len() + instead_of_more(log, theme, width).len()
}

fn left_out(log: &Follow, theme: Theme, width: usize) -> Option<Line<'static>> {
    let words = format!(" {} earlier entries are left out; `baton logs {}` has all", log.dropped, log.run);
    (log.dropped > 0).then(|| Line::styled(text::fit(&words, width), theme.dim()))
}

fn instead_of_more(log: &Follow, theme: Theme, width: usize) -> Vec<Line<'static>> {
    match &log.failure {
        Some(failure) => instead(&format!("✗ {failure}"), theme, width),
        None if !log.is_read => instead("Reading the log …", theme, width),
        None if log.entries.is_empty() => instead("Nothing was printed yet.", theme, width),
        None => Vec::new(),
    }
}

/// Entries as lines of a width. It is kept, and grows with the log: to wrap a long one takes longer than a key may.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wrapped {
    /// What the lines depend on: the width, and whether tools are unfolded.
    shape: (usize, bool),
    lines: VecDeque<Line<'static>>,
    /// How many lines each entry has.
    counts: VecDeque<usize>,
    /// How many entries the log had dropped.
    dropped: usize,
    /// How often an entry was wrapped.
    #[cfg(test)]
    work: usize,
}

impl Wrapped {
    /// Wraps what was added to a log, and drops what it dropped.
    pub(super) fn follow(log: &mut Follow, theme: Theme, width: usize) {
        let shape = (width, log.is_unfolded);
        if log.wrapped.shape != shape {
            log.wrapped = Self { shape, dropped: log.dropped, ..Self::default() };
        }
        let wrapped = &mut log.wrapped;
        for _ in wrapped.dropped..log.dropped {
            let count = wrapped.counts.pop_front().unwrap_or(0);
            wrapped.lines.drain(..count);
        }
        wrapped.dropped = log.dropped;
        for added in log.entries.iter().skip(wrapped.counts.len()) {
            let lines = entry(added, log.is_unfolded, theme, width);
            wrapped.counts.push_back(lines.len());
            wrapped.lines.extend(lines);
            #[cfg(test)]
            {
                wrapped.work += 1;
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use baton_view::LogPage;

    use super::*;

    const PLAIN: Theme = Theme { is_coloured: false };

    fn page(from: u64, entries: std::ops::Range<u64>) -> LogPage {
        let entry = |at| LogEntry {
            at,
            kind: LogKind::Said,
            head: String::new(),
            text: "some words ".repeat(20),
            is_cut: false,
        };
        let next = entries.end;
        LogPage { run: 1, entries: entries.map(entry).collect(), from, next, is_over: false }
    }

    #[test]
    fn only_what_was_added_to_a_log_is_wrapped() {
        let mut log = Follow::new(1);
        log.read_for_test(page(0, 1..101));
        for _ in 0..10 {
            Wrapped::follow(&mut log, PLAIN, 40);
        }
        log.read_for_test(page(101, 101..111));
        Wrapped::follow(&mut log, PLAIN, 40);
        assert_eq!(log.wrapped.work, 110);
        let fresh: usize = log.entries.iter().map(|it| entry(it, false, PLAIN, 40).len()).sum();
        assert_eq!(log.wrapped.lines.len(), fresh);
        Wrapped::follow(&mut log, PLAIN, 80);
        assert_eq!(log.wrapped.work, 110, "another width begins anew");
    }

    #[test]
    fn what_a_log_dropped_is_no_line_any_more() {
        let mut log = Follow::new(1);
        log.read_for_test(page(0, 1..4_001));
        Wrapped::follow(&mut log, PLAIN, 40);
        log.read_for_test(page(4_001, 4_001..4_051));
        Wrapped::follow(&mut log, PLAIN, 40);
        assert_eq!((log.dropped, log.entries.len(), log.wrapped.counts.len()), (50, 4_000, 4_000));
        assert_eq!(log.wrapped.lines.len(), log.wrapped.counts.iter().sum::<usize>());
        assert_eq!(log.entries.first().map(|it| it.at), Some(51));
    }
}
