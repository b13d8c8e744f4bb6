//! `cargo xtask setup`: installs or checks everything the tests need, and says what it does.
//!
//! It runs before every test run, so it is quick when nothing is missing. It never skips: what it can neither find
//! nor install is an error that names the package. It changes the system only through the package manager of Debian,
//! and only as root (with one setting, that a new PostgreSQL starts no server). Everything else it installs goes into
//! one directory of the user's cache, once for all clones; a clone has only links to it, in its target directory.

mod browser;
mod cache;
mod clients;
mod coding_agents;
mod debian;
mod entry;
mod packages;
mod plugins;
mod programs;
mod version;

use std::ffi::OsString;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use anyhow::Result;

use crate::workspace::Workspace;

/// What the steps after setup need to know.
pub(crate) struct Provided {
    /// `PATH` with the plugins of cargo that had to be compiled.
    pub(crate) search_path: OsString,
}

pub(crate) fn run(workspace: &Workspace) -> Result<Provided> {
    let cache = cache::find()?;
    eprintln!("  cache: {}", cache.display());
    programs::ensure(&cache)?;
    // Compiling waits for the processor, the others for the network.
    let (plugins, clients) = thread::scope(|scope| {
        let plugins = scope.spawn(|| plugins::ensure(&cache));
        let clients = clients(workspace, &cache);
        (plugins.join().unwrap_or_else(|panic| resume_unwind(panic)), clients)
    });
    clients?;
    Ok(Provided { search_path: plugins::search_path(&plugins?)? })
}

fn clients(workspace: &Workspace, cache: &Path) -> Result<()> {
    clients::ensure(workspace, cache)?;
    coding_agents::ensure(workspace, cache)?;
    browser::ensure(workspace, cache)
}
