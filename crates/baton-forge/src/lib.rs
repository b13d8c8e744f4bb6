//! An embedded GitHub-compatible forge: issues, pull requests, reviews, checks, boards, webhooks and git in one process.
//!
//! It serves GitHub's REST paths, its GraphQL and git's smart HTTP protocol from one SQLite file and one directory of bare
//! repositories, on TCP and on a unix socket. People without GitHub run it as their tracker; tests, benchmarks and the
//! demo run it because it is real: a server that independent clients cannot tell from GitHub in the flows it covers
//! (docs/forge-coverage.md lists them, each checked against GitHub's published description).
//!
//! Three rules shape the crate:
//! * **Endpoints are plain functions in one table** ([`api`]). They take a [`http::call::Call`] and a database, and give
//!   back a reply; sockets, threads and `async` stay in the shell ([`server`], [`http::dispatch`]).
//! * **SQLite is the record, and there is one writer.** Every write runs in the writer's transaction and is rendered
//!   there; nothing is acknowledged before its commit ([`db`]).
//! * **Git decides about refs.** A ref changes only by compare and swap in the bare repository; the table of refs
//!   follows it, so that lagging reads can be simulated for refs too ([`git`]).
//!
//! Deliberately absent: anything about agents, claims or pipelines. The forge knows only what GitHub knows.

#![expect(
    clippy::disallowed_methods,
    reason = "a server: it owns its data directory, its listeners, git's processes and its own clock"
)]

pub mod admin;
mod api;
mod boards;
mod ci;
mod clock;
mod db;
mod git;
mod glob;
mod graphql;
mod hooks;
mod http;
mod knobs;
mod merging;
mod meter;
mod news;
mod protection;
mod record;
mod server;
mod sync;
mod wire;

pub use api::{EndpointInfo, endpoints};
pub use ci::CiRule;
pub use clock::ClockSetting;
pub use db::OpenError;
pub use graphql::graphql_schema;
pub use knobs::{Fault, FaultKind, FaultMatch, FaultWhen, Knobs, KnobsPatch, Span, WebhookKnobs};
pub use meter::MeterRow;
pub use server::{Forge, ForgeConfig, ForgeHandle, StartError};
