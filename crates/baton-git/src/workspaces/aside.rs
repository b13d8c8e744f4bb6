//! Runs that may not change anything: what is not committed is put aside before, and comes back afterwards.
//!
//! Git's own stash is one list for all work trees of a mirror, so it is not used: each place has refs of its own. They are
//! written before any file is touched and deleted after all files are back, so whoever finds them goes on from there,
//! however often it was interrupted.

use baton_ports::WorkspaceError;

use super::place::Place;
use super::repository::{Refs, Repository};
use super::status::{self, Status};
use super::{disk, snapshot, tree};
use crate::oid::Oid;

/// Puts aside what is not committed, and notes where the branch is.
pub(crate) fn put(
    repository: &Repository<'_>,
    place: &Place,
    status: &Status,
    head: &Oid,
) -> Result<(), WorkspaceError> {
    let before = (place.before_ref(), Some(head.clone()));
    if !status.has_changes() {
        return repository.move_refs(&[before]);
    }
    let taken = snapshot::take(repository, place, status)?;
    repository.move_refs(&[before, (place.aside_ref(), Some(taken.commit))])?;
    let git = repository.git_in(place).with_index(&taken.index).patiently();
    git.text("putting changes aside", &["read-tree", "-u", "--reset", head.as_str()])?;
    disk::rename(&taken.index, &repository.admin(place).join("index"))
}

/// Ends a run that may not change anything. Files that it has changed are as before, and commits that it has made are kept
/// under a name of their own. Returns the names of what was kept.
pub(crate) fn take_back(
    repository: &Repository<'_>,
    place: &Place,
    refs: &Refs,
) -> Result<Vec<String>, WorkspaceError> {
    let Some(before) = refs.at(&place.before_ref()) else { return Ok(Vec::new()) };
    let status = status::read(repository, place)?;
    let mut kept = Vec::new();
    for commit in [status.head.as_ref(), refs.at(&place.branch_ref())].into_iter().flatten() {
        if !kept.iter().any(|(oid, _)| oid == commit) && !repository.is_ancestor(commit, before)? {
            kept.push((commit.clone(), snapshot::keep(repository, place, commit)?));
        }
    }
    snapshot::go_to(repository, place, &status, before)?;
    let mut names: Vec<String> = kept.into_iter().map(|(_, name)| name).collect();
    if let Some(aside) = refs.at(&place.aside_ref())
        && let Err(error) = restore(repository, place, aside)
    {
        // A transient failure is tried again from the refs; what cannot be brought back is kept by name.
        if error.is_transient {
            return Err(error);
        }
        names.push(snapshot::keep(repository, place, aside)?);
    }
    repository.move_refs(&forget(place, refs))?;
    Ok(names)
}

/// Gives up what was put aside, to be kept by name, because the run has changed files after all.
pub(crate) fn give_up(
    repository: &Repository<'_>,
    place: &Place,
    refs: &Refs,
) -> Result<Option<String>, WorkspaceError> {
    let name =
        refs.at(&place.aside_ref()).map(|aside| snapshot::keep(repository, place, aside)).transpose()?;
    repository.move_refs(&forget(place, refs))?;
    Ok(name)
}

fn forget(place: &Place, refs: &Refs) -> Vec<(String, Option<Oid>)> {
    let names = [place.before_ref(), place.aside_ref()];
    names.into_iter().filter(|name| refs.at(name).is_some()).map(|name| (name, None)).collect()
}

/// Brings files back, and what was staged.
fn restore(repository: &Repository<'_>, place: &Place, aside: &Oid) -> Result<(), WorkspaceError> {
    let git = repository.git_in(place).patiently();
    git.text("bringing changes back", &["read-tree", "-u", "--reset", aside.as_str()])?;
    // The second parent is what was staged; without one everything was.
    let staged = git.ask(
        "reading what was staged",
        &["rev-parse", "--verify", "--quiet", &format!("{aside}^2^{{tree}}")],
    )?;
    if staged.is_success() {
        git.text("bringing back what was staged", &["read-tree", &staged.text()])?;
    }
    git.ask("reading files", &["update-index", "-q", "--refresh"])?;
    tree::attach(repository, place)
}
