//! What is on the screen, as characters. Pure: it looks at an [`App`] and at the size of the frame, and at nothing else.
//!
//! Every text is cut to its place by its width before it is drawn, so that no title can spill into its neighbour. Nothing is
//! told by a colour alone.

mod actions;
mod active;
mod board;
mod cards;
mod help;
mod issue;
mod log;
mod runs;
mod status;
mod theme;
mod warnings;

use ratatui::Frame;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};
use unicode_width::UnicodeWidthStr as _;

use crate::app::{App, Screen};
use crate::text;
use theme::Theme;

pub(crate) use log::Wrapped;

/// The smallest screen that the board fits on, in cells.
pub const SIZE_MIN: (u16, u16) = (40, 15);

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, app: &App) {
    let area = frame.area();
    if area.width < SIZE_MIN.0 || area.height < SIZE_MIN.1 {
        return too_small(frame, area);
    }
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)]).areas(area);
    put(frame, head, vec![status::head(app, usize::from(head.width))]);
    match app.screen() {
        Screen::Board => board::draw(frame, body, app),
        Screen::Runs => runs::draw(frame, body, app),
        Screen::Warnings => warnings::draw(frame, body, app),
        Screen::Issue => issue::draw(frame, body, app),
        Screen::Log => log::draw(frame, body, app),
    }
    if let Some(menu) = &app.menu {
        actions::draw(frame, body, app, menu);
    }
    if app.is_help {
        help::draw(frame, body, app);
    }
    put(frame, foot, vec![status::foot(app, usize::from(foot.width))]);
}

/// Returns one frame as plain text, a line for each row, without spaces at the ends of lines.
pub fn once(app: &App) -> String {
    let (width, height) = (app.size.0.max(1), app.size.1.max(1));
    let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height));
    let Ok(_) = terminal.draw(|frame| draw(frame, app));
    plain(terminal.backend().buffer())
}

fn plain(buffer: &Buffer) -> String {
    let mut lines = String::new();
    for y in 0..buffer.area.height {
        let (mut line, mut x) = (String::new(), 0);
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            // A wide character takes the cell beside it too.
            x += u16::try_from(symbol.width()).unwrap_or(1).max(1);
        }
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines
}

/// Keeps what is scrolled within what there is to scroll.
pub(crate) fn clamp(app: &mut App) {
    let (width, height) = (usize::from(app.size.0), usize::from(app.size.1).saturating_sub(2));
    let theme = Theme { is_coloured: false };
    app.help_scroll = app.help_scroll.min(help::scroll_max(app.size.1));
    if let Some(near) = app.near.as_ref().filter(|_| app.screen() == Screen::Issue) {
        let lines = issue::section(app, near, theme, width).len();
        let rows = height.saturating_sub(issue::head(app, near, theme, width).len());
        let max = lines.saturating_sub(rows);
        app.near.iter_mut().for_each(|near| near.scroll = near.scroll.min(max));
    }
    let theme = self::theme(app);
    // What nobody sees is not wrapped.
    let is_log = app.screen() == Screen::Log;
    if let Some(follow) = app.log.as_mut().filter(|_| is_log) {
        Wrapped::follow(follow, theme, width);
        let lines = log::line_count(follow, theme, width);
        let max = lines.saturating_sub(height.saturating_sub(log::HEAD_ROWS));
        follow.scroll = if follow.is_at_end { max } else { follow.scroll.min(max) };
        follow.is_at_end |= follow.scroll == max;
    }
}

fn too_small(frame: &mut Frame<'_>, area: Rect) {
    let words = format!(
        "This terminal is {}×{}; the board needs {}×{}.",
        area.width, area.height, SIZE_MIN.0, SIZE_MIN.1
    );
    let lines = text::wrap(&words, usize::from(area.width)).into_iter().map(Line::from).collect();
    put(frame, area, lines);
}

fn put(frame: &mut Frame<'_>, area: Rect, lines: Vec<Line<'static>>) {
    frame.render_widget(Paragraph::new(lines), area.intersection(frame.area()));
}

/// Draws lines on an empty ground in the middle, framed by a title, with as much room as they need and there is.
fn float(frame: &mut Frame<'_>, area: Rect, title: &str, lines: Vec<Line<'static>>, theme: Theme) {
    let widest = lines.iter().map(Line::width).max().unwrap_or(0).max(text::width(title) + 4);
    let width = u16::try_from(widest + 4).unwrap_or(u16::MAX).min(area.width);
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let place =
        Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    let block = ratatui::widgets::Block::bordered()
        .title(Span::styled(
            format!(" {} ", text::fit(title, usize::from(width).saturating_sub(6))),
            theme.strong(),
        ))
        .padding(ratatui::widgets::Padding::horizontal(1));
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(block), place);
}

/// Returns a heading that goes on as a rule to the end of the line.
fn rule(title: &str, is_focused: bool, theme: Theme, width: usize) -> Line<'static> {
    let title = text::fit(title, width.saturating_sub(4));
    let mark = if is_focused { "▸" } else { "─" };
    let rest = "─".repeat(width.saturating_sub(text::width(&title) + 3));
    let style = if is_focused { theme.strong() } else { theme.plain() };
    Line::from(vec![
        Span::styled(format!("{mark} "), style),
        Span::styled(title, theme.strong()),
        Span::styled(format!(" {rest}"), theme.dim()),
    ])
}

/// Returns the first row to show of so many, so that the chosen one is in sight.
fn first_row(chosen: usize, count: usize, rows: usize) -> usize {
    let rows = rows.max(1);
    chosen.saturating_sub(rows / 2).min(count.saturating_sub(rows))
}

/// Returns lines for a place where nothing is to be shown yet.
fn instead(words: &str, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let lines = text::wrap(words, width.saturating_sub(4));
    let lines = lines.into_iter().map(|line| Line::styled(format!("  {line}"), theme.plain()));
    std::iter::once(Line::default()).chain(lines).collect()
}

fn theme(app: &App) -> Theme {
    Theme { is_coloured: app.settings.is_coloured }
}
