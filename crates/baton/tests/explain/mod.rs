//! `baton explain` and `baton docs` as people use them: the real binary on recorded items.

mod mistakes;
mod place;
mod screens;
mod shapes;
