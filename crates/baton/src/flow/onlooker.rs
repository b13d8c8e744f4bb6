//! A marshal that only looks: the same reading that decisions are made from, with nothing left behind.
//!
//! The rules need a row in the store for what they look at. What the store does not know is looked at in a store that is
//! thrown away, so that a look never makes a file or a row.

use std::path::PathBuf;
use std::sync::Arc;

use baton_claims::machine::SystemEntropy;
use baton_core::config::StoreAddress;
use baton_core::slot::ItemKey;
use baton_engine::marshal::Marshal;
use baton_ports::{Entropy as _, Store as _};

use super::context::{Desk, Flow};
use super::machine::{self, Machine};
use crate::command_error::CommandError;

/// Somebody who only looks.
pub(crate) struct Onlooker {
    pub(crate) flow: Flow,
    pub(crate) marshal: Arc<Marshal<Machine>>,
    /// Whether there is a store that knows of what is looked at.
    pub(crate) is_known: bool,
    scratch: Option<Scratch>,
}

/// A directory that goes with whoever has it.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Onlooker {
    /// Looks at an issue, or at the board as a whole.
    pub(crate) fn open(desk: Desk, item: Option<&ItemKey>) -> Result<Self, CommandError> {
        let is_there = match desk.store_address() {
            StoreAddress::Sqlite(path) => path.exists(),
            StoreAddress::Postgres(_) => true,
        };
        let (flow, scratch) = match is_there {
            true => (desk.open()?, None),
            false => in_scratch(desk)?,
        };
        let knows = |flow: &Flow| match item {
            Some(item) => Ok::<_, CommandError>(flow.block_on(flow.relay.store.item(item))?.is_some()),
            None => Ok(true),
        };
        let is_known = is_there && knows(&flow)?;
        let (flow, scratch) = match is_there && !is_known {
            true => in_scratch(flow.into_desk())?,
            false => (flow, scratch),
        };
        let marshal = machine::marshal(&flow.desk, flow.relay.clone(), Box::new(|_| ()))?;
        Ok(Self { flow, marshal, is_known, scratch })
    }

    /// Looks at what no store knows.
    pub(crate) fn beside_the_store(desk: Desk) -> Result<Self, CommandError> {
        let (flow, scratch) = in_scratch(desk)?;
        let marshal = machine::marshal(&flow.desk, flow.relay.clone(), Box::new(|_| ()))?;
        Ok(Self { flow, marshal, is_known: false, scratch })
    }

    /// Returns whether what is looked at is in a store that is thrown away.
    pub(crate) fn is_scratch(&self) -> bool {
        self.scratch.is_some()
    }
}

fn in_scratch(desk: Desk) -> Result<(Flow, Option<Scratch>), CommandError> {
    let directory = std::env::temp_dir().join(format!("baton-look-{:032x}", SystemEntropy.bits()));
    std::fs::create_dir(&directory).map_err(|error| CommandError::out_of_reach(&error))?;
    let scratch = Scratch(directory);
    let flow = desk.open_at(&StoreAddress::Sqlite(scratch.0.join("look.db")))?;
    Ok((flow, Some(scratch)))
}
