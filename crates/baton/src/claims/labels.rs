//! `baton labels sync`: make the labels of the relay in a repository.

use baton_engine::claims::LabelSyncChange;
use clap::Subcommand;
use serde_json::json;

use super::context::{TrackerArguments, print_json};
use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum LabelsCommand {
    /// Make the labels, and give those that are there their colour and meaning.
    Sync {
        /// The repository; by default the one of the checkout.
        #[arg(long, value_name = "OWNER/NAME")]
        repo: Option<String>,
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
        let Self::Sync { repo, dry_run, json, tracker } = self;
        let context = tracker.open(Vec::new())?;
        let repo = context.repo(repo.as_deref())?;
        let synced = context.block_on(context.fleet.claims.sync_labels(&repo, *dry_run))?;
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
