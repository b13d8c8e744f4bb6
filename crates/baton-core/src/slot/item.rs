//! An item: what has a slot. Usually an issue; for wakeups without an issue, one task of one agent.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ids::{ItemId, RunId};
use crate::RepoSlug;
use crate::tracker::IssueKey;

/// An agent's name as it was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentName(pub String);

/// An agent's name as it is compared: trimmed, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentKey(pub String);

impl AgentName {
    /// Returns the name as it is compared.
    pub fn key(&self) -> AgentKey {
        AgentKey(self.0.trim().to_lowercase())
    }
}

impl From<&str> for AgentName {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for AgentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an item is. Trackers fold case, so the names in it are in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKey {
    /// An issue of a repository.
    Issue(IssueKey),
    /// One task of one agent, without an issue. It takes no issue's slot.
    Task {
        /// Whose task it is.
        agent: AgentKey,
        /// Which of its tasks; empty when it has but one.
        task: String,
    },
}

/// The stored text names no item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the key of an item")]
pub struct ItemKeyError(String);

impl ItemKey {
    /// Returns the key of an issue.
    pub fn issue(issue: &IssueKey) -> Self {
        let folded = |part: &str| part.to_ascii_lowercase();
        let repo = RepoSlug::new(&folded(issue.repo.owner()), &folded(issue.repo.name()));
        let repo = repo.unwrap_or_else(|_| issue.repo.clone());
        Self::Issue(IssueKey { repo, number: issue.number })
    }

    /// Returns the key of an agent's task.
    pub fn task(agent: &AgentName, task: &str) -> Self {
        Self::Task { agent: agent.key(), task: task.to_owned() }
    }

    /// Returns the repository, for an issue.
    pub fn repo(&self) -> Option<&RepoSlug> {
        match self {
            Self::Issue(issue) => Some(&issue.repo),
            Self::Task { .. } => None,
        }
    }
}

impl fmt::Display for ItemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Issue(issue) => issue.fmt(f),
            Self::Task { agent, task } => write!(f, "task:{agent}:{task}"),
        }
    }
}

impl FromStr for ItemKey {
    type Err = ItemKeyError;

    fn from_str(text: &str) -> Result<Self, ItemKeyError> {
        let error = || ItemKeyError(text.to_owned());
        if let Some(rest) = text.strip_prefix("task:") {
            let (agent, task) = rest.split_once(':').ok_or_else(error)?;
            return Ok(Self::Task { agent: AgentKey(agent.to_owned()), task: task.to_owned() });
        }
        let (repo, number) = text.rsplit_once('#').ok_or_else(error)?;
        let repo = repo.parse().map_err(|_| error())?;
        Ok(Self::Issue(IssueKey { repo, number: number.parse().map_err(|_| error())? }))
    }
}

/// What keeps runs of an item from starting, each with a reason that a person can read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Gates {
    /// Somebody paused it.
    pub paused: Option<String>,
    /// Somebody holds it, or another tool does.
    pub held: Option<String>,
    /// Something else must be done first.
    pub blocked: Option<String>,
}

impl Gates {
    /// Returns whether nothing keeps a run from starting.
    pub fn are_open(&self) -> bool {
        self.paused.is_none() && self.held.is_none() && self.blocked.is_none()
    }

    /// Returns the first reason, with the gate's name.
    pub fn reason(&self) -> Option<String> {
        let named = |name: &str, why: &Option<String>| why.as_ref().map(|why| format!("{name}: {why}"));
        let paused = named("paused", &self.paused);
        paused.or_else(|| named("held", &self.held)).or_else(|| named("blocked", &self.blocked))
    }
}

/// An item and its slot.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Item {
    /// Its number in the store.
    pub id: ItemId,
    /// What it is.
    pub key: ItemKey,
    /// Whether work on it may begin at all.
    pub is_open: bool,
    /// What keeps runs from starting.
    pub gates: Gates,
    /// The run that owns the slot.
    pub owner: Option<RunId>,
    /// Grows with every new owner.
    pub fence: i64,
    /// The token of the tracker's lease, which belongs to the installation and goes on with the slot.
    pub lease: Option<String>,
    /// Grows with every decision.
    pub version: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_written() {
        for text in ["acme/web#42", "task:builder:nightly", "task:builder:", "task:a:b:c"] {
            assert_eq!(text.parse::<ItemKey>().unwrap().to_string(), text);
        }
        for text in ["", "acme/web", "acme#4", "task:x", "acme/web#x"] {
            assert!(text.parse::<ItemKey>().is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn an_issue_is_one_item_however_its_repository_is_spelled() {
        let issue = |repo: &str| ItemKey::issue(&IssueKey { repo: repo.parse().unwrap(), number: 7 });
        assert_eq!(issue("Acme/Web"), issue("acme/web"));
    }

    #[test]
    fn agents_are_compared_without_case_and_edges() {
        assert_eq!(AgentName::from(" CTO ").key(), AgentName::from("cto").key());
    }

    #[test]
    fn a_gate_is_told_with_its_reason() {
        let gates = Gates { held: Some("by ada".to_owned()), ..Gates::default() };
        assert!(!gates.are_open());
        assert_eq!(gates.reason().as_deref(), Some("held: by ada"));
        assert!(Gates::default().are_open());
    }
}
