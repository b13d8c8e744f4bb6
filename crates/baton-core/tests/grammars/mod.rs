//! The grammars, through their public doors: the lines of agents by examples, and all grammars by texts that were made
//! wrong, in ways that a seed repeats.
//!
//! The examples have the fields of what the programs print, and words of our own. Speed is no business of a test:
//! `cargo xtask bench grammars` looks after it, with the same list of grammars.

mod agent_lines;
mod fuzz;
mod grammar;
mod mutation;
mod recorded;
