//! Claims for programs: the fleet's functions under their known names, wired to GitHub and to this machine.
//!
//! ```no_run
//! use baton_claims::{Ending, Fleet, FleetSettings, claim_issue, release_issue};
//! use baton_engine::claims::ClaimSettings;
//! use baton_github::{Auth, Settings};
//!
//! # async fn work() -> Result<(), Box<dyn std::error::Error>> {
//! let github = Settings { auth: Auth::token("ghp_…"), ..Settings::default() };
//! let claims = ClaimSettings::new("lucius");
//! let fleet = Fleet::new(FleetSettings { github, claims, state_dir: ".baton/state".into() })?;
//! let firing = fleet.new_firing();
//! if claim_issue(&fleet, "acme/web", 42, "lucius", firing.as_str()).await? {
//!     // … work, and keep the hold alive with `fleet.claims.keep` when it takes long …
//!     let pr_url = Some("https://github.com/acme/web/pull/43");
//!     let ending = Ending { transition_to: Some(baton_claims::PR_OPEN), pr_url, ..Ending::default() };
//!     release_issue(&fleet, "acme/web", 42, "lucius", firing.as_str(), ending).await?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Deliberately absent: rules (they are in `baton-core`) and printing (that is the binary's).

#![expect(
    clippy::disallowed_methods,
    reason = "it owns the clock, the randomness, the state files and the locks of this machine"
)]

mod fleet;
pub mod functions;
mod lease_file;
pub mod machine;
mod memory;

pub use baton_core::claim::{CLAIM_COMMENT_PREFIX, RELEASE_COMMENT_PREFIX};
pub use baton_core::labels::{
    AUTHORED, DO_NOT_PICKUP, DONE, IMPLEMENT, IN_FLIGHT, LARGE_FEATURE, LIFECYCLE_LABELS, NEEDS_HUMAN_SCOPE,
    PLAN_PENDING_APPROVAL, PR_OPEN, bundle_label, is_legal_transition,
};
pub use fleet::{Fleet, FleetClaims, FleetSettings, PAUSED_REPOS_FILE};
pub use functions::{
    DedupCheck, Ending, FleetError, StaleClaim, claim_issue, find_stale_claims, force_release_stale_claim,
    is_repo_paused, issue_dedup_check, list_paused_repos, release_issue, set_repo_paused,
};
pub use lease_file::{FoundLease, LeaseFiles};
pub use machine::with_lock;
pub use memory::LocalMemory;
