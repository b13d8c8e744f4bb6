//! Which lines of a text are inside a fenced code block, as far as that must be known to leave quoted marks alone.
//!
//! A fence that is never closed counts as text. Otherwise one stray fence would hide our section for good, and another
//! would be added every time.

/// A line that opens a block.
struct Fence {
    kind: char,
    length: usize,
    /// Whether it is inside a list or a quotation, where its end may be indented, and ends with it.
    is_nested: bool,
}

/// Returns for each line whether it is inside a closed block, its fences included.
pub(super) fn fenced(lines: &[&str]) -> Vec<bool> {
    let mut is_fenced = vec![false; lines.len()];
    // The shortest fence of each kind that is known to have no end: longer ones have none either.
    let mut endless = [usize::MAX; 2];
    let mut at = 0;
    while at < lines.len() {
        let end = opening(lines[at]).and_then(|fence| {
            let known = &mut endless[usize::from(fence.kind == '~')];
            if !fence.is_nested && fence.length >= *known {
                return None;
            }
            let end = closing(&lines[at + 1..], &fence);
            if end.is_none() && !fence.is_nested {
                *known = fence.length;
            }
            end
        });
        let next = at + 1 + end.map_or(0, |after| after + 1);
        is_fenced[at..next].fill(end.is_some());
        at = next;
    }
    is_fenced
}

/// Reads a fence at the beginning of a line, behind what makes it part of a list or a quotation.
fn opening(line: &str) -> Option<Fence> {
    let (mut rest, mut is_nested) = (line, false);
    loop {
        let indented = rest.trim_start_matches([' ', '\t']);
        if !is_nested && indents(rest, indented) > 3 {
            return None;
        }
        let Some(inner) = inside(indented) else {
            rest = indented;
            break;
        };
        (rest, is_nested) = (inner, true);
    }
    let kind = rest.chars().next().filter(|kind| "`~".contains(*kind))?;
    let info = rest.trim_start_matches(kind);
    let length = rest.len() - info.len();
    let is_fence = length >= 3 && (kind == '~' || !info.contains('`'));
    is_fence.then_some(Fence { kind, length, is_nested })
}

fn indents(whole: &str, rest: &str) -> usize {
    let leading = &whole[..whole.len() - rest.len()];
    leading.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// Returns what follows the sign of a quotation or of an entry of a list.
fn inside(line: &str) -> Option<&str> {
    if let Some(quoted) = line.strip_prefix('>') {
        return Some(quoted);
    }
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let after_sign = match after_number.len() == line.len() {
        true => line.strip_prefix(['-', '*', '+']),
        false => after_number.strip_prefix(['.', ')']),
    };
    after_sign.filter(|rest| rest.starts_with([' ', '\t']))
}

/// Returns how many lines of the block come before the one that ends it.
fn closing(lines: &[&str], fence: &Fence) -> Option<usize> {
    for (at, line) in lines.iter().enumerate() {
        let inner = line.trim_start_matches([' ', '\t', '>']);
        let is_indented = inner.len() < line.len();
        let is_near = fence.is_nested || (indents(line, inner) <= 3 && !line.contains('>'));
        let after = inner.trim_start_matches(fence.kind);
        if is_near && inner.len() - after.len() >= fence.length && after.trim().is_empty() {
            return Some(at);
        }
        // The list or the quotation has ended, and the block with it.
        if fence.is_nested && !is_indented && !line.is_empty() {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a text in which the lines of blocks begin with a bar.
    fn check(marked: &[&str]) {
        let lines: Vec<&str> = marked.iter().map(|line| line.strip_prefix('|').unwrap_or(line)).collect();
        let expected: Vec<bool> = marked.iter().map(|line| line.starts_with('|')).collect();
        assert_eq!(fenced(&lines), expected, "{lines:#?}");
    }

    #[test]
    fn blocks_end_with_a_fence_of_their_own_kind_that_is_long_enough() {
        check(&["a", "|```", "|x", "|```", "b"]);
        check(&["|````md", "|```", "|x", "|```", "|````", "b"]);
        check(&["|~~~", "|```", "|~~~~ ", "b"]);
        check(&["|```rust", "|``` x", "|```", "b"]);
        check(&["|   ```", "|    ```", "|  ```", "b"]);
        check(&["``` `x`", "a", "    ```", "b"]);
    }

    #[test]
    fn a_block_without_an_end_is_text() {
        check(&["```", "a", "b"]);
        check(&["````", "|```", "|x", "|```"]);
        check(&["~~~", "|```", "|x", "|```", "````"]);
    }

    #[test]
    fn blocks_in_lists_and_quotations_end_there() {
        check(&["|1. ```", "|   x", "|   ```", "b", "|```", "|y", "|```"]);
        check(&["|> ```", "|> x", "|> ```", "b"]);
        check(&["- ```", "  x", "b", "|```", "|y", "|```"]);
        check(&["|- ```", "|  x", "|", "|  ```"]);
    }
}
