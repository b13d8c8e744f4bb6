//! The GitHub adapter: a thin client of tower layers over reqwest, and the tracker port on top of it.
//!
//! Deliberately absent: decisions. It asks, waits as GitHub asks it to, and tells what came back.
