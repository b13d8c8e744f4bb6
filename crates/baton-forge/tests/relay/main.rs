//! The relay's nouns on a running forge: pull requests, reviews, checks, boards, hooks and GraphQL, over real HTTP and
//! with real git.

#![expect(clippy::unwrap_used, reason = "a test program: it fails where it stands")]

mod boards;
mod boards_changes;
mod boards_rest;
mod graph;
mod world;
