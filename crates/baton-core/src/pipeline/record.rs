//! A recorded look at an issue: everything that was known of it, and when. A decision can be told and repeated from it,
//! on another machine and long afterwards.
//!
//! Deliberately absent: opening files, and filling a record in from a tracker.

use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use super::item::{Item, Moment};
use crate::config::edit_distance::nearest;

/// A recorded look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// When it was.
    pub now: Moment,
    /// What was known.
    pub item: Item,
}

/// Why a text is no record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {what}")]
pub struct RecordError {
    /// Where, from 1.
    pub line: usize,
    /// Where in that line, from 1.
    pub column: usize,
    /// What is wrong there, and what could be written instead.
    pub what: String,
}

impl Record {
    /// Reads a record.
    pub fn read(text: &str) -> Result<Self, RecordError> {
        serde_json::from_str(text).map_err(|error| RecordError::of(&error))
    }

    /// Writes it as people like to read it.
    ///
    /// # Panics
    ///
    /// Never: every key of a record is a text.
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).expect("every key of a record is a text") + "\n"
    }
}

impl RecordError {
    fn of(error: &serde_json::Error) -> Self {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let told = error.to_string();
        let told = told.strip_suffix(&place).unwrap_or(&told);
        let what = match error.classify() {
            Category::Data => instead(told).unwrap_or_else(|| plain(told)),
            Category::Eof => format!("the JSON ends too early: {told}"),
            Category::Io | Category::Syntax => format!("this is no JSON: {told}"),
        };
        // An empty text has no first line.
        Self { line: error.line().max(1), column: error.column().max(1), what }
    }
}

/// Says what a number may be without the names of the language's types.
fn plain(told: &str) -> String {
    const PLAIN: [(&str, &str); 4] = [
        ("expected u64", "expected a whole number from 0"),
        ("expected u32", "expected a whole number from 0"),
        ("expected a sequence", "expected a list in brackets"),
        ("expected a map", "expected keys and values in braces"),
    ];
    if let Some(key) = told.strip_prefix("missing field ") {
        return format!("the key {key} is missing");
    }
    PLAIN.iter().fold(told.to_owned(), |told, (kind, plain)| told.replace(kind, plain))
}

/// Names the known key that was probably meant. The reader tells which keys it knows only in its message.
fn instead(told: &str) -> Option<String> {
    let rest = told.strip_prefix("unknown field `")?;
    let (unknown, known) = rest.split_once('`')?;
    let known = known.split('`').skip(1).step_by(2);
    let meant = nearest(unknown, known.clone());
    Some(match meant {
        Some(meant) => format!("there is no key `{unknown}` here; did you mean `{meant}`?"),
        None => {
            let known: Vec<_> = known.collect();
            format!("there is no key `{unknown}` here; the keys are {}", known.join(", "))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = r#"{
  "now": { "server": "2026-05-01T12:00:00Z", "store": 1777636800000 },
  "item": { "issue": "acme/web#42", "column": "Plan" }
}"#;

    fn record() -> Record {
        Record::read(LEAST).unwrap()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut record = record();
        assert_eq!(Record::read(&record.write()), Ok(record.clone()));
        let text = include_str!("../../../../docs/examples/items/awaiting-review.json");
        record = Record::read(text).unwrap();
        assert!(record.item.pull.is_some() && !record.item.comments.is_empty());
        assert_eq!(Record::read(&record.write()), Ok(record));
    }

    #[test]
    fn what_nobody_says_is_nothing() {
        let item = record().item;
        assert!(item.labels.is_empty() && item.pull.is_none() && !item.is_closed && !item.has_worktree);
    }

    /// Returns the place and the message for a record in which something was replaced.
    fn error(from: &str, to: &str) -> String {
        assert!(LEAST.contains(from), "{from}");
        Record::read(&LEAST.replace(from, to)).unwrap_err().to_string()
    }

    #[test]
    fn a_mistake_is_told_with_its_place_and_what_was_meant() {
        let table = [
            (LEAST, "", "1:1: the JSON ends too early: EOF while parsing a value"),
            (LEAST, "issue: 4", "1:1: this is no JSON: expected value"),
            ("Plan\" }\n}", "Plan\"", "3:52: the JSON ends too early: EOF while parsing an object"),
            ("\"column\"", "\"colum\"", "3:43: there is no key `colum` here; did you mean `column`?"),
            (", \"column\": \"Plan\"", "", "3:36: the key `column` is missing"),
            ("acme/web#42", "42", "3:25: "),
            (
                "2026-05-01T12:00:00Z",
                "noon",
                "2:27: `noon` is not a time: write it like 2026-05-01T19:42:33Z",
            ),
        ];
        for (from, to, expected) in table {
            let found = error(from, to);
            assert!(found.starts_with(expected), "{found:?} is not {expected:?}");
        }
    }

    #[test]
    fn a_key_that_is_like_no_other_is_answered_with_all_of_them() {
        let found = error("\"now\"", "\"moment of the look\"");
        assert_eq!(found, "2:22: there is no key `moment of the look` here; the keys are now, item");
    }

    #[test]
    fn words_and_numbers_are_held_to_what_they_may_be() {
        let pull = |with: &str| {
            let pull = format!(
                r#""Plan", "pull": {{ "number": 7, "state": "open", "head_sha": "a", "pushed_at": "2026-05-01T11:00:00Z", {with} }}"#
            );
            error("\"Plan\"", &pull)
        };
        let found = pull(r#""merge_state": "cleen""#);
        assert!(found.contains("`cleen` is not a merge state: write one of clean, unstable"), "{found}");
        let found = pull(r#""base_failures": [-1]"#);
        assert!(found.contains("invalid type: integer `-1`, expected a string"), "{found}");
        let found = error("\"Plan\"", r#""Plan", "usage": { "issue_runs": -1 }"#);
        assert!(found.contains("invalid value: integer `-1`, expected a whole number from 0"), "{found}");
    }
}
