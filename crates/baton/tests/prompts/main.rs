//! `baton prompts` as people use it: the real binary on real directories.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it writes files, starts the binary, and fails where it stands"
)]

mod checking;
mod listing;
mod page;
mod place;
mod showing;
mod writing;
