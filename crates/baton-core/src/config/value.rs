//! From what a source says to a value of the right kind.

use std::fmt;
use std::time::Duration;

use super::dollars::{self, format_micros, parse_micros};
use super::duration::{self, format_duration, parse_duration};
use super::store_address::{self, StoreAddress};
use super::table::Kind;
use super::typed::ProjectRef;
use crate::RepoSlug;
use crate::ref_name::is_full_ref_name;

/// What a source says: text, or a list of texts where the source has lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawValue {
    /// One text.
    Text(String),
    /// Several.
    List(Vec<String>),
    /// Keys with values, which no setting is.
    Mapping,
}

/// A value of the right kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Unset,
    /// A text.
    Text(String),
    /// A duration.
    Duration(Duration),
    /// A number.
    Count(u64),
    /// Yes or no.
    Switch(bool),
    /// Texts.
    List(Vec<String>),
    /// Where the store is; shown without its password.
    Store(StoreAddress),
    /// A program and its arguments.
    Command(Vec<String>),
    /// Millionths of a US dollar.
    Dollars(u64),
}

impl fmt::Display for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::List(items) => write!(f, "[{}]", items.join(", ")),
            Self::Mapping => f.write_str("{…}"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => Ok(()),
            Self::Text(text) => f.write_str(text),
            Self::Duration(duration) => f.write_str(&format_duration(*duration)),
            Self::Count(count) => write!(f, "{count}"),
            Self::Switch(switch) => write!(f, "{switch}"),
            Self::List(items) => f.write_str(&items.join(", ")),
            Self::Store(address) => write!(f, "{address}"),
            // With quotes, since an argument may hold commas and spaces.
            Self::Command(arguments) => write!(f, "{arguments:?}"),
            Self::Dollars(micros) => f.write_str(&format_micros(*micros)),
        }
    }
}

/// Reads a value; an error says what is allowed.
pub(super) fn parse(kind: Kind, raw: &RawValue) -> Result<Value, String> {
    match (kind, raw) {
        (Kind::List | Kind::Choices(_) | Kind::Variables | Kind::Repositories, _) => list(kind, raw),
        (Kind::Command, RawValue::List(arguments)) if is_command(arguments) => {
            Ok(Value::Command(arguments.clone()))
        }
        (Kind::Arguments, RawValue::List(arguments)) if !has_null(arguments) => {
            Ok(Value::Command(arguments.clone()))
        }
        (_, RawValue::Text(text)) => scalar(kind, text.trim()).ok_or_else(|| allowed(kind)),
        (_, RawValue::List(_) | RawValue::Mapping) => Err(allowed(kind)),
    }
}

fn scalar(kind: Kind, text: &str) -> Option<Value> {
    let owned = |is_allowed: bool| is_allowed.then(|| Value::Text(text.to_owned()));
    match kind {
        Kind::Text | Kind::Path => owned(!text.is_empty() && !text.contains(['\n', '\r', '\0'])),
        Kind::Address => address(text).map(Value::Text),
        Kind::RefPrefix => owned(text.ends_with('/') && is_full_ref_name(&format!("{text}1"))),
        Kind::Duration => parse_duration(text).map(Value::Duration),
        Kind::PositiveDuration => parse_duration(text).filter(|it| !it.is_zero()).map(Value::Duration),
        Kind::WholeSeconds => parse_duration(text).filter(|it| is_whole(*it)).map(Value::Duration),
        Kind::Count => text.parse().ok().filter(|count| *count > 0).map(Value::Count),
        Kind::CountFromZero => text.parse().ok().map(Value::Count),
        Kind::Switch => switch(text).map(Value::Switch),
        Kind::Choice(words) => owned(words.contains(&text)),
        Kind::Store => text.parse().ok().map(Value::Store),
        Kind::Dollars => parse_micros(text).filter(|micros| *micros > 0).map(Value::Dollars),
        Kind::Project => owned(text.parse::<ProjectRef>().is_ok()),
        Kind::List
        | Kind::Choices(_)
        | Kind::Variables
        | Kind::Repositories
        | Kind::Command
        | Kind::Arguments => None,
    }
}

