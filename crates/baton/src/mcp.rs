//! `baton mcp`: the relay's verbs as tools for agents, over the Model Context Protocol on standard input and output.
//!
//! Each tool is a file and does what the command of its name does, through the same functions. Nothing but the protocol is
//! written to standard output; what people may want to know goes to standard error. What a call may expect to be told, such
//! as that somebody else holds the issue, is a result with an `outcome`; what kept a call from being carried out is a result
//! that is marked as an error (docs/mcp.md).
//!
//! Deliberately absent: every word that only a person may give. No tool approves a plan, ends a pause or takes a claim away
//! from its holder, and what an agent says on an issue stands under its name.

mod check;
mod claim;
mod comment;
mod explain;
mod holding;
mod release;
mod renew;
mod request_approval;
mod server;
mod session;
mod tool;
mod wake;

use clap::Args;

use crate::claims::context::{IdentityArguments, TrackerArguments};
use crate::command_error::CommandError;

use session::Session;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton mcp --codename lucius  for an agent of this name

An agent's client starts it; docs/mcp.md says how to register it.

Exit codes:
  0  the client went away")]
pub(crate) struct Mcp {
    #[command(flatten)]
    identity: IdentityArguments,
    #[command(flatten)]
    tracker: TrackerArguments,
}

impl Mcp {
    pub(crate) fn run(self) -> Result<(), CommandError> {
        let session = Session::open(self.tracker, &self.identity)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| CommandError::OutOfReach(format!("no runtime: {error}")))?;
        runtime.block_on(server::serve(session))
    }
}
