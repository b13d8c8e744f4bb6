//! What a simulated machine remembers for claims. It is on the machine's disk, so it outlives engines.

use std::sync::Arc;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::claim::Protocol;
use baton_core::tracker::Permission;
use baton_ports::{Clock as _, Memory};

use super::machine::Machine;

/// The memory of a machine.
#[derive(Clone)]
pub struct SimMemory(Arc<Machine>);

impl SimMemory {
    /// Returns what a machine remembers.
    pub fn new(machine: &Arc<Machine>) -> Self {
        Self(Arc::clone(machine))
    }
}

impl Memory for SimMemory {
    fn permission(&self, _: &RepoSlug, login: &str) -> Option<Permission> {
        self.0.disk().permissions.get(login).copied()
    }

    fn keep_permission(&self, _: &RepoSlug, login: &str, permission: Permission) {
        self.0.disk().permissions.insert(login.to_owned(), permission);
    }

    fn protocol(&self, repo: &RepoSlug) -> Option<Protocol> {
        self.0.disk().protocols.get(repo).copied()
    }

    fn keep_protocol(&self, repo: &RepoSlug, protocol: Protocol) {
        self.0.disk().protocols.insert(repo.clone(), protocol);
    }

    fn watched_for(&self, repo: &RepoSlug, name: &str, tip: &str) -> Duration {
        let now = self.0.clock.boot_now();
        let mut disk = self.0.disk();
        let key = (repo.clone(), name.to_owned());
        let seen = disk.tips.entry(key).or_insert_with(|| (tip.to_owned(), now));
        if seen.0 != tip {
            *seen = (tip.to_owned(), now);
        }
        now.since(seen.1)
    }

    fn has_seen(&self, repo: &RepoSlug, name: &str) -> bool {
        self.0.disk().tips.contains_key(&(repo.clone(), name.to_owned()))
    }

    fn paused_by(&self, _: &RepoSlug) -> Result<Option<String>, String> {
        Ok(None)
    }
}
