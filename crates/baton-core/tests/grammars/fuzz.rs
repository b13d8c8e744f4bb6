//! One grammar, given texts that were made wrong. A reader that panics, or breaks what must hold, is told with the text and
//! the command that makes it again.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::grammars::grammar::{self, Grammar};
use crate::grammars::mutation::{self, Dice};

const CASES: usize = 10_000;
const CASES_FULL: usize = 200_000;
/// The seed of a run that was given none.
const SEED: u64 = 1;

/// Makes a test for each grammar, under its own name.
macro_rules! fuzzed {
    ($($test:ident, $grammar:ident;)*) => {
        $(
            #[test]
            fn $test() {
                run(&grammar::$grammar, concat!("fuzz::", stringify!($test)));
            }
        )*

        const FUZZED: &[Grammar] = &[$(grammar::$grammar),*];
    };
}

fuzzed! {
    no_text_breaks_the_markers, MARKERS;
    no_text_breaks_the_claims, CLAIMS;
    no_text_breaks_the_configuration, CONFIG;
    no_text_breaks_the_configuration_of_fabrik, FABRIK;
    no_text_breaks_the_stage_files, STAGES;
    no_text_breaks_the_variables, DOTENV;
    no_text_breaks_the_durations, DURATIONS;
    no_text_breaks_the_closing_keywords, CLOSING;
    no_text_breaks_the_references, ISSUE_REFS;
    no_text_breaks_the_lines_of_claude, CLAUDE;
    no_text_breaks_the_lines_of_codex, CODEX;
    no_text_breaks_the_lines_of_gemini, GEMINI;
    no_text_breaks_the_lines_of_plain_programs, PLAIN;
}

#[test]
fn every_grammar_has_its_test() {
    let names = |grammars: &[Grammar]| grammars.iter().map(|grammar| grammar.name).collect::<Vec<_>>();
    assert_eq!(names(FUZZED), names(grammar::ALL));
}

#[test]
fn texts_that_mean_something_are_read_as_such() {
    for grammar in grammar::ALL {
        assert!(grammar.corpus.iter().any(|text| (grammar.read)(text) > 0), "{}", grammar.name);
    }
}

/// Reads many texts; `test` is its name.
fn run(grammar: &Grammar, test: &str) {
    let seed = env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(SEED);
    let is_full = env::var_os("BATON_TEST_FULL").is_some();
    let full = if is_full { "--full " } else { "" };
    // It comes first, because a reader that runs out of stack ends the whole program.
    println!("repeat it with `PROPTEST_RNG_SEED={seed} cargo xtask test {full}{test}`");
    grammar.corpus.iter().for_each(|text| (grammar.check)(text));
    let texts = [grammar.corpus, grammar.openings].concat();
    let mut dice = Dice::new(seed);
    for case in 0..if is_full { CASES_FULL } else { CASES } {
        let text = mutation::text(&mut dice, &texts, grammar.tokens);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (grammar.check)(&text))) {
            println!("{}, case {case}: {text:?}", grammar.name);
            resume_unwind(panic);
        }
    }
}

#[test]
fn a_reader_that_fails_is_noticed() {
    let strict = |text: &str| assert!(!text.contains("]]"), "two at once");
    let grammar = Grammar {
        name: "strict",
        read: str::len,
        check: strict,
        corpus: &["a]b"],
        openings: &[""],
        tokens: &["]"],
    };
    let outcome = catch_unwind(|| run(&grammar, "strict"));
    assert!(outcome.is_err(), "no text had two at once");
}
