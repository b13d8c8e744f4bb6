//! A claim by an agent on the very issue that its run works on: the run has it already, and nothing is written.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use baton_core::agent::RUN_VARIABLE;
use baton_core::slot::finish::OwnLease;
use baton_core::slot::{ItemKey, RunId};
use baton_ports::{Store as _, StoreError};
use serde_json::json;

use super::context::{Desk, Flow};
use crate::claims::context::print_json;
use crate::claims::naming::IssueArgument;
use crate::command_error::CommandError;
use crate::config::ConfigArgument;

/// The run that has the issue already, with the token of its lease.
pub(crate) struct OwnRun {
    pub(crate) item: ItemKey,
    pub(crate) run: RunId,
    pub(crate) token: Option<String>,
}

/// Returns the run that this process belongs to, if that has the issue.
pub(crate) fn own_run(
    config: &ConfigArgument,
    issue: &IssueArgument,
) -> Result<Option<OwnRun>, CommandError> {
    if std::env::var_os(RUN_VARIABLE).is_none_or(|run| run.is_empty()) {
        return Ok(None);
    }
    let desk = Desk::read(config)?;
    let (Some(run), item) = (desk.own_run()?, desk.item(issue)?) else { return Ok(None) };
    // A store that is configured and does not answer is an error: a claim over the run's own would be a conflict.
    let Some(flow) = desk.open_if_there()? else { return Ok(None) };
    Ok(match flow.block_on(own_lease(&flow, &item, run))? {
        OwnLease::NotYours => None,
        OwnLease::Yours(token) => Some(OwnRun { item, run, token }),
    })
}

/// Who claims, and how it wants the answer.
pub(crate) struct OwnClaim<'a> {
    pub(crate) config: &'a ConfigArgument,
    pub(crate) issue: &'a IssueArgument,
    pub(crate) json: bool,
    /// The command that was to be run while the issue is held.
    pub(crate) command: &'a [OsString],
}

impl OwnClaim<'_> {
    /// Answers the claim if this process belongs to the run that has the issue. Returns whether it did.
    pub(crate) fn answer(&self) -> Result<bool, CommandError> {
        match own_run(self.config, self.issue)? {
            Some(OwnRun { item, run, token }) => self.tell(&item, run, token.as_deref()).map(|()| true),
            None => Ok(false),
        }
    }

    fn tell(&self, item: &ItemKey, run: RunId, token: Option<&str>) -> Result<(), CommandError> {
        if let [program, arguments @ ..] = self.command {
            eprintln!("{item} is held by run {run}, which this belongs to");
            let error = Command::new(program).args(arguments).exec();
            let program = program.display();
            return Err(CommandError::OutOfReach(format!("`{program}` cannot be run: {error}")));
        }
        if self.json {
            return print_json(&json!({
                "outcome": "won",
                "issue": item.to_string(),
                "run": run,
                "lease": { "nonce": token },
            }));
        }
        say!("{item} is held by run {run}, which this belongs to; its worker renews it and hands it back");
        Ok(())
    }
}

/// Asks the relay only about an item that there is, because a question about another would make it.
async fn own_lease(flow: &Flow, item: &ItemKey, run: RunId) -> Result<OwnLease, StoreError> {
    let owner = flow.relay.store.item(item).await?.and_then(|item| item.owner);
    match owner == Some(run) {
        true => flow.relay.own_lease(item, run).await,
        false => Ok(OwnLease::NotYours),
    }
}
