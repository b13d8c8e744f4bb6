//! A simulated machine: what is on its disk and which agents run on it. It outlives the engines that are started on it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use baton_core::RepoSlug;
use baton_core::agent::KeptSession;
use baton_core::claim::Protocol;
use baton_core::time::BootTime;
use baton_core::tracker::{IssueKey, Permission};

use super::clock::SimClock;
use super::programs::Life;
use super::scene::Scene;
use super::tracker::Hub;

/// A machine.
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Its clocks.
    pub clock: SimClock,
    /// The world that it is in.
    pub scene: Arc<Scene>,
    /// The tracker, whose server also has the branches.
    pub hub: Arc<Hub>,
    disk: Mutex<Disk>,
}

/// What is on a machine's disk, and what runs there.
#[derive(Default)]
pub(crate) struct Disk {
    pub(crate) places: BTreeMap<IssueKey, Place>,
    pub(crate) sessions: BTreeMap<String, KeptSession>,
    pub(crate) alive: Vec<Arc<Life>>,
    pub(crate) permissions: BTreeMap<String, Permission>,
    pub(crate) protocols: BTreeMap<RepoSlug, Protocol>,
    /// Where refs were seen, and since when.
    pub(crate) tips: BTreeMap<(RepoSlug, String), (String, BootTime)>,
}

/// A work tree.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) branch: String,
    pub(crate) head: String,
    /// Where the branch was on the remote when it was last seen from here.
    pub(crate) seen: Option<String>,
    pub(crate) is_dirty: bool,
}

impl Machine {
    /// Makes a machine with an empty disk.
    pub fn new(name: &str, clock: SimClock, scene: &Arc<Scene>, hub: &Arc<Hub>) -> Arc<Self> {
        let (scene, hub) = (Arc::clone(scene), Arc::clone(hub));
        Arc::new(Self { name: name.to_owned(), clock, scene, hub, disk: Mutex::default() })
    }

    pub(crate) fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
