//! The rules of claims: one holder per issue, on a tracker that knows nothing of claims.
//!
//! Everything that decides is here, as pure functions and as machines that are told answers and say what to ask next.
//! A driver performs the asks; a model check performs them against every order of events that can happen. Both run the
//! same code.
//!
//! * The words on the wire: [`text`], [`outcome`], [`identity`].
//! * What they mean together: [`ledger`] for comments, [`chain`] for the commits on a claim ref.
//! * Time: [`timing`] has every margin, [`lease`] the holder's own deadline.
//! * Who may try at all: [`eligibility`]; who has tried too often: [`attempts`].
//! * What becomes of an issue when the command ends that it was held around: [`command_end`].
//! * The machines: [`bid`] and [`swap`] acquire, [`renewal`], [`handback`] and [`sweep`] do what their names say, all in
//!   the terms of [`step`].

pub mod attempts;
pub mod bid;
pub mod chain;
pub mod command_end;
pub mod eligibility;
pub mod handback;
pub mod identity;
pub mod lease;
pub mod ledger;
pub mod outcome;
pub mod renewal;
pub mod step;
pub mod swap;
pub mod sweep;
pub mod text;
pub mod timing;

pub use eligibility::{Eligibility, Refusal};
pub use identity::{Codename, FiringId, Holder, Nonce};
pub use lease::{Lease, Protocol};
pub use outcome::Outcome;
pub use timing::Timing;

/// How a claim comment begins.
pub const CLAIM_COMMENT_PREFIX: &str = "<!-- agent-claim:";
/// How a release comment begins.
pub const RELEASE_COMMENT_PREFIX: &str = "<!-- agent-release:";
