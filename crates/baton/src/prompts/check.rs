//! `baton prompts check`: every template and every prompt of a stage, filled with examples, and all that is wrong.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use baton_core::RepoSlug;
use baton_core::config::PipelineDialect;
use baton_core::config::stages::prompts::told;
use baton_core::pipeline::Stage;
use baton_core::pipeline::effect::Job;
use baton_core::prompt::material::StageWork;
use baton_core::prompt::{Material, Purpose, Templates, example, render};
use clap::Args;

use super::{directory, load};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};
use crate::stages::load::{self as stage_files, Stages};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton prompts check

Exit codes:
  0  everything can be filled
  1  something cannot; all errors are printed")]
pub(crate) struct Check {
    #[command(flatten)]
    config: ConfigArgument,
}

impl Check {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(Vec::new(), &surroundings)?;
        let stages = stage_files::load(&loaded, &surroundings)?;
        loaded.print_warnings();
        stages.print_warnings();
        let dialect = loaded.resolved.config.pipeline.dialect;
        let found = Found::below(&directory(&loaded, &surroundings));
        let mut wrong = found.wrong.clone();
        let repos = std::iter::once(None).chain(found.repos.iter().map(Some));
        repos.for_each(|repo| wrong.extend(check(&found.directory, repo, dialect, &stages)));
        wrong.iter().for_each(|wrong| say!("error: {wrong}"));
        match wrong.len() {
            0 => {
                say!("{} files of templates and {} stages: all fine", found.files, working(&stages).count());
                Ok(())
            }
            _ => Err(CommandError::Said),
        }
    }
}

fn working(stages: &Stages) -> impl Iterator<Item = &Stage> {
    stages.set.pipeline.stages().iter().filter(|stage| stage.is_working())
}

/// Fills the templates of a repository with all examples.
fn check(
    directory: &Path,
    repo: Option<&RepoSlug>,
    dialect: PipelineDialect,
    stages: &Stages,
) -> BTreeSet<String> {
    let (templates, wrong) = load::gather(directory, repo, dialect);
    let mut wrong: BTreeSet<_> = wrong.into_iter().collect();
    let wakes = [example::full(Purpose::Wake), example::sparse(Purpose::Wake)];
    wrong.extend(
        wakes.iter().filter_map(|wake| render(&templates, wake, None).err()).map(|it| it.to_string()),
    );
    for stage in working(stages) {
        for job in Job::ALL.iter().copied() {
            wrong.extend(check_stage(&templates, stage, job, stages));
        }
    }
    wrong
}

fn check_stage(templates: &Templates, stage: &Stage, job: Job, stages: &Stages) -> Vec<String> {
    let told = told(stage, job, templates.dialect());
    let work = StageWork {
        name: stage.name.clone(),
        job,
        read_only: stage.read_only,
        post_to_pr: stage.post_to_pr,
        file: stages.set.stage(&stage.name).map(|stage| stage.path.clone()),
    };
    let examples = [example::full(Purpose::Stage), example::sparse(Purpose::Stage)];
    let filled = examples.into_iter().map(|example| {
        let material = Material { stage: Some(work.clone()), ..example };
        render(templates, &material, told.as_ref())
    });
    filled.filter_map(Result::err).map(|error| error.to_string()).collect()
}

/// What is below the directory of templates.
#[derive(Debug, Default)]
struct Found {
    directory: PathBuf,
    repos: Vec<RepoSlug>,
    files: usize,
    wrong: BTreeSet<String>,
}

impl Found {
    fn below(directory: &Path) -> Self {
        let mut found = Self { directory: directory.to_owned(), ..Self::default() };
        for owner in found.look(directory) {
            for name in found.look_for_repos(&owner) {
                let parts =
                    [&owner, &name].map(|path| path.file_name().unwrap_or_default().to_string_lossy());
                match RepoSlug::new(&parts[0], &parts[1]) {
                    Ok(repo) => found.repos.push(repo),
                    Err(error) => drop(found.wrong.insert(format!("{}: {error}", name.display()))),
                }
                found.look(&name);
            }
        }
        found
    }

    /// Counts the templates of a directory, notes files that are none, and returns its directories.
    fn look(&mut self, directory: &Path) -> Vec<PathBuf> {
        let (directories, files): (Vec<_>, Vec<_>) =
            self.entries(directory).into_iter().partition(|path| path.is_dir());
        for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            match stem.parse::<Purpose>() {
                Ok(_) => self.files += 1,
                Err(error) => drop(self.wrong.insert(format!("{}: {error}", path.display()))),
            }
        }
        directories
    }

    /// A directory of an account has repositories in it and no templates.
    fn look_for_repos(&mut self, owner: &Path) -> Vec<PathBuf> {
        let (directories, files): (Vec<_>, Vec<_>) =
            self.entries(owner).into_iter().partition(|path| path.is_dir());
        let strays = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        self.wrong.extend(strays.map(|path| {
            format!("{}: nobody reads this; templates of one repository are in OWNER/NAME/", path.display())
        }));
        directories
    }

    /// Returns what is in a directory, in order, without what is hidden.
    fn entries(&mut self, directory: &Path) -> Vec<PathBuf> {
        let entries = match std::fs::read_dir(directory) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                self.wrong.insert(format!("cannot read {}: {error}", directory.display()));
                return Vec::new();
            }
        };
        let is_hidden =
            |path: &PathBuf| path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b"."));
        let mut paths: Vec<_> = entries.filter(|path| !is_hidden(path)).collect();
        paths.sort();
        paths
    }
}
