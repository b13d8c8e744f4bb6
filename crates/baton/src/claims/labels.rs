//! `baton labels sync`: make the labels of the relay in a repository.

use baton_core::RepoSlug;
use baton_core::labels::column_definition;
use baton_core::tracker::LabelDefinition;
use baton_engine::claims::LabelSyncChange;
use clap::Subcommand;
use serde_json::json;

use super::context::{Context, TrackerArguments, print_json};
use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum LabelsCommand {
    /// Make the labels, and give those that are there their colour and meaning.
    #[command(after_help = "Examples:
  baton labels sync                            the repository of the checkout
  baton labels sync --repo acme/web --dry-run  what would be made and changed

Exit codes:
  0  the labels are there
  3  the tracker cannot be reached")]
    Sync {
        /// The repository; by default the one of the checkout.
        #[arg(long, value_name = "OWNER/NAME")]
        repo: Option<String>,
        /// Make the columns of a board of labels too, `stage:NAME` for each stage.
        #[arg(long)]
        board: bool,
        /// Only tell what would be done.
        #[arg(long)]
        dry_run: bool,
        /// Answer in JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        tracker: TrackerArguments,
    },
}

impl LabelsCommand {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let Self::Sync { repo, board, dry_run, json, tracker } = self;
        let context = tracker.open(Vec::new())?;
        let repo = context.repo(repo.as_deref())?;
        let mut synced = context.block_on(context.fleet.claims.sync_labels(&repo, *dry_run))?;
        if *board {
            let columns = columns(tracker, &context)?;
            synced.extend(context.block_on(context.fleet.claims.define_labels(&repo, &columns, *dry_run))?);
        }
        let word = |change| match (change, dry_run) {
            (LabelSyncChange::Made, false) => "made",
            (LabelSyncChange::Made, true) => "missing",
            (LabelSyncChange::Changed, false) => "changed",
            (LabelSyncChange::Changed, true) => "differs",
            (LabelSyncChange::AsItShouldBe, _) => "ok",
        };
        if *json {
            let labels: Vec<_> =
                synced.iter().map(|it| json!({ "name": it.name, "change": word(it.change) })).collect();
            return print_json(&json!({ "repo": repo.to_string(), "labels": labels, "dry_run": dry_run }));
        }
        for label in &synced {
            say!("{:8} {}", word(label.change), label.name);
        }
        Ok(())
    }
}

/// The labels that are columns of a board of labels.
fn columns(tracker: &TrackerArguments, context: &Context) -> Result<Vec<LabelDefinition>, CommandError> {
    let loaded = tracker.config.load(Vec::new(), &context.surroundings)?;
    let stages = crate::stages::load::load(&loaded, &context.surroundings)?;
    Ok(stages.set.pipeline.stages().iter().map(|stage| column_definition(&stage.name)).collect())
}

/// Makes the labels, and with them the columns of a board of labels. Returns how many were not as they should be.
pub(crate) fn make(
    tracker: &TrackerArguments,
    repo: &RepoSlug,
    with_board: bool,
) -> Result<usize, CommandError> {
    let context = tracker.open(Vec::new())?;
    let mut synced = context.block_on(context.fleet.claims.sync_labels(repo, false))?;
    if with_board {
        let columns = columns(tracker, &context)?;
        synced.extend(context.block_on(context.fleet.claims.define_labels(repo, &columns, false))?);
    }
    Ok(synced.iter().filter(|label| label.change != LabelSyncChange::AsItShouldBe).count())
}
