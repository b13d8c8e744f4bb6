//! The claims of one installation: GitHub, this machine, and the settings, put together.

use std::path::{Path, PathBuf};

use baton_core::claim::{FiringId, Holder};
use baton_core::labels::dialect::Dialect;
use baton_engine::claims::{ClaimSettings, Claims};
use baton_github::{GitHub, RetrySettings, Settings, SetupError};
use baton_ports::{Clock as _, Entropy as _};

use crate::lease_file::LeaseFiles;
use crate::machine::PauseFile;
use crate::machine::SystemClock;
use crate::machine::SystemEntropy;
use crate::memory::LocalMemory;

/// The name of the file that lists the repositories which this installation leaves alone.
pub const PAUSED_REPOS_FILE: &str = "paused-repos.json";

/// Claims on GitHub from this machine.
pub type FleetClaims = Claims<GitHub, SystemClock, SystemEntropy, LocalMemory>;

/// What a fleet is made from.
#[derive(Debug, Clone)]
pub struct FleetSettings {
    /// The tracker.
    pub github: Settings,
    /// How claims are made.
    pub claims: ClaimSettings,
    /// Where this machine keeps its state.
    pub state_dir: PathBuf,
}

/// One installation.
#[derive(Debug, Clone)]
pub struct Fleet {
    /// The claims.
    pub claims: FleetClaims,
    /// Holds that outlive the command which made them.
    pub leases: LeaseFiles,
    state_dir: PathBuf,
}

impl Fleet {
    /// Puts an installation together. Nothing is sent yet.
    pub fn new(settings: FleetSettings) -> Result<Self, SetupError> {
        let FleetSettings { mut github, mut claims, state_dir } = settings;
        // A lease counts on every call having ended in time, its repetitions included.
        let timeout = github.timeout;
        github.retry = RetrySettings { total_max: timeout, limit_wait_max: timeout, ..github.retry };
        claims.timing.request_timeout = github.call_time_max();
        let tracker = github.api_url.clone();
        let pauses = PauseFile::new(state_dir.join(PAUSED_REPOS_FILE));
        let memory = LocalMemory::new(&state_dir, pauses, &tracker);
        let leases = LeaseFiles::new(state_dir.join("leases"), &tracker);
        let tracker = GitHub::new(github)?;
        let claims = Claims { tracker, clock: SystemClock, entropy: SystemEntropy, memory, settings: claims };
        Ok(Self { claims, leases, state_dir })
    }

    /// A new firing of a worker.
    pub fn new_firing(&self) -> FiringId {
        FiringId::starting(self.claims.clock.wall_now(), self.claims.entropy.bits())
    }

    /// Where this machine keeps its state.
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// The pauses of this installation.
    pub fn pauses(&self) -> &PauseFile {
        self.claims.memory.pauses()
    }

    /// The same installation with labels in another dialect.
    pub fn in_dialect(&self, dialect: Dialect) -> Self {
        let mut fleet = self.clone();
        fleet.claims.settings.eligibility.dialect = dialect;
        fleet
    }

    /// The holder that a codename and a firing id name.
    pub fn holder(
        &self,
        codename: &str,
        firing_id: &str,
    ) -> Result<Holder, baton_core::claim::identity::IdentityError> {
        Ok(Holder { codename: codename.parse()?, firing_id: firing_id.parse()? })
    }
}
