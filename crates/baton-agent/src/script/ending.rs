//! How a script ends.

/// How a script ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// After its last step.
    Success,
    /// With an error, in these words.
    Failed(String),
    /// At the limit of its turns.
    TurnLimit,
    /// Because the model cannot be reached.
    Api { status: Option<u16> },
    /// Because the account may not do more before this time, in seconds since 1970.
    Limit { resets_at: Option<u64> },
    /// Before it began, because the session is not known.
    SessionUnknown,
}
