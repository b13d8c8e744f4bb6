//! Taking a lease up again that another process of the same installation took, or an earlier life of this one: by its
//! token alone, from what the tracker shows.
//!
//! Nothing is written here, and nothing is taken that is not held: who has lost the lease is told so.

use std::time::Duration;

use baton_core::claim::chain::{self, Sighting};
use baton_core::claim::handback::{HandedBack, Handover};
use baton_core::claim::ledger::{Claim, Ledger};
use baton_core::claim::text::{self, ClaimText, Form, Marker};
use baton_core::claim::{Holder, Lease, Nonce, Outcome, Protocol};
use baton_core::labels::PR_OPEN;
use baton_core::labels::dialect::Dialect;
use baton_core::slot::effect::Leaving;
use baton_core::time::{BootTime, millis};
use baton_core::tracker::IssueKey;
use baton_ports::{Clock, Entropy, Memory, Tracker};

use super::{ClaimError, Claims};
use crate::outbox::{LeaseLook, Leases, Returned};

/// How soon a lease that was not seen is looked for again; each further time after twice as long.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// What the tracker shows of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adopted {
    /// It is held. Its deadline is the holder's, so it may be over although others still honour it.
    Held(Box<Lease>),
    /// It is not, or not any more.
    Lost {
        /// Who has the issue now, when somebody does.
        to: Option<Holder>,
    },
}

/// A claim that the tracker shows as held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveClaim {
    /// Who holds it, in words.
    pub holder: String,
    /// What tells it apart from others, if it says.
    pub nonce: Option<Nonce>,
}

/// Returns what a store keeps of a lease, so that any process of the installation can take it up again.
pub fn token_of(lease: &Lease) -> String {
    lease.nonce.to_string()
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Looks whether the lease with this nonce is the one that the tracker shows.
    ///
    /// A read may be older than the claim, and then shows nobody or whoever had it before. So a lease that is not seen is
    /// looked for again, until a read that began later than writes take to be seen does not show it either.
    pub async fn adopt(&self, issue: &IssueKey, nonce: Nonce) -> Result<Adopted, ClaimError> {
        let certain_from = self.now().plus(self.settings.timing.visible_within);
        let mut pause = LOOK_AGAIN;
        loop {
            let asked_at = self.now();
            let (adopted, is_seen) = self.adopt_once(issue, nonce).await?;
            if is_seen || asked_at >= certain_from {
                return Ok(adopted);
            }
            let next = self.now().plus(pause);
            self.clock.sleep_until(next.min(certain_from)).await;
            pause *= 2;
        }
    }

    /// Returns what the tracker shows now, and whether the lease itself was seen, held or given up.
    async fn adopt_once(&self, issue: &IssueKey, nonce: Nonce) -> Result<(Adopted, bool), ClaimError> {
        let protocol = self.followed_protocol(issue).await?;
        let before = self.now();
        match protocol {
            Protocol::Comment => {
                let ledger = self.ledger_of(issue).await?;
                Ok((self.adopt_comment(nonce, before, &ledger), ledger.own(nonce).is_some()))
            }
            Protocol::Ref => {
                let sighting = self.performer(issue).read_tip().await?;
                Ok((self.adopt_tip(nonce, before, &sighting), shows(&sighting, nonce)))
            }
        }
    }

    async fn ledger_of(&self, issue: &IssueKey) -> Result<Ledger, ClaimError> {
        let mut performer = self.performer(issue);
        performer.reads_everything = true;
        Ok(Ledger::of(&performer.read_comments().await?, &self.settings.terms()))
    }

    fn adopt_comment(&self, nonce: Nonce, before: BootTime, ledger: &Ledger) -> Adopted {
        let terms = self.settings.terms();
        let is_held = |own: &&Claim| own.is_live() && ledger.is_first(own, &terms);
        let Some(own) = ledger.own(nonce).filter(is_held) else {
            return Adopted::Lost { to: ledger.winner().map(|claim| claim.text.holder.clone()) };
        };
        let lease = self.lease_of(&own.text, nonce, Protocol::Comment, own.age_s(ledger.date), before);
        Adopted::Held(Box::new(with_copies(lease, ledger)))
    }

    fn adopt_tip(&self, nonce: Nonce, before: BootTime, sighting: &Sighting) -> Adopted {
        let (age_s, holder) = match chain::standing(sighting, self.now(), &self.settings.terms()) {
            chain::Standing::Held { nonce: shown, age_s, .. } if shown == Some(nonce) => (age_s, None),
            chain::Standing::Held { holder, .. } => (0, Some(holder)),
            chain::Standing::Free { .. } | chain::Standing::Strange { .. } => {
                return Adopted::Lost { to: None };
            }
        };
        let claim = sighting.tip.as_ref().and_then(|tip| Some((tip.oid.clone(), text::read(&tip.message)?)));
        let (None, Some((oid, Marker::Claim(text)))) = (&holder, claim) else {
            return Adopted::Lost { to: holder };
        };
        let lease = self.lease_of(&text, nonce, Protocol::Ref, age_s, before);
        Adopted::Held(Box::new(Lease { tip: Some(oid), ..lease }))
    }

    /// Makes the lease that a claim shows, as old as the server says and a second more, because its clock has only seconds.
    fn lease_of(
        &self,
        claim: &ClaimText,
        nonce: Nonce,
        protocol: Protocol,
        age_s: i64,
        before: BootTime,
    ) -> Lease {
        let timing = &self.settings.timing;
        let ttl = timing.honoured(claim.ttl);
        let age = Duration::from_secs(u64::try_from(age_s).unwrap_or(0).saturating_add(1));
        let earlier = |moment: BootTime| BootTime { ms: moment.ms.saturating_sub(millis(age)) };
        Lease {
            holder: claim.holder.clone(),
            nonce,
            protocol,
            ttl,
            comment: None,
            run_comment: None,
            tip: None,
            unclear_tip: None,
            epoch: claim.epoch,
            sent_at: earlier(before),
            deadline: earlier(timing.deadline(ttl, before)),
            ends_at: None,
        }
    }

    /// Hands a lease back that was taken up by its token. Labels stay as they are: whoever decides that a run is over
    /// decides about them too.
    /// Returns who holds an issue now, by the repository's protocol; nothing when nobody does.
    pub async fn live_claim(&self, issue: &IssueKey) -> Result<Option<LiveClaim>, ClaimError> {
        let protocol = self.followed_protocol(issue).await?;
        if protocol == Protocol::Comment {
            let ledger = self.ledger_of(issue).await?;
            let winner = ledger.winner().map(|claim| &claim.text);
            return Ok(winner.map(|text| LiveClaim { holder: text.holder.to_string(), nonce: text.nonce }));
        }
        let sighting = self.performer(issue).read_tip().await?;
        Ok(match chain::standing(&sighting, self.now(), &self.settings.terms()) {
            chain::Standing::Held { holder, nonce, .. } => {
                Some(LiveClaim { holder: holder.to_string(), nonce })
            }
            chain::Standing::Strange { oid } => {
                Some(LiveClaim { holder: format!("something strange at {oid}"), nonce: None })
            }
            chain::Standing::Free { .. } => None,
        })
    }

    async fn return_lease(
        &self,
        issue: &IssueKey,
        nonce: Nonce,
        outcome: Outcome,
        leaving: &Leaving,
    ) -> Result<Returned, ClaimError> {
        let lease = match self.adopt(issue, nonce).await? {
            Adopted::Lost { to } => return Ok(Returned::Lost(lost_to(to.as_ref()))),
            Adopted::Held(lease) if lease.protocol == Protocol::Comment => *lease,
            // The ref decides, and the comments that tell of it are ended as well.
            Adopted::Held(lease) => with_copies(*lease, &self.ledger_of(issue).await?),
        };
        let (to, leaves_labels) = match leaving {
            Leaving::AsTheyAre => (None, true),
            Leaving::Without => (None, false),
            // Fabrik's labels do not tell that a pull request is open, and nobody there would take ours off.
            Leaving::With(label) if label == PR_OPEN && self.dialect_for(None) == Dialect::Fabrik => {
                (None, false)
            }
            Leaving::With(label) => (Some(label.clone()), false),
        };
        let handover = Handover { outcome, to, pr: None, leaves_labels };
        Ok(match self.release(issue, lease, handover).await {
            HandedBack::Released => Returned::Released,
            HandedBack::Lost { why, .. } => Returned::Lost(why),
            HandedBack::Refused(why) => Returned::Failed(why.to_string()),
            HandedBack::Failed(why) => Returned::Failed(why),
        })
    }
}

