//! From what a stage file says to a value of the right kind.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use super::super::agents::{NAME_ALLOWED, is_agent_name};
use super::super::duration::{self, format_duration, parse_duration};
use super::super::table::Kind;
use super::super::value::{self, RawValue, Value};
use super::go_duration;
use super::table::KeyKind;

/// The longest name of a stage: trackers cut labels at 50 characters, and `stage:NAME:in_progress` is one.
pub(super) const NAME_LEN_MAX: usize = 32;

/// A value of the right kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StageValue {
    Text(String),
    Order(i64),
    Turns(u32),
    Time(Duration),
    Switch(bool),
    List(Vec<String>),
}

impl fmt::Display for StageValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Order(order) => write!(f, "{order}"),
            Self::Turns(turns) => write!(f, "{turns}"),
            Self::Time(time) => f.write_str(&format_duration(*time)),
            Self::Switch(switch) => write!(f, "{switch}"),
            // An empty list is something else than no list.
            Self::List(items) if items.is_empty() => f.write_str("[]"),
            Self::List(items) => f.write_str(&items.join(", ")),
        }
    }
}

/// Reads a value; an error says what is allowed.
pub(super) fn parse(kind: KeyKind, raw: &RawValue) -> Result<StageValue, String> {
    match (kind, raw) {
        (KeyKind::Tools | KeyKind::Reviewers, RawValue::List(items)) => list(kind, items),
        (KeyKind::Tools | KeyKind::Reviewers, _) | (_, RawValue::List(_) | RawValue::Mapping) => {
            Err(allowed(kind))
        }
        (_, RawValue::Text(text)) => scalar(kind, text).ok_or_else(|| allowed(kind)),
    }
}

fn scalar(kind: KeyKind, text: &str) -> Option<StageValue> {
    let trimmed = text.trim();
    let line = |is_allowed: bool| is_allowed.then(|| StageValue::Text(trimmed.to_owned()));
    match kind {
        KeyKind::Name => line(is_name(trimmed)),
        KeyKind::Order => trimmed.parse().ok().map(StageValue::Order),
        KeyKind::Prose => (!trimmed.is_empty()).then(|| StageValue::Text(text.trim_end().to_owned())),
        KeyKind::Line => line(!trimmed.is_empty() && !trimmed.contains(char::is_control)),
        KeyKind::Agent => line(is_agent_name(trimmed)),
        KeyKind::Turns => trimmed.parse().ok().map(StageValue::Turns),
        KeyKind::Time => {
            parse_duration(trimmed).or_else(|| go_duration::parse(trimmed)).map(StageValue::Time)
        }
        KeyKind::Switch => match value::parse(Kind::Switch, &RawValue::Text(text.to_owned())) {
            Ok(Value::Switch(switch)) => Some(StageValue::Switch(switch)),
            _ => None,
        },
        KeyKind::Choice(words) => line(words.contains(&trimmed)),
        KeyKind::Tools | KeyKind::Reviewers => None,
    }
}

/// A name is part of labels and of names of files.
fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| !c.is_control() && !matches!(c, '/' | '\\' | ',' | ':');
    let length = name.chars().count();
    (1..=NAME_LEN_MAX).contains(&length) && !name.starts_with('.') && name.chars().all(is_allowed)
}

fn list(kind: KeyKind, items: &[String]) -> Result<StageValue, String> {
    let items: Vec<String> = items.iter().map(|item| item.trim().to_owned()).collect();
    let is_allowed = match kind {
        KeyKind::Tools => !items.is_empty() && items.iter().all(|tool| is_tool(tool)),
        _ => items.iter().all(|handle| is_handle(handle)) && are_different(&items),
    };
    if is_allowed { Ok(StageValue::List(items)) } else { Err(allowed(kind)) }
}

fn is_tool(tool: &str) -> bool {
    !tool.is_empty() && !tool.contains(char::is_control)
}

/// A handle as it stands in an address: without the `@` of mentions and without the mark of bots.
fn is_handle(handle: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !handle.is_empty() && handle.chars().all(is_allowed)
}

/// Trackers do not tell handles apart by case.
fn are_different(handles: &[String]) -> bool {
    let different: BTreeSet<_> = handles.iter().map(|handle| handle.to_ascii_lowercase()).collect();
    different.len() == handles.len()
}

