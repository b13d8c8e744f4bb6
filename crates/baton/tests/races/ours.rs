//! Baton's own claimants, behind one function: the same drivers and the same client as the binary's, in this process.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use baton_claims::{Ending, Fleet, FleetSettings, claim_issue, release_issue};
use baton_core::claim::Protocol;
use baton_core::claim::step::{Acquired, Foreign};
use baton_core::time::BootTime;
use baton_engine::claims::{ClaimReport, ClaimRequest, ClaimSettings};
use baton_github::{Auth, Settings};
use baton_ports::Clock as _;

use crate::rivals::api::now_ms;
use crate::rivals::{Api, Identity, Outcome, Verdict};

/// What a claimant of ours is told besides where to claim.
#[derive(Debug, Clone, Default)]
pub(crate) struct OurOrders {
    pub(crate) state_dir: PathBuf,
    /// Whether Alfred's workers share the repository.
    pub(crate) beside_alfred: bool,
    /// Whether label-lock scripts do.
    pub(crate) beside_scripts: bool,
    /// Whether Fabrik engines do.
    pub(crate) beside_fabrik: bool,
    pub(crate) settle: Duration,
}

/// The fleet of this process; a worker has one tracker and one account.
static FLEET: OnceLock<Fleet> = OnceLock::new();

/// A fleet of one worker.
pub(crate) fn fleet(protocol: Protocol, api: &Api, who: &Identity, orders: &OurOrders) -> Fleet {
    let mut claims = ClaimSettings::new(&who.codename);
    claims.forced_protocol = Some(protocol);
    claims.timing.settle = orders.settle;
    claims.foreign = Foreign {
        alfred: orders.beside_alfred,
        labels_as_locks: orders.beside_scripts,
        fabrik: orders.beside_fabrik,
    };
    let github = Settings { api_url: api.url.clone(), auth: Auth::token(&api.token), ..Settings::default() };
    let settings = FleetSettings { github, claims, state_dir: orders.state_dir.clone() };
    Fleet::new(settings).expect("the forge's address is one")
}

/// Claims an issue in one go.
pub(crate) async fn contend(
    protocol: Protocol,
    api: &Api,
    issue: u64,
    who: &Identity,
    orders: &OurOrders,
) -> Verdict {
    contend_with(FLEET.get_or_init(|| fleet(protocol, api, who, orders)), api, issue, who).await
}

/// Claims an issue with a fleet of one's own.
pub(crate) async fn contend_with(fleet: &Fleet, api: &Api, issue: u64, who: &Identity) -> Verdict {
    let key = baton_core::tracker::IssueKey { repo: api.repo.parse().expect("a repository"), number: issue };
    let holder = fleet.holder(&who.codename, &who.firing_id).expect("a name");
    let started_ms = now_ms();
    match fleet.claims.claim(&key, &ClaimRequest { holder, label: None, nonce: None }).await {
        Ok(report) => verdict(fleet, started_ms, report),
        Err(error) => Verdict::error(started_ms, error.to_string()),
    }
}

/// Claims issues by ref and hands them back, so that the next claim finds a ref that is there.
pub(crate) async fn leave_history(api: &Api, issues: &[u64], state_dir: PathBuf) {
    let orders = OurOrders { state_dir, ..OurOrders::default() };
    let who = Identity::fresh("earlier", 7);
    let fleet = fleet(Protocol::Ref, api, &who, &orders);
    for issue in issues {
        let claimed = claim_issue(&fleet, &api.repo, *issue, &who.codename, &who.firing_id).await;
        assert!(claimed.expect("the forge answers"), "nobody else is there yet");
        let ending = Ending { outcome: "cancelled", ..Ending::default() };
        let released = release_issue(&fleet, &api.repo, *issue, &who.codename, &who.firing_id, ending).await;
        assert!(released.expect("the forge answers"), "it was held");
    }
}

fn verdict(fleet: &Fleet, started_ms: u64, report: ClaimReport) -> Verdict {
    let boot_now = fleet.claims.clock.boot_now();
    let unix = |moment: BootTime| now_ms().saturating_sub(boot_now.ms.saturating_sub(moment.ms));
    let (outcome, lost_to) = match report.acquired {
        Acquired::Won(_) => (Outcome::Won, None),
        Acquired::Lost { to } => (Outcome::Lost, to.map(|to| to.to_string())),
        Acquired::Refused(why) => (Outcome::Refused, Some(why.to_string())),
        Acquired::Failed(why) => (Outcome::Error, Some(why)),
    };
    Verdict {
        outcome,
        lost_to,
        calls_to_decision: report.calls_to_decision,
        started_ms,
        first_read_ms: report.first_read_at.map(unix),
        decisive_write_ms: report.first_write_at.map(unix),
        decided_ms: unix(report.decided_at),
    }
}
