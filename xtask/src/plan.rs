//! The calls of cargo that make up a test run, as plain data.
//!
//! What runs under which option can therefore be tested without running it. This module knows nothing about single
//! tests; nextest selects and runs them.

/// One call of cargo.
#[derive(Debug, PartialEq)]
pub(crate) struct Planned {
    pub(crate) name: &'static str,
    pub(crate) arguments: Vec<String>,
    /// What a person can do when it fails.
    pub(crate) remedy: String,
    pub(crate) kind: Kind,
}

/// What is special about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is done soon, or says much by itself.
    Plain,
    /// It compiles, and is silent for long where there is no terminal.
    Compiling,
    /// It runs the tests, beside a PostgreSQL of its own and only if they compile.
    Tests,
}

/// The step that compiles the tests.
pub(crate) const TEST_BUILD: &str = "test build";

pub(crate) fn fmt() -> Planned {
    planned("fmt", &["fmt", "--all", "--check"], Kind::Plain, "run `cargo fmt --all`")
}

/// Lints some packages: arguments of cargo that name them.
pub(crate) fn clippy(packages: &[&str]) -> Planned {
    let words = [&["clippy"], packages, &["--all-targets", "--", "-D", "warnings"]].concat();
    planned("clippy", &words, Kind::Compiling, "an exception needs #[expect] with a reason")
}

pub(crate) fn deny() -> Planned {
    let words = ["deny", "--offline", "check", "bans", "licenses", "sources"];
    planned("deny", &words, Kind::Plain, "deny.toml has the rules and their reasons")
}

pub(crate) fn advisories() -> Planned {
    planned("advisories", &["deny", "check", "advisories"], Kind::Plain, "update the crate it names")
}

/// Compiles the tests of some packages, so that the time this takes is not taken for that of the tests.
pub(crate) fn test_build(packages: &[&str]) -> Planned {
    let words = [&["nextest", "run", "--no-run"], packages].concat();
    planned(TEST_BUILD, &words, Kind::Compiling, "the tests do not compile")
}

/// Runs the tests that these arguments of nextest select.
pub(crate) fn tests(selection: &[&str], remedy: &str) -> Planned {
    planned("nextest", &[&["nextest", "run"], selection].concat(), Kind::Tests, remedy)
}

pub(crate) fn doc_tests() -> Planned {
    let words = ["test", "--doc", "--workspace"];
    planned("doc tests", &words, Kind::Compiling, "repair the example it names")
}

fn planned(name: &'static str, words: &[&str], kind: Kind, remedy: &str) -> Planned {
    let arguments = words.iter().map(ToString::to_string).collect();
    Planned { name, arguments, remedy: remedy.to_owned(), kind }
}