/// Returns whether the tip is a word about the lease with this nonce.
fn shows(sighting: &Sighting, nonce: Nonce) -> bool {
    let marker = sighting.tip.as_ref().and_then(|tip| text::read(&tip.message));
    match marker {
        Some(Marker::Claim(claim)) => claim.nonce == Some(nonce),
        Some(Marker::Release(release)) => release.nonce == Some(nonce),
        None => false,
    }
}

/// Adds the comments that carry the claim, or a copy of it in the words of label locks.
fn with_copies(lease: Lease, ledger: &Ledger) -> Lease {
    let token = lease.nonce.to_string();
    let is_copy =
        |claim: &&Claim| claim.text.form != Form::Baton && claim.text.holder.firing_id.as_str() == token;
    let own = ledger.own(lease.nonce).filter(|claim| claim.is_believed);
    let copy = ledger.claims.iter().find(is_copy);
    Lease { comment: own.map(|claim| claim.id), run_comment: copy.map(|claim| claim.id), ..lease }
}

fn lost_to(holder: Option<&Holder>) -> String {
    match holder {
        Some(holder) => format!("the tracker's lease was lost to {holder}"),
        None => "the tracker's lease is over: it expired or was released".to_owned(),
    }
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Leases for Claims<T, C, E, M> {
    async fn look(&self, issue: &IssueKey, token: &str) -> LeaseLook {
        let Ok(nonce) = token.parse() else { return LeaseLook::Lost(not_a_token(token)) };
        match self.adopt(issue, nonce).await {
            Ok(Adopted::Held(lease)) if lease.allows(self.now(), self.settings.timing.request_timeout) => {
                LeaseLook::Held
            }
            // Somebody may be renewing it right now.
            Ok(Adopted::Held(_)) => {
                LeaseLook::Unknown("too little is left of the tracker's lease".to_owned())
            }
            Ok(Adopted::Lost { to }) => LeaseLook::Lost(lost_to(to.as_ref())),
            Err(error) => LeaseLook::Unknown(error.to_string()),
        }
    }

    async fn hand_back(
        &self,
        issue: &IssueKey,
        token: &str,
        outcome: &Outcome,
        leaving: &Leaving,
    ) -> Returned {
        let Ok(nonce) = token.parse() else { return Returned::Lost(not_a_token(token)) };
        match self.return_lease(issue, nonce, outcome.clone(), leaving).await {
            Ok(returned) => returned,
            Err(error) => Returned::Failed(error.to_string()),
        }
    }
}

fn not_a_token(token: &str) -> String {
    format!("`{token}` is not the token of a lease")
}
