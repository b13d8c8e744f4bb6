//! Webhooks: what is told to other programs, in GitHub's words.
//!
//! News become payloads and deliveries in the transaction of the change that they tell of ([`publish`], [`payload`]); the
//! courier sends what is pending, after the commit and after a crash ([`courier`]). A change that is rolled back tells
//! nothing, and one that is kept is told even if the forge dies before it could.

mod chance;
pub(crate) mod courier;
pub(crate) mod events;
mod letter;
mod payload;
pub(crate) mod post;
pub(crate) mod publish;
