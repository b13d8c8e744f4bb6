//! Words on a screen of cells: cleaned, cut and wrapped by their width, not by their length.
//!
//! Whatever comes from a tracker or an agent passes through [`clean`]: a title must not be able to move the cursor or to
//! turn the direction of what follows.

use std::time::Duration;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What joins emoji; at the end of a text it would join whatever comes next.
const JOINER: char = '\u{200d}';

/// Returns a text in one line without anything that moves or turns what follows.
pub fn clean(text: &str) -> String {
    text.chars().filter(|it| !is_steering(*it)).map(|it| if it.is_control() { ' ' } else { it }).collect()
}

/// Marks of direction, and invisible marks without a width that terminals disagree about.
fn is_steering(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// Returns a text without HTML comments, in which programs leave marks for each other.
pub fn without_marks(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

/// Returns how many cells a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Returns a text that takes at most so many cells, with an ellipsis where it was cut.
pub fn fit(text: &str, cells: usize) -> String {
    let text = clean(text);
    if text.width() <= cells {
        return text;
    }
    let mut cut = prefix(&text, cells.saturating_sub(1));
    if cells > 0 {
        cut.push('…');
    }
    cut
}

/// Returns a text that takes exactly so many cells.
pub fn pad(text: &str, cells: usize) -> String {
    let mut text = fit(text, cells);
    let missing = cells.saturating_sub(text.width());
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

/// Returns two texts at the two ends of so many cells; the left one gives way.
pub fn ends(left: &str, right: &str, cells: usize) -> String {
    let right = fit(right, cells);
    let room = cells.saturating_sub(right.width() + usize::from(!right.is_empty()));
    let left = fit(left, room);
    let gap = cells.saturating_sub(left.width() + right.width());
    format!("{left}{}{right}", " ".repeat(gap))
}

/// Returns as much of the beginning as takes at most so many cells.
fn prefix(text: &str, cells: usize) -> String {
    let (mut kept, mut end) = (0, 0);
    for (at, character) in text.char_indices() {
        let next = at + character.len_utf8();
        // Marks without a width, and what is joined to an emoji, belong to what was kept.
        if kept + character.width().unwrap_or(0) > cells && text[..next].width() > cells {
            break;
        }
        kept = text[..next].width();
        end = next;
    }
    text[..end].trim_end_matches(JOINER).trim_end().to_owned()
}

/// Returns a text in lines of at most so many cells, broken between words where that is possible.
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    let cells = cells.max(1);
    let mut lines = Vec::new();
    for line in text.lines() {
        wrap_line(&clean(&line.replace('\t', "    ")), cells, &mut lines);
    }
    lines
}

fn wrap_line(text: &str, cells: usize, lines: &mut Vec<String>) {
    let indent: String = text.chars().take_while(|it| *it == ' ').take(cells / 2).collect();
    let mut line = indent.clone();
    let mut is_fresh = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let gap = usize::from(!is_fresh);
        if line.width() + gap + word.width() <= cells {
            line.push_str(&" "[..gap]);
            line.push_str(word);
            is_fresh = false;
            continue;
        }
        if !is_fresh {
            lines.push(std::mem::replace(&mut line, indent.clone()));
        }
        line.push_str(&broken(word, cells.saturating_sub(indent.width()).max(1), &indent, lines));
        is_fresh = false;
    }
    lines.push(line);
}

/// Pushes the lines that a word fills alone, and returns what is left of it.
fn broken(word: &str, cells: usize, indent: &str, lines: &mut Vec<String>) -> String {
    let mut rest = word;
    while rest.width() > cells {
        let mut head = prefix(rest, cells);
        if head.is_empty() {
            // A character that is wider than the line stands alone, or there would be no end.
            head = rest.chars().take(1).collect();
        }
        rest = &rest[head.len()..];
        lines.push(format!("{indent}{head}"));
    }
    rest.to_owned()
}

/// Returns a time in its two largest units at most: `12s`, `4m`, `3h`, `2d`.
pub fn short(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3_600 => format!("{}m", seconds / 60),
        seconds @ 3_600..86_400 => format!("{}h", seconds / 3_600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

/// Returns millionths of a US dollar as people write them: `$0.39`.
pub fn money(micros: i64) -> String {
    let cents = micros / 10_000;
    format!("${}.{:02}", cents / 100, (cents % 100).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_by_the_cells_it_takes() {
        for (text, cells, wanted) in [
            ("plain", 5, "plain"),
            ("plainer", 5, "plai…"),
            ("漢字漢字", 5, "漢字…"),
            ("漢字漢字", 4, "漢…"),
            ("x", 0, ""),
            ("漢", 1, "…"),
            ("a\u{1b}[2Jb\nc", 20, "a [2Jb c"),
            ("a\u{202e}b", 5, "ab"),
            ("👨\u{200d}👩\u{200d}👧 family", 4, "👨\u{200d}👩\u{200d}👧…"),
        ] {
            assert_eq!(fit(text, cells), wanted, "{text:?} in {cells}");
        }
    }

    #[test]
    fn both_ends_keep_to_the_width_and_the_left_gives_way() {
        for (left, right, cells, wanted) in [
            ("ab", "cd", 6, "ab  cd"),
            ("abcdef", "cd", 6, "ab… cd"),
            ("abcdef", "", 6, "abcdef"),
            ("漢字", "1m", 6, "漢… 1m"),
        ] {
            assert_eq!(ends(left, right, cells), wanted);
        }
    }

    #[test]
    fn lines_break_between_words_and_long_words_break_anywhere() {
        let check = |text: &str, cells, wanted: &[&str]| assert_eq!(wrap(text, cells), wanted, "{text:?}");
        check("one two three", 8, &["one two", "three"]);
        check("abcdefghij", 4, &["abcd", "efgh", "ij"]);
        check("a\n\nb", 4, &["a", "", "b"]);
        check("  in code", 6, &["  in", "  code"]);
        check("漢", 1, &["漢", ""]);
    }

    #[test]
    fn marks_of_programs_are_left_out() {
        for (text, wanted) in [
            ("plain", "plain"),
            ("<!-- a -->b<!-- c\nd -->e", "be"),
            ("open <!-- never closed", "open "),
            ("--> alone", "--> alone"),
        ] {
            assert_eq!(without_marks(text), wanted);
        }
    }

    #[test]
    fn times_and_money_are_short() {
        for (seconds, wanted) in [(0, "0s"), (59, "59s"), (252, "4m"), (7_300, "2h"), (200_000, "2d")] {
            assert_eq!(short(Duration::from_secs(seconds)), wanted);
        }
        for (micros, wanted) in [(0, "$0.00"), (391_400, "$0.39"), (12_340_000, "$12.34")] {
            assert_eq!(money(micros), wanted);
        }
    }
}
