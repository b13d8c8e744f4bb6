//! The bare mirror of a repository, which all its work trees share.
//!
//! It is made under another name and renamed when it is whole. Its configuration is written by us alone: what somebody who
//! works in a work tree has added is gone before the engine's git reads it. Branches of the remote are under
//! `refs/remotes/origin/`, and only the branches of places are under `refs/heads/`.

use baton_core::ref_name::is_branch_name;
use baton_core::workspace::names::CONTEXT_DIRECTORIES;
use baton_ports::WorkspaceError;

use super::remote::{self, ALL_BRANCHES};
use super::repository::Repository;
use super::settings::without_password;
use super::{disk, failure};

/// Which repository a mirror is of. Names of directories could be made to meet; what is in this file cannot.
const SLUG_FILE: &str = "baton-repo";
/// The remote's default branch.
const DEFAULT_FILE: &str = "baton-default";

/// Makes the mirror unless it is there, and makes sure that it says what we have written to it.
pub(crate) fn ensure(repository: &Repository<'_>) -> Result<(), WorkspaceError> {
    match disk::is_own_directory(&repository.mirror)? {
        true => check(repository)?,
        false => make(repository)?,
    }
    normalise(repository)
}

/// Returns whether there is a mirror, and makes sure that it says what we have written to it.
pub(crate) fn find(repository: &Repository<'_>) -> Result<bool, WorkspaceError> {
    if !disk::is_own_directory(&repository.mirror)? {
        return Ok(false);
    }
    check(repository)?;
    normalise(repository).map(|()| true)
}

/// Reads which repository a mirror is of.
pub(crate) fn slug_of(mirror: &std::path::Path) -> Option<baton_core::RepoSlug> {
    disk::read_if_there(&mirror.join(SLUG_FILE))?.trim().parse().ok()
}

/// Returns the default branch of the remote, as it was seen last.
pub(crate) fn default_branch(repository: &Repository<'_>) -> Option<String> {
    let name = disk::read_if_there(&repository.mirror.join(DEFAULT_FILE))?.trim().to_owned();
    is_branch_name(&name).then_some(name)
}

/// Notes the default branch of the remote.
pub(crate) fn note_default_branch(repository: &Repository<'_>, name: &str) -> Result<(), WorkspaceError> {
    let (mirror, line) = (&repository.mirror, |prefix: &str| format!("ref: {prefix}{name}\n"));
    disk::write_if_other(&mirror.join(DEFAULT_FILE), &format!("{name}\n"))?;
    disk::write_if_other(&mirror.join("HEAD"), &line("refs/heads/"))?;
    disk::make_directory(&mirror.join("refs/remotes/origin"))?;
    disk::write_if_other(&mirror.join("refs/remotes/origin/HEAD"), &line("refs/remotes/origin/"))
}

fn check(repository: &Repository<'_>) -> Result<(), WorkspaceError> {
    match slug_of(&repository.mirror) {
        Some(slug) if slug.to_string().eq_ignore_ascii_case(&repository.slug.to_string()) => Ok(()),
        other => Err(failure::of_state(
            &format!("using the mirror of {}", repository.slug),
            format!(
                "{} is of {}",
                repository.mirror.display(),
                other.map_or_else(|| "no repository that is known".to_owned(), |slug| slug.to_string())
            ),
            "move it away, or set `mirrors` to another directory".to_owned(),
        )),
    }
}

fn make(repository: &Repository<'_>) -> Result<(), WorkspaceError> {
    let mirrors = &repository.shared.settings.mirrors;
    let name = repository.mirror.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Nobody else is here while the lock is held, so what is there under this name was left by a crash.
    let making = mirrors.join(format!(".new-{name}"));
    disk::remove_directory(&making)?;
    disk::make_directory(&making)?;
    let made = fill(repository, &making);
    if made.is_err() {
        disk::remove_directory(&making)?;
    }
    made?;
    disk::rename(&making, &repository.mirror)
}

fn fill(repository: &Repository<'_>, making: &std::path::Path) -> Result<(), WorkspaceError> {
    let address = repository.address();
    let git = repository.git_at(making);
    let listed =
        git.reach("looking at the remote", &["ls-remote", "--", &address, "HEAD", "refs/heads/*"])?;
    let is_sha256 = listed.split_whitespace().next().is_some_and(|oid| oid.len() == 64);
    let format = if is_sha256 { "--object-format=sha256" } else { "--object-format=sha1" };
    // What is written to a mirror file by file has the names that files have, whatever a person's default is.
    let mut arguments = vec!["-c", "init.defaultRefFormat=files", "init", "--quiet", "--bare", format];
    if !repository.shared.settings.run_hooks {
        arguments.push("--template=");
    }
    git.text("making the mirror", &arguments)?;
    disk::write(&making.join(SLUG_FILE), &format!("{}\n", repository.slug))?;
    let fetch = [&remote::FETCH[..], &["--", &address, ALL_BRANCHES]].concat();
    git.reach("fetching", &fetch).map(|_| ())
}

/// Writes the configuration and what git ignores, unless they are as they should be.
fn normalise(repository: &Repository<'_>) -> Result<(), WorkspaceError> {
    let mirror = &repository.mirror;
    let found = disk::read_if_there(&mirror.join("config")).unwrap_or_default();
    let is_sha256 = found.to_ascii_lowercase().contains("objectformat = sha256");
    disk::write_if_other(&mirror.join("config"), &configuration(repository, is_sha256))?;
    disk::make_directory(&mirror.join("info"))?;
    let ignored: String = CONTEXT_DIRECTORIES.iter().map(|name| format!("/{name}/\n")).collect();
    disk::write_if_other(&mirror.join("info/exclude"), &ignored)
}

fn configuration(repository: &Repository<'_>, is_sha256: bool) -> String {
    let address = without_password(&repository.address()).replace('\\', "\\\\").replace('"', "\\\"");
    let (version, extensions) = match is_sha256 {
        true => (1, "[extensions]\n\tobjectformat = sha256\n"),
        false => (0, ""),
    };
    let hooks = if repository.shared.settings.run_hooks { "" } else { "\thooksPath = /dev/null\n" };
    let folding =
        if cfg!(target_os = "macos") { "\tignorecase = true\n\tprecomposeunicode = true\n" } else { "" };
    format!(
        "[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = true\n\
         \tlogAllRefUpdates = always\n\tfsmonitor = false\n{hooks}{folding}{extensions}\
         [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[protocol \"ext\"]\n\tallow = never\n\
         [submodule]\n\trecurse = false\n\
         [remote \"origin\"]\n\turl = \"{address}\"\n\tfetch = {ALL_BRANCHES}\n\ttagOpt = --no-tags\n"
    )
}
