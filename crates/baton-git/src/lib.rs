//! What must be done through the git program: pushes that are bound to a claim.
//!
//! A [`FencedPush`] moves a branch and the claim ref in one atomic transaction, each from an explicit expected commit.
//! Whoever has lost its claim, and does not know it yet, is therefore refused by the server as a whole. Everything here is
//! synchronous: git is a process, and the caller has nothing else to do meanwhile.
//!
//! Deliberately absent: worktrees and mirrors, until agents need them; leases and their deadlines, which the caller
//! knows; configuration and the environment, which the binary reads.

#![expect(
    clippy::disallowed_methods,
    reason = "it owns git's processes, the threads that wait for them, and the clock that ends them"
)]

mod checkout;
mod error;
mod oid;
mod program;
mod push;
mod report;
mod token;

pub use checkout::Checkout;
pub use error::GitError;
pub use oid::{Oid, OidError};
pub use push::{BranchMove, FencedPush, Heartbeat, PushOutcome, UnfencedPush};
pub use token::{Token, http_origin};