/// In a variable, commas stand between the items; a list in a file may have them within its items.
fn list(kind: Kind, raw: &RawValue) -> Result<Value, String> {
    let items: Vec<String> = match raw {
        RawValue::Text(text) => text.split(',').map(|item| item.trim().to_owned()).collect(),
        RawValue::List(items) => items.iter().map(|item| item.trim().to_owned()).collect(),
        RawValue::Mapping => return Err(allowed(kind)),
    };
    let items: Vec<String> = items.into_iter().filter(|item| !item.is_empty()).collect();
    let is_allowed = |item: &String| match kind {
        Kind::Choices(words) => words.contains(&item.as_str()),
        Kind::Variables => is_variable(item),
        Kind::Repositories => item.parse::<RepoSlug>().is_ok(),
        _ => true,
    };
    if items.iter().all(is_allowed) { Ok(Value::List(items)) } else { Err(allowed(kind)) }
}

/// Arguments are taken to the letter; only what no program can be started with is refused.
fn is_command(arguments: &[String]) -> bool {
    let has_program = arguments.first().is_some_and(|program| !program.trim().is_empty());
    has_program && !has_null(arguments)
}

fn has_null(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| argument.contains('\0'))
}

fn is_variable(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_allowed)
}

/// Reads an address; the slash at its end is left out, since paths are appended.
fn address(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '?' | '#' | '@' | '\\');
    let host = rest.split('/').next().unwrap_or_default();
    (!host.is_empty() && rest.chars().all(is_plain)).then(|| text.trim_end_matches('/').to_owned())
}

fn is_whole(duration: Duration) -> bool {
    duration.subsec_nanos() == 0 && !duration.is_zero()
}

fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// Shows what a source says to people, without the secrets that a value of this kind may hold.
pub(super) fn shown(kind: Kind, raw: &RawValue) -> String {
    match (kind, raw) {
        (Kind::Store, RawValue::Text(text)) => store_address::hinted(text.trim()),
        (Kind::Store, _) => "{…}".to_owned(),
        (Kind::Variables, RawValue::Text(text)) => name_only(text),
        (Kind::Variables, RawValue::List(items)) => {
            RawValue::List(items.iter().map(|item| name_only(item)).collect()).to_string()
        }
        _ => raw.to_string(),
    }
}

/// Where only names belong, somebody may have written a secret with its name.
fn name_only(item: &str) -> String {
    item.split_once('=').map_or_else(|| item.to_owned(), |(name, _)| format!("{name}=***"))
}

