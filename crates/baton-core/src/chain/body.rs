//! Our section in other people's words: it is put in, replaced and repaired, and nothing else changes by a byte.

use super::Section;
use super::fences::fenced;
use super::section::{BEGIN, END, is_ours};

/// Returns a body with this section in it.
///
/// * What is between the first mark that begins the feature's section and the mark that ends it is replaced.
/// * Without an end, only the lines that are ours are replaced, and the end is put back.
/// * Without a beginning, the section is added at the end.
/// * Marks in a fenced block, or that do not stand alone at the beginning of a line, are words like any others.
pub fn with_section(body: &str, section: &Section) -> String {
    let newline = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let text = section.text(newline);
    match Lines::of(body).section(&section.begin()) {
        Some((from, to)) => [&body[..from], &text, &body[to..]].concat(),
        None => [body, gap(body, newline).as_str(), &text].concat(),
    }
}

/// What goes between people's words and a new section: an empty line.
fn gap(body: &str, newline: &str) -> String {
    let words = body.trim_end_matches(['\r', '\n']);
    let ends = body[words.len()..].matches('\n').count();
    match words.is_empty() {
        true => String::new(),
        false => newline.repeat(2_usize.saturating_sub(ends)),
    }
}

/// A body taken apart into lines.
struct Lines<'a> {
    /// Where each begins and ends, without what ends the line.
    spans: Vec<(usize, usize)>,
    /// Each without spaces at its end.
    texts: Vec<&'a str>,
    is_fenced: Vec<bool>,
}

impl<'a> Lines<'a> {
    fn of(body: &'a str) -> Self {
        let (mut spans, mut texts, mut from) = (Vec::new(), Vec::new(), 0);
        for line in body.split_inclusive('\n') {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let bare = bare.strip_suffix('\r').unwrap_or(bare);
            spans.push((from, from + bare.len()));
            texts.push(bare.trim_end());
            from += line.len();
        }
        let is_fenced = fenced(&texts);
        Self { spans, texts, is_fenced }
    }

    /// Returns where the section is, marks included.
    fn section(&self, begin: &str) -> Option<(usize, usize)> {
        let first = self.find(0, |text| text == begin)?;
        let is_mark = |text: &str| text == END || (text.starts_with(BEGIN) && text.ends_with(" -->"));
        // Another section's beginning comes before its end, so ours has none.
        let end = self.find(first + 1, is_mark).filter(|at| self.texts[*at] == END);
        let last = end.unwrap_or_else(|| self.last_of_ours(first));
        Some((self.spans[first].0, self.spans[last].1))
    }

    fn find(&self, from: usize, is_it: impl Fn(&str) -> bool) -> Option<usize> {
        (from..self.texts.len()).find(|at| !self.is_fenced[*at] && is_it(self.texts[*at]))
    }

    /// Returns the last line that follows the beginning and is ours, empty lines in between included.
    fn last_of_ours(&self, first: usize) -> usize {
        let following = (first + 1..self.texts.len()).take_while(|at| {
            let text = self.texts[*at];
            !self.is_fenced[*at] && (text.is_empty() || is_ours(text))
        });
        following.filter(|at| !self.texts[*at].is_empty()).last().unwrap_or(first)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chain::section::tests::chain;
    use crate::chain::{PartStatus, section_for};

    const MARK: &str = "<!-- baton:chain:begin login -->";

    fn section() -> Section {
        Section { feature: "login".parse().unwrap(), lines: vec!["1. ☐ new".into()] }
    }

    fn ours(newline: &str) -> String {
        section().text(newline)
    }

    #[track_caller]
    fn check(body: &str, expected: &str) {
        assert_eq!(with_section(body, &section()), expected);
        assert_eq!(with_section(expected, &section()), expected, "doing it twice is the same as once");
    }

    #[test]
    fn a_section_is_added_after_an_empty_line() {
        let ours = ours("\n");
        check("", &ours);
        check("Why.", &format!("Why.\n\n{ours}"));
        check("Why.\n", &format!("Why.\n\n{ours}"));
        check("Why.\n\n\n", &format!("Why.\n\n\n{ours}"));
        check("\n", &format!("\n{ours}"));
    }

    #[test]
    fn the_first_section_of_the_feature_is_replaced_and_nothing_else() {
        let ours = ours("\n");
        check(&format!("Why.\n{MARK}\nold\n\nwords\n{END}\nMore. "), &format!("Why.\n{ours}\nMore. "));
        check(&format!("{MARK}\n{END}"), &ours);
        check(&format!("{MARK}  \nold\n{END}\t\n"), &format!("{ours}\t\n").replace('\t', ""));
        let other = "<!-- baton:chain:begin other -->\n1. ☐ x\n<!-- baton:chain:end -->";
        check(&format!("{other}\n{MARK}\nold\n{END}\n"), &format!("{other}\n{ours}\n"));
        let copy = format!("{MARK}\nsecond\n{END}");
        check(&format!("{MARK}\nold\n{END}\n{copy}"), &format!("{ours}\n{copy}"));
    }

    #[test]
    fn a_missing_end_is_put_back_without_eating_words() {
        let ours = ours("\n");
        check(&format!("a\n{MARK}\n1. ✅ old\n\n2. ☐ old\n\nMine.\n"), &format!("a\n{ours}\n\nMine.\n"));
        check(&format!("{MARK}\nMine.\n{MARK}\nx"), &format!("{ours}\nMine.\n{MARK}\nx"));
        check(MARK, &ours);
        let other = "<!-- baton:chain:begin other -->\nx\n<!-- baton:chain:end -->";
        check(&format!("{MARK}\n1. ☐ old\nMine.\n{other}"), &format!("{ours}\nMine.\n{other}"));
        let quoted = "Mine.\n```\n<!-- baton:chain:end -->\n```\n";
        check(&format!("{MARK}\n1. ☐ old\n{quoted}"), &format!("{ours}\n{quoted}"));
    }

    #[test]
    fn marks_that_people_quote_are_words() {
        let ours = ours("\n");
        for body in [
            format!("```\n{MARK}\nold\n{END}\n```"),
            format!("~~~~md\n{MARK}\n~~~\n{END}\n~~~~"),
            format!("    {MARK}\n    {END}"),
            format!("> {MARK}\n> {END}"),
            format!("`{MARK}`"),
            format!("see {MARK}"),
            END.to_owned(),
        ] {
            check(&body, &format!("{body}\n\n{ours}"));
            let after = format!("{MARK}\nold\n{END}\n\n{body}");
            check(&after, &format!("{ours}\n\n{body}"));
        }
    }

    #[test]
    fn a_body_keeps_its_way_of_ending_lines() {
        let (lf, crlf) = (ours("\n"), ours("\r\n"));
        check("Why.\r\nMore.", &format!("Why.\r\nMore.\r\n\r\n{crlf}"));
        check(&format!("Why.\r\n{MARK}\r\nold\r\n{END}\r\nMore."), &format!("Why.\r\n{crlf}\r\nMore."));
        check(&format!("Why.\n{MARK}\nold\n{END}\n"), &format!("Why.\n{lf}\n"));
    }

    #[test]
    fn a_fence_that_is_never_closed_does_not_multiply_sections() {
        let ours = ours("\n");
        check("```\ncode", &format!("```\ncode\n\n{ours}"));
        check(&format!("```\ncode\n\n{MARK}\nold\n{END}"), &format!("```\ncode\n\n{ours}"));
    }

    fn word() -> impl Strategy<Value = String> {
        let known = [
            "",
            " ",
            "words",
            "é ☐ 1.",
            "```",
            "````",
            "~~~",
            "``` `",
            "- ```",
            "  ```",
            "> ```",
            "```rust",
            "1. x",
            "`<!-- baton:chain:begin login -->`",
            "    <!-- baton:chain:begin login -->",
            "<!-- baton:chain:end --> x",
        ];
        prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => "[ -~é]{0,12}"]
    }

