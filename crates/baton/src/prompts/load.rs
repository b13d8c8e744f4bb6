//! Finds the templates that replace built-in ones: those of a repository first, then those of all.

use std::io;
use std::path::{Path, PathBuf};

use baton_core::RepoSlug;
use baton_core::config::PipelineDialect;
use baton_core::prompt::{Purpose, Templates};

/// Returns the templates of a repository: `DIRECTORY/OWNER/NAME/PURPOSE.md`, or `DIRECTORY/PURPOSE.md`, or the built-in one.
/// Errors name all files that are wrong.
pub(crate) fn templates(
    directory: &Path,
    repo: Option<&RepoSlug>,
    dialect: PipelineDialect,
) -> Result<Templates, Vec<String>> {
    let (templates, wrong) = gather(directory, repo, dialect);
    if wrong.is_empty() { Ok(templates) } else { Err(wrong) }
}

/// Returns the templates of a repository, with built-in ones in place of those that are wrong, and what is wrong.
pub(super) fn gather(
    directory: &Path,
    repo: Option<&RepoSlug>,
    dialect: PipelineDialect,
) -> (Templates, Vec<String>) {
    let mut templates = Templates::built_in(dialect);
    let mut wrong = Vec::new();
    for purpose in Purpose::ALL.iter().copied() {
        let replaced = match read(directory, repo, purpose) {
            Ok(None) => continue,
            Ok(Some((path, text))) => templates
                .clone()
                .with_override(purpose, &path.display().to_string(), &text)
                .map_err(|error| error.to_string()),
            Err(error) => Err(error),
        };
        match replaced {
            Ok(replaced) => templates = replaced,
            Err(error) => wrong.push(error),
        }
    }
    (templates, wrong)
}

/// Returns where a template of a repository would be, or one of all repositories.
pub(super) fn path(directory: &Path, repo: Option<&RepoSlug>, purpose: Purpose) -> PathBuf {
    let directory = match repo {
        // Both parts are names that are safe as parts of a path.
        Some(repo) => directory.join(repo.owner()).join(repo.name()),
        None => directory.to_owned(),
    };
    directory.join(format!("{purpose}.md"))
}

/// Returns the first of the files for a purpose.
fn read(
    directory: &Path,
    repo: Option<&RepoSlug>,
    purpose: Purpose,
) -> Result<Option<(PathBuf, String)>, String> {
    let own = repo.map(|repo| path(directory, Some(repo), purpose));
    for path in own.into_iter().chain([path(directory, None, purpose)]) {
        match std::fs::read_to_string(&path) {
            Ok(text) => return Ok(Some((path, text))),
            Err(error) if is_absence(&error) => (),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        }
    }
    Ok(None)
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
