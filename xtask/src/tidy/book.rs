//! The book lists every page: each Markdown file under docs/ is linked from docs/SUMMARY.md. No page links to what is outside
//! of docs/, because the book does not have it.
//!
//! That links lead somewhere is checked for all files alike. The order of the pages is for people to judge.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, links};

const SUMMARY: &str = "SUMMARY.md";

/// Checks the files under docs/, given by their path there with their texts.
pub(crate) fn check(files: &BTreeMap<&str, &str>) -> Vec<Finding> {
    let Some(summary) = files.get(SUMMARY) else {
        return vec![Finding::new("docs/SUMMARY.md", "does not exist; it must list the pages of the book")];
    };
    let listed: BTreeSet<_> = links::targets(summary).into_iter().collect();
    let pages = files.keys().filter(|name| name.ends_with(".md") && **name != SUMMARY);
    let unlisted = pages.filter(|name| !listed.contains(**name));
    let unlisted =
        unlisted.map(|name| Finding::new(format!("docs/{name}"), "is not listed in docs/SUMMARY.md"));
    unlisted.chain(files.iter().flat_map(|(name, text)| strays(name, text))).collect()
}

/// Lists the links of a page that leave the book.
fn strays(name: &str, text: &str) -> Vec<Finding> {
    let targets = if name.ends_with(".md") { links::targets(text) } else { Vec::new() };
    let leaves = |target: &String| target.starts_with('/') || links::resolve(name, target).is_none();
    let finding = |target: String| {
        Finding::new(
            format!("docs/{name}"),
            format!("links to `{target}`, which is no part of the book: name it without a link"),
        )
    };
    targets.into_iter().filter(leaves).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_files(files: &[(&str, &str)], wanted: &[&str]) {
        let found: Vec<_> = check(&files.iter().copied().collect()).iter().map(ToString::to_string).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn pages_that_are_listed_are_accepted_and_other_files_are_no_pages() {
        check_files(
            &[("SUMMARY.md", "- [a](a.md)\n  - [b](b/c.md)"), ("a.md", ""), ("b/c.md", ""), ("d.json", "")],
            &[],
        );
    }

    #[test]
    fn a_page_that_nobody_lists_is_refused() {
        let wanted = ["docs/b/c.md: is not listed in docs/SUMMARY.md"];
        check_files(&[("SUMMARY.md", "- [a](a.md)"), ("a.md", ""), ("b/c.md", "")], &wanted);
    }

    #[test]
    fn a_page_that_links_out_of_the_book_is_refused() {
        let summary = ("SUMMARY.md", "- [a](a.md)\n- [b](b/c.md)");
        check_files(
            &[summary, ("a.md", "[c](b/c.md) [web](https://example.org)"), ("b/c.md", "[a](../a.md)")],
            &[],
        );
        let wanted = |page: &str, target: &str| {
            format!("docs/{page}: links to `{target}`, which is no part of the book: name it without a link")
        };
        let (first, second) = (wanted("a.md", "/README.md"), wanted("b/c.md", "../../README.md"));
        let files = [summary, ("a.md", "[r](/README.md)"), ("b/c.md", "[r](../../README.md)")];
        check_files(&files, &[&first, &second]);
    }

    #[test]
    fn a_book_without_a_list_is_refused() {
        check_files(
            &[("a.md", "")],
            &["docs/SUMMARY.md: does not exist; it must list the pages of the book"],
        );
    }
}
