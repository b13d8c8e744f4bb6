//! Boards (Projects v2): who may do what with them, and every change of them.
//!
//! REST and GraphQL both come here, so that rights, checks and news exist once. A change is a plain function on the
//! writer's transaction: it checks the caller's level, writes, moves the times that engines watch, and tells its news.
//!
//! Deliberately absent: views, workflows, status updates and iterations, which change nothing about where an item stands.

pub(crate) mod fields;
pub(crate) mod filter;
pub(crate) mod items;
pub(crate) mod projects;
pub(crate) mod rights;
pub(crate) mod values;
