//! The engine that reads templates: strict, without files, and with an end.
//!
//! A name that is not there is an error. There are few filters, so that none can undo a block or make a text grow without
//! bound. Templates may include the parts that are built in, and nothing else.

use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, filters, tests};

use super::block::Block;
use super::error::PromptError;
use super::variables;
use crate::config::PipelineDialect;
use crate::config::stages::prompts::in_dialect;

/// How many steps a template may take. The longest of ours, with all that it can show, takes a few thousand.
pub(super) const FUEL: u64 = 500_000;

/// The parts that templates may include.
pub(super) const PARTS: [(&str, &str); 6] = [
    ("head", include_str!("templates/parts/head.md")),
    ("notes", include_str!("templates/parts/notes.md")),
    ("issue", include_str!("templates/parts/issue.md")),
    ("discussion", include_str!("templates/parts/discussion.md")),
    ("workplace", include_str!("templates/parts/workplace.md")),
    ("end", include_str!("templates/parts/end.md")),
];

/// The filters, and what each does.
pub(super) const FILTERS: [(&str, &str); 6] = [
    ("data(label)", "the text as a block under another label"),
    ("default(other)", "the value, or the other one where there is none"),
    ("first", "the first of a list"),
    ("join(between)", "the members of a list, with something between them"),
    ("last", "the last of a list"),
    ("length", "how many members a list has"),
];

/// Returns the engine, with the parts in the words of a dialect.
pub(super) fn environment(dialect: PipelineDialect) -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    // Errors know the place of an expression only so.
    environment.set_debug(true);
    let mut syntax = minijinja::syntax::SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    environment.set_syntax(syntax.build().expect("the usual delimiters are allowed"));
    environment.add_filter("data", data);
    environment.add_filter("default", filters::default);
    environment.add_filter("first", filters::first);
    environment.add_filter("join", filters::join);
    environment.add_filter("last", filters::last);
    environment.add_filter("length", filters::length);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("none", tests::is_none);
    for (name, text) in PARTS {
        let added = environment.add_template_owned(name, in_dialect(text, dialect).into_owned());
        added.expect("the parts can be read as templates, which a test shows");
    }
    environment
}

/// Returns a text as a block under another label.
fn data(value: &Value, label: &str) -> Value {
    let block = value.downcast_object_ref::<Block>();
    let block = block.map_or_else(|| Block::new(label, &value.to_string()), |it| it.clone().labelled(label));
    block.into()
}

/// Returns what an error of the engine means to whoever wrote the template.
pub(super) fn explained(error: &Error, place: &str, text: &str) -> PromptError {
    let error = root(error);
    let (place, line) = (place_of(error, place), error.line().unwrap_or(1));
    let what = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    match error.kind() {
        ErrorKind::SyntaxError | ErrorKind::BadEscape => PromptError::Syntax { place, line, what },
        ErrorKind::OutOfFuel => PromptError::Endless { place, fuel: FUEL },
        ErrorKind::UndefinedError => undefined(error, place, line, text),
        ErrorKind::UnknownFilter => unknown(place, line, "filter", named(&what), filter_names()),
        ErrorKind::TemplateNotFound => {
            unknown(place, line, "part", named(&what), PARTS.iter().map(|part| part.0))
        }
        _ => PromptError::Failed { place, line, what },
    }
}

/// Returns the error that an included part failed with, if it was one.
fn root(error: &Error) -> &Error {
    let mut error = error;
    while let Some(cause) = std::error::Error::source(error).and_then(|cause| cause.downcast_ref()) {
        error = cause;
    }
    error
}

fn place_of(error: &Error, place: &str) -> String {
    let is_part = |name: &&str| PARTS.iter().any(|part| part.0 == *name);
    match error.name().filter(is_part) {
        Some(part) => format!("{place} (in the built-in part `{part}`)"),
        None => place.to_owned(),
    }
}

fn filter_names() -> impl Iterator<Item = &'static str> {
    FILTERS.iter().filter_map(|(name, _)| name.split('(').next())
}

/// Returns the name that a message is about: what it quotes, or its second word.
fn named(what: &str) -> String {
    let quoted = what.split(['"', '\'']).nth(1);
    quoted.or_else(|| what.split_whitespace().nth(1)).unwrap_or(what).to_owned()
}

fn unknown<'a>(
    place: String,
    line: usize,
    what: &'static str,
    name: String,
    known: impl Iterator<Item = &'a str>,
) -> PromptError {
    let nearest = crate::config::edit_distance::nearest(&name, known).map(str::to_owned);
    PromptError::UnknownName { place, line, what, name, nearest }
}

/// Something was not there: either nobody knows that name, or this issue lacks what it is part of.
fn undefined(error: &Error, place: String, line: usize, text: &str) -> PromptError {
    let source = error.template_source().unwrap_or(text);
    let name = error.range().and_then(|range| source.get(range)).unwrap_or("?");
    let name = name.split(['|', ' ']).next().unwrap_or(name).trim().to_owned();
    match (variables::is_known(&name), name.rsplit_once('.')) {
        (true, Some((owner, _))) => PromptError::Nothing { place, line, owner: owner.to_owned(), name },
        _ => variables::unknown(place, line, name),
    }
}
