//! What one machine remembers between two commands: answers that may be used again for a while, and first sights.

use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::claim::Protocol;
use baton_core::tracker::Permission;

/// A memory. Forgetting is always allowed: it costs calls or time, never safety.
pub trait Memory: Send + Sync {
    /// Returns what someone may do in a repository, if that was asked not long ago.
    fn permission(&self, repo: &RepoSlug, login: &str) -> Option<Permission>;

    /// Keeps what someone may do.
    fn keep_permission(&self, repo: &RepoSlug, login: &str, permission: Permission);

    /// Returns the repository's protocol, if that was asked not long ago.
    fn protocol(&self, repo: &RepoSlug) -> Option<Protocol>;

    /// Keeps the repository's protocol.
    fn keep_protocol(&self, repo: &RepoSlug, protocol: Protocol);

    /// Notes that a ref stands at `tip` and returns for how long it has been seen there.
    fn watched_for(&self, repo: &RepoSlug, name: &str, tip: &str) -> Duration;

    /// Returns whether a ref was ever seen from here; if not, it probably does not exist.
    fn has_seen(&self, repo: &RepoSlug, name: &str) -> bool;

    /// Returns what on this machine pauses a repository, if anything does. A pause that cannot be read is an error.
    fn paused_by(&self, repo: &RepoSlug) -> Result<Option<String>, String>;
}
