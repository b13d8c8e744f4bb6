//! Takes secrets out of what is kept or posted.
//!
//! A secret contains no end of line here: one of several lines is looked for line by line. So a text may be looked at in
//! pieces that end where a line ends. Each line of a secret is also looked for in the forms that it takes on the way: inside
//! a JSON string, because agents print JSON, and inside another one; in base64, wherever in the encoded text it begins; and
//! with percent signs, as in addresses.

use std::borrow::Cow;
use std::fmt;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

const MASK: &[u8] = b"***";

/// Shorter lines of a secret of several lines are punctuation, which would be masked everywhere.
const PART_BYTES_MIN: usize = 8;

/// Fewer characters of base64 could be anything.
const BASE64_CHARS_MIN: usize = 8;

/// What addresses leave as it is.
const UNRESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The secrets that must not be seen.
#[derive(Clone, Default)]
pub struct Redactor {
    search: Option<AhoCorasick>,
    longest: usize,
}

impl Redactor {
    /// Takes these values out, in all of their forms.
    pub fn new(secrets: &[String]) -> Self {
        let mut forms: Vec<_> = secrets.iter().flat_map(|secret| parts(secret)).flat_map(forms).collect();
        forms.sort();
        forms.dedup();
        let longest = forms.iter().map(Vec::len).max().unwrap_or(0);
        // What could not be searched for must not be let through. It takes gigabytes of secrets to come to that.
        let search = (longest > 0).then(|| {
            let builder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms);
            builder.expect("secrets are short enough to be searched for")
        });
        Self { search, longest }
    }

    /// Returns how many bytes at the end of a text that was cut off may be the beginning of a secret.
    pub(crate) fn unsafe_tail(&self) -> usize {
        self.longest.saturating_sub(1)
    }

    /// Returns bytes with a mask in place of every secret. They must not end within a line that goes on.
    pub fn redact<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(search) = &self.search else { return Cow::Borrowed(bytes) };
        let mut found = search.find_iter(bytes).peekable();
        if found.peek().is_none() {
            return Cow::Borrowed(bytes);
        }
        let (mut clean, mut from) = (Vec::with_capacity(bytes.len()), 0);
        for secret in found {
            clean.extend_from_slice(&bytes[from..secret.start()]);
            clean.extend_from_slice(MASK);
            from = secret.end();
        }
        clean.extend_from_slice(&bytes[from..]);
        Cow::Owned(clean)
    }

    /// Returns a text with a mask in place of every secret.
    pub fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redact(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(clean) => Cow::Owned(String::from_utf8_lossy(&clean).into_owned()),
        }
    }
}

/// Secrets are not shown, not even by mistake.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forms = self.search.as_ref().map_or(0, AhoCorasick::patterns_len);
        f.debug_struct("Redactor").field("forms", &forms).finish()
    }
}

fn parts(secret: &str) -> Vec<&str> {
    let lines: Vec<_> = secret.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines[..] {
        [_] => lines,
        _ => lines.into_iter().filter(|line| line.len() >= PART_BYTES_MIN).collect(),
    }
}

fn forms(part: &str) -> Vec<Vec<u8>> {
    let json = inside_json(part);
    let twice = inside_json(&json);
    let mut forms = vec![part.to_owned(), json, twice];
    for kept in [&UNRESERVED, NON_ALPHANUMERIC] {
        let encoded = utf8_percent_encode(part, kept).to_string();
        forms.push(with_small_digits(&encoded));
        forms.push(encoded);
    }
    forms.extend((0..3).flat_map(|offset| in_base64(part, offset)));
    forms.retain(|form| !form.is_empty());
    forms.into_iter().map(String::into_bytes).collect()
}

fn inside_json(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap_or_default();
    json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default().to_owned()
}

/// Returns a text with percent signs as others write it: the digits after them are hexadecimal, in either case.
fn with_small_digits(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let mut small = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at(part.len().min(2));
        small.extend(["%", &digits.to_lowercase(), rest]);
    }
    small
}

