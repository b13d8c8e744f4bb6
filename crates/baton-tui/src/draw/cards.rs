//! A card: in a column, and as an entry of a list.

use baton_view::{Card, Holder, Stamp};
use ratatui::text::{Line, Span};

use super::theme::{self, Theme};
use crate::text;

/// How cards are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct CardLook {
    pub(super) theme: Theme,
    pub(super) width: usize,
    /// The time, by the clock of whoever told the times of the cards.
    pub(super) now: Stamp,
    /// Whether all issues are of one repository, so that a number is name enough.
    pub(super) is_one_repo: bool,
    /// How many lines a title may take.
    pub(super) title_lines: usize,
    /// How many lines what happens with it may take, besides those that its title leaves.
    pub(super) word_lines: usize,
}

impl CardLook {
    /// How many rows a card takes in a column, with the empty one after it.
    pub(super) fn rows(self) -> usize {
        self.title_lines + self.word_lines + 2
    }

    /// Returns a card as it stands in a column.
    pub(super) fn in_column(self, card: &Card, is_chosen: bool) -> Vec<Line<'static>> {
        let inner = self.width.saturating_sub(2);
        let (mark, word) = theme::state(card.state);
        let age = text::short(self.now.since(card.since));
        let style = self.theme.state(card.state);
        let head = text::ends(&format!("{mark} {} {word}", self.name(card)), &age, inner);
        let head = if is_chosen {
            Span::styled(head, style.patch(self.theme.chosen()))
        } else {
            Span::styled(head, style)
        };
        let mut lines = vec![self.line(head, is_chosen)];
        let title = text::wrap(&card.title.replace(['\n', '\r'], " "), inner);
        let title = cut(title, self.title_lines, inner);
        let room = self.title_lines + self.word_lines - title.len().min(self.title_lines);
        lines.extend(title.into_iter().map(|it| self.line(Span::styled(it, self.theme.strong()), is_chosen)));
        let words = cut(text::wrap(&below(card, inner), inner), room, inner);
        lines.extend(words.into_iter().map(|it| self.line(Span::raw(it), is_chosen)));
        lines.resize(self.rows() - 1, Line::default());
        lines.push(Line::default());
        lines
    }

    /// Returns a card as it stands in a list.
    pub(super) fn in_list(self, card: &Card, is_chosen: bool) -> Vec<Line<'static>> {
        let inner = self.width.saturating_sub(2);
        let (mark, word) = theme::state(card.state);
        let age = text::short(self.now.since(card.since));
        let head =
            text::ends(&format!("{mark} {} {}", self.name(card), text::clean(&card.title)), &age, inner);
        let head_style = if is_chosen { self.theme.chosen() } else { self.theme.strong() };
        let below = text::fit(&format!("  {word} · {}", below(card, inner.saturating_sub(12))), inner);
        vec![
            self.line(Span::styled(head, head_style), is_chosen),
            self.line(Span::styled(below, self.theme.state(card.state)), is_chosen),
        ]
    }

    fn line(self, span: Span<'static>, is_chosen: bool) -> Line<'static> {
        Line::from(vec![Span::styled(if is_chosen { "▌" } else { " " }, self.theme.strong()), span])
    }

    fn name(self, card: &Card) -> String {
        if self.is_one_repo {
            return format!("#{}", card.number);
        }
        let repo = card.repo.rsplit('/').next().unwrap_or(&card.repo);
        format!("{repo}#{}", card.number)
    }
}

/// Returns at most so many lines; the last tells by an ellipsis that there were more.
fn cut(mut lines: Vec<String>, rows: usize, width: usize) -> Vec<String> {
    if lines.len() > rows {
        let rest = lines.split_off(rows.saturating_sub(1)).join(" ");
        lines.push(text::fit(&rest, width));
    }
    lines
}

/// Who works on it and how far that is, or what it waits for.
fn below(card: &Card, width: usize) -> String {
    let Some(holder) = card.holder.as_ref().filter(|holder| holder.run.is_some()) else {
        let badges = card.badges.iter().map(|badge| format!(" [{}]", badge.words)).collect::<String>();
        let both = format!("{}{badges}", card.words);
        return if text::width(&both) <= width { both } else { card.words.clone() };
    };
    let name = text::clean(&holder.name);
    let room = width.saturating_sub(text::width(&name) + 1);
    match turns(holder, room) {
        Some(turns) => format!("{name} {turns}"),
        None => card.words.clone(),
    }
}

fn turns(holder: &Holder, room: usize) -> Option<String> {
    self::counted(holder.turns?, holder.turns_max, room)
}

/// Returns how far a run is, in as many cells as there are: `[12/50 turns]`, `[12/50]`, or nothing.
pub(super) fn counted(turns: u64, turns_max: Option<u64>, room: usize) -> Option<String> {
    let count = turns_max.map_or_else(|| turns.to_string(), |max| format!("{turns}/{max}"));
    let forms = [format!("[{count} turns]"), format!("[{count}]")];
    forms.into_iter().find(|form| text::width(form) <= room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_told_in_the_room_that_there_is() {
        for (turns, max, room, wanted) in [
            (12, Some(50), 13, Some("[12/50 turns]")),
            (12, Some(50), 12, Some("[12/50]")),
            (12, Some(50), 6, None),
            (12, None, 20, Some("[12 turns]")),
        ] {
            assert_eq!(counted(turns, max, room).as_deref(), wanted);
        }
    }
}
