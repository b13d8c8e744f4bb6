//! What an agent reads when it starts: a template for each purpose, filled with what is known of the issue.
//!
//! What strangers can write (titles, texts, comments, differences, output of checks, names of branches) is material. It is
//! printed only as a [`block`]: fenced, labelled, cleaned and cut to a length, whatever a template does with it. It is never
//! read as a template. What users write into stage files and template files is configuration, and may use templates.
//!
//! Deliberately absent: reading files and writing them, and the instructions themselves, which are stages' and
//! [`crate::config::stages::prompts`].

pub mod block;
mod clean;
mod context_files;
pub mod document;
mod environment;
mod error;
pub mod example;
pub mod material;
mod outputs;
mod purpose;
mod render;
mod slug;
mod templates;
pub mod variables;
mod view;

pub use context_files::{ContextFile, context_directory, context_files};
pub use error::PromptError;
pub use material::Material;
pub use outputs::{is_words_of_stage, stage_outputs};
pub use purpose::Purpose;
pub use render::render;
pub use templates::Templates;

#[cfg(test)]
mod tests;
