//! `cargo xtask setup`: installs or checks everything the tests need, and says what it does.
//!
//! It runs before every test run, so it is quick when nothing is missing. It never skips: what it can neither find
//! nor install is an error that names the package. It changes the system only through the package manager of Debian,
//! and only as root (with one setting, that a new PostgreSQL starts no server); everything else it installs goes under
//! the target directory.

mod browser;
mod clients;
mod coding_agents;
mod debian;
mod packages;
mod plugins;
mod programs;
mod stamp;
mod version;

use std::fs::{self, File, TryLockError};
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let _alone = lock(&workspace.target)?;
    programs::ensure()?;
    plugins::ensure(workspace)?;
    clients::ensure(workspace)?;
    coding_agents::ensure(workspace)?;
    browser::ensure(workspace)
}

/// Waits until no other setup works in the same target directory; two would install over each other.
///
/// The lock ends with the returned file, also when this process is killed.
fn lock(target: &Path) -> Result<File> {
    let path = target.join("setup.lock");
    let held = || format!("locking `{}`; the target directory must be writable", path.display());
    fs::create_dir_all(target).with_context(held)?;
    let file = File::create(&path).with_context(held)?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => eprintln!("  waiting for another setup in {}", target.display()),
        Err(TryLockError::Error(error)) => return Err(error).with_context(held),
    }
    file.lock().with_context(held)?;
    Ok(file)
}
