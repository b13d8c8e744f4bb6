//! The pipeline: how an issue moves from stage to stage until its pull request is merged, as pure functions.

pub mod markers;
pub mod sanity;
pub mod stage;

pub use stage::{Pipeline, Stage, StageKind};
