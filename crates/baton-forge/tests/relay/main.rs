//! The relay's nouns on a running forge: pull requests, reviews, checks, boards, hooks and GraphQL, over real HTTP and
//! with real git.

#![expect(clippy::unwrap_used, reason = "a test program: it fails where it stands")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test program: it owns its clones, its processes and its patience"
)]

mod auto_merge;
mod checks;
mod ci;
mod graph;
mod merging;
mod protection;
mod world;
