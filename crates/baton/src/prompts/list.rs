//! `baton prompts list`: the templates, and where each comes from.

use baton_core::RepoSlug;
use baton_core::prompt::{Purpose, Templates};
use clap::Args;
use serde_json::json;

use super::{directory, load};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};
use crate::flow::table::{self, Line};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton prompts list                         what holds for all repositories
  baton prompts list --repo acme/web --json  what holds for one, for programs

Exit codes:
  0  listed")]
pub(crate) struct List {
    /// The repository, as OWNER/NAME; without it, what holds for all.
    #[arg(long, value_name = "REPO")]
    repo: Option<RepoSlug>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgument,
}

impl List {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(Vec::new(), &surroundings)?;
        let directory = directory(&loaded, &surroundings);
        let dialect = loaded.resolved.config.pipeline.dialect;
        let templates = load::templates(&directory, self.repo.as_ref(), dialect)
            .map_err(|wrong| CommandError::Usage(wrong.join("\n")))?;
        loaded.print_warnings();
        match self.json {
            true => {
                say!("{}", json!({ "directory": directory, "repo": self.repo, "prompts": rows(&templates) }))
            }
            false => print(&templates),
        }
        Ok(())
    }
}

fn rows(templates: &Templates) -> Vec<serde_json::Value> {
    let row = |purpose: &Purpose| {
        let file = templates.source(*purpose);
        json!({ "purpose": purpose, "origin": if file.is_some() { "file" } else { "built_in" }, "file": file, "about": purpose.summary() })
    };
    Purpose::ALL.iter().map(row).collect()
}

fn print(templates: &Templates) {
    let line = |purpose: &Purpose| {
        let from = templates.source(*purpose).unwrap_or("built in").to_owned();
        Line { cells: [purpose.to_string(), from, purpose.summary().to_owned()], is_alarming: false }
    };
    let lines: Vec<_> = Purpose::ALL.iter().map(line).collect();
    table::print(["PURPOSE", "FROM", "FOR"], &lines);
}
