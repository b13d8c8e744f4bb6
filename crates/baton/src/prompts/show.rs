//! `baton prompts show`: a prompt as an agent would read it, or its template.

use std::path::{Path, PathBuf};

use baton_core::RepoSlug;
use baton_core::config::stages::prompts::told;
use baton_core::pipeline::Stage;
use baton_core::pipeline::stage::Instruction;
use baton_core::prompt::{Material, Purpose, example, render};
use clap::Args;

use super::{directory, load, purpose};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Loaded, Surroundings};
use crate::stages::load as stage_files;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton prompts show stage                    filled with an example
  baton prompts show ci_fix --stage Validate  for the agent of a stage
  baton prompts show comment --template       the template itself

Exit codes:
  0  printed
  1  there is no such stage")]
pub(crate) struct Show {
    /// What the prompt is for: `baton prompts list` has all.
    #[arg(value_parser = purpose)]
    purpose: Purpose,
    /// The stage whose agent it is for; without it, that of the material, or the first one.
    #[arg(long, value_name = "STAGE")]
    stage: Option<String>,
    /// The repository whose templates are used, as OWNER/NAME.
    #[arg(long, value_name = "REPO")]
    repo: Option<RepoSlug>,
    /// Material to fill it with, as JSON; without it, an example.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Print the template and not what comes of it.
    #[arg(long, conflicts_with_all = ["stage", "from"])]
    template: bool,
    #[command(flatten)]
    config: ConfigArgument,
}

impl Show {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(Vec::new(), &surroundings)?;
        let mut material = self.material(&surroundings)?;
        let repo = self.repo.as_ref().or_else(|| self.from.as_ref().map(|_| &material.repo));
        let dialect = loaded.resolved.config.pipeline.dialect;
        let templates = load::templates(&directory(&loaded, &surroundings), repo, dialect)
            .map_err(|wrong| CommandError::Usage(wrong.join("\n")))?;
        loaded.print_warnings();
        if self.template {
            say!("{}", templates.text(self.purpose).trim_end());
            return Ok(());
        }
        let instruction = self.instruction(&mut material, &loaded, &surroundings)?;
        let prompt = render(&templates, &material, instruction.as_ref());
        say!("{}", prompt.map_err(|error| CommandError::Usage(error.to_string()))?.trim_end());
        Ok(())
    }

    fn material(&self, surroundings: &Surroundings) -> Result<Material, CommandError> {
        let Some(path) = &self.from else {
            let mut material = example::full(self.purpose);
            material.repo = self.repo.clone().unwrap_or(material.repo);
            return Ok(material);
        };
        let material = read(&surroundings.directory().join(path), &path.display().to_string())?;
        let is_for = Purpose::of(&material);
        if is_for == self.purpose {
            return Ok(material);
        }
        let message =
            format!("{}: this material is for `{is_for}`, not for `{}`", path.display(), self.purpose);
        Err(CommandError::Usage(message))
    }

    /// Returns what the agent is told, and puts its stage into the material.
    fn instruction(
        &self,
        material: &mut Material,
        loaded: &Loaded,
        surroundings: &Surroundings,
    ) -> Result<Option<Instruction>, CommandError> {
        let Some(work) = &mut material.stage else { return Ok(None) };
        let stages = stage_files::load(loaded, surroundings)?;
        // Given material means its own stage; in an example any will do.
        let named = self.stage.as_deref().or_else(|| self.from.as_ref().map(|_| work.name.as_str()));
        let stage = find(stages.set.pipeline.stages(), named, &work.name)
            .map_err(|message| CommandError::No(format!("{message} in {}", stages.origin())))?;
        // Where words go decides which of two templates is used, and that was asked for.
        let post_to_pr = match self.purpose {
            Purpose::Comment => false,
            Purpose::CommentOnPr => true,
            _ => stage.post_to_pr,
        };
        let stage = Stage { post_to_pr, ..stage.clone() };
        work.file = stages.set.stage(&stage.name).map(|stage| stage.path.clone());
        (work.read_only, work.post_to_pr) = (stage.read_only, stage.post_to_pr);
        let told = told(&stage, work.job, loaded.resolved.config.pipeline.dialect);
        work.name = stage.name;
        Ok(told)
    }
}

/// Finds the stage that is named, or else the usual one, or else the first in which an agent works.
fn find<'a>(stages: &'a [Stage], named: Option<&str>, usual: &str) -> Result<&'a Stage, String> {
    let is = |name: &str| {
        stages.iter().find(|stage| stage.is_working() && stage.name.to_lowercase() == name.to_lowercase())
    };
    let first = || stages.iter().find(|stage| stage.is_working());
    match named {
        Some(name) => is(name).ok_or_else(|| format!("there is no stage `{name}` in which an agent works")),
        None => {
            is(usual).or_else(first).ok_or_else(|| "there is no stage in which an agent works".to_owned())
        }
    }
}

fn read(path: &Path, shown: &str) -> Result<Material, CommandError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| CommandError::Usage(format!("cannot read {shown}: {error}")))?;
    serde_json::from_str(&text).map_err(|error| CommandError::Usage(format!("{shown}: {error}")))
}
