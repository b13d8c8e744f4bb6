//! What the remote has: which branch is its default, where branches are, and bringing them here.
//!
//! Deliberately absent: pushes.

use baton_core::workspace::names;
use baton_ports::WorkspaceError;

use super::place::{Place, tracking_ref};
use super::repository::Repository;
use super::{failure, mirror};
use crate::oid::Oid;
use crate::report::find_ref;

/// All branches of the remote, as the mirror keeps them.
pub(crate) const ALL_BRANCHES: &str = "+refs/heads/*:refs/remotes/origin/*";

/// How everything is fetched. Tags are nobody's branch, and what was fetched last is nobody's business.
pub(crate) const FETCH: [&str; 7] = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--refmap=",
];

/// The branch that work will be merged into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base {
    pub(crate) name: String,
    pub(crate) commit: Oid,
    /// The one that was asked for, if there is none like that.
    pub(crate) missing: Option<String>,
}

/// Looks at the remote, and fetches the base and the place's own branch where they have moved.
pub(crate) fn refresh(
    repository: &Repository<'_>,
    place: &Place,
    asked: Option<&str>,
) -> Result<Base, WorkspaceError> {
    let usable = asked.and_then(|asked| names::base_asked(asked, &place.branch).ok());
    let mut tries_left = 2;
    loop {
        tries_left -= 1;
        let listed = list(repository, place, usable)?;
        mirror::note_default_branch(repository, &listed.default)?;
        let found = usable.and_then(|name| Some((name, find_ref(&listed.text, &full(name))?)));
        let (name, commit) = match found {
            Some((name, commit)) => (name.to_owned(), Some(commit)),
            None => (listed.default.clone(), listed.default_commit.clone()),
        };
        let commit = commit.ok_or_else(|| no_commits(repository))?;
        let own = find_ref(&listed.text, &place.branch_ref());
        match bring(repository, place, (&name, &commit), own.as_ref()) {
            // A branch may be deleted between the look and the fetch.
            Err(error) if tries_left > 0 && error.answer.contains("couldn't find remote ref") => {}
            Err(error) => return Err(error),
            Ok(()) => {
                let missing = asked.filter(|asked| *asked != name).map(str::to_owned);
                let refs = repository.refs(&[&tracking_ref(&name)])?;
                let commit = refs.at(&tracking_ref(&name)).cloned().unwrap_or(commit);
                return Ok(Base { name, commit, missing });
            }
        }
    }
}

/// Looks where the place's own branch is on the remote, and fetches it if it has moved.
pub(crate) fn refresh_own(repository: &Repository<'_>, place: &Place) -> Result<Option<Oid>, WorkspaceError> {
    let (address, name) = (repository.address(), place.branch_ref());
    let listed = repository.git().reach("looking at the remote", &["ls-remote", "--", &address, &name])?;
    if find_ref(&listed, &name).is_some() {
        fetch(repository, &[format!("+{name}:{}", place.tracking_ref())])?;
    }
    // What was fetched may be newer than what was seen.
    let refs = repository.refs(&[&place.tracking_ref()])?;
    Ok(find_ref(&listed, &name).and(refs.at(&place.tracking_ref()).cloned()))
}

/// The base by what was fetched last, without a look at the remote.
pub(crate) fn remembered(
    repository: &Repository<'_>,
    place: &Place,
    asked: Option<&str>,
) -> Result<Option<Base>, WorkspaceError> {
    let usable = asked.and_then(|asked| names::base_asked(asked, &place.branch).ok());
    let candidates: Vec<String> =
        usable.map(str::to_owned).into_iter().chain(mirror::default_branch(repository)).collect();
    let tracking: Vec<String> = candidates.iter().map(|name| tracking_ref(name)).collect();
    let refs = repository.refs(&tracking.iter().map(String::as_str).collect::<Vec<_>>())?;
    let found = candidates.into_iter().find_map(|name| {
        let commit = refs.at(&tracking_ref(&name))?.clone();
        let missing = asked.filter(|asked| *asked != name).map(str::to_owned);
        Some(Base { name, commit, missing })
    });
    Ok(found)
}

/// Brings all branches of the remote here, and forgets those that it has not.
pub(crate) fn fetch_all(repository: &Repository<'_>) -> Result<(), WorkspaceError> {
    let address = repository.address();
    let arguments = [&FETCH[..], &["--prune", "--", &address, ALL_BRANCHES]].concat();
    repository.git().reach("fetching", &arguments).map(|_| ())
}

struct Listed {
    text: String,
    default: String,
    default_commit: Option<Oid>,
}

fn list(repository: &Repository<'_>, place: &Place, base: Option<&str>) -> Result<Listed, WorkspaceError> {
    let (address, own, base) = (repository.address(), place.branch_ref(), base.map(full));
    let mut arguments = vec!["ls-remote", "--symref", "--", &address, "HEAD", &own];
    arguments.extend(base.as_deref());
    let text = repository.git().reach("looking at the remote", &arguments)?;
    let told = text.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.strip_suffix("\tHEAD"));
    // Some servers do not tell; then it is what it was.
    let default = told.map(str::to_owned).or_else(|| mirror::default_branch(repository));
    let default = default.ok_or_else(|| no_commits(repository))?;
    let text: String =
        text.lines().filter(|line| !line.starts_with("ref: ")).map(|it| format!("{it}\n")).collect();
    let default_commit = find_ref(&text, "HEAD");
    Ok(Listed { text, default, default_commit })
}

/// Fetches what is not here, and forgets the place's own branch if the remote has none.
fn bring(
    repository: &Repository<'_>,
    place: &Place,
    base: (&str, &Oid),
    own: Option<&Oid>,
) -> Result<(), WorkspaceError> {
    let (base_ref, own_ref) = (tracking_ref(base.0), place.tracking_ref());
    let here = repository.refs(&[&base_ref, &own_ref])?;
    if own.is_none() && here.at(&own_ref).is_some() {
        repository.move_refs(&[(own_ref.clone(), None)])?;
    }
    let wanted = [(base.0, &base_ref, Some(base.1)), (place.branch.as_str(), &own_ref, own)];
    let moved = wanted.into_iter().filter(|(_, name, oid)| oid.is_some() && here.at(name) != *oid);
    let refspecs: Vec<String> =
        moved.map(|(branch, name, _)| format!("+refs/heads/{branch}:{name}")).collect();
    if refspecs.is_empty() {
        return Ok(());
    }
    fetch(repository, &refspecs)
}

fn fetch(repository: &Repository<'_>, refspecs: &[String]) -> Result<(), WorkspaceError> {
    let address = repository.address();
    let mut arguments = [&FETCH[..], &["--", &address]].concat();
    arguments.extend(refspecs.iter().map(String::as_str));
    let answer = repository.git().try_to_reach("fetching", &arguments)?;
    match answer.is_success() {
        true => Ok(()),
        // A branch that is gone may be in the way of one whose name begins alike: `a` and `a/b`.
        false if answer.stderr.contains("cannot lock ref") => fetch_all(repository),
        false => Err(repository.git().failed("fetching", &answer, true)),
    }
}

fn full(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

fn no_commits(repository: &Repository<'_>) -> WorkspaceError {
    failure::of_state(
        &format!("looking for the base branch of {}", repository.slug),
        "the remote has no default branch with a commit".to_owned(),
        "push a first commit, or set the default branch".to_owned(),
    )
}
