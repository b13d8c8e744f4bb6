//! Lines of a file's patch: which line of which side stands where, and how lines move from one version to the next.
//!
//! It reads the hunks of one file as `git diff` prints them, without the file's header. A position is the number of a
//! line in that text; the head of the first hunk is line zero.

/// The two sides of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "LEFT" => Some(Self::Left),
            "RIGHT" => Some(Self::Right),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Left => "LEFT",
            Self::Right => "RIGHT",
        }
    }
}

/// One line of a patch with its number on each side where it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    position: i64,
    old: Option<i64>,
    new: Option<i64>,
}

/// Reads `@@ -a,b +c,d @@`: where the hunk begins on each side, and how long it is there.
fn hunk_head(line: &str) -> Option<[(i64, i64); 2]> {
    let inner = line.strip_prefix("@@ -")?.split(" @@").next()?;
    let (old, new) = inner.split_once(" +")?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some([range(old)?, range(new)?])
}

fn lines(patch: &str) -> Vec<Line> {
    let (mut old, mut new) = (0, 0);
    let mut found = Vec::new();
    for (text, position) in patch.lines().zip(0_i64..) {
        if let Some([(old_start, _), (new_start, _)]) = hunk_head(text) {
            (old, new) = (old_start, new_start);
            continue;
        }
        let (has_old, has_new) = match text.as_bytes().first() {
            Some(b'+') => (false, true),
            Some(b'-') => (true, false),
            Some(b'\\') => continue,
            _ => (true, true),
        };
        found.push(Line { position, old: has_old.then_some(old), new: has_new.then_some(new) });
        old += i64::from(has_old);
        new += i64::from(has_new);
    }
    found
}

/// Returns where a line of one side stands in a patch, if it is part of it.
pub(crate) fn position_of(patch: &str, side: Side, line: i64) -> Option<i64> {
    let is_it = |candidate: &Line| match side {
        Side::Left => candidate.old == Some(line),
        Side::Right => candidate.new == Some(line),
    };
    lines(patch).into_iter().find(is_it).map(|line| line.position)
}

/// Returns which line stands at a position: the new file's where it has one.
pub(crate) fn line_at(patch: &str, position: i64) -> Option<(Side, i64)> {
    let line = lines(patch).into_iter().find(|line| line.position == position)?;
    line.new.map(|line| (Side::Right, line)).or(line.old.map(|line| (Side::Left, line)))
}

/// Returns the hunk around a position, from its head to that line.
pub(crate) fn hunk_to(patch: &str, position: i64) -> String {
    let end = usize::try_from(position).unwrap_or(0);
    let before: Vec<&str> = patch.lines().take(end + 1).collect();
    let head = before.iter().rposition(|line| hunk_head(line).is_some()).unwrap_or(0);
    before[head..].join("\n")
}

/// Returns where a line of the old version is in the new one, by the patch between them; nothing when it was changed.
pub(crate) fn moved(patch: &str, line: i64) -> Option<i64> {
    let mut shift = 0;
    for text in patch.lines() {
        let Some([(old_start, old_count), (new_start, new_count)]) = hunk_head(text) else { continue };
        // An empty side begins after the line that its head names.
        let (old_first, new_first) =
            (old_start + i64::from(old_count == 0), new_start + i64::from(new_count == 0));
        if line < old_first {
            break;
        }
        if line < old_first + old_count {
            let kept = lines(patch).into_iter().find(|candidate| candidate.old == Some(line))?;
            return kept.new;
        }
        shift = (new_first + new_count) - (old_first + old_count);
    }
    Some(line + shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "@@ -1,3 +1,4 @@\n one\n-two\n+zwei\n+drei\n three\n@@ -10,2 +11,2 @@ fn\n ten\n-eleven\n+elf\n\\ No newline at end of file";

    #[test]
    fn a_line_of_either_side_has_its_position() {
        for (side, line, expected) in [
            (Side::Right, 1, Some(1)),
            (Side::Left, 2, Some(2)),
            (Side::Right, 2, Some(3)),
            (Side::Right, 4, Some(5)),
            (Side::Right, 11, Some(7)),
            (Side::Left, 11, Some(8)),
            (Side::Right, 12, Some(9)),
            (Side::Right, 5, None),
            (Side::Left, 0, None),
        ] {
            assert_eq!(position_of(PATCH, side, line), expected, "{side:?} {line}");
        }
    }

    #[test]
    fn a_position_is_read_back_as_its_line() {
        assert_eq!(line_at(PATCH, 2), Some((Side::Left, 2)));
        assert_eq!(line_at(PATCH, 3), Some((Side::Right, 2)));
        assert_eq!(line_at(PATCH, 9), Some((Side::Right, 12)));
        for none in [0, 6, 10, 99, -1] {
            assert_eq!(line_at(PATCH, none), None, "{none}");
        }
    }

    #[test]
    fn a_hunk_ends_with_the_line_that_is_meant() {
        assert_eq!(hunk_to(PATCH, 3), "@@ -1,3 +1,4 @@\n one\n-two\n+zwei");
        assert_eq!(hunk_to(PATCH, 7), "@@ -10,2 +11,2 @@ fn\n ten");
    }

    #[test]
    fn a_line_moves_with_what_comes_before_it_and_is_lost_when_changed() {
        for (line, expected) in
            [(1, Some(1)), (2, None), (3, Some(4)), (5, Some(6)), (10, Some(11)), (11, None), (20, Some(21))]
        {
            assert_eq!(moved(PATCH, line), expected, "{line}");
        }
        assert_eq!(moved("@@ -3,0 +4,2 @@\n+a\n+b", 3), Some(3));
        assert_eq!(moved("@@ -3,0 +4,2 @@\n+a\n+b", 4), Some(6));
        assert_eq!(moved("@@ -1,2 +0,0 @@\n-a\n-b", 3), Some(1));
        assert_eq!(moved("", 7), Some(7));
    }
}
