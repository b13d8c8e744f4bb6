//! What this machine remembers for claims, in the files of its state directory.
//!
//! Caches that cannot be read or written are a warning: forgetting costs calls, never safety. The pause file is not a
//! cache, and failing to read it is an error.

use std::path::Path;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::claim::Protocol;
use baton_core::tracker::Permission;
use baton_ports::{Clock, Memory};

use crate::machine::PauseFile;
use crate::machine::StandingCache;
use crate::machine::StateFileError;
use crate::machine::SystemClock;
use crate::machine::{Moment, Watch};

/// The memory of one machine about one tracker.
#[derive(Debug, Clone)]
pub struct LocalMemory {
    standing: StandingCache,
    watch: Watch,
    pauses: PauseFile,
    tracker: String,
}

impl LocalMemory {
    /// Keeps everything below a state directory.
    pub fn new(state_dir: &Path, pauses: PauseFile, tracker: &str) -> Self {
        Self {
            standing: StandingCache::new(state_dir.join("standing.json"), tracker),
            watch: Watch::new(state_dir.join("watch.json")),
            pauses,
            tracker: tracker.to_owned(),
        }
    }

    fn ref_key(&self, repo: &RepoSlug, name: &str) -> String {
        format!("{} {repo} {name}", self.tracker)
    }

    /// The pauses that this machine knows.
    pub fn pauses(&self) -> &PauseFile {
        &self.pauses
    }
}

impl Memory for LocalMemory {
    fn permission(&self, repo: &RepoSlug, login: &str) -> Option<Permission> {
        forgiving(self.standing.permission(repo, login, SystemClock.wall_now())).flatten()
    }

    fn keep_permission(&self, repo: &RepoSlug, login: &str, permission: Permission) {
        forgiving(self.standing.keep_permission(repo, login, permission, SystemClock.wall_now()));
    }

    fn protocol(&self, repo: &RepoSlug) -> Option<Protocol> {
        let known = forgiving(self.standing.protocol(repo, SystemClock.wall_now())).flatten();
        known.and_then(|text| text.parse().ok())
    }

    fn keep_protocol(&self, repo: &RepoSlug, protocol: Protocol) {
        forgiving(self.standing.keep_protocol(repo, &protocol.to_string(), SystemClock.wall_now()));
    }

    fn watched_for(&self, repo: &RepoSlug, name: &str, tip: &str) -> Duration {
        let key = self.ref_key(repo, name);
        forgiving(self.watch.observe(&key, tip, &Moment::now(&SystemClock))).unwrap_or_default()
    }

    fn has_seen(&self, repo: &RepoSlug, name: &str) -> bool {
        // Without an answer the ref is looked at, which is right in any case.
        forgiving(self.watch.knows(&self.ref_key(repo, name))).unwrap_or(true)
    }

    fn paused_by(&self, repo: &RepoSlug) -> Result<Option<String>, String> {
        let paused = self.pauses.paused_by(&repo.to_string()).map_err(|error| chain(&error))?;
        Ok(paused.map(|entry| format!("`{entry}` in the pause file")))
    }
}

fn forgiving<T>(result: Result<T, StateFileError>) -> Option<T> {
    result.map_err(|error| tracing::warn!(error = chain(&error), "a cache could not be used")).ok()
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}
