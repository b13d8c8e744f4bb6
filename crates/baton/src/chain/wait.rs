//! `baton chain wait`: until all pull requests of a feature are merged, or open.

use std::time::Duration;

use baton_core::config::duration::parse_duration;
use baton_core::workspace::names::FeatureId;
use baton_engine::chain::{Goal, WaitTerms, Waited};
use clap::{Args, ValueEnum};

use super::book::Book;
use super::{chains, words};
use crate::claims::context::{TrackerArguments, print_json};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton chain wait login --timeout 2h             until all are merged
  baton chain wait login --until open --every 5s  until all are open

Exit codes:
  0  it is so
  1  a part was closed, the time is over, or the feature is not known
  3  the tracker cannot be reached")]
pub(crate) struct Wait {
    /// The feature's name.
    #[arg(value_name = "FEATURE")]
    feature: FeatureId,
    /// What to wait for.
    #[arg(long, value_enum, default_value = "merged")]
    until: Until,
    /// How long to wait, such as 2h; by default as long as it takes.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    timeout: Option<Duration>,
    /// The longest pause between two looks.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30s")]
    every: Duration,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Until {
    /// All pull requests are open, or merged already.
    Open,
    /// All are merged.
    Merged,
}

fn duration(text: &str) -> Result<Duration, String> {
    let meant = parse_duration(text).filter(|duration| !duration.is_zero());
    meant.ok_or_else(|| format!("`{text}` is not a duration: write it like 90s, 15min or 2h"))
}

impl Wait {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let book = Book::of(&context, &self.feature);
        let goal = match self.until {
            Until::Open => Goal::Open,
            Until::Merged => Goal::Merged,
        };
        let terms = WaitTerms { goal, pause_max: self.every, timeout: self.timeout };
        let waited = context.block_on(chains(&context).wait(&terms, || book.known()))?;
        let chain = match &waited {
            Waited::Reached(chain) | Waited::Closed(chain, _) => Some(chain),
            Waited::TimedOut(seen) => Some(&seen.chain),
            Waited::Unseen(..) => None,
        };
        if let Some(chain) = chain {
            if self.json { print_json(&words::chain_shape(chain))? } else { words::print_chain(chain) }
        }
        self.judged(waited)
    }

    fn judged(&self, waited: Waited) -> Result<(), CommandError> {
        let feature = &self.feature;
        match waited {
            Waited::Reached(_) => Ok(()),
            Waited::Closed(_, name) => Err(CommandError::No(format!(
                "{name} was closed without a merge, so `{feature}` will not be complete"
            ))),
            Waited::TimedOut(seen) => match seen.troubles.first() {
                Some((_, trouble)) => Err(CommandError::OutOfReach(trouble.why.clone())),
                None => Err(CommandError::No(format!("the time is over, and `{feature}` is not there yet"))),
            },
            Waited::Unseen(_, trouble) => Err(CommandError::OutOfReach(trouble.why)),
        }
    }
}
