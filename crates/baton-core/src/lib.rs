//! The relay's rules and text grammars, as pure functions over plain data.
//!
//! Everything that decides lives here; everything that touches the world lives elsewhere. This crate has no I/O, no
//! clock, no randomness and no `async`: time and identifiers come in as values. What it cannot do, it cannot get
//! wrong in production only.
//!
//! It holds the grammars that both sides of the tracker need: names of repositories ([`repo_slug`]), names of git refs
//! ([`ref_name`]), references to issues ([`issue_ref`]) and the words that close them ([`closing`]); the lines that coding
//! agents print ([`agent_lines`]); and the rules of claims ([`claim`]) and of the one slot of an issue ([`slot`]).

pub mod agent;
pub mod agent_lines;
pub mod board;
pub mod chain;
pub mod claim;
pub mod closing;
pub mod config;
pub mod course;
pub mod doctor;
pub mod issue_ref;
pub mod labels;
pub mod pacing;
pub mod pipeline;
pub mod prompt;
pub mod ref_name;
pub mod repo_slug;
pub mod script;
pub mod slot;
pub mod time;
pub mod tracker;
mod words;
pub mod workspace;

pub use issue_ref::IssueRef;
pub use repo_slug::RepoSlug;
