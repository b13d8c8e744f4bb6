//! What is kept of an agent's session between two runs.

use serde::{Deserialize, Serialize};

/// A session that a run may go on with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptSession {
    /// Its id.
    pub id: String,
    /// What it had cost when it was last heard of, in millionths of a US dollar.
    pub cost_micros: u64,
    /// Tokens that it had read by then.
    pub input_tokens: u64,
    /// Tokens that it had written by then.
    pub output_tokens: u64,
    /// How often in a row runs that went on with it failed.
    pub failed_resumes: u32,
}
