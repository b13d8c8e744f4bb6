//! The runs that are not over, a line each.

use baton_view::{RunLine, Stamp};
use ratatui::text::{Line, Span};

use super::theme::{self, Theme};
use super::{cards, first_row, rule};
use crate::app::{App, Pane, Screen};
use crate::text;

pub(super) fn lines(app: &App, width: usize, rows: usize) -> Vec<Line<'static>> {
    let runs = app.active();
    if runs.is_empty() || rows == 0 {
        return Vec::new();
    }
    let theme = super::theme(app);
    let is_focused = app.screen() == Screen::Board && app.pane == Pane::Active;
    let now = app.fleet.value.as_ref().map_or(app.now, |fleet| app.fleet.there(app.now, fleet.now));
    let chosen = runs.iter().position(|run| Some(run.run) == app.run).unwrap_or(0);
    let first = first_row(chosen, runs.len(), rows - 1);
    let mut lines = vec![rule(&format!("Active runs {}", runs.len()), is_focused, theme, width)];
    for (at, run) in runs.iter().enumerate().skip(first).take(rows - 1) {
        lines.push(line(run, now, theme, width, is_focused && at == chosen));
    }
    lines
}

fn line(run: &RunLine, now: Stamp, theme: Theme, width: usize, is_chosen: bool) -> Line<'static> {
    let since = run.started_at.unwrap_or(run.created_at);
    let what = run.issue.as_ref().or(run.task.as_ref()).map_or("–", String::as_str);
    let stage = run.stage.as_deref().unwrap_or(&run.errand);
    let mut words = format!("{} {what} {stage} · {}", theme::run_mark(run.state), run.agent);
    if !matches!(run.state, baton_view::RunState::Running) {
        words.push_str(&format!(" · {}", run.state.words()));
    }
    // Turns are told in full where there is room for a whole line beside them.
    let room = match width {
        0..50 => 0,
        50..80 => 9,
        _ => 20,
    };
    let numbers = run.numbers.as_ref();
    let turns = numbers.and_then(|it| cards::counted(it.turns, it.turns_max, room));
    words.extend(turns.map(|turns| format!(" {turns}")));
    if width >= 80 {
        let cost = numbers.map_or(run.cost_micros, |it| i64::try_from(it.cost_micros).unwrap_or(i64::MAX));
        words.push_str(&format!(" · {}", text::money(cost)));
        words.extend(numbers.filter(|it| !it.last_line.is_empty()).map(|it| format!(" · {}", it.last_line)));
    }
    let words = text::ends(&words, &text::short(now.since(since)), width.saturating_sub(2));
    let style = if is_chosen { theme.chosen() } else { theme.run(run.state) };
    Line::from(vec![Span::raw(if is_chosen { "▌" } else { " " }), Span::styled(words, style)])
}
