//! Both stores against real databases. What every store must do is in the conformance suite; here is what is special to
//! databases: schemas, indexes, locks, clocks, connections and nudges.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test program: it fails where it stands, and looks at the files that the store makes"
)]

mod locks;
mod migrations;
mod nudges;
mod reach;
mod refusals;
mod relay;
mod support;
