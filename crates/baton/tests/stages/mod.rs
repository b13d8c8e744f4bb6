//! Stage files as people use them: the real binary on real directories.

mod checking;
mod fabrik;
mod place;
mod schema;
mod showing;
mod wrong_files;
