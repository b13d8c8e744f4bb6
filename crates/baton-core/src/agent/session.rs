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

/// How often in a row going on with a session may fail before a new one is begun.
const FAILED_RESUMES_MAX: u32 = 2;

impl KeptSession {
    /// Returns the session after a run went on with it; nothing when it has failed too often.
    pub fn after_resume(mut self, is_fine: bool) -> Option<Self> {
        self.failed_resumes = if is_fine { 0 } else { self.failed_resumes.saturating_add(1) };
        (self.failed_resumes < FAILED_RESUMES_MAX).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_given_up_when_going_on_with_it_failed_twice_in_a_row() {
        let kept = KeptSession { id: "s".to_owned(), ..KeptSession::default() };
        let once = kept.after_resume(false).unwrap();
        let fine = once.clone().after_resume(true).unwrap();
        assert_eq!((once.failed_resumes, fine.failed_resumes), (1, 0));
        assert!(fine.after_resume(false).is_some() && once.after_resume(false).is_none());
    }
}
