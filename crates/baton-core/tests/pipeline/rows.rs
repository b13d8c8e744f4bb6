//! A test for each row of the catalogue, in a file for each of its parts.

pub(crate) mod awaiting_ci;
pub(crate) mod awaiting_input;
pub(crate) mod awaiting_review;
pub(crate) mod ci_fix_reinvoke;
pub(crate) mod cleanup;
pub(crate) mod closed;
pub(crate) mod comment_turns;
pub(crate) mod comments;
pub(crate) mod decompose;
pub(crate) mod dependencies;
pub(crate) mod guards;
pub(crate) mod happy_path;
pub(crate) mod kills;
pub(crate) mod labels;
pub(crate) mod locks;
pub(crate) mod merge_conflicts;
pub(crate) mod merging;
pub(crate) mod pauses;
pub(crate) mod rebase_reinvoke;
pub(crate) mod retries;
pub(crate) mod review_gate;
pub(crate) mod review_reinvoke;
pub(crate) mod turn_limits;
pub(crate) mod unexpected;
