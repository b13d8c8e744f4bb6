//! Who holds an issue, and for how long yet: what `claim`, `renew`, `release` and `check` tell of it.

use baton_core::claim::{Holder, Lease};
use baton_core::tracker::IssueKey;
use baton_engine::claims::Standing;
use baton_ports::Clock as _;
use schemars::JsonSchema;
use serde::Serialize;

use super::session::Session;
use crate::claims::context::Context;

/// Who holds an issue.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Holding {
    /// The holder's codename.
    codename: String,
    /// Which of the holder's sessions.
    firing_id: String,
    /// Whether that is this session.
    is_this_session: bool,
    /// Seconds since it was last heard of.
    age_s: Option<i64>,
    /// Seconds until its claim is over, unless it is renewed before; null when the claim does not say.
    expires_in_s: Option<i64>,
}

impl Holding {
    /// What the tracker shows of a holder.
    pub(super) fn of(session: &Session, standing: &Standing) -> Option<Self> {
        let holder = standing.holder.as_ref()?;
        let ttl = standing.ledger.latest_of(holder).and_then(|claim| claim.text.ttl);
        let ttl_s = ttl.and_then(|ttl| i64::try_from(ttl.as_secs()).ok());
        let expires_in_s = ttl_s.zip(standing.age_s).map(|(ttl, age)| (ttl - age).max(0));
        Some(Self { age_s: standing.age_s, expires_in_s, ..Self::named(session, holder) })
    }

    /// A holder of whom only the name is known.
    pub(super) fn named(session: &Session, holder: &Holder) -> Self {
        Self {
            codename: holder.codename.to_string(),
            firing_id: holder.firing_id.to_string(),
            is_this_session: *holder == session.holder,
            age_s: None,
            expires_in_s: None,
        }
    }

    /// The holder of a claim that was lost, as the tracker shows it; only its name if that cannot be read.
    pub(super) fn rival(session: &Session, context: &Context, issue: &IssueKey, to: &Holder) -> Self {
        let standing = context.block_on(context.fleet.claims.standing(issue)).ok();
        let seen = standing.filter(|standing| standing.holder.as_ref() == Some(to));
        seen.and_then(|standing| Self::of(session, &standing)).unwrap_or_else(|| Self::named(session, to))
    }

    /// Says who it is, and until when.
    pub(super) fn words(&self) -> String {
        let until = match self.expires_in_s {
            Some(left) => format!(", for {left} s more unless that is renewed"),
            None => String::new(),
        };
        format!("{}:{}{until}", self.codename, self.firing_id)
    }
}

/// A hold of this session.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Hold {
    /// Who you are on the claim.
    pub(super) holder: String,
    /// What another session needs to go on with this claim (argument `token` of renew and release).
    pub(super) token: String,
    /// The fencing number, in repositories whose claims are refs.
    pub(super) epoch: Option<u64>,
    /// Seconds within which you have to renew it. Stop working when they are over.
    pub(super) deadline_in_s: u64,
}

impl Hold {
    pub(super) fn of(context: &Context, lease: &Lease) -> Self {
        let left = lease.deadline.since(context.fleet.claims.clock.boot_now());
        Self {
            holder: lease.holder.to_string(),
            token: lease.nonce.to_string(),
            epoch: lease.epoch,
            deadline_in_s: left.as_secs(),
        }
    }
}
