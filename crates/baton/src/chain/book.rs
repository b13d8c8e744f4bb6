//! What this machine knows of a feature's chain: one file, replaced as a whole, and a lock for whoever changes things.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::PathBuf;

use baton_claims::machine::StateFile;
use baton_core::chain::{ChainState, STATE_VERSION};
use baton_core::workspace::names::FeatureId;
use serde_json::Value;

use crate::claims::context::Context;
use crate::command_error::CommandError;

/// Where chains are kept, under the directory of this machine's state.
const DIRECTORY: &str = "pr-chains";

/// The file of one chain.
pub(super) struct Book {
    file: StateFile<Option<Value>>,
    lock: PathBuf,
    feature: FeatureId,
    tracker: String,
}

/// The right to change a chain; given back when dropped, or when the process dies.
pub(super) struct Turn {
    _file: File,
}

impl Book {
    pub(super) fn of(context: &Context, feature: &FeatureId) -> Self {
        let directory = context.fleet.state_dir().join(DIRECTORY);
        Self {
            file: StateFile::new(directory.join(format!("{feature}.json"))),
            // No feature begins with a dot, so this is no file of another one.
            lock: directory.join(format!(".{feature}.turn")),
            feature: feature.clone(),
            tracker: context.config.api_url.clone(),
        }
    }

    /// The tracker that its numbers are of.
    pub(super) fn tracker(&self) -> &str {
        &self.tracker
    }

    /// Returns what is known, if anything is.
    pub(super) fn read(&self) -> Result<Option<ChainState>, CommandError> {
        let Some(value) = self.file.read()? else { return Ok(None) };
        let wrong = |why: String| CommandError::OutOfReach(format!("{}: {why}", self.file.path().display()));
        match value["version"].as_u64() {
            Some(version) if version == u64::from(STATE_VERSION) => {}
            _ => {
                return Err(wrong(format!(
                    "not of version {STATE_VERSION}; move it away, or use the baton that wrote it"
                )));
            }
        }
        let chain: ChainState = serde_json::from_value(value)
            .map_err(|error| wrong(format!("cannot be understood ({error}); repair it, or move it away")))?;
        if chain.feature != self.feature {
            return Err(wrong(format!("it is about `{}`; move it away", chain.feature)));
        }
        if chain.tracker != self.tracker {
            let (there, here) = (&chain.tracker, &self.tracker);
            return Err(wrong(format!(
                "its numbers are of {there}, and the tracker is {here}; set BATON_GITHUB_API_URL, or move it away"
            )));
        }
        Ok(Some(chain))
    }

    /// Returns what is known, and insists that something is.
    pub(super) fn known(&self) -> Result<ChainState, CommandError> {
        self.read()?.ok_or_else(|| {
            let feature = &self.feature;
            CommandError::No(format!("nothing is known of `{feature}` here; begin with: baton chain execute {feature} --title TITLE --part OWNER/REPO"))
        })
    }

    /// Replaces what is known.
    pub(super) fn keep(&self, chain: &ChainState) -> Result<(), CommandError> {
        let value = serde_json::to_value(chain)
            .map_err(|error| CommandError::OutOfReach(format!("cannot write JSON: {error}")))?;
        self.file.update(|kept| *kept = Some(value)).map_err(CommandError::from)
    }

    /// Takes the right to change the chain; nothing when another process on this machine has it.
    pub(super) fn turn(&self) -> Result<Option<Turn>, CommandError> {
        let failed = |error: std::io::Error| {
            CommandError::OutOfReach(format!("cannot lock {}: {error}", self.lock.display()))
        };
        if let Some(directory) = self.lock.parent() {
            std::fs::create_dir_all(directory).map_err(failed)?;
        }
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&self.lock).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Turn { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}