/// Returns the characters that a text makes in base64 when so many bytes come before it in its group of three, without
/// those that depend on what is around it. So `name:secret` is found whatever the name.
fn in_base64(part: &str, offset: usize) -> Vec<String> {
    let bytes = [&[0; 2][..offset], part.as_bytes()].concat();
    let (from, to) = ((offset * 8).div_ceil(6), bytes.len() * 8 / 6);
    let certain = |engine: &GeneralPurpose| engine.encode(&bytes).get(from..to).map(str::to_owned);
    let forms = [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD].into_iter().filter_map(certain);
    forms.filter(|form| form.len() >= BASE64_CHARS_MIN).collect()
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn redactor(secrets: &[&str]) -> Redactor {
        let secrets: Vec<_> = secrets.iter().map(|secret| (*secret).to_owned()).collect();
        Redactor::new(&secrets)
    }

    #[track_caller]
    fn check(secrets: &[&str], line: &str, expected: &str) {
        assert_eq!(redactor(secrets).redact_text(line), expected);
    }

    #[test]
    fn secrets_are_masked_wherever_they_are() {
        check(&["hunter2"], "hunter2 and xhunter2y, hunter", "*** and x***y, hunter");
        check(&["a", "b"], "abc", "******c");
        check(&[], "hunter2", "hunter2");
    }

    #[test]
    fn a_secret_that_contains_another_is_masked_as_a_whole() {
        check(&["key", "key-long"], "key-long key", "*** ***");
    }

    #[test]
    fn what_is_empty_masks_nothing() {
        check(&["", "\n", "  "], "a b", "a b");
    }

    #[test]
    fn the_end_of_line_after_a_secret_is_no_part_of_it() {
        check(&["hunter2\n"], "hunter2.", "***.");
    }

    #[test]
    fn a_secret_of_several_lines_is_masked_line_by_line() {
        check(&["{\n\"key\": \"abcdefgh\"\n}"], "{ \"key\": \"abcdefgh\" }", "{ *** }");
        check(
            &["{\n\"key\": \"abcdefgh\"\n}"],
            r#"{"text":"{\n\"key\": \"abcdefgh\"\n}"}"#,
            r#"{"text":"{\n***\n}"}"#,
        );
    }

    #[test]
    fn a_secret_inside_a_json_string_is_masked() {
        check(&[r#"pa"ss\word"#], r#"{"text":"pa\"ss\\word"}"#, r#"{"text":"***"}"#);
        check(&[r#""quoted""#], r#"["\"quoted\""]"#, r#"["***"]"#);
        check(&[r#"pa"ss"#], r#"{"text":"{\"text\":\"pa\\\"ss\"}"}"#, r#"{"text":"{\"text\":\"***\"}"}"#);
    }

    #[test]
    fn a_secret_in_base64_is_masked_whatever_is_before_and_after_it() {
        let redactor = redactor(&["ghs_16C7e42F292c6912E7"]);
        for before in ["", "x-access-token:", "a", "ab", "user:"] {
            for after in ["", "\n", "xy"] {
                let encoded = STANDARD.encode(format!("{before}ghs_16C7e42F292c6912E7{after}"));
                let line = format!("Authorization: Basic {encoded}");
                let clean = redactor.redact_text(&line);
                assert!(clean.contains("***"), "{clean}");
                let left = clean.trim_start_matches("Authorization: Basic ").len();
                let most = STANDARD.encode(before).len() + STANDARD.encode(after).len() + 8;
                assert!(left <= most, "{clean}");
            }
        }
        check(&["\u{3ff}\u{3ff}\u{3ff}\u{3ff}"], "z7_Pv8-_z78", "***8");
    }

    #[test]
    fn a_secret_with_percent_signs_is_masked() {
        check(
            &["P@ss/w-rd"],
            "https://u:P%40ss%2Fw-rd@h P%40ss%2fw-rd P%40ss%2Fw%2Drd",
            "https://u:***@h *** ***",
        );
    }

    #[test]
    fn the_same_letters_in_another_case_are_no_secret() {
        check(&["Release"], "release Release", "release ***");
    }

    #[test]
    fn a_text_without_secrets_is_not_copied() {
        assert!(matches!(redactor(&["hunter2"]).redact(b"nothing\nhere\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn secrets_are_not_shown_by_debug() {
        let shown = format!("{:?}", redactor(&["hunter2"]));
        assert!(!shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn a_cut_text_may_end_in_all_but_one_byte_of_a_secret() {
        assert_eq!((redactor(&["abc", "abcde"]).unsafe_tail(), Redactor::default().unsafe_tail()), (4, 0));
    }
}
