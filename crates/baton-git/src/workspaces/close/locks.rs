//! Locks that a killed git has left in a place, and that would keep every other git from working there for ever.
//!
//! They are removed only when no agent works in the place and the repository is locked. What may still hold one then is a
//! git that has outlived a killed engine, so a young lock is given some time. Locks that all places share, such as that of
//! packed refs, are left alone: an agent in another place may hold them.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use baton_ports::WorkspaceError;

use crate::workspaces::disk;
use crate::workspaces::place::Place;
use crate::workspaces::repository::Repository;

/// How old a lock must be: longer than any git takes that has lost its engine.
const OLD: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

/// Removes the locks in a place and that of its branch.
pub(crate) fn clear(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    let patience = Instant::now() + OLD;
    left(repository, place).iter().try_for_each(|lock| {
        while is_young(lock) && Instant::now() < patience {
            thread::sleep(PAUSE);
        }
        disk::remove_file(lock)
    })
}

fn left(repository: &Repository<'_>, place: &Place) -> Vec<PathBuf> {
    let admin = repository.admin(place);
    let names = disk::names_in(&admin).into_iter().filter(|name| name.ends_with(".lock"));
    let of_branch = repository.mirror.join(format!("{}.lock", place.branch_ref()));
    names.map(|name| admin.join(name)).chain([of_branch]).filter(|lock| is_file(lock)).collect()
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| !found.is_dir())
}

/// Returns whether a lock is there whose git may still be at work.
fn is_young(lock: &Path) -> bool {
    let made = lock.symlink_metadata().and_then(|found| found.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age < OLD))
}
