//! Acquiring an issue by the repository's protocol.

use baton_core::claim::bid::Bid;
use baton_core::claim::step::{Acquired, Claimant, SharedTerms};
use baton_core::claim::swap::Swap;
use baton_core::claim::{Holder, Lease, Nonce, Outcome, Protocol, Refusal};
use baton_core::labels::dialect::Dialect;
use baton_core::time::BootTime;
use baton_core::tracker::IssueKey;
use baton_ports::{Clock, Entropy, Memory, Tracker};

use super::perform::Performer;
use super::{ClaimError, Claims};

/// Who wants an issue, and for what.
#[derive(Debug, Clone)]
pub struct ClaimRequest {
    /// Who.
    pub holder: Holder,
    /// The label that the claim is for, when it is for one.
    pub label: Option<String>,
    /// What tells the claim apart from all others; nothing for chance.
    pub nonce: Option<Nonce>,
}

/// What became of a claim, and what it took.
#[derive(Debug, Clone)]
pub struct ClaimReport {
    /// The verdict.
    pub acquired: Acquired,
    /// The protocol that decided.
    pub protocol: Protocol,
    /// Calls to the tracker until it was decided who holds.
    pub calls_to_decision: u32,
    /// Calls in all.
    pub calls: u32,
    /// When the claim began.
    pub started_at: BootTime,
    /// When the first read had come back.
    pub first_read_at: Option<BootTime>,
    /// When the first write had been answered.
    pub first_write_at: Option<BootTime>,
    /// When it was decided who holds.
    pub decided_at: BootTime,
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Tries to take an issue.
    pub async fn claim(&self, issue: &IssueKey, request: &ClaimRequest) -> Result<ClaimReport, ClaimError> {
        let started_at = self.now();
        let known = self.known_protocol(issue);
        if let Some(by) = self.paused_by(&issue.repo).await? {
            let protocol = known.unwrap_or(Protocol::Comment);
            return Ok(self.refused(started_at, protocol, Refusal::Paused { by }));
        }
        let protocol = match known {
            Some(protocol) => protocol,
            None => match self.protocol(&issue.repo).await? {
                Ok(protocol) => protocol,
                Err(why) => {
                    let refusal = Refusal::Protocol { why: why.to_string() };
                    return Ok(self.refused(started_at, Protocol::Comment, refusal));
                }
            },
        };
        let mut report = self.acquire(issue, request, protocol, started_at).await;
        if self.settings.forced_protocol.is_none() {
            self.confirm_protocol(issue, request, &mut report).await?;
        }
        Ok(report)
    }

    fn known_protocol(&self, issue: &IssueKey) -> Option<Protocol> {
        self.settings.forced_protocol.or_else(|| self.memory.protocol(&issue.repo))
    }

    fn refused(&self, started_at: BootTime, protocol: Protocol, refusal: Refusal) -> ClaimReport {
        ClaimReport {
            acquired: Acquired::Refused(refusal),
            protocol,
            calls_to_decision: 0,
            calls: 0,
            started_at,
            first_read_at: None,
            first_write_at: None,
            decided_at: self.now(),
        }
    }

    async fn acquire(
        &self,
        issue: &IssueKey,
        request: &ClaimRequest,
        protocol: Protocol,
        started_at: BootTime,
    ) -> ClaimReport {
        let terms = self.terms_for(request);
        let claimant = Claimant {
            holder: request.holder.clone(),
            nonce: request.nonce.unwrap_or_else(|| Nonce(self.entropy.bits())),
        };
        let mut performer = self.performer(issue);
        let acquired = match protocol {
            Protocol::Comment => performer.run(&mut Bid::new(terms, claimant, started_at)).await,
            Protocol::Ref => self.swap(issue, &terms, claimant, &mut performer).await,
        };
        // An account that may not write is an answer, not a tracker out of reach.
        let acquired = match acquired {
            Acquired::Failed(why) if performer.is_forbidden => Acquired::Refused(Refusal::Protocol {
                why: format!("this account may not write to the repository: {why}"),
            }),
            acquired => acquired,
        };
        ClaimReport {
            acquired,
            protocol,
            calls_to_decision: performer.calls_to_decision.unwrap_or(performer.calls),
            calls: performer.calls,
            started_at,
            first_read_at: performer.first_read_at,
            first_write_at: performer.first_write_at,
            decided_at: performer.decided_at.unwrap_or_else(|| self.now()),
        }
    }

