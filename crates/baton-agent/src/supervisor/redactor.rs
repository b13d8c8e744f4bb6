//! Takes secrets out of lines.
//!
//! A line is looked at as a whole, so it does not matter in how many pieces it came. A secret of several lines is looked
//! for line by line, and each also in the form that it has inside a JSON string, because agents print JSON.

const MASK: &[u8] = b"***";

/// Shorter lines of a secret of several lines are punctuation, which would be masked everywhere.
const PART_BYTES_MIN: usize = 8;

/// The secrets that must not be seen.
#[derive(Debug, Default)]
pub(super) struct Redactor {
    /// The longest first, so that one that contains another is masked as a whole.
    forms: Vec<Vec<u8>>,
}

impl Redactor {
    pub(super) fn new(secrets: &[String]) -> Self {
        let mut forms: Vec<_> = secrets.iter().flat_map(|secret| parts(secret)).flat_map(forms).collect();
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self { forms }
    }

    /// Returns how many bytes at the end of a text that was cut off may be the beginning of a secret.
    pub(super) fn unsafe_tail(&self) -> usize {
        self.forms.first().map_or(0, |longest| longest.len() - 1)
    }

    /// Returns a line with a mask in place of every secret.
    pub(super) fn redact(&self, line: &[u8]) -> Vec<u8> {
        if self.forms.is_empty() {
            return line.to_vec();
        }
        let mut clean = Vec::with_capacity(line.len());
        let mut rest = line;
        while let Some((first, tail)) = rest.split_first() {
            if let Some(form) = self.forms.iter().find(|form| rest.starts_with(form)) {
                clean.extend_from_slice(MASK);
                rest = &rest[form.len()..];
            } else {
                clean.push(*first);
                rest = tail;
            }
        }
        clean
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
    let json = serde_json::to_string(part).unwrap_or_default();
    let inside = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default();
    let forms = [part, inside].into_iter().filter(|form| !form.is_empty());
    forms.map(|form| form.as_bytes().to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(secrets: &[&str], line: &str, expected: &str) {
        let secrets: Vec<_> = secrets.iter().map(|secret| (*secret).to_owned()).collect();
        let clean = Redactor::new(&secrets).redact(line.as_bytes());
        assert_eq!(String::from_utf8(clean).unwrap(), expected);
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
    }

    #[test]
    fn a_cut_text_may_end_in_all_but_one_byte_of_a_secret() {
        let redactor = Redactor::new(&["abc".to_owned(), "abcde".to_owned()]);
        assert_eq!((redactor.unsafe_tail(), Redactor::default().unsafe_tail()), (4, 0));
    }
}
