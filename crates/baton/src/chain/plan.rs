//! `baton chain plan`: what would be done.

use baton_core::chain::{ChainState, Deed};
use clap::Args;
use serde_json::json;

use super::book::Book;
use super::request::ChainArguments;
use super::{chains, words};
use crate::claims::context::{Context, print_json};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton chain plan login --title \"Log in\" --part acme/api --part acme/web
  baton chain plan login --file login.yaml --json  from a file (docs/chains.md)

Exit codes:
  0  everything could be opened
  1  a part could not; the reasons are printed
  3  the tracker cannot be reached")]
pub(crate) struct Plan {
    #[command(flatten)]
    chain: ChainArguments,
}

impl Plan {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.chain.tracker.open(Vec::new())?;
        let chain = self.chain.chain(&Book::of(&context, &self.chain.feature))?;
        tell(&context, &chain, self.chain.json)
    }
}

/// Tells what would be done; the answer is no when something could not be.
pub(super) fn tell(context: &Context, chain: &ChainState, json: bool) -> Result<(), CommandError> {
    let (plan, troubles) = context.block_on(chains(context).plan(chain));
    if json {
        let parts: Vec<_> = plan.parts.iter().map(words::planned_shape).collect();
        print_json(&json!({ "feature": chain.feature.as_str(), "title": chain.title, "parts": parts }))?;
    } else {
        say!("{}: {} pull requests, to be merged in this order", chain.feature, plan.parts.len());
        plan.parts.iter().enumerate().for_each(|(at, part)| say!("{}", words::planned(at, part)));
    }
    let refused = plan.parts.iter().filter(|part| matches!(part.deed, Deed::Refuse(_))).count();
    match refused {
        0 => Ok(()),
        _ if refused == troubles.len() && words::is_out_of_reach(&troubles) => {
            Err(CommandError::SaidWith(3.into()))
        }
        _ => Err(CommandError::Said),
    }
}
