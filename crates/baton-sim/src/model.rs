//! Random histories of several workers on a store, and what must be true of all of them.
//!
//! A history is a list of [`Op`]s. The world that lives through it has workers that crash, are cut off and come back,
//! agents that are alive for as long as their worker believes to have a lease, and a tracker that shows what was
//! performed. A history that breaks a rule is shrunk by proptest to a short one.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod check;
mod concurrent;
mod ops;
mod suite;
mod world;

pub use concurrent::live_at_once;
pub use ops::{History, Op, histories};
pub use suite::{Cases, Found, expect_all_to_hold, expect_one_to_break, sequentially};
pub use world::{Broken, Summary, live};
