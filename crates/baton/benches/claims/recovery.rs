//! How long a dead claimant blocks its issue: the forge's clock is moved until the next claimant wins.
//!
//! Each probe has an issue of its own, because a failed claim leaves traces. Where the tool has a sweep, it is run first.

use std::fmt;

use baton_core::claim::Protocol;

use crate::harness::Kind;
use crate::ours::{self, OurOrders};
use crate::rivals::{Api, Identity, Verdict, alfred, alfred_sweep, label_lock, label_verify};
use crate::setup::Setup;

/// Beyond this a claim counts as blocked for ever.
const LATEST_S: i64 = 24 * 3600;

/// How long an issue stays blocked.
pub(crate) enum Blocked {
    /// So many seconds, within ten.
    Seconds(i64),
    /// Until a person comes.
    ForEver,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seconds(seconds) => write!(f, "{seconds}"),
            Self::ForEver => f.write_str("not within a day"),
        }
    }
}

/// Finds the first moment at which someone else can have a dead claimant's issue.
pub(crate) async fn measure(kind: Kind) -> Blocked {
    let setup = Setup::new().await;
    let bench =
        Probes { dead: setup.claimant("dead").await, next: setup.claimant("next").await, setup, kind };
    if !bench.is_free_after(LATEST_S).await {
        return Blocked::ForEver;
    }
    let (mut blocked, mut free) = (0, LATEST_S);
    while free - blocked > 1 {
        let middle = blocked + (free - blocked) / 2;
        if bench.is_free_after(middle).await { free = middle } else { blocked = middle }
    }
    Blocked::Seconds(free)
}

struct Probes {
    setup: Setup,
    dead: Api,
    next: Api,
    kind: Kind,
}

impl Probes {
    async fn is_free_after(&self, seconds: i64) -> bool {
        self.setup.forge.shift_clock(0).await;
        let issue = self.setup.issue().await;
        let first = self.contend(&self.dead, issue, "dead", 0).await;
        assert!(first.won(), "nobody else was there: {first:?}");
        self.setup.forge.shift_clock(seconds).await;
        self.sweep(seconds).await;
        self.contend(&self.next, issue, "next", seconds).await.won()
    }

    async fn contend(&self, api: &Api, issue: u64, name: &str, _after: i64) -> Verdict {
        let who = Identity::fresh(name, u16::try_from(issue % 0xffff).unwrap_or_default());
        match self.kind {
            Kind::Alfred => alfred::contend(api, issue, &who).await,
            Kind::LabelVerify => label_verify::contend(api, issue, &who, label_verify::VERIFY_DELAY).await,
            Kind::Bash => label_lock::contend(api, issue, &who).await,
            Kind::Comment => self.ours(Protocol::Comment, api, issue, &who).await,
            Kind::Ref => self.ours(Protocol::Ref, api, issue, &who).await,
        }
    }

    async fn ours(&self, protocol: Protocol, api: &Api, issue: u64, who: &Identity) -> Verdict {
        let state_dir = self.setup.state_dir(&who.codename).into();
        let settle = std::time::Duration::from_secs(1);
        let orders = OurOrders { state_dir, settle, ..OurOrders::default() };
        ours::contend_with(&ours::fleet(protocol, api, who, &orders), api, issue, who).await
    }

    async fn sweep(&self, seconds: i64) {
        match self.kind {
            Kind::Alfred => {
                let now = baton_core::time::ServerTime(alfred::now().0 + seconds);
                for stale in alfred_sweep::find(&self.next, alfred::WINDOW_S, now).await {
                    alfred_sweep::evict(&self.next, &stale, "bench", now).await;
                }
            }
            Kind::Bash => {
                label_lock::run(&self.next, "sweeper", &["--sweep"]).await;
            }
            Kind::LabelVerify | Kind::Comment | Kind::Ref => {}
        }
    }
}
