//! Sweeping: expired claims of the dead and labels that tell of nobody, in all repositories.

use baton_core::claim::FiringId;
use baton_ports::{Clock as _, Entropy as _};

use super::{Happened, Marshal, Parts};
use crate::claims::SweepOptions;

impl<P: Parts> Marshal<P> {
    pub(super) async fn sweep(&self) {
        let claims = &self.leases.claims;
        let sweep_id = FiringId::starting(claims.clock.wall_now(), claims.entropy.bits());
        let options = SweepOptions { max_age: None, is_dry_run: false, sweep_id: sweep_id.to_string() };
        let mut found = 0;
        for repo in &self.settings.repos {
            match claims.sweep(repo, &options).await {
                Ok(report) => found += report.issues.len(),
                Err(error) => tracing::warn!(%repo, %error, "expired claims could not be swept"),
            }
        }
        (self.tell)(&Happened::Swept(found));
    }
}
