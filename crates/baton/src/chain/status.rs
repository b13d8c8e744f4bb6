//! `baton chain status`: how the pull requests of a feature stand.

use baton_core::chain::PartStatus;
use baton_core::workspace::names::FeatureId;
use clap::Args;
use serde_json::json;

use super::book::Book;
use super::{chains, words};
use crate::claims::context::{TrackerArguments, print_json};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton chain status login
  baton chain status login --json  for programs

Exit codes:
  0  all are open or merged
  1  a part is missing or closed, or the feature is not known
  3  the tracker cannot be reached")]
pub(crate) struct Status {
    /// The feature's name.
    #[arg(value_name = "FEATURE")]
    feature: FeatureId,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

impl Status {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let book = Book::of(&context, &self.feature);
        let known = book.known()?;
        // Whoever has the turn keeps what it finds; what is seen here is only told then.
        let turn = book.turn()?;
        let known = if turn.is_some() { book.known()? } else { known };
        let seen = context.block_on(chains(&context).status(known.clone()));
        if turn.is_some() && seen.chain != known {
            book.keep(&seen.chain)?;
        }
        if self.json {
            let troubles =
                seen.troubles.iter().map(|(repo, trouble)| json!({ "repo": repo, "why": trouble.why }));
            let mut shape = words::chain_shape(&seen.chain);
            shape["troubles"] = troubles.collect();
            print_json(&shape)?;
        } else {
            words::print_chain(&seen.chain);
            seen.troubles.iter().for_each(|(_, trouble)| eprintln!("warning: {}", trouble.why));
        }
        let is_well =
            |status: &PartStatus| matches!(status, PartStatus::Open { .. } | PartStatus::Merged { .. });
        match seen.chain.parts.iter().all(|part| is_well(&part.status)) {
            _ if !seen.troubles.is_empty() => Err(CommandError::SaidWith(3.into())),
            true => Ok(()),
            false => Err(CommandError::Said),
        }
    }
}
