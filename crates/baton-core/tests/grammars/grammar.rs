//! Every grammar of the crate: how it is read, what must hold of what was read, and texts to begin with.
//!
//! The tests and the benchmark share this list, which is why its parts are found by path.

#[path = "grammar/check.rs"]
mod check;
#[path = "grammar/corpus.rs"]
mod corpus;

/// A grammar.
#[derive(Clone, Copy)]
pub(crate) struct Grammar {
    pub(crate) name: &'static str,
    /// Reads a text and returns how much it found, so that no compiler leaves the reading out.
    pub(crate) read: fn(&str) -> usize,
    /// Reads a text and panics when something does not hold that must.
    pub(crate) check: fn(&str),
    /// Texts that mean something.
    pub(crate) corpus: &'static [&'static str],
    /// Beginnings after which the reader goes on to read; the empty one is among them.
    pub(crate) openings: &'static [&'static str],
    /// Pieces that mean something.
    pub(crate) tokens: &'static [&'static str],
}

/// Makes the list.
macro_rules! grammars {
    ($($constant:ident, $module:ident, $name:literal;)*) => {
        $(
            pub(crate) const $constant: Grammar = Grammar {
                name: $name,
                read: check::$module::read,
                check: check::$module::check,
                corpus: corpus::$constant,
                openings: corpus::openings::$constant,
                tokens: corpus::tokens::$constant,
            };
        )*

        /// All of them.
        pub(crate) const ALL: &[Grammar] = &[$($constant),*];
    };
}

grammars! {
    MARKERS, markers, "markers";
    CLAIMS, claims, "claims";
    CONFIG, config, "baton.yaml";
    FABRIK, fabrik, ".fabrik/config.yaml";
    STAGES, stages, "stage files";
    DOTENV, dotenv, ".env";
    DURATIONS, durations, "durations";
    CLOSING, closing, "closing keywords";
    ISSUE_REFS, issue_refs, "issue references";
    CLAUDE, claude, "lines of claude";
    CODEX, codex, "lines of codex";
    GEMINI, gemini, "lines of gemini";
    PLAIN, plain, "lines of a plain program";
}
