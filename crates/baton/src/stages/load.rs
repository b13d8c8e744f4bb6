//! Finds the stage files and hands them to the core as text; where there are none, the shipped stages are used.

use std::io;
use std::path::{Path, PathBuf};

use baton_core::config::stages::{StageSet, read_stages, shipped};
use baton_core::config::{Source, TextFile};

use crate::command_error::CommandError;
use crate::config::{Loaded, Surroundings};

/// The stages of this process.
#[derive(Debug)]
pub(crate) struct Stages {
    pub(crate) set: StageSet,
    /// Whether they are the shipped ones, because there is no directory of stage files.
    pub(crate) are_shipped: bool,
    /// The directory of stage files, whether it is there or not.
    pub(crate) directory: PathBuf,
    /// The same, as seen from where we are.
    pub(crate) shown_directory: String,
}

/// Reads the stages that a configuration names.
pub(crate) fn load(loaded: &Loaded, surroundings: &Surroundings) -> Result<Stages, CommandError> {
    let config = &loaded.resolved.config.pipeline;
    let directory = loaded.directory.join(&config.stages);
    let shown_directory = surroundings.shown(&directory);
    let found = files(&directory, surroundings).map_err(CommandError::Usage)?;
    let are_shipped = found.is_none();
    let mut set = match found {
        Some(files) => {
            read_stages(&files, config.dialect).map_err(|errors| CommandError::Usage(errors.to_string()))?
        }
        None => shipped(config.dialect),
    };
    if are_shipped {
        set.warnings.extend(missing_on_purpose(loaded, &shown_directory));
    }
    Ok(Stages { set, are_shipped, directory, shown_directory })
}

/// Somebody who named a directory meant one that is there.
fn missing_on_purpose(loaded: &Loaded, directory: &str) -> Option<String> {
    let at = loaded.resolved.source("stages");
    let was_said = !matches!(at, Source::Default | Source::Dialect { .. });
    was_said
        .then(|| format!("{at}: `stages` names {directory}, which is not there; the shipped stages are used"))
}

impl Stages {
    /// Says where the stages are from.
    pub(crate) fn origin(&self) -> String {
        match self.are_shipped {
            true => format!("the shipped stages, since there is no {}", self.shown_directory),
            false => format!("the stages of {}", self.shown_directory),
        }
    }

    /// Tells people what is suspicious.
    pub(crate) fn print_warnings(&self) {
        self.set.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    }
}

/// Reads the files of a directory by name; nothing when there is no directory. An error says all that went wrong.
fn files(directory: &Path, surroundings: &Surroundings) -> Result<Option<Vec<TextFile>>, String> {
    let cannot = |error: &io::Error| format!("cannot read {}: {error}", surroundings.shown(directory));
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot(&error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.extend(Some(entry.map_err(|error| cannot(&error))?.path()).filter(|path| is_stage_file(path)));
    }
    if paths.is_empty() {
        return Err(no_files(&surroundings.shown(directory)));
    }
    paths.sort();
    let (read, failed): (Vec<_>, Vec<_>) =
        paths.iter().map(|path| file(path, surroundings)).partition(Result::is_ok);
    match failed.is_empty() {
        true => Ok(Some(read.into_iter().flatten().collect())),
        false => Err(failed.into_iter().filter_map(Result::err).collect::<Vec<_>>().join("\n")),
    }
}

fn no_files(directory: &str) -> String {
    format!(
        "{directory} has no stage files: put one *.yaml for each stage there (docs/reference/stages.md), or remove the \
         directory to use the shipped stages"
    )
}

/// Files whose name begins with a dot are an editor's, or the system's.
fn is_stage_file(path: &Path) -> bool {
    let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    is_yaml && !is_hidden
}

fn file(path: &Path, surroundings: &Surroundings) -> Result<TextFile, String> {
    let path_shown = surroundings.shown(path);
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(TextFile { path: path_shown, text }),
        Err(error) => Err(format!("cannot read {path_shown}: {error}")),
    }
}