/// Says what a value of this kind may be.
pub(super) fn allowed(kind: KeyKind) -> String {
    match kind {
        KeyKind::Name => format!(
            "the name of a column: 1 to {NAME_LEN_MAX} characters on one line, without slashes, colons and commas, \
             and no dot first"
        ),
        KeyKind::Order => "a whole number, such as 3".to_owned(),
        KeyKind::Prose => "text; for several lines, `|` and the lines below it, indented".to_owned(),
        KeyKind::Line => "text on one line".to_owned(),
        KeyKind::Agent => NAME_ALLOWED.to_owned(),
        KeyKind::Tools => "a list of at least one tool, such as [Read, Grep]".to_owned(),
        KeyKind::Reviewers => {
            "a list of different bare handles, such as [review-helper], without `@` and `[bot]`; or []"
                .to_owned()
        }
        KeyKind::Turns => "a whole number from 0".to_owned(),
        KeyKind::Time => format!("{} or 1h30m0s", duration::ALLOWED),
        KeyKind::Switch => "true or false".to_owned(),
        KeyKind::Choice(words) => format!("one of {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: KeyKind, text: &str, expected: Option<&str>) {
        let shown = parse(kind, &RawValue::Text(text.to_owned())).map(|value| value.to_string());
        assert_eq!(shown.as_deref().ok(), expected, "{kind:?} {text:?}");
    }

    #[test]
    fn names_fit_into_labels_and_files() {
        for name in ["Plan", "In Review", "Überprüfen", "QA (2)", "a.b"] {
            check(KeyKind::Name, name, Some(name));
        }
        check(KeyKind::Name, &"x".repeat(32), Some(&"x".repeat(32)));
        for name in ["", " ", "a/b", "a:b", "..", ".x", "a\nb", "a,b", &"x".repeat(33)] {
            check(KeyKind::Name, name, None);
        }
    }

    #[test]
    fn numbers_and_times_have_their_ranges() {
        check(KeyKind::Order, "-1", Some("-1"));
        check(KeyKind::Order, "1.5", None);
        check(KeyKind::Turns, "0", Some("0"));
        for text in ["-1", "50 turns", "4294967296", ""] {
            check(KeyKind::Turns, text, None);
        }
        for (text, expected) in
            [("30m", "30min"), ("1h30m0s", "90min"), ("1.5h", "90min"), ("0s", "0s"), ("45", "45s")]
        {
            check(KeyKind::Time, text, Some(expected));
        }
        check(KeyKind::Time, "-1h", None);
        check(KeyKind::Time, "soon", None);
    }

    #[test]
    fn texts_keep_their_lines_only_where_lines_are_meant() {
        check(KeyKind::Prose, "  one\n two\n\n", Some("  one\n two"));
        check(KeyKind::Prose, " \n", None);
        check(KeyKind::Line, " fabrik-plan ", Some("fabrik-plan"));
        check(KeyKind::Line, "a\nb", None);
        check(KeyKind::Agent, "Coder 2", Some("Coder 2"));
        check(KeyKind::Agent, "a/b", None);
    }

    #[test]
    fn switches_and_choices_take_their_words() {
        check(KeyKind::Switch, "yes", Some("true"));
        check(KeyKind::Switch, "maybe", None);
        check(KeyKind::Choice(&["slack", "tracker"]), "tracker", Some("tracker"));
        check(KeyKind::Choice(&["slack", "tracker"]), "Tracker", None);
    }

    #[test]
    fn lists_are_lists_and_reviewers_are_bare_handles() {
        let read = |kind, items: &[&str]| {
            let items = items.iter().map(|item| (*item).to_owned()).collect();
            parse(kind, &RawValue::List(items)).map(|value| value.to_string()).ok()
        };
        assert_eq!(
            read(KeyKind::Tools, &["Read", "Bash(git log:*)"]).as_deref(),
            Some("Read, Bash(git log:*)")
        );
        assert_eq!(read(KeyKind::Tools, &[]), None);
        assert_eq!(read(KeyKind::Reviewers, &[]).as_deref(), Some("[]"));
        assert_eq!(read(KeyKind::Reviewers, &["ann", "copilot-x"]).as_deref(), Some("ann, copilot-x"));
        for bad in [&["@ann"][..], &["helper[bot]"], &["ann", "Ann"], &[""], &["a b"]] {
            assert_eq!(read(KeyKind::Reviewers, bad), None, "{bad:?}");
        }
        check(KeyKind::Reviewers, "ann", None);
    }
}
