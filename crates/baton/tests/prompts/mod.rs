//! `baton prompts` as people use it: the real binary on real directories.

mod checking;
mod listing;
mod page;
mod showing;
mod writing;
