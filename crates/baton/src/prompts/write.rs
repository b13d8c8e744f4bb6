//! `baton prompts write`: the built-in templates as files, to be changed there.

use std::io::Write as _;
use std::path::Path;

use baton_core::RepoSlug;
use baton_core::prompt::{Purpose, Templates};
use clap::Args;

use super::{directory, load, purpose};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton prompts write stage ci_fix           to prompts/, for all repositories
  baton prompts write stage --repo acme/web  for one repository

Exit codes:
  0  written
  1  a file is there already; it is left alone
  3  a file cannot be written")]
pub(crate) struct Write {
    /// What the templates are for: `baton prompts list` has all.
    #[arg(value_parser = purpose, required = true)]
    purposes: Vec<Purpose>,
    /// Write them for this repository alone, as OWNER/NAME.
    #[arg(long, value_name = "REPO")]
    repo: Option<RepoSlug>,
    #[command(flatten)]
    config: ConfigArgument,
}

impl Write {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(Vec::new(), &surroundings)?;
        loaded.print_warnings();
        let directory = directory(&loaded, &surroundings);
        let templates = Templates::built_in(loaded.resolved.config.pipeline.dialect);
        let mut refused = Vec::new();
        for purpose in self.purposes.iter().copied() {
            let path = load::path(&directory, self.repo.as_ref(), purpose);
            match create(&path, &templates.text(purpose)) {
                Ok(()) => say!("wrote {}", path.display()),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    refused.push(format!("{} is there already and was left alone", path.display()));
                }
                Err(error) => {
                    let message = format!("cannot write {}: {error}", path.display());
                    return Err(CommandError::OutOfReach(message));
                }
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(CommandError::No(refused.join("\n"))) }
    }
}

/// Writes a file that is not there yet.
fn create(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(path))?;
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}