    /// Words without fences: one before a section and another after it would quote it, which is then words as well.
    fn calm_word() -> impl Strategy<Value = String> {
        word().prop_map(
            |word| if word.contains("``") || word.contains("~~~") { "calm".to_owned() } else { word },
        )
    }

    fn line() -> impl Strategy<Value = String> {
        let marks =
            [MARK, END, "<!-- baton:chain:begin other -->", "1. ✅ [a/b#1](x)", "**Pull requests of `x`**"];
        prop_oneof![3 => word(), 2 => prop::sample::select(marks.to_vec()).prop_map(str::to_owned)]
    }

    fn body(line: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
        let ends = prop::sample::select(vec!["\n", "\r\n"]);
        (prop::collection::vec(line, 0..14), ends, any::<bool>()).prop_map(|(lines, end, is_ended)| {
            let text = lines.join(end);
            if is_ended { text + end } else { text }
        })
    }

    /// Returns whether all of `words` is in `text`, in order, possibly with more in between.
    fn is_kept(words: &str, text: &str) -> bool {
        let mut left = text.chars();
        words.chars().all(|wanted| left.any(|c| c == wanted))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn any_body_settles_at_once_whatever_was_in_the_section_before(body in body(line())) {
            let first = with_section(&body, &section());
            prop_assert_eq!(&with_section(&first, &section()), &first);
            let mut chain = chain(&["a/b", "a/c"]);
            chain.parts[0].status = PartStatus::Open { number: 1, url: "http://x.example/1".into() };
            let later = section_for(&chain, 0);
            prop_assert_eq!(with_section(&first, &later), with_section(&body, &later));
        }

        #[test]
        fn words_around_a_section_are_kept_byte_for_byte(before in body(calm_word()), after in body(word())) {
            let newline = if before.contains("\r\n") || after.contains("\r\n") { "\r\n" } else { "\n" };
            let old = Section { lines: vec!["old".into()], ..section() };
            let whole = format!("{before}{newline}{}{newline}{after}", old.text(newline));
            let expected = format!("{before}{newline}{}{newline}{after}", section().text(newline));
            prop_assert_eq!(with_section(&whole, &section()), expected);
        }

        #[test]
        fn without_marks_nothing_is_lost(body in body(word())) {
            let with = with_section(&body, &section());
            prop_assert!(with.starts_with(&body));
            prop_assert!(with.ends_with(END));
        }

        #[test]
        fn a_lost_end_costs_no_word(before in body(word()), after in body(word())) {
            let newline = if before.contains("\r\n") || after.contains("\r\n") { "\r\n" } else { "\n" };
            let old = section().text(newline);
            let cut = old.strip_suffix(END).unwrap();
            let with = with_section(&format!("{before}{newline}{cut}{after}"), &section());
            prop_assert!(is_kept(&before, &with));
            prop_assert!(with.ends_with(&after) || is_kept(&after, &with), "{with:?}");
        }
    }
}
