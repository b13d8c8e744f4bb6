//! Commits of what is not committed, which move no branch, and putting files back to a commit.
//!
//! Everything is done with an index that knows all files, the new ones too, so going to another commit removes exactly
//! what is in the snapshot and nothing that git ignores.

use std::fs::File;
use std::path::PathBuf;

use baton_core::workspace::names::{self, CONTEXT_DIRECTORIES};
use baton_ports::WorkspaceError;

use super::place::Place;
use super::repository::Repository;
use super::settings::Shared;
use super::status::{Status, as_input};
use super::{disk, failure, tree};
use crate::oid::Oid;

/// The message of such a commit.
const MESSAGE: &str = "What was changed and not committed\n";

/// A commit of all files, and the index that knows them.
pub(crate) struct Snapshot {
    pub(crate) commit: Oid,
    pub(crate) index: PathBuf,
}

/// Makes a commit of all files on top of what is checked out. Its second parent is a commit of what was staged.
pub(crate) fn take(
    repository: &Repository<'_>,
    place: &Place,
    status: &Status,
) -> Result<Snapshot, WorkspaceError> {
    let index = copy_index(repository, place)?;
    let staged = staged_tree(repository, place)?;
    let git = repository.git_in(place).with_index(&index).patiently();
    stage_into(&git, status)?;
    let files = git.oid("writing a snapshot", &["write-tree"])?;
    let mut parents: Vec<Oid> = status.head.iter().cloned().collect();
    if let Some(staged) = staged.filter(|staged| *staged != files) {
        parents.push(commit(repository, &staged, &parents)?);
    }
    let commit = commit(repository, &files, &parents)?;
    Ok(Snapshot { commit, index })
}

/// Makes a commit of a tree.
fn commit(repository: &Repository<'_>, tree: &Oid, parents: &[Oid]) -> Result<Oid, WorkspaceError> {
    let mut arguments = vec!["commit-tree", tree.as_str()];
    parents.iter().for_each(|parent| arguments.extend(["-p", parent.as_str()]));
    let tried = "writing a snapshot";
    let answer = repository.git().feed(tried, &arguments, MESSAGE.as_bytes())?;
    repository.git().read_oid(tried, &answer.text())
}

fn copy_index(repository: &Repository<'_>, place: &Place) -> Result<PathBuf, WorkspaceError> {
    let admin = repository.admin(place);
    let (own, copy) = (admin.join("index"), admin.join("baton-index"));
    disk::remove_file(&copy)?;
    disk::remove_file(&admin.join("baton-index.lock"))?;
    if let Some(mut from) = disk::open_file(&own) {
        let made = File::options().write(true).create_new(true).open(&copy);
        made.and_then(|mut to| std::io::copy(&mut from, &mut to))
            .map_err(|error| failure::of_disk("copying the index", &own, &error))?;
    }
    Ok(copy)
}

/// The tree of what is staged; nothing in the middle of a conflict.
fn staged_tree(repository: &Repository<'_>, place: &Place) -> Result<Option<Oid>, WorkspaceError> {
    let answer = repository.git_in(place).ask("reading what is staged", &["write-tree"])?;
    Ok(answer.is_success().then(|| answer.text().parse().ok()).flatten())
}

/// Puts all changes into the place's own index, as a commit of them needs it.
pub(crate) fn stage(
    repository: &Repository<'_>,
    place: &Place,
    status: &Status,
) -> Result<(), WorkspaceError> {
    stage_into(&repository.git_in(place).patiently(), status)
}

fn stage_into(git: &super::repository::Call<'_>, status: &Status) -> Result<(), WorkspaceError> {
    // What is gone comes first: its directory may be a link now, and git looks at nothing beyond one.
    if !status.deleted.is_empty() {
        let arguments = ["update-index", "--force-remove", "-z", "--stdin"];
        git.feed("leaving out deleted files", &arguments, &as_input(&status.deleted))?;
    }
    if !status.changed.is_empty() {
        let arguments = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        git.feed("reading changed files", &arguments, &as_input(&status.changed))?;
    }
    if !status.has_staged_context {
        return Ok(());
    }
    // What an agent has staged of the engine's own directories is not the repository's.
    let arguments = [&["reset", "--quiet", "--"], &CONTEXT_DIRECTORIES[..]].concat();
    git.text("leaving out the context", &arguments).map(|_| ())
}

/// Puts all files to a commit, and the branch with them. What is changed and not committed is gone.
pub(crate) fn go_to(
    repository: &Repository<'_>,
    place: &Place,
    status: &Status,
    commit: &Oid,
) -> Result<(), WorkspaceError> {
    if !status.unreadable.is_empty() {
        // They could not be kept, and would be gone.
        return Err(failure::of_state(
            "putting files back",
            format!("there are changes that cannot be read: {}", status.unreadable.join(", ")),
            format!("move them out of {} or make them readable", repository.shared.path(place).display()),
        ));
    }
    if status.is_dirty() {
        stage(repository, place, status)?;
    }
    let git = repository.git_in(place).patiently();
    git.text("putting files back", &["read-tree", "-u", "--reset", commit.as_str()])?;
    tree::forget_operation(repository, place)?;
    repository.move_refs(&[(place.branch_ref(), Some(commit.clone()))])?;
    tree::attach(repository, place)
}

/// Keeps a commit in the mirror under a name of its own until it is on the remote.
pub(crate) fn keep(
    repository: &Repository<'_>,
    place: &Place,
    commit: &Oid,
) -> Result<String, WorkspaceError> {
    let name = names::rescue_ref(&place.key, Shared::now_s(), commit.as_str());
    repository.move_refs(&[(name.clone(), Some(commit.clone()))])?;
    Ok(name)
}
