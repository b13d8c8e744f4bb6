//! What end-to-end tests and benchmarks stand on, in one place: the real binary as a forge, an environment to run it in,
//! engines, agents, git, a browser, and ways to wait.
//!
//! | fixture | what it is |
//! |---|---|
//! | [`TestForge`] | `baton forge serve` on a port of its own, with accounts, faults and a clock that moves |
//! | [`TestRepo`] | a repository of that forge: issues, labels, comments, pull requests, files |
//! | [`TestEnv`] | a directory, a home and an environment in which `baton` and other programs are run |
//! | [`TestEngine`] | an engine's process, and what it has printed |
//! | [`TestAgent`] | an agent under its supervisor, without an engine |
//! | [`TestDemo`], [`Browser`] | `baton demo` that stays, and Chromium in front of it |
//!
//! A fixture ends what it started when it is dropped. Ports are never fixed, nothing of the machine's own configuration
//! reaches a program, and waiting is for a condition, with a bound that a busy machine keeps.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "fixtures of tests: they own processes, files and clocks, and a test that cannot be set up has failed"
)]
#![expect(missing_docs, reason = "what a name says need not be said again")]

mod agent;
mod browser;
mod client;
pub mod clock;
mod dice;
mod engine;
mod env;
mod forge;
pub mod git;
mod output;
pub mod ports;
pub mod processes;
mod program;
mod proxy;
mod repo;
pub mod server;
pub mod wait;

pub use agent::TestAgent;
pub use browser::{Browser, TestDemo};
pub use client::{Answer, Client};
pub use dice::{Dice, seed};
pub use engine::TestEngine;
pub use env::TestEnv;
pub use forge::{TOKEN, TestForge};
pub use output::CommandOutput;
pub use program::{baton, contract_dir, is_full, repository_root};
pub use proxy::{Counts, Deed, Proxy, Seen, Side, Strike};
pub use repo::{TestRepo, texts};
pub use server::TestServer;
