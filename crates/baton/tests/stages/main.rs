//! Stage files as people use them: the real binary on real directories.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it writes files, starts the binary, and fails where it stands"
)]

mod checking;
mod fabrik;
mod place;
mod schema;
mod showing;
mod wrong_files;
