//! A private PostgreSQL for tests and benchmarks: started, used and removed by the process that needs it.
//!
//! A [`Cluster`] is a server of its own on a unix socket in a private temporary directory; nobody else reaches it, and
//! nothing stays of it. Most tests want only an empty database: [`shared`] makes one, on the server that `cargo xtask
//! test` started for all tests if there is one.
//!
//! Beside it, [`processes`] tells tests what still runs.
//!
//! Deliberately absent: a driver (administrative SQL goes through `psql`, so that this crate is the same for every
//! driver under test), schemas, and everything asynchronous. The product never depends on it.

#![expect(
    clippy::disallowed_methods,
    reason = "it owns the server's processes, their directory, and the clock that bounds waiting for them"
)]

mod account;
mod cluster;
mod error;
mod home;
mod postmaster;
pub mod processes;
mod programs;
mod server;
pub mod shared;

pub use cluster::{Cluster, ClusterBuilder};
pub use error::TestbedError;
pub use programs::Programs;
