//! Screens over the example relay, as people see them, at three sizes; and any size without a panic.

mod anywhere;
mod keys;
mod pictures;
mod stage;
