//! Lists for people: aligned columns, one row a line.
//!
//! A cell is shown as one line whatever is in it. Colour only marks what needs attention, on terminals, and never where
//! `NO_COLOR` is set.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};

/// What stands for nothing.
pub(crate) const NONE: &str = "–";

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[31m";
const PLAIN: &str = "\u{1b}[0m";

/// One row.
pub(crate) struct Line<const N: usize> {
    pub(crate) cells: [String; N],
    /// Whether somebody should look at it.
    pub(crate) is_alarming: bool,
}

/// Prints a list.
pub(crate) fn print<const N: usize>(heads: [&str; N], lines: &[Line<N>]) {
    let is_coloured =
        std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    // A reader that has seen enough, such as `head`, is no failure.
    let _ = std::io::stdout().write_all(text(heads, lines, is_coloured).as_bytes());
}

fn text<const N: usize>(heads: [&str; N], lines: &[Line<N>], is_coloured: bool) -> String {
    let heads = heads.map(str::to_owned);
    let width = |column: usize| {
        let cells = lines.iter().map(|line| &line.cells).chain([&heads]);
        cells.map(|cells| cells[column].chars().count()).max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    push(&mut text, &heads, &widths, is_coloured.then_some(BOLD));
    for line in lines {
        push(&mut text, &line.cells, &widths, (is_coloured && line.is_alarming).then_some(RED));
    }
    text
}

fn push<const N: usize>(text: &mut String, cells: &[String; N], widths: &[usize; N], paint: Option<&str>) {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        let _ = write!(line, "{cell:width$}  ");
    }
    let line = line.trim_end();
    let _ = match paint {
        Some(paint) => writeln!(text, "{paint}{line}{PLAIN}"),
        None => writeln!(text, "{line}"),
    };
}

/// Returns a text on one line and not too long, without anything that a terminal would obey.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match plain.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &plain[..end]),
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(cells: [&str; 2], is_alarming: bool) -> Line<2> {
        Line { cells: cells.map(str::to_owned), is_alarming }
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let lines = [line(["7", "queued"], false), line(["1234", "–"], true)];
        assert_eq!(text(["ID", "STATUS"], &lines, false), "ID    STATUS\n7     queued\n1234  –\n");
    }

    #[test]
    fn colour_marks_only_the_head_and_what_is_alarming() {
        let lines = [line(["7", "a"], false), line(["8", "b"], true)];
        let painted = text(["ID", "X"], &lines, true);
        assert_eq!(painted, "\u{1b}[1mID  X\u{1b}[0m\n7   a\n\u{1b}[31m8   b\u{1b}[0m\n");
    }

    #[test]
    fn a_cell_is_one_line_that_no_terminal_obeys() {
        assert_eq!(one_line("a\n\u{1b}[31mb\tc", 60), "a [31mb c");
        assert_eq!(one_line("äöüß", 2), "äö…");
    }
}
