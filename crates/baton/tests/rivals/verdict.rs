//! How an attempt to claim ended, and the one line of JSON in which processes tell each other.

use serde_json::{Value, json};

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The claimant believes that it alone holds the issue.
    Won,
    /// Somebody else was found to be first.
    Lost,
    /// The first read forbade to try.
    Refused,
    /// Something failed, and the claimant did not take that for a win.
    Error,
}

impl Outcome {
    const ALL: [Self; 4] = [Self::Won, Self::Lost, Self::Refused, Self::Error];

    fn name(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Lost => "lost",
            Self::Refused => "refused",
            Self::Error => "error",
        }
    }
}

/// What a claimant says at the end. Times are milliseconds since 1970, so that processes of one machine can compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    /// Whom it lost to, or why it was refused or failed.
    pub(crate) lost_to: Option<String>,
    /// Requests sent until it was decided; tidying up afterwards is not counted.
    pub(crate) calls_to_decision: u32,
    pub(crate) started_ms: u64,
    /// When the first read had been answered.
    pub(crate) first_read_ms: Option<u64>,
    /// When the write on which the protocol decides had been acknowledged.
    pub(crate) decisive_write_ms: Option<u64>,
    pub(crate) decided_ms: u64,
}

impl Verdict {
    /// Returns the verdict of somebody who could not even ask.
    pub(crate) fn error(now_ms: u64, why: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Error,
            lost_to: Some(why.into()),
            calls_to_decision: 0,
            started_ms: now_ms,
            first_read_ms: None,
            decisive_write_ms: None,
            decided_ms: now_ms,
        }
    }

    /// When the first read or write had been answered: from here on it acts on what it knew before.
    pub(crate) fn past_first_step_ms(&self) -> Option<u64> {
        self.first_read_ms.into_iter().chain(self.decisive_write_ms).min()
    }

    pub(crate) fn won(&self) -> bool {
        self.outcome == Outcome::Won
    }

    /// Returns how long it took.
    pub(crate) fn took_ms(&self) -> u64 {
        self.decided_ms.saturating_sub(self.started_ms)
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "outcome": self.outcome.name(),
            "to": self.lost_to,
            "calls": self.calls_to_decision,
            "started_ms": self.started_ms,
            "first_read_ms": self.first_read_ms,
            "decisive_write_ms": self.decisive_write_ms,
            "decided_ms": self.decided_ms,
        })
    }

    /// Reads a verdict; `started_ms` is for those who do not say when they began.
    pub(crate) fn from_json(value: &Value, started_ms: u64) -> Option<Self> {
        let outcome = value["outcome"].as_str()?;
        Some(Self {
            outcome: Outcome::ALL.into_iter().find(|known| known.name() == outcome)?,
            lost_to: value["to"].as_str().map(str::to_owned),
            calls_to_decision: u32::try_from(value["calls"].as_u64()?).ok()?,
            started_ms: value["started_ms"].as_u64().unwrap_or(started_ms),
            first_read_ms: value["first_read_ms"].as_u64(),
            decisive_write_ms: value["decisive_write_ms"].as_u64(),
            decided_ms: value["decided_ms"].as_u64()?,
        })
    }
}
