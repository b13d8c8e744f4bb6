//! Stage files: one YAML file for each stage of the pipeline, and the stages that are shipped for those who have none.
//!
//! The keys are a table, as the settings are, which the reader, the errors, `baton config show`, the reference page and
//! the schema for editors share. A directory of stage files replaces the shipped stages; nothing is merged.
//!
//! Deliberately absent: finding and opening files, and whether the stages make a sane pipeline, which is
//! [`crate::pipeline::sanity`].

mod clash;
pub mod defaults;
mod document;
mod draft;
mod go_duration;
pub mod prompts;
mod read;
mod schema;
pub mod table;
mod value;

pub use defaults::shipped;
pub use document::document;
pub use read::read_stages;
pub use schema::schema;

use super::resolve::Effective;
use crate::pipeline::Pipeline;

/// Stages that have been read.
#[derive(Debug, Clone)]
pub struct StageSet {
    /// The stages as the relay uses them.
    pub pipeline: Pipeline,
    /// The same as text with their sources, in the order of the pipeline.
    pub stages: Vec<EffectiveStage>,
    /// What is suspicious and no error.
    pub warnings: Vec<String>,
}

/// The keys of a stage with their sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveStage {
    /// Its name.
    pub name: String,
    /// Its file, as errors show it.
    pub path: String,
    /// Its keys in the order of their table. A prompt is there in full, with its lines.
    pub settings: Vec<Effective>,
}

impl StageSet {
    /// Returns a stage with its sources.
    pub fn stage(&self, name: &str) -> Option<&EffectiveStage> {
        self.stages.iter().find(|stage| stage.name == name)
    }
}
