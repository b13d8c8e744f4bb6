//! Code fences, as CommonMark has them.

/// The deepest indentation of a fence; what is further in is indented code already.
const INDENT_MAX: usize = 3;
const RUN_MIN: usize = 3;

/// A fence that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    run: usize,
}

impl Fence {
    /// Returns the fence that a line opens.
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        let (fence, info) = Self::at_start_of(line)?;
        // With a backtick further on, the line is prose with a code span.
        let is_span = fence.mark == '`' && info.contains('`');
        (!is_span).then_some(fence)
    }

    /// Returns whether a line closes this fence.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        Self::at_start_of(line).is_some_and(|(other, rest)| {
            other.mark == self.mark && other.run >= self.run && rest.trim().is_empty()
        })
    }

    fn at_start_of(line: &str) -> Option<(Self, &str)> {
        let text = line.trim_start_matches(' ');
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = text.trim_start_matches(mark);
        let run = text.len() - rest.len();
        let is_fence = line.len() - text.len() <= INDENT_MAX && run >= RUN_MIN;
        is_fence.then_some((Self { mark, run }, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_open_with_three_of_a_kind_and_little_indentation() {
        for line in ["```", "~~~", "   ````", "```rust", "``` rust ignore", "~~~ `a`", "~~~~~~~", "```\t"] {
            assert!(Fence::opened_by(line).is_some(), "{line:?}");
        }
        for line in ["", "``", "    ```", "``` a`b", "```a```", "~~", "x```", "\t```", "`~`"] {
            assert!(Fence::opened_by(line).is_none(), "{line:?}");
        }
    }

    #[test]
    fn a_fence_closes_with_as_many_of_its_own_and_nothing_more() {
        let open = Fence::opened_by("````rust").unwrap();
        for line in ["````", "``````", "  ````  ", "````\t"] {
            assert!(open.is_closed_by(line), "{line:?}");
        }
        for line in ["```", "~~~~", "````rust", "    ````", "", "text"] {
            assert!(!open.is_closed_by(line), "{line:?}");
        }
    }
}
