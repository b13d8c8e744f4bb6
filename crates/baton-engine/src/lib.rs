//! Drivers: they perform what the rules of `baton-core` ask for, through the ports, and know nothing else. `chain` is
//! chains of pull requests, `claims` the drivers of claims on a tracker, `relay` the verbs over a store, `outbox` what
//! performs committed effects.
//!
//! Deliberately absent: HTTP, files, processes, the environment and clocks. All of them come in through ports.

pub mod chain;
pub mod claims;
pub mod leg;
pub mod outbox;
pub mod relay;
pub mod worker;
