//! The HTTP server: what GitHub's webhooks deliver goes into the store's inbox, and whoever asks hears whether all is well.
//!
//! A delivery is answered for when it is committed, and not before. What it means is read by whoever works the inbox off; here
//! it is only checked that it comes from whoever knows the secret, and that it is not too large.
//!
//! Deliberately absent: decisions, and a state of its own.

#![expect(
    clippy::disallowed_methods,
    reason = "this crate makes the keys that sessions and forms are signed with"
)]

mod access;
mod api;
mod body;
mod dashboard;
mod forge_pages;
mod health;
mod inbox;
mod live;
mod metrics;
mod pages;
mod refusal;
mod server;
mod webhooks;

pub use access::{Access, AccessError};
pub use api::openapi;
pub use body::BODY_BYTES_MAX;
pub use dashboard::Dashboard;
pub use forge_pages::ForgeDoor;
pub use pages::standalone_report;
pub use server::Server;
