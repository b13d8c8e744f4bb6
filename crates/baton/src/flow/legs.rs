//! What an engine on this machine runs legs with: git, programs, the tracker and the store, put together.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use baton_agent::StartingBlock;
use baton_core::agent::command_line::Places;
use baton_core::config::{Config, StoreAddress};
use baton_core::pipeline::Policy;
use baton_engine::engine::LegsOf;
use baton_engine::leg::{LegSettings, Legs};
use baton_store::SqlStore;

use super::context::{Desk, WITHHELD_VARIABLE};
use super::machine::{Machine, absolute, lease_book};
use super::programs::{Limits, Programs};
use super::secrets;
use crate::command_error::CommandError;
use crate::{prompts, stages, worktrees};

/// Puts everything together that a leg needs.
pub(super) fn legs(desk: &Desk, store: SqlStore) -> Result<LegsOf<Machine>, CommandError> {
    let book = lease_book(desk)?;
    let tracker = book.claims.tracker.clone();
    let workspaces = Arc::new(worktrees::workspaces(&desk.loaded, &desk.surroundings)?);
    Ok(Legs::new(workspaces, programs(desk)?, tracker, store, book, settings(desk)?))
}

pub(super) fn programs(desk: &Desk) -> Result<Programs, CommandError> {
    let baton = std::env::current_exe()
        .map_err(|error| CommandError::OutOfReach(format!("cannot find baton itself: {error}")))?;
    let block = StartingBlock::new(baton.clone());
    block.prepare();
    Ok(Programs {
        block,
        places: Places { baton, directory: absolute(desk.loaded.directory.clone()) },
        state_dir: absolute(desk.loaded.state_dir()),
        log_dir: absolute(desk.log_dir()),
        limits: Limits::of(desk.config()),
        secrets: secrets::of_this_process(&desk.loaded, &desk.surroundings)?,
        began: Mutex::default(),
        suspicious: Mutex::default(),
        hidden_files: hidden_files(desk),
        protected_files: desk.loaded.file.iter().map(|path| absolute(path.into())).collect(),
        real_home: desk.surroundings.variable("HOME").map(PathBuf::from),
    })
}

/// The files that hold secrets of ours, and the store.
fn hidden_files(desk: &Desk) -> Vec<PathBuf> {
    let directory = absolute(desk.loaded.directory.clone());
    let key = desk.config().app.iter().map(|app| directory.join(&app.private_key_file));
    let store = match desk.store_address() {
        StoreAddress::Sqlite(path) => STORE_ENDINGS.map(|ending| with_ending(&path, ending)).to_vec(),
        StoreAddress::Postgres(_) => Vec::new(),
    };
    let all = key.chain([directory.join(".env")]).chain(store.into_iter().map(absolute));
    all.filter(|path| path.is_file()).collect()
}

/// The files of a SQLite database.
const STORE_ENDINGS: [&str; 3] = ["", "-wal", "-shm"];

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

pub(super) fn settings(desk: &Desk) -> Result<LegSettings, CommandError> {
    settings_of(desk, desk.config())
}

/// The same, with some settings other than the desk's.
pub(super) fn settings_of(desk: &Desk, config: &Config) -> Result<LegSettings, CommandError> {
    let (dialect, directory) = (config.pipeline.dialect, desk.loaded.directory.join(&config.prompts));
    Ok(LegSettings {
        agents: config.agents.clone(),
        pipeline: stages::load::load(&desk.loaded, &desk.surroundings)?.set.pipeline,
        approvers: Policy::of(config).approvers,
        dialect,
        directory: absolute(desk.loaded.directory.clone()),
        variables: variables(desk),
        templates: Box::new(move |repo| {
            prompts::load::templates(&directory, repo, dialect).map_err(|wrong| wrong.join("\n"))
        }),
    })
}

/// What tells a program inside a run where Baton's state and store are.
fn variables(desk: &Desk) -> Vec<(String, String)> {
    let state_dir = absolute(desk.loaded.state_dir()).display().to_string();
    let store = match shown_store(&desk.store_address()) {
        Some(address) => ("BATON_STORE".to_owned(), address),
        None => (WITHHELD_VARIABLE.to_owned(), "1".to_owned()),
    };
    vec![("BATON_STATE_DIR".to_owned(), state_dir), store]
}

/// Where the store is, unless that would tell the agent a password.
fn shown_store(address: &StoreAddress) -> Option<String> {
    let shown = address.to_string();
    match address {
        StoreAddress::Sqlite(_) => Some(shown),
        StoreAddress::Postgres(url) => (*url == shown).then_some(shown),
    }
}
