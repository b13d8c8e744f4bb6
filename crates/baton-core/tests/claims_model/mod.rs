//! The model check of the claim protocols: the machines of the product on a small tracker, in every order of events.
//!
//! The search is exhaustive within the bounds that each scenario names. What it assumes and what it found is in
//! `docs/claims-model.md`; `BATON_TEST_FULL=1` widens the bounds.

mod actor;
mod aftermath;
mod removals;
mod scenarios;
mod search;
mod server;
mod setup;
mod telling;
mod turn;
mod world;
