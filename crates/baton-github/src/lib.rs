//! The GitHub adapter: a thin client of tower layers over reqwest, and the tracker port on top of it.
//!
//! One request travels through `authorize`, `conditional`, `retry`, `redirect`, `budget` and `meter` to the network,
//! each a layer of its own in `layers/`. A write that may have been carried out is never sent again unless its caller
//! said that twice is the same as once.
//!
//! What GitHub tells dearly over REST is asked in GraphQL, by the documents in `graphql/`; boards, of labels or of a project,
//! are in `board/`.
//!
//! Deliberately absent: decisions. It asks, waits as GitHub asks it to, and tells what came back. It reads neither the
//! environment nor files; tokens come in as [`Auth`].

#![expect(
    clippy::disallowed_methods,
    reason = "this crate owns the network, the pauses between attempts, and the process that prints a token"
)]

mod address;
mod auth;
mod board;
mod call;
mod client;
mod examination;
mod graphql;
mod layers;
mod links;
mod pace;
mod refusal;
mod rulesets;
mod secret;
mod settings;
mod tracker;
mod transport;
pub mod webhooks;
mod wire;
mod writers;

pub use auth::Auth;
pub use board::{GitHubBoard, LabelBoard, ProjectBoard};
pub use client::GitHub;
pub use examination::{Hook, RepositorySight, Viewer};
pub use graphql::{Document, graphql_documents};
pub use layers::budget::RateBudget;
pub use layers::meter::MeterRow;
pub use secret::Secret;
pub use settings::{DEFAULT_API_URL, MergeMethod, RetrySettings, Settings, SetupError};
pub use transport::install_tls_provider;
