//! A simulated tracker: a server with state, and clients that reach it over a bad network.
//!
//! Refs change by compare and swap exactly as on GitHub. Reads may lag, except that of a ref's tip; requests take time, fail
//! before or after they took effect, and are refused for a while when there were too many.

mod calls;
mod client;
mod hub;
mod later;
pub(crate) mod people_side;
mod reads;
pub(crate) mod state;
mod writes;

pub use client::SimTracker;
pub use hub::Hub;
pub use later::CheckLuck;
