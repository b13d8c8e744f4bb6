//! Drivers: they perform what the rules of `baton-core` ask for, through the ports, and know nothing else. `chain` is
//! chains of pull requests, `claims` the drivers of claims on a tracker, `relay` the verbs over a store, `outbox` what
//! performs committed effects, `watchtower` what people see and `orders` what they may say.
//!
//! Deliberately absent: HTTP, files, processes, the environment and clocks. All of them come in through ports.

pub mod bell;
pub mod chain;
pub mod claims;
pub mod clerk;
pub mod engine;
pub mod leases;
pub mod leg;
pub mod marshal;
pub mod orders;
pub mod outbox;
pub mod relay;
pub mod spending;
pub mod watchtower;
pub mod worker;
