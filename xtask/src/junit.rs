//! What nextest has written about a run: how long each test took, and which passed only when tried again.
//!
//! nextest writes the file because `.config/nextest.toml` says so. This module reads it and words what people are
//! told; nothing here decides whether a run has passed.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use roxmltree::{Document, Node};

/// One test of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TestCase {
    /// The test program and the test, as nextest shows them.
    pub(crate) name: String,
    /// How long its last try took.
    pub(crate) seconds: f64,
    /// Whether it failed before it passed.
    pub(crate) is_flaky: bool,
}

/// Reads the report of a run.
pub(crate) fn parse(xml: &str) -> Result<Vec<TestCase>> {
    let document = Document::parse(xml).context("the report of nextest is not XML")?;
    document.descendants().filter(|node| node.has_tag_name("testcase")).map(test_case).collect()
}

fn test_case(node: Node<'_, '_>) -> Result<TestCase> {
    let attribute = |name: &str| {
        node.attribute(name).with_context(|| format!("a test in the report of nextest has no `{name}`"))
    };
    let seconds = attribute("time")?;
    Ok(TestCase {
        name: format!("{} {}", attribute("classname")?, attribute("name")?),
        seconds: seconds.parse().with_context(|| format!("{seconds:?} is not a number of seconds"))?,
        is_flaky: node.children().any(|child| child.has_tag_name("flakyFailure")),
    })
}

/// Lists the flaky tests by name, one on each line.
pub(crate) fn flaky(tests: &[TestCase]) -> String {
    let mut names: Vec<_> = tests.iter().filter(|test| test.is_flaky).map(|test| &*test.name).collect();
    names.sort_unstable();
    names.iter().fold(String::new(), |text, name| text + name + "\n")
}

/// Lists the tests that took longest, the slowest first.
pub(crate) fn slowest(tests: &[TestCase], count_max: usize) -> String {
    let mut tests: Vec<_> = tests.iter().collect();
    tests.sort_by(|left, right| right.seconds.total_cmp(&left.seconds));
    tests.iter().take(count_max).fold(String::new(), |mut text, test| {
        writeln!(text, "{:>8.1} s  {}", test.seconds, test.name).expect("a String takes everything");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from nextest 0.9.143 with one retry, then shortened, with half of the tests moved to a second program.
    const RECORDED: &str = include_str!("junit/recorded.xml");

    fn test(name: &str, seconds: f64, is_flaky: bool) -> TestCase {
        TestCase { name: name.to_owned(), seconds, is_flaky }
    }

    #[test]
    fn tests_are_read_with_their_times_and_second_tries() {
        let wanted = [
            test("sample tests::passes", 0.023, false),
            test("sample tests::passes_only_on_the_second_try", 0.015, true),
            test("sample::runner tests::takes_its_time", 0.311, false),
            test("sample::runner tests::fails", 0.229, false),
        ];
        assert_eq!(parse(RECORDED).unwrap(), wanted);
    }

    #[test]
    fn a_report_that_is_cut_off_or_lacks_something_is_refused() {
        let table = [
            ("<testsuites>", "the report of nextest is not XML"),
            ("<a><testcase classname='a' time='1'/></a>", "a test in the report of nextest has no `name`"),
            ("<a><testcase name='a' classname='a' time='soon'/></a>", "\"soon\" is not a number of seconds"),
        ];
        for (xml, wanted) in table {
            assert_eq!(parse(xml).unwrap_err().to_string(), wanted);
        }
    }

    #[test]
    fn flaky_tests_are_listed_by_name() {
        let tests = [test("b x", 1.0, true), test("c", 1.0, false), test("a y", 2.0, true)];
        assert_eq!(flaky(&tests), "a y\nb x\n");
        assert_eq!(flaky(&tests[1..2]), "");
    }

    #[test]
    fn the_slowest_tests_come_first_and_only_so_many() {
        let tests = [test("a", 0.04, false), test("b", 71.26, false), test("c", 9.0, true)];
        assert_eq!(slowest(&tests, 2), "    71.3 s  b\n     9.0 s  c\n");
        assert_eq!(slowest(&[], 2), "");
    }
}
