//! The leases that this installation holds on the tracker: taken before work begins, kept while it lasts, given back when
//! its last effect is performed.
//!
//! A lease is known by its token, which is in the store; any engine of the installation can go on with it. What this process
//! took or adopted itself it remembers until its own deadline, so that not every effect asks the tracker again.

use std::collections::BTreeMap;
use std::future::{Future, pending};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_core::claim::renewal::Renewed;
use baton_core::claim::step::Acquired;
use baton_core::claim::{Codename, FiringId, Holder, Lease, Nonce, Outcome, Protocol};
use baton_core::slot::effect::Leaving;
use baton_core::tracker::IssueKey;
use baton_core::workspace::{PushClaim, PushTerms};
use baton_ports::{Clock, Entropy, Memory, Tracker};

use crate::claims::{Adopted, ClaimError, ClaimRequest, Claims, KeepEnd, LiveClaim};
use crate::outbox::{LeaseLook, Leases, Returned};

/// How long apart a lease is read that work is to be pushed under, when the tracker does not answer. An agent's finished work
/// is worth waiting for: a spent budget is filled again within the hour.
const ADOPT_AGAIN: Duration = Duration::from_secs(2);
const ADOPT_AGAIN_MAX: Duration = Duration::from_secs(60);
/// How long that is gone on with, as long as the lease lasts.
const ADOPT_FOR: Duration = Duration::from_secs(65 * 60);
/// How long where nothing is known of the lease but its name, or when the engine ends.
const ADOPT_SOON: Duration = Duration::from_secs(20);

/// What became of a lease that should be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// The issue is this installation's.
    Won,
    /// It is somebody else's; this is why.
    Lost(String),
    /// It must not be taken, or the tracker does not let it be; this is why.
    Refused(String),
    /// It is not known; it may be tried again.
    Failed(String),
}

/// Who keeps the lease of an issue while an agent works on it.
pub trait Keeper: Send + Sync {
    /// Keeps a lease for as long as it is waited. Returns only when the lease is lost, with the reason.
    fn keep(&self, issue: &IssueKey, token: &str) -> impl Future<Output = String> + Send;

    /// Looks whether a lease is held, before anything is begun under it.
    fn holds(&self, issue: &IssueKey, token: &str) -> impl Future<Output = LeaseLook> + Send;

    /// Returns on which terms work may be pushed under a lease, or why it may not any more. Who is in a hurry does not wait
    /// for a tracker that does not answer.
    fn push_terms(
        &self,
        issue: &IssueKey,
        token: &str,
        is_in_a_hurry: bool,
    ) -> impl Future<Output = Result<PushTerms, String>> + Send;
}

/// For an installation that takes no leases on the tracker.
impl Keeper for crate::outbox::Alone {
    async fn keep(&self, _: &IssueKey, _: &str) -> String {
        pending().await
    }

    async fn holds(&self, _: &IssueKey, _: &str) -> LeaseLook {
        LeaseLook::Held
    }

    async fn push_terms(&self, _: &IssueKey, _: &str, _: bool) -> Result<PushTerms, String> {
        Ok(PushTerms::Lease)
    }
}

impl<K: Keeper> Keeper for Arc<K> {
    async fn keep(&self, issue: &IssueKey, token: &str) -> String {
        K::keep(self, issue, token).await
    }

    async fn holds(&self, issue: &IssueKey, token: &str) -> LeaseLook {
        K::holds(self, issue, token).await
    }

    async fn push_terms(
        &self,
        issue: &IssueKey,
        token: &str,
        is_in_a_hurry: bool,
    ) -> Result<PushTerms, String> {
        K::push_terms(self, issue, token, is_in_a_hurry).await
    }
}

