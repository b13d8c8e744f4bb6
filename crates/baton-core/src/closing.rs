//! The words that close an issue when a pull request is merged, and plain mentions of issues.
//!
//! GitHub knows nine closing keywords (`close`, `closes`, `closed`, `fix`, `fixes`, `fixed`, `resolve`, `resolves`,
//! `resolved`), in any case, optionally followed by a colon, then white space and one reference. Text inside code
//! spans and fences does not count: it is quoted, not said.

use crate::IssueRef;

const KEYWORDS: [&str; 9] =
    ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];

/// How much of a text is read, and how many references are taken from it: enough for anything that a person wrote.
const TEXT_BYTES_MAX: usize = 256 * 1024;
const REFERENCES_MAX: usize = 100;

/// Returns the issues that `text` closes, in the order of their first mention, each once.
pub fn closing_references(text: &str) -> Vec<IssueRef> {
    let prose = without_code(head_of(text));
    let mut found = Vec::new();
    let mut after_keyword = false;
    for word in prose.split_whitespace() {
        if after_keyword && let Some(reference) = reference_in(word) {
            push_once(&mut found, reference);
        }
        if found.len() >= REFERENCES_MAX {
            break;
        }
        after_keyword = is_keyword(word);
    }
    found
}

/// Returns every issue that `text` mentions, closing or not, in the order of their first mention, each once.
pub fn mentioned_issues(text: &str) -> Vec<IssueRef> {
    let prose = without_code(head_of(text));
    let mut found = Vec::new();
    for reference in prose.split_whitespace().filter_map(reference_in) {
        push_once(&mut found, reference);
        if found.len() >= REFERENCES_MAX {
            break;
        }
    }
    found
}

/// The part of a text that is read; a reference beyond it was not meant for people.
fn head_of(text: &str) -> &str {
    let end = (0..=text.len().min(TEXT_BYTES_MAX)).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

fn push_once(found: &mut Vec<IssueRef>, reference: IssueRef) {
    if !found.contains(&reference) {
        found.push(reference);
    }
}

fn is_keyword(word: &str) -> bool {
    let word = word.strip_suffix(':').unwrap_or(word);
    let word = word.trim_start_matches(['(', '[', '*', '_', '-', ',', '.']);
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// Reads a reference with the punctuation that prose puts around it.
fn reference_in(word: &str) -> Option<IssueRef> {
    let word = word.trim_start_matches(['(', '[', '*', '_', '"', '\'']);
    let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*', '_', '"', '\'']);
    word.parse().ok()
}

/// Blanks fenced blocks and inline code spans.
fn without_code(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let marker = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, marker) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => push_without_spans(&mut prose, line),
            _ => {}
        }
        prose.push('\n');
    }
    prose
}

fn push_without_spans(prose: &mut String, line: &str) {
    let pieces: Vec<&str> = line.split('`').collect();
    // An unmatched backtick opens nothing, so the last odd piece is prose again.
    let unmatched = pieces.len().is_multiple_of(2);
    for (at, piece) in pieces.iter().enumerate() {
        let is_last = at + 1 == pieces.len();
        prose.push_str(if at % 2 == 0 || (is_last && unmatched) { piece } else { " " });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = closing_references(text).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn all_nine_keywords_close_in_any_case() {
        for keyword in KEYWORDS {
            check(&format!("{keyword} #7"), &["#7"]);
            check(&format!("{}: #7", keyword.to_uppercase()), &["#7"]);
        }
    }

    #[test]
    fn several_references_anywhere_in_the_text_count_once_each() {
        check("Fixes #1, closes acme/api#2.\nand (resolves #1)", &["#1", "acme/api#2"]);
        check("closes https://github.com/acme/web/issues/9", &["acme/web#9"]);
    }

    #[test]
    fn a_mention_without_keyword_closes_nothing() {
        check("see #1", &[]);
        check("fixes the bug of #1", &[]);
        check("prefixes #1 and closest #2", &[]);
        check("closes #0 closes #x closes", &[]);
    }

    #[test]
    fn quoted_code_closes_nothing() {
        check("`fixes #1`", &[]);
        check("```\nfixes #1\n```\nfixes #2", &["#2"]);
        check("~~~\nfixes #1\n```\nfixes #3\n~~~", &[]);
        check("it`s fixes #4", &["#4"]);
    }

    #[test]
    fn mentions_include_what_closes_and_what_does_not() {
        let found: Vec<String> =
            mentioned_issues("fixes #1, see api#2 and `#3`").iter().map(ToString::to_string).collect();
        assert_eq!(found, ["#1", "api#2"]);
    }

    #[test]
    fn a_text_made_to_be_long_is_read_up_to_a_limit() {
        let many: String =
            (1..=50_000).map(|number| format!("fixes #{number} é")).collect::<Vec<_>>().join(" ");
        assert_eq!(closing_references(&many).len(), REFERENCES_MAX);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "\\PC*|[`~#a-z/ \n0-9:]{0,200}") {
            let closing = closing_references(&text);
            let mentioned = mentioned_issues(&text);
            prop_assert!(closing.iter().all(|reference| mentioned.contains(reference)));
            prop_assert!(mentioned.len() <= REFERENCES_MAX);
        }
    }
}
