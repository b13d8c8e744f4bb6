//! From a request to a reply: routing, authentication, limits, faults and GitHub's headers.
//!
//! [`dispatch`] is the only `async` part. It reads the body, runs one endpoint of the table ([`crate::api`]) where that
//! endpoint belongs (on a snapshot, in the writer's transaction, or on the blocking pool for git objects), and finishes
//! the answer.

pub(crate) mod access;
pub(crate) mod call;
pub(crate) mod dispatch;
pub(crate) mod error;
pub(crate) mod fields;
pub(crate) mod finish;
pub(crate) mod origin;
pub(crate) mod page;
pub(crate) mod rate;
pub(crate) mod reply;
pub(crate) mod route;
