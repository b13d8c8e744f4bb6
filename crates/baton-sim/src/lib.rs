//! The memory store, and the suites that hold every store to what it does.
//!
//! [`MemoryStore`] is the executable specification: plain maps, one lock, no I/O. [`conformance`] is one set of tests for
//! all stores; [`model`] runs random histories against them and checks what must always be true. [`world`] is a simulation
//! of the whole engine, on a paused clock.
//!
//! Deliberately absent: files, sockets, databases and clocks of machines. Time is moved by hand, or by the paused clock.

pub mod conformance;
mod hand_clock;
pub mod memory_store;
pub mod model;
pub mod world;

pub use hand_clock::HandClock;
pub use memory_store::MemoryStore;
