//! Which protocol a repository uses, and changing it. A repository has one: mixing them is not one lock.

use baton_core::RepoSlug;
use baton_core::claim::Protocol;
use baton_core::claim::lease::{PROTOCOL_REF, ProtocolError};
use baton_core::labels::IN_FLIGHT;
use baton_core::labels::dialect::{CLAIMED, STAGE_PROCESSING};
use baton_core::tracker::{IssueKey, IssueState, RefAdvance, RefCreation};
use baton_ports::{Clock, Entropy, Memory, Tracker};

use super::{ClaimError, Claims, Standing};

/// What became of a change of protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtocolChange {
    /// It was this one already.
    Unchanged,
    /// It is this one now; or would be, in a dry run.
    Changed {
        /// What it was.
        from: Protocol,
    },
    /// Someone holds an issue under the old one.
    InUse {
        /// Which issue.
        issue: IssueKey,
    },
    /// The repository takes no such ref from this token.
    Refused(String),
    /// Someone else changed it at the same time.
    Raced,
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Reads a repository's protocol; without a declaration it is `comment`.
    pub async fn protocol(&self, repo: &RepoSlug) -> Result<Result<Protocol, ProtocolError>, ClaimError> {
        let tip = self.tracker.ref_tip(repo, PROTOCOL_REF).await?.value;
        let declared = tip.map_or(Ok(Protocol::Comment), |tip| Protocol::read_declaration(&tip.message));
        if let Ok(protocol) = &declared {
            self.memory.keep_protocol(repo, *protocol);
        }
        Ok(declared)
    }

    /// Changes a repository's protocol, unless someone holds an issue under the old one.
    pub async fn set_protocol(
        &self,
        repo: &RepoSlug,
        to: Protocol,
        is_dry_run: bool,
    ) -> Result<ProtocolChange, ClaimError> {
        let tip = self.tracker.ref_tip(repo, PROTOCOL_REF).await?.value;
        let declared = tip.as_ref().and_then(|tip| Protocol::read_declaration(&tip.message).ok());
        let from = declared.unwrap_or(Protocol::Comment);
        if declared == Some(to) {
            return Ok(ProtocolChange::Unchanged);
        }
        if let Some(issue) = self.held_issue(repo, from).await? {
            return Ok(ProtocolChange::InUse { issue });
        }
        if is_dry_run {
            return Ok(ProtocolChange::Changed { from });
        }
        let parent = tip.as_ref().map(|tip| tip.oid.as_str());
        let commit = self.tracker.write_commit(repo, &to.declaration(), parent).await?.value;
        let changed = match parent {
            None => match self.tracker.create_ref(repo, PROTOCOL_REF, &commit.oid).await? {
                RefCreation::Created => ProtocolChange::Changed { from },
                RefCreation::Exists => ProtocolChange::Raced,
                RefCreation::NameRefused => {
                    ProtocolChange::Refused(format!("the server takes no ref named {PROTOCOL_REF}"))
                }
            },
            Some(_) => match self.tracker.advance_ref(repo, PROTOCOL_REF, &commit.oid).await? {
                RefAdvance::Advanced => ProtocolChange::Changed { from },
                RefAdvance::NotFastForward | RefAdvance::Missing => ProtocolChange::Raced,
            },
        };
        if matches!(changed, ProtocolChange::Changed { .. }) {
            self.memory.keep_protocol(repo, to);
        }
        Ok(changed)
    }

    async fn held_issue(&self, repo: &RepoSlug, protocol: Protocol) -> Result<Option<IssueKey>, ClaimError> {
        let mut told = Vec::new();
        for label in [IN_FLIGHT, CLAIMED, STAGE_PROCESSING] {
            told.extend(self.tracker.issues_labelled(repo, label, IssueState::Open).await?.value);
        }
        for issue in told {
            let key = IssueKey { repo: repo.clone(), number: issue.number };
            let standing: Standing = self.standing_under(&key, protocol).await?;
            if standing.holder.is_some() {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }
}
