//! The runs, newest first, and more about the one that is chosen.

use baton_view::{RunLine, Stamp};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::theme::{self, Theme};
use super::{first_row, instead, put, rule};
use crate::app::App;
use crate::text;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let theme = super::theme(app);
    let width = usize::from(area.width);
    let runs = app.listed();
    if runs.is_empty() {
        return put(frame, area, instead(&nothing(app), theme, width));
    }
    let more = if area.height < 20 { 4 } else { 7 };
    let [list, below] = Layout::vertical([Constraint::Min(0), Constraint::Length(more)]).areas(area);
    let rows = usize::from(list.height).saturating_sub(1);
    let chosen = runs.iter().position(|run| Some(run.run) == app.run).unwrap_or(0);
    let now = now(app);
    let first = first_row(chosen, runs.len(), rows);
    let mut lines = vec![Line::styled(header(width), theme.dim())];
    for (at, run) in runs.iter().enumerate().skip(first).take(rows) {
        lines.push(line(run, now, theme, width, at == chosen));
    }
    put(frame, list, lines);
    if let Some(run) = runs.get(chosen) {
        put(frame, below, about(run, now, theme, width));
    }
}

fn nothing(app: &App) -> String {
    match (&app.runs.value, &app.runs.failure) {
        (Some(runs), _) if runs.is_empty() => "There was no run yet.".to_owned(),
        (Some(_), _) => format!("No run matches `{}`. Esc on the board drops the filter.", app.filter),
        (None, Some(failure)) => format!("The runs could not be read: {failure}"),
        (None, None) => "Reading the runs …".to_owned(),
    }
}

/// The time by the clock of the server, which the board tells.
fn now(app: &App) -> Stamp {
    app.board.value.as_ref().map_or(app.now, |board| app.board.there(app.now, board.now))
}

/// How wide the columns are: state, run, issue, stage, agent, ago, took, cost. What does not fit is left out.
fn widths(width: usize) -> Vec<usize> {
    match width {
        0..60 => vec![1, 5, 17, 0, 0, 4, 0, 6],
        60..100 => vec![13, 5, 17, 11, 8, 4, 4, 7],
        _ => vec![19, 6, 30, 18, 14, 6, 6, 9],
    }
}

fn row(cells: [String; 8], width: usize) -> String {
    let cells = cells.iter().zip(widths(width)).filter(|(_, width)| *width > 0);
    cells.map(|(cell, width)| text::pad(cell, width)).collect::<Vec<_>>().join(" ")
}

fn header(width: usize) -> String {
    let state = if width < 60 { "" } else { "STATE" };
    let names = [state, "RUN", "ISSUE", "STAGE", "AGENT", "AGO", "TOOK", "COST"];
    text::fit(&format!(" {}", row(names.map(str::to_owned), width)), width)
}

fn line(run: &RunLine, now: Stamp, theme: Theme, width: usize, is_chosen: bool) -> Line<'static> {
    let mark = theme::run_mark(run.state);
    let state = if width < 60 { mark.to_owned() } else { format!("{mark} {}", run.state.words()) };
    let begun = run.started_at.unwrap_or(run.created_at);
    let ended = run.finished_at.unwrap_or(now);
    let cells = [
        state,
        run.run.to_string(),
        run.issue.clone().or_else(|| run.task.clone()).unwrap_or_default(),
        run.stage.clone().unwrap_or_default(),
        run.agent.clone(),
        text::short(now.since(begun)),
        text::short(ended.since(begun)),
        text::money(cost(run)),
    ];
    let words = text::pad(&row(cells, width), width.saturating_sub(2));
    let style = theme.run(run.state);
    let style = if is_chosen { style.patch(theme.chosen()) } else { style };
    Line::from(vec![Span::raw(if is_chosen { "▌" } else { " " }), Span::styled(words, style)])
}

fn cost(run: &RunLine) -> i64 {
    let counted =
        run.numbers.as_ref().map_or(0, |numbers| i64::try_from(numbers.cost_micros).unwrap_or(i64::MAX));
    run.cost_micros.max(counted)
}

fn about(run: &RunLine, now: Stamp, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![rule(&format!("Run {}", run.run), false, theme, width)];
    let mut facts = vec![run.errand.clone(), run.state.words().to_owned()];
    facts.extend((run.attempt > 1).then(|| format!("try {}", run.attempt)));
    facts.extend(run.host.as_ref().map(|host| format!("on {host}")));
    facts.push(format!("asked for {} ago", text::short(now.since(run.created_at))));
    if let Some(numbers) = &run.numbers {
        facts.extend(super::cards::counted(numbers.turns, numbers.turns_max, width));
        facts.push(format!("{} tokens in, {} out", numbers.input_tokens, numbers.output_tokens));
    }
    let indented = |words: &str, style| -> Vec<Line<'static>> {
        let lines = text::wrap(words, width.saturating_sub(2));
        lines.into_iter().map(|line| Line::styled(format!(" {line}"), style)).collect()
    };
    lines.extend(indented(&facts.join(" · "), theme.plain()));
    if let Some(error) = run.error.as_ref().or(run.cause.as_ref()) {
        lines.extend(indented(&format!("✗ {error}"), theme.bad()));
    }
    if let Some(said) = run.numbers.as_ref().map(|it| &it.last_line).filter(|it| !it.is_empty()) {
        lines.extend(indented(&format!("“{said}”"), theme.dim()));
    }
    lines
}
