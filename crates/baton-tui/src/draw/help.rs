//! The keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::float;
use crate::app::{App, KEYS};
use crate::text;

const KEY_WIDTH: usize = 10;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let theme = super::theme(app);
    let width = usize::from(area.width).saturating_sub(4 + KEY_WIDTH + 1);
    let line = |(key, does): (&str, &str)| {
        let key = Span::styled(format!("{} ", text::pad(key, KEY_WIDTH)), theme.strong());
        Line::from(vec![key, Span::raw(text::fit(does, width))])
    };
    let rows = rows(area.height);
    let hidden = KEYS.len().saturating_sub(app.help_scroll + rows);
    let title = if hidden > 0 { format!("Keys (↓ {hidden} more)") } else { "Keys".to_owned() };
    let lines = KEYS.into_iter().skip(app.help_scroll).take(rows).map(line).collect();
    float(frame, area, &title, lines, theme);
}

/// How many keys fit between the borders.
fn rows(height: u16) -> usize {
    usize::from(height).saturating_sub(2).max(1)
}

/// Returns how far the keys can be scrolled on a screen of a height.
pub(super) fn scroll_max(height: u16) -> usize {
    KEYS.len().saturating_sub(rows(height.saturating_sub(2)))
}
