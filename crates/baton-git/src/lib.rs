//! What must be done through the git program: pushes that are bound to a claim, and places where agents work.
//!
//! A [`FencedPush`] moves a branch and the claim ref in one atomic transaction, each from an explicit expected commit.
//! Whoever has lost its claim, and does not know it yet, is therefore refused by the server as a whole. It is
//! synchronous: git is a process, and the caller has nothing else to do meanwhile. [`GitWorkspaces`] keeps a bare mirror of
//! each repository and a work tree for each issue; it is the port of an engine, and does its work on threads that may block.
//! [`MultiWorktree`] is one feature in several repositories.
//!
//! Deliberately absent: leases and their deadlines, which the caller knows; configuration and the environment, which the
//! binary reads.

#![expect(
    clippy::disallowed_methods,
    reason = "it owns git's processes, the threads that wait for them, the clock that ends them, mirrors and work trees"
)]

mod checkout;
mod error;
mod multi;
mod oid;
mod program;
mod push;
mod report;
mod token;
mod workspaces;

pub use checkout::Checkout;
pub use error::GitError;
pub use multi::{KeptWorktree, MultiWorktree};
pub use oid::{Oid, OidError};
pub use push::{BranchMove, FencedPush, Heartbeat, PushOutcome, UnfencedPush};
pub use token::{Token, http_origin};
pub use workspaces::{GitWorkspaces, WorkspaceSettings};