/// The leases of this installation, as far as this process knows them.
#[derive(Debug)]
pub struct LeaseBook<T, C, E, M> {
    /// The drivers of claims.
    pub claims: Claims<T, C, E, M>,
    /// What claims of this installation are called.
    pub codename: Codename,
    /// How long before the end of a lease the work under it must have been told to stop.
    pub head_start: Duration,
    held: Mutex<BTreeMap<IssueKey, Lease>>,
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> LeaseBook<T, C, E, M> {
    /// Opens an empty book.
    pub fn new(claims: Claims<T, C, E, M>, codename: Codename, head_start: Duration) -> Self {
        Self { claims, codename, head_start, held: Mutex::default() }
    }

    /// Returns the token of a lease that nobody has yet.
    pub fn fresh_token(&self) -> String {
        Nonce(self.claims.entropy.bits()).to_string()
    }

    /// Takes the lease of an issue under a token. What an earlier try may have taken is found first.
    pub async fn take(&self, issue: &IssueKey, token: &str, is_unclear: bool) -> Taken {
        let Ok(nonce) = token.parse() else { return Taken::Lost(not_a_token(token)) };
        if is_unclear {
            match self.claims.adopt(issue, nonce).await {
                Ok(Adopted::Held(lease)) => return self.won(issue, *lease),
                Ok(Adopted::Lost { .. }) => {}
                Err(error) => return Taken::Failed(error.to_string()),
            }
        }
        let holder = Holder { codename: self.codename.clone(), firing_id: self.firing_id() };
        let request = ClaimRequest { holder, label: None, nonce: Some(nonce) };
        match self.claims.claim(issue, &request).await.map(|report| report.acquired) {
            Ok(Acquired::Won(lease)) => self.won(issue, lease),
            Ok(Acquired::Lost { to: Some(holder) }) => Taken::Lost(format!("{holder} holds it")),
            Ok(Acquired::Lost { to: None }) => Taken::Lost("somebody else was faster".to_owned()),
            Ok(Acquired::Refused(refusal)) => Taken::Refused(refusal.to_string()),
            Ok(Acquired::Failed(why)) => Taken::Failed(why),
            Err(error) => Taken::Failed(error.to_string()),
        }
    }

    fn won(&self, issue: &IssueKey, lease: Lease) -> Taken {
        self.held().insert(issue.clone(), lease);
        Taken::Won
    }

    fn firing_id(&self) -> FiringId {
        FiringId::starting(self.claims.clock.wall_now(), self.claims.entropy.bits())
    }

    /// Makes a lease last longer.
    pub async fn renew(&self, issue: &IssueKey, token: &str) -> Taken {
        let lease = match self.lease(issue, token).await {
            Ok(Some(lease)) => lease,
            Ok(None) => return Taken::Lost("it is not held any more".to_owned()),
            Err(error) => return Taken::Failed(error.to_string()),
        };
        match self.claims.renew(issue, lease).await {
            Renewed::Held(lease) => self.won(issue, lease),
            Renewed::Lost { why, .. } => self.lost(issue, why),
            Renewed::Failed { why, .. } => Taken::Failed(why),
        }
    }

    fn lost(&self, issue: &IssueKey, why: String) -> Taken {
        self.held().remove(issue);
        Taken::Lost(why)
    }

    /// Returns whether a lease that this process knows should be renewed by now.
    pub fn is_due(&self, issue: &IssueKey) -> bool {
        let (held, now) = (self.held(), self.claims.clock.boot_now());
        let timing = &self.claims.settings.timing;
        held.get(issue).is_none_or(|lease| timing.renew_at(lease.ttl, lease.sent_at) <= now)
    }

    /// Returns whether a lease is held: as far as this process knows, or by what the tracker shows.
    pub async fn is_held(&self, issue: &IssueKey, token: &str) -> Result<bool, ClaimError> {
        Ok(self.lease(issue, token).await?.is_some())
    }

    /// Returns who holds an issue on the tracker, if anybody does.
    pub async fn live_claim(&self, issue: &IssueKey) -> Result<Option<LiveClaim>, ClaimError> {
        self.claims.live_claim(issue).await
    }

    /// Returns a lease by its token: what this process knows of it, or what the tracker shows.
    async fn lease(&self, issue: &IssueKey, token: &str) -> Result<Option<Lease>, ClaimError> {
        let Ok(nonce) = token.parse::<Nonce>() else { return Ok(None) };
        if let Some(lease) = self.remembered(issue, nonce) {
            return Ok(Some(lease));
        }
        match self.claims.adopt(issue, nonce).await? {
            Adopted::Held(lease) => {
                self.held().insert(issue.clone(), (*lease).clone());
                Ok(Some(*lease))
            }
            Adopted::Lost { .. } => Ok(None),
        }
    }

    /// Reads a lease anew, again and again when the tracker does not answer: a failed read is no loss.
    async fn adopted(&self, issue: &IssueKey, nonce: Nonce, is_in_a_hurry: bool) -> Result<Lease, String> {
        let began = self.claims.clock.boot_now();
        let mut wait = ADOPT_AGAIN;
        loop {
            let error = match self.claims.adopt(issue, nonce).await {
                Ok(Adopted::Held(lease)) => return Ok(*lease),
                Ok(Adopted::Lost { .. }) => return Err("the tracker's lease was lost".to_owned()),
                Err(error) => error,
            };
            let now = self.claims.clock.boot_now();
            let may_wait = !is_in_a_hurry && self.remembered(issue, nonce).is_some();
            let patience = if may_wait { ADOPT_FOR } else { ADOPT_SOON };
            if now.since(began) >= patience {
                return Err(error.to_string());
            }
            tracing::warn!(%issue, %error, "the tracker's lease could not be read");
            self.claims.clock.sleep_until(now.plus(wait)).await;
            wait = (wait * 2).min(ADOPT_AGAIN_MAX);
        }
    }

    fn remembered(&self, issue: &IssueKey, nonce: Nonce) -> Option<Lease> {
        let patience = self.claims.settings.timing.request_timeout;
        let (held, now) = (self.held(), self.claims.clock.boot_now());
        held.get(issue).filter(|lease| lease.nonce == nonce && lease.allows(now, patience)).cloned()
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<IssueKey, Lease>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Leases for LeaseBook<T, C, E, M> {
    async fn look(&self, issue: &IssueKey, token: &str) -> LeaseLook {
        let known = token.parse().ok().and_then(|nonce| self.remembered(issue, nonce));
        match known {
            Some(_) => LeaseLook::Held,
            None => self.claims.look(issue, token).await,
        }
    }

    async fn hand_back(
        &self,
        issue: &IssueKey,
        token: &str,
        outcome: &Outcome,
        leaving: &Leaving,
    ) -> Returned {
        self.held().remove(issue);
        self.claims.hand_back(issue, token, outcome, leaving).await
    }
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Keeper for LeaseBook<T, C, E, M> {
    async fn keep(&self, issue: &IssueKey, token: &str) -> String {
        let lease = loop {
            match self.lease(issue, token).await {
                Ok(Some(lease)) => break lease,
                Ok(None) => return "it is not held any more".to_owned(),
                // Who cannot ask may go on until the worker's own lease ends it.
                Err(error) => tracing::warn!(%issue, %error, "the tracker's lease could not be read"),
            }
            let pause = self.claims.clock.boot_now().plus(Duration::from_secs(5));
            self.claims.clock.sleep_until(pause).await;
        };
        let remember = |lease: &Lease| _ = self.held().insert(issue.clone(), lease.clone());
        let kept = self.claims.keep(issue, lease, self.head_start, pending(), remember).await;
        self.held().remove(issue);
        match kept.end {
            KeepEnd::Lost { why, .. } => why,
            KeepEnd::Stopped => "it was given up".to_owned(),
        }
    }

    async fn holds(&self, issue: &IssueKey, token: &str) -> LeaseLook {
        self.look(issue, token).await
    }

    async fn push_terms(
        &self,
        issue: &IssueKey,
        token: &str,
        is_in_a_hurry: bool,
    ) -> Result<PushTerms, String> {
        // A renewal that was cut off may have moved the claim, so it is read anew.
        let nonce = token.parse().map_err(|_| not_a_token(token))?;
        let lease = self.adopted(issue, nonce, is_in_a_hurry).await?;
        self.held().insert(issue.clone(), lease.clone());
        Ok(match (lease.protocol, lease.tip.clone()) {
            (Protocol::Ref, Some(tip)) => PushTerms::Fenced(PushClaim {
                claim_ref: self.claims.settings.claim_ref(issue.number),
                tip,
                message: self.claims.push_heartbeat(&lease),
            }),
            _ => PushTerms::Lease,
        })
    }
}

fn not_a_token(token: &str) -> String {
    format!("`{token}` is not the token of a lease")
}