/// Says what a value of this kind may be.
pub(super) fn allowed(kind: Kind) -> String {
    match kind {
        Kind::Text => "text on one line".to_owned(),
        Kind::Address => {
            "an address such as https://api.github.com, without a user, a query or a fragment".to_owned()
        }
        Kind::Path => "the path of a file or directory".to_owned(),
        Kind::RefPrefix => {
            "the beginning of ref names, such as refs/baton/claims/, with a slash at its end".to_owned()
        }
        Kind::Duration => duration::ALLOWED.to_owned(),
        Kind::PositiveDuration => format!("{}, longer than 0", duration::ALLOWED),
        Kind::WholeSeconds => format!("{}, in whole seconds and longer than 0", duration::ALLOWED),
        Kind::Count => "a whole number from 1".to_owned(),
        Kind::CountFromZero => "a whole number from 0".to_owned(),
        Kind::Switch => "true or false".to_owned(),
        Kind::Store => store_address::ALLOWED.to_owned(),
        Kind::Command => {
            "a list of the program and its arguments, such as [my-agent, --some-option]".to_owned()
        }
        Kind::Arguments => "a list of arguments, such as [--some-option, value]".to_owned(),
        Kind::Dollars => dollars::ALLOWED.to_owned(),
        Kind::Repositories => "a list of repositories such as [acme/web, acme/api]".to_owned(),
        Kind::Project => "OWNER/NUMBER, such as acme/3: a project of a person or an organization".to_owned(),
        Kind::Variables => "a list of names of variables, such as [PATH, HOME], without values".to_owned(),
        Kind::List => "a list of texts; in a variable, with commas between them".to_owned(),
        Kind::Choice(words) => format!("one of {}", words.join(", ")),
        Kind::Choices(words) => format!("a list of some of {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WORDS: &[&str] = &["ref", "comment"];

    #[track_caller]
    fn check(kind: Kind, text: &str, expected: Option<&str>) {
        let shown = parse(kind, &RawValue::Text(text.to_owned())).map(|value| value.to_string());
        assert_eq!(shown.as_deref().ok(), expected, "{kind:?} {text:?}");
    }

    #[test]
    fn texts_and_paths_are_not_empty_and_on_one_line() {
        check(Kind::Text, " gh auth token ", Some("gh auth token"));
        check(Kind::Path, ".baton/state", Some(".baton/state"));
        check(Kind::Text, " ", None);
        check(Kind::Path, "a\nb", None);
    }

    #[test]
    fn addresses_have_a_scheme_and_a_host_and_no_secrets() {
        check(Kind::Address, "https://api.github.com/", Some("https://api.github.com"));
        check(Kind::Address, "http://127.0.0.1:7070/api/v3", Some("http://127.0.0.1:7070/api/v3"));
        check(Kind::Address, "http://[::1]:7070", Some("http://[::1]:7070"));
        for text in
            ["", "api.github.com", "ftp://x", "https://", "https:///x", "https://a b", "https://me:pw@host"]
        {
            check(Kind::Address, text, None);
        }
    }

    #[test]
    fn ref_prefixes_begin_and_end_as_refs_do() {
        check(Kind::RefPrefix, "refs/baton/claims/", Some("refs/baton/claims/"));
        check(Kind::RefPrefix, "refs/heads/baton-claims/", Some("refs/heads/baton-claims/"));
        for text in ["refs/baton/claims", "baton/", "refs/../", "refs//", "/"] {
            check(Kind::RefPrefix, text, None);
        }
    }

    #[test]
    fn durations_that_go_on_the_wire_are_whole_seconds() {
        check(Kind::Duration, "500ms", Some("500ms"));
        check(Kind::Duration, "0", Some("0s"));
        check(Kind::WholeSeconds, "2m", Some("2min"));
        for text in ["500ms", "1500ms", "0", "-4h"] {
            check(Kind::WholeSeconds, text, None);
        }
        check(Kind::PositiveDuration, "500ms", Some("500ms"));
        check(Kind::PositiveDuration, "0", None);
    }

    #[test]
    fn switches_and_counts_and_choices_take_their_words() {
        for (text, expected) in [("true", "true"), ("Yes", "true"), ("0", "false"), ("off", "false")] {
            check(Kind::Switch, text, Some(expected));
        }
        check(Kind::Switch, "maybe", None);
        check(Kind::Count, "3", Some("3"));
        for text in ["0", "-1", "three", "3.0", ""] {
            check(Kind::Count, text, None);
        }
        check(Kind::CountFromZero, "0", Some("0"));
        check(Kind::CountFromZero, "-1", None);
        check(Kind::Choice(WORDS), "ref", Some("ref"));
        check(Kind::Choice(WORDS), "Ref", None);
    }

    #[test]
    fn lists_are_split_at_commas_only_where_the_source_has_no_lists() {
        check(Kind::List, "a, b,,c ", Some("a, b, c"));
        check(Kind::Choices(WORDS), "comment,ref", Some("comment, ref"));
        check(Kind::Choices(WORDS), "comment,raft", None);
        let items = RawValue::List(vec!["a, b".to_owned(), "c".to_owned()]);
        assert_eq!(parse(Kind::List, &items), Ok(Value::List(vec!["a, b".to_owned(), "c".to_owned()])));
        assert_eq!(parse(Kind::List, &RawValue::List(Vec::new())), Ok(Value::List(Vec::new())));
        assert!(parse(Kind::List, &RawValue::Mapping).is_err());
        assert!(parse(Kind::Text, &items).is_err());
    }

    #[test]
    fn a_store_is_shown_without_its_password() {
        check(Kind::Store, "sqlite:a.db", Some("sqlite:a.db"));
        check(Kind::Store, " postgres://me:pw@host/db ", Some("postgres://me:***@host/db"));
        check(Kind::Store, "baton.db", None);
        let bad = |raw: &RawValue| shown(Kind::Store, raw);
        assert_eq!(bad(&RawValue::Text("pg://me:pw@host".to_owned())), "pg:***");
        assert_eq!(bad(&RawValue::List(vec!["postgres://me:pw@host".to_owned()])), "{…}");
    }

    /// Those whose values are shown as they are.
    fn kinds() -> impl Strategy<Value = Kind> {
        prop::sample::select(vec![
            Kind::Text,
            Kind::Address,
            Kind::Path,
            Kind::RefPrefix,
            Kind::Duration,
            Kind::PositiveDuration,
            Kind::WholeSeconds,
            Kind::Count,
            Kind::CountFromZero,
            Kind::Switch,
            Kind::Dollars,
            Kind::Variables,
            Kind::List,
            Kind::Choice(WORDS),
            Kind::Choices(WORDS),
        ])
    }

    proptest! {
        #[test]
        fn a_value_that_is_shown_is_read_back_the_same(kind in kinds(), text in "[ -~]{0,20}") {
            if let Ok(value) = parse(kind, &RawValue::Text(text)) {
                let again = parse(kind, &RawValue::Text(value.to_string()));
                prop_assert_eq!(again, Ok(value));
            }
        }
    }
}
