//! The decisions in docs/decisions/ are numbered without gaps, and the list in its README names each.
//!
//! What a decision says, and in which form, is for people to judge.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, links};

const DIRECTORY: &str = "docs/decisions/";
const LIST: &str = "README.md";

/// Checks the files of the directory, given by name with their texts.
pub(crate) fn check(files: &BTreeMap<&str, &str>) -> Vec<Finding> {
    let names: Vec<_> = files.keys().copied().filter(|name| *name != LIST).collect();
    let Some(list) = files.get(LIST) else {
        return vec![Finding::new(
            format!("{DIRECTORY}{LIST}"),
            "does not exist; it must list the decisions",
        )];
    };
    let mut findings = misnamed(&names);
    findings.extend(misnumbered(&names));
    findings.extend(unlisted(&names, &links::targets(list)));
    findings
}

fn misnamed(names: &[&str]) -> Vec<Finding> {
    let bad = names.iter().filter(|name| number(name).is_none());
    bad.map(|name| finding(name, "must be named NNNN-title.md, in lower case with dashes")).collect()
}

/// Reads the number of a well-named decision.
fn number(name: &str) -> Option<usize> {
    let (number, title) = name.strip_suffix(".md")?.split_once('-')?;
    let is_number = number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit());
    let in_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_title = title.split('-').all(|word| !word.is_empty() && word.bytes().all(in_word));
    (is_number && is_title).then(|| number.parse().ok()).flatten()
}

/// The names come sorted, so each must continue from the one before.
fn misnumbered(names: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut expected = 1;
    for (name, number) in names.iter().filter_map(|name| Some((name, number(name)?))) {
        if number + 1 == expected && number > 0 {
            findings.push(finding(name, format!("has the number {number:04} of another decision")));
        } else if number != expected {
            findings.push(finding(name, format!("leaves a gap; the next number is {expected:04}")));
        }
        expected = number + 1;
    }
    findings
}

fn unlisted(names: &[&str], linked: &[String]) -> Vec<Finding> {
    let linked: BTreeSet<_> = linked.iter().map(|target| target.trim_start_matches("./")).collect();
    let unlisted = names.iter().filter(|name| !linked.contains(**name));
    unlisted.map(|name| finding(name, format!("is not linked from {DIRECTORY}{LIST}"))).collect()
}

fn finding(name: &str, problem: impl Into<String>) -> Finding {
    Finding::new(format!("{DIRECTORY}{name}"), problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_names(names: &[&str], wanted: &[&str]) {
        let list: String = names.iter().map(|name| format!("- [x]({name})\n")).collect();
        check_listed(names, &list, wanted);
    }

    #[track_caller]
    fn check_listed(names: &[&str], list: &str, wanted: &[&str]) {
        let files = names.iter().map(|name| (*name, "")).chain([(LIST, list)]).collect();
        let found: Vec<_> = check(&files).iter().map(ToString::to_string).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn decisions_in_order_are_accepted() {
        check_names(&[], &[]);
        check_names(&["0001-first.md", "0002-one-loop-2.md"], &[]);
    }

    #[test]
    fn a_name_of_another_form_is_refused() {
        for name in
            ["1-first.md", "0001-First.md", "0001-.md", "0001.md", "0001-a.txt", "a/0001-a.md", "00001-a.md"]
        {
            let wanted =
                format!("docs/decisions/{name}: must be named NNNN-title.md, in lower case with dashes");
            check_names(&[name], &[&wanted]);
        }
    }

    #[test]
    fn a_number_used_twice_is_refused() {
        check_names(
            &["0001-a.md", "0001-b.md", "0002-c.md"],
            &["docs/decisions/0001-b.md: has the number 0001 of another decision"],
        );
    }

    #[test]
    fn a_gap_is_refused_once() {
        let wanted = ["docs/decisions/0003-c.md: leaves a gap; the next number is 0002"];
        check_names(&["0001-a.md", "0003-c.md", "0004-d.md"], &wanted);
        check_names(&["0000-a.md"], &["docs/decisions/0000-a.md: leaves a gap; the next number is 0001"]);
    }

    #[test]
    fn a_decision_nobody_links_to_is_refused() {
        let wanted = ["docs/decisions/0002-b.md: is not linked from docs/decisions/README.md"];
        check_listed(&["0001-a.md", "0002-b.md"], "[a](./0001-a.md) `0002-b.md`", &wanted);
    }

    #[test]
    fn a_directory_without_a_list_is_refused() {
        let wanted = "docs/decisions/README.md: does not exist; it must list the decisions";
        assert_eq!(check(&BTreeMap::new())[0].to_string(), wanted);
    }
}
