//! Who holds an issue, and whether it could be claimed: for people, hooks and other programs. Nothing is written.

use baton_core::claim::chain;
use baton_core::claim::ledger::Ledger;
use baton_core::claim::{Holder, Protocol, Refusal};
use baton_core::time::ServerTime;
use baton_core::tracker::{Issue, IssueKey};
use baton_ports::{Clock, Entropy, Memory, Tracker};

use super::{ClaimError, Claims};

/// How an issue stands.
#[derive(Debug, Clone)]
pub struct Standing {
    /// The issue.
    pub issue: Issue,
    /// The protocol that decides.
    pub protocol: Protocol,
    /// Who holds it.
    pub holder: Option<Holder>,
    /// Seconds since the holder's last heartbeat, by the server's clock.
    pub age_s: Option<i64>,
    /// The fencing token, on claim refs.
    pub epoch: Option<u64>,
    /// What the comments say.
    pub ledger: Ledger,
    /// Claims that do not count, because their authors may not write.
    pub disbelieved: Vec<String>,
    /// Why it could not be claimed even if nobody held it.
    pub refusal: Option<Refusal>,
    /// What pauses the repository.
    pub paused_by: Option<String>,
    /// The server's clock when it was read.
    pub date: ServerTime,
}

impl Standing {
    /// Returns whether a claim would be tried with success if nobody else tried.
    pub fn is_claimable(&self) -> bool {
        self.holder.is_none() && self.refusal.is_none() && self.paused_by.is_none()
    }
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Reads how an issue stands, by the repository's protocol.
    pub async fn standing(&self, issue: &IssueKey) -> Result<Standing, ClaimError> {
        let protocol = self.followed_protocol(issue).await?;
        self.standing_under(issue, protocol).await
    }

    /// Returns the protocol of an issue's repository, as it is remembered or else as it is declared.
    pub(super) async fn followed_protocol(&self, issue: &IssueKey) -> Result<Protocol, ClaimError> {
        match self.settings.forced_protocol.or_else(|| self.memory.protocol(&issue.repo)) {
            Some(protocol) => Ok(protocol),
            None => self.protocol(&issue.repo).await?.map_err(|error| ClaimError::Machine(error.to_string())),
        }
    }

    pub(super) async fn standing_under(
        &self,
        key: &IssueKey,
        protocol: Protocol,
    ) -> Result<Standing, ClaimError> {
        let terms = self.settings.terms();
        let issue = self.tracker.issue(key).await?;
        let mut performer = self.performer(key);
        performer.reads_everything = true;
        let ledger = Ledger::of(&performer.read_comments().await?, &terms);
        let by_comment = ledger.winner().map(|claim| (claim.text.holder.clone(), claim.age_s(ledger.date)));
        let mut standing = Standing {
            refusal: terms.eligibility.refusal(&issue.value),
            issue: issue.value,
            protocol,
            holder: by_comment.as_ref().map(|(holder, _)| holder.clone()),
            age_s: by_comment.map(|(_, age)| age),
            epoch: None,
            disbelieved: disbelieved(&ledger),
            ledger,
            paused_by: self.paused_by(&key.repo).await?,
            date: issue.date,
        };
        if protocol == Protocol::Ref {
            self.add_ref(key, &mut standing).await?;
        }
        Ok(standing)
    }

    /// The ref decides; comments of other tools still count where they are honoured.
    async fn add_ref(&self, key: &IssueKey, standing: &mut Standing) -> Result<(), ClaimError> {
        let sighting = self.performer(key).read_tip().await?;
        match chain::standing(&sighting, self.now(), &self.settings.terms()) {
            chain::Standing::Held { holder, epoch, age_s, .. } => {
                standing.holder = Some(holder);
                standing.epoch = Some(epoch);
                standing.age_s = Some(age_s);
            }
            chain::Standing::Strange { oid } => standing.refusal = Some(Refusal::StrangeTip { oid }),
            chain::Standing::Free { parent: Some(_), epoch, .. } => {
                standing.epoch = Some(epoch - 1);
                let ours = standing.holder.as_ref().and_then(|holder| standing.ledger.latest_of(holder));
                if ours.is_some_and(|claim| claim.text.epoch.is_some()) {
                    standing.holder = None;
                    standing.age_s = None;
                }
            }
            chain::Standing::Free { parent: None, .. } => {}
        }
        Ok(())
    }
}

fn disbelieved(ledger: &Ledger) -> Vec<String> {
    let claims = ledger.claims.iter().filter(|claim| !claim.is_believed);
    claims.map(|claim| format!("{} by {}", claim.text.holder, claim.author.login)).collect()
}
