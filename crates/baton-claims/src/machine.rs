//! What claims take from this machine: its clock, its randomness, and a few small files under the state directory.
//!
//! | file | what it holds | when it cannot be read |
//! |---|---|---|
//! | `paused-repos.json` | repositories that nobody here may claim in | an error; a person repairs it |
//! | `watch.json` | when this machine first saw a tip whose date cannot be believed | dropped; the watch starts again |
//! | `standing.json` | who may write, and which protocol a repository has | dropped; the tracker is asked again |
//! | `agent-lock-<codename>` | who fires under a codename now | never decides: the kernel's lock does |
//!
//! Every file is written whole or not at all, under an advisory lock. The functions block for as long as such a write
//! takes. Deliberately absent: rules about claims, and anything that talks to a tracker.

mod clock;
mod entropy;
mod firing_lock;
mod pause_file;
mod standing_cache;
mod state_file;
#[cfg(test)]
mod test_child;
mod watch;

pub use clock::SystemClock;
pub use entropy::SystemEntropy;
pub use firing_lock::{FiringLock, Holder, LockError, LockOutcome, with_lock};
pub use pause_file::{PauseFile, PauseFileError};
pub use standing_cache::StandingCache;
pub use state_file::{StateFile, StateFileError};
pub use watch::{BootId, Moment, Watch};
