//! Both databases, in one program: what every store must do, and what is special to databases.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it owns what it starts and touches, and fails where it stands"
)]

mod store;
mod suites;
