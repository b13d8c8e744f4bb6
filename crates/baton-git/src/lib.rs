//! What must be done through the git program: pushes that are bound to a claim.
//!
//! Deliberately absent: worktrees and mirrors, until agents need them.
