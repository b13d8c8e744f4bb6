//! `baton explain` and `baton docs` as people use them: the real binary on recorded items.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it writes files, starts the binary, and fails where it stands"
)]

mod mistakes;
mod place;
mod screens;
mod shapes;
