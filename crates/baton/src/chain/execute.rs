//! `baton chain execute`: open what is not open, and bring every body up to date.

use baton_core::chain::PartStatus;
use baton_engine::chain::{Executed, Trouble};
use clap::Args;

use super::book::Book;
use super::request::ChainArguments;
use super::{chains, plan, words};
use crate::claims::context::print_json;
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton chain execute login --title \"Log in\" --part acme/api --part acme/web
  baton chain execute login            again, with what is known of it
  baton chain execute login --dry-run  what would be done

Exit codes:
  0  all are open and tell of each other
  1  a part could not be opened; the reasons are printed
  3  the tracker cannot be reached")]
pub(crate) struct Execute {
    #[command(flatten)]
    chain: ChainArguments,
    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,
}

impl Execute {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.chain.tracker.open(Vec::new())?;
        let book = Book::of(&context, &self.chain.feature);
        if self.dry_run {
            return plan::tell(&context, &self.chain.chain(&book)?, self.chain.json);
        }
        let Some(_turn) = book.turn()? else {
            let feature = &self.chain.feature;
            return Err(CommandError::No(format!(
                "another command is at work on `{feature}` here; run this again when it has ended"
            )));
        };
        // Read under the lock: whoever had it before may have changed it.
        let chain = self.chain.chain(&book)?;
        let executed = context.block_on(chains(&context).execute(chain, |chain| book.keep(chain)))?;
        self.tell(&executed)
    }

    fn tell(&self, executed: &Executed) -> Result<(), CommandError> {
        let troubles: Vec<&Trouble> =
            executed.parts.iter().filter_map(|part| part.trouble.as_ref()).collect();
        if self.chain.json {
            let mut shape = words::chain_shape(&executed.chain);
            shape["done"] = executed.parts.iter().map(words::report_shape).collect();
            print_json(&shape)?;
        } else {
            executed.parts.iter().filter_map(words::deed).for_each(|deed| say!("{deed}"));
            words::print_chain(&executed.chain);
            let stale = executed
                .parts
                .iter()
                .zip(&executed.chain.parts)
                .filter(|(_, part)| part.status.number().is_some());
            let told = stale.filter_map(|(report, _)| report.trouble.as_ref());
            told.for_each(|trouble| eprintln!("warning: {}", trouble.why));
        }
        let is_closed =
            executed.chain.parts.iter().any(|part| matches!(part.status, PartStatus::Closed { .. }));
        match troubles.is_empty() && !is_closed {
            true => Ok(()),
            false if !is_closed && words::is_out_of_reach(troubles) => Err(CommandError::SaidWith(3.into())),
            false => Err(CommandError::Said),
        }
    }
}
