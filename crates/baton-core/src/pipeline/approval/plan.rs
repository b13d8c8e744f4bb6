//! Which plan a question is about.

use sha2::{Digest as _, Sha256};

use super::super::item::Comment;
use super::super::names::Names;
use crate::prompt::is_words_of_stage;

/// How much of the digest is shown: nobody finds another text for it, and people can read it out.
const MARK_BYTES: usize = 8;

/// The plan of a stage, as it is on the tracker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What it is known by. Any change of the text makes another one.
    pub mark: String,
    /// The comment that it is in, if the stage said anything.
    pub comment: Option<u64>,
    /// What it says.
    pub text: String,
}

/// Returns the plan of a stage: the latest words of the stage. One that is written anew is another plan, even if it says the
/// same.
pub fn plan_of(comments: &[Comment], stage: &str, names: Names) -> Plan {
    let is_it = |comment: &&Comment| comment.is_own_account && is_words_of_stage(&comment.body, stage, names);
    let found = comments.iter().rfind(is_it);
    let text = found.map(|comment| comment.body.clone()).unwrap_or_default();
    let comment = found.map(|comment| comment.id);
    let mut digest = Sha256::new();
    digest.update(comment.unwrap_or_default().to_be_bytes());
    digest.update(normalised(&text));
    let mark = digest.finalize().iter().take(MARK_BYTES).map(|byte| format!("{byte:02x}")).collect();
    Plan { mark, comment, text }
}

/// Trackers may change the ends of lines, which changes no plan.
fn normalised(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_owned()
}