    async fn swap(
        &self,
        issue: &IssueKey,
        terms: &SharedTerms,
        claimant: Claimant,
        performer: &mut Performer<'_, T, C, E, M>,
    ) -> Acquired {
        let name = self.settings.claim_ref(issue.number);
        let mut swap = match self.memory.has_seen(&issue.repo, &name) {
            true => Swap::new(terms.clone(), claimant, self.now()),
            false => Swap::guessing(terms.clone(), claimant, self.now(), self.clock.wall_now()),
        };
        let acquired = performer.run(&mut swap).await;
        if let Acquired::Won(Lease { tip: Some(tip), .. }) = &acquired {
            self.memory.watched_for(&issue.repo, &name, tip);
        }
        match (acquired, swap.date()) {
            (Acquired::Won(lease), Some(date)) if terms.foreign.is_any() => {
                // Beside other tools the ref alone decides nothing.
                performer.forget_decision();
                let mut bid = Bid::beside_foreigners(terms.clone(), lease.clone(), date, self.now());
                let verdict = performer.run(&mut bid).await;
                self.keep_ref_only_if_won(issue, lease, verdict).await
            }
            (acquired, _) => acquired,
        }
    }

    fn terms_for(&self, request: &ClaimRequest) -> SharedTerms {
        let mut settings = self.settings.clone();
        if let Some(label) = &request.label {
            settings.eligibility.dialect = settings.eligibility.dialect.of_label(label);
            settings.eligibility.wanted = Some(label.clone());
            settings.eligibility.is_label_required = true;
        }
        settings.terms()
    }

    /// The dialect in which a label's issues are told about.
    pub fn dialect_for(&self, label: Option<&str>) -> Dialect {
        let configured = self.settings.eligibility.dialect;
        label.map_or(configured, |label| configured.of_label(label))
    }

    /// Beside other tools both locks must be won; the ref is let go when the comment was not.
    async fn keep_ref_only_if_won(&self, issue: &IssueKey, lease: Lease, verdict: Acquired) -> Acquired {
        if !matches!(verdict, Acquired::Won(_)) {
            self.drop_claim(issue, lease, Outcome::Cancelled, None).await;
        }
        verdict
    }

    /// The protocol is read again before any work: another one by now means that the lock just won is none.
    async fn confirm_protocol(
        &self,
        issue: &IssueKey,
        request: &ClaimRequest,
        report: &mut ClaimReport,
    ) -> Result<(), ClaimError> {
        let Acquired::Won(lease) = &report.acquired else { return Ok(()) };
        report.calls += 1;
        let dialect = self.dialect_for(request.label.as_deref());
        let origin = dialect.origin(request.label.as_deref());
        let eligible = Some(origin.unwrap_or_else(|| dialect.eligible().to_owned()));
        let why = match self.protocol(&issue.repo).await {
            Ok(Ok(protocol)) if protocol == report.protocol => return Ok(()),
            Ok(Ok(protocol)) => format!("it was changed to `{protocol}` meanwhile; claim again"),
            Ok(Err(why)) => why.to_string(),
            Err(error) => {
                self.drop_claim(issue, lease.clone(), Outcome::ClaimUnverified, eligible).await;
                return Err(error);
            }
        };
        self.drop_claim(issue, lease.clone(), Outcome::Cancelled, eligible).await;
        report.acquired = Acquired::Refused(Refusal::Protocol { why });
        Ok(())
    }
}
