//! The terminal board: the relay on a screen of characters, drawn over a [`Lookout`](baton_view::Lookout).
//!
//! [`app`] holds what is on the screen and decides what a key or an answer changes; [`draw`] turns it into characters.
//! Neither touches anything. [`run`](fn@run) is the thin shell around both: it reads keys, asks the lookout and paints.
//!
//! Deliberately absent: where the values come from (a lookout), and the command line.

#![expect(
    clippy::disallowed_methods,
    reason = "the crate that owns the terminal: its shell reads the clock to tell how old is what is shown"
)]

pub mod app;
pub mod draw;
mod run;
pub mod text;

pub use draw::once;
pub use run::{TuiError, look, run};

/// How the board is shown, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether colours may be used. Nothing is told by a colour alone.
    pub is_coloured: bool,
    /// Where the values come from, in words.
    pub source: String,
    /// In whose name orders are given.
    pub by: String,
}
