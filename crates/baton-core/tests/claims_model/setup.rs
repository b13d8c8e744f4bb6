//! What a run of the model is given: who takes part, every margin, and how much may go wrong.

use std::time::Duration;

use baton_core::claim::handback::Handover;
use baton_core::claim::step::{Claimant, Foreign, Safeguards, SharedTerms, Terms};
use baton_core::claim::sweep::SweepRules;
use baton_core::claim::{Eligibility, Nonce, Outcome, Protocol, Timing};
use baton_core::labels;

use crate::claims_model::server::Tick;

const NAMES: [&str; 5] = ["ann", "bob", "cy", "dee", "probe"];

/// The setting of one search.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) terms: SharedTerms,
    pub(crate) protocol: Protocol,
    pub(crate) workers: usize,
    pub(crate) sweepers: usize,
    /// Whether all workers have the same codename and firing id.
    pub(crate) are_namesakes: bool,
    /// Whether claimants by ref try a first claim without a look.
    pub(crate) guesses: bool,
    /// How many seconds a read may be behind.
    pub(crate) lag: usize,
    /// The last second.
    pub(crate) horizon: Tick,
    /// How often, in one run, someone may be late with a request or with hearing its answer, by any time.
    pub(crate) stalls: u8,
    /// How often someone may die.
    pub(crate) crashes: u8,
    /// How often an answer may be lost.
    pub(crate) losses: u8,
    /// How often each holder may renew.
    pub(crate) renewals: u8,
    /// Where holders send the issue.
    pub(crate) handovers: Vec<&'static str>,
}

impl Setup {
    /// A small world in which nothing goes wrong but the order of things.
    pub(crate) fn new(protocol: Protocol, workers: usize) -> Self {
        Self {
            terms: SharedTerms::new(terms(Safeguards::ALL)),
            protocol,
            workers,
            sweepers: 0,
            are_namesakes: false,
            guesses: false,
            lag: 1,
            horizon: Tick(4),
            stalls: 0,
            crashes: 0,
            losses: 0,
            renewals: 0,
            handovers: vec![labels::PR_OPEN],
        }
    }

    /// The same with other safeguards.
    pub(crate) fn guarded_by(mut self, safeguards: Safeguards) -> Self {
        self.terms = SharedTerms::new(terms(safeguards));
        self
    }

    pub(crate) fn actors(&self) -> usize {
        self.workers + self.sweepers
    }

    pub(crate) fn name(&self, actor: usize) -> &'static str {
        if actor >= self.workers && actor < NAMES.len() - 1 { "sweeper" } else { NAMES[actor] }
    }

    /// The claimant that comes when all is over.
    pub(crate) fn probe() -> usize {
        NAMES.len() - 1
    }

    /// Who a worker is. Without nonces they have nothing that tells them apart but their names.
    pub(crate) fn claimant(&self, worker: usize) -> Claimant {
        let is_namesake = self.are_namesakes && worker < self.workers;
        let name = if is_namesake { NAMES[0] } else { NAMES[worker] };
        let nonce = if is_namesake && !self.terms.safeguards.nonce { 0 } else { worker };
        let holder = format!("{name}:1").parse().unwrap();
        Claimant { holder, nonce: Nonce(nonce as u128 + 1) }
    }

    pub(crate) fn handover(&self, index: usize) -> Handover {
        let to = self.handovers[index];
        let outcome = if to == labels::PR_OPEN { Outcome::Success } else { Outcome::Failure(None) };
        Handover { outcome, to: Some(to.to_owned()), pr: None, leaves_labels: false }
    }

    pub(crate) fn sweep_rules(&self) -> SweepRules {
        SweepRules {
            protocol: self.protocol,
            missing_claim_grace: Duration::from_secs(2),
            sweep_id: "sweep".to_owned(),
            is_dry_run: false,
        }
    }

    pub(crate) fn has_deadline(&self) -> bool {
        self.terms.safeguards.deadline
    }
}

/// The margins of the product keep their order: bids are shorter than holds, the margin is at least the settling time.
fn terms(safeguards: Safeguards) -> Terms {
    let seconds = Duration::from_secs;
    let timing = Timing {
        ttl: seconds(4),
        bid_ttl: seconds(3),
        settle: seconds(1),
        visible_within: seconds(1),
        max_ttl: seconds(60),
        foreign_ttl: seconds(60),
        request_timeout: Duration::ZERO,
        margin_floor: seconds(1),
        look_again: seconds(1),
    };
    Terms {
        timing,
        eligibility: Eligibility::default(),
        foreign: Foreign::default(),
        user: "ana".to_owned(),
        safeguards,
    }
}
