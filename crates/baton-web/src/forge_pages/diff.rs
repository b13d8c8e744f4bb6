//! Reads the difference of a file, as git writes it, into lines with their numbers on both sides.

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Kept,
    Added,
    Deleted,
    /// A remark of git's, such as that the file does not end with a newline.
    Remark,
}

/// A line of a difference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) change: Change,
    pub(crate) old: Option<u64>,
    pub(crate) new: Option<u64>,
    pub(crate) text: &'a str,
}

impl Line<'_> {
    /// Returns the side and the number by which a comment names this line, in GitHub's words.
    pub(crate) fn place(&self) -> Option<(&'static str, u64)> {
        match self.change {
            Change::Deleted => self.old.map(|number| ("LEFT", number)),
            _ => self.new.map(|number| ("RIGHT", number)),
        }
    }
}

/// Lines that stand together, under the line that git announces them with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hunk<'a> {
    pub(crate) heading: &'a str,
    pub(crate) lines: Vec<Line<'a>>,
}

/// Reads the hunks of a file. What stands before the first of them is not part of the difference.
pub(crate) fn hunks(patch: &str) -> Vec<Hunk<'_>> {
    let mut found: Vec<Hunk<'_>> = Vec::new();
    let (mut old, mut new) = (0, 0);
    for text in patch.split_terminator('\n') {
        if let Some(begins) = begins(text) {
            (old, new) = begins;
            found.push(Hunk { heading: text, lines: Vec::new() });
        } else if let Some(hunk) = found.last_mut() {
            hunk.lines.push(line(text, &mut old, &mut new));
        }
    }
    found
}

/// Returns where a hunk begins on both sides, if this line announces one.
fn begins(text: &str) -> Option<(u64, u64)> {
    let (ranges, _) = text.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let first = |range: &str| range.split(',').next().and_then(|number| number.parse().ok());
    Some((first(old)?, first(new)?))
}

fn line<'a>(text: &'a str, old: &mut u64, new: &mut u64) -> Line<'a> {
    let step = |number: &mut u64| {
        *number += 1;
        Some(*number - 1)
    };
    let rest = text.get(1..).unwrap_or("");
    match text.as_bytes().first() {
        Some(b'+') => Line { change: Change::Added, old: None, new: step(new), text: rest },
        Some(b'-') => Line { change: Change::Deleted, old: step(old), new: None, text: rest },
        Some(b'\\') => Line { change: Change::Remark, old: None, new: None, text: rest },
        // Some programs drop the space of an empty line.
        _ => Line { change: Change::Kept, old: step(old), new: step(new), text: rest },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_on_the_sides_where_they_are() {
        let patch = "@@ -3,3 +3,4 @@ fn main() {\n same\n-gone\n+come\n+more\n\n\\ No newline at end of file\n@@ -40 +41,0 @@\n-x";
        let hunks = hunks(patch);
        let shown: Vec<_> = hunks[0].lines.iter().map(|line| (line.old, line.new, line.text)).collect();
        let wanted = [
            (Some(3), Some(3), "same"),
            (Some(4), None, "gone"),
            (None, Some(4), "come"),
            (None, Some(5), "more"),
            (Some(5), Some(6), ""),
            (None, None, " No newline at end of file"),
        ];
        assert_eq!(shown, wanted);
        assert_eq!(hunks[1].lines[0].place(), Some(("LEFT", 40)));
        assert_eq!(hunks[0].lines[2].place(), Some(("RIGHT", 4)));
        assert_eq!(hunks[0].lines[5].place(), None);
    }

    #[test]
    fn a_line_that_only_looks_like_a_heading_is_one_of_the_lines() {
        let hunks = hunks("@@ -1 +1 @@\n-@@ -9 +9 @@\n+@@ x\n");
        assert_eq!(hunks.len(), 1);
        assert_eq!(hunks[0].lines.len(), 2);
        assert_eq!(hunks[0].lines[0].text, "@@ -9 +9 @@");
    }

    #[test]
    fn whatever_comes_is_read_without_falling_over() {
        for patch in ["", "\n", "no hunk", "@@ -x +y @@\nz", "@@ -1 +1 @@", "@@ -1 +1 @@\né\n+é"] {
            let _ = hunks(patch);
        }
    }
}
