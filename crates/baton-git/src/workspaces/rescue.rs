//! Commits that would be nowhere else, put on the remote under names of their own and looked for there.
//!
//! Deliberately absent: what is done once they are safe.

use std::collections::BTreeMap;

use baton_core::workspace::names;
use baton_ports::WorkspaceError;

use super::failure;
use super::place::Place;
use super::repository::{Refs, Repository};
use super::settings::Shared;
use crate::oid::Oid;

/// Puts commits on the remote, and returns the refs that have them there. Fails unless all were found there afterwards.
pub(crate) fn send(
    repository: &Repository<'_>,
    place: &Place,
    commits: &[Oid],
) -> Result<Vec<String>, WorkspaceError> {
    let (now, name) = (Shared::now_s(), |at, oid: &Oid| names::rescue_ref(&place.key, at, oid.as_str()));
    let wanted = commits.iter().map(|oid| (oid.clone(), name(now, oid))).collect();
    send_as(repository, place, wanted)
}

/// Puts what was kept by name on the remote, and forgets it here.
pub(crate) fn send_kept(
    repository: &Repository<'_>,
    place: &Place,
    kept: &Refs,
) -> Result<Vec<String>, WorkspaceError> {
    let wanted = kept.0.iter().map(|(name, oid)| (oid.clone(), name.clone())).collect();
    let names = send_as(repository, place, wanted)?;
    let forgotten: Vec<_> = kept.0.keys().map(|name| (name.clone(), None)).collect();
    repository.move_refs(&forgotten)?;
    Ok(names)
}

fn send_as(
    repository: &Repository<'_>,
    place: &Place,
    wanted: BTreeMap<Oid, String>,
) -> Result<Vec<String>, WorkspaceError> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let there = on_remote(repository, place)?;
    let missing: Vec<String> = wanted
        .iter()
        .filter(|(oid, _)| !there.contains_key(*oid))
        .map(|(oid, name)| format!("{oid}:{name}"))
        .collect();
    if !missing.is_empty() {
        push(repository, &missing)?;
    }
    let there = on_remote(repository, place)?;
    let names: Vec<String> = wanted.keys().filter_map(|oid| there.get(oid).cloned()).collect();
    match names.len() == wanted.len() {
        true => Ok(names),
        false => Err(failure::of_state(
            &format!("keeping commits of {} on the remote of {}", place.directory, place.repo),
            "they are not there although the push succeeded".to_owned(),
            "nothing was removed; look at the remote".to_owned(),
        )),
    }
}

/// What the remote keeps of a place, by commit.
fn on_remote(repository: &Repository<'_>, place: &Place) -> Result<BTreeMap<Oid, String>, WorkspaceError> {
    let (address, pattern) = (repository.address(), format!("{}*", place.rescue_prefix()));
    let arguments = ["ls-remote", "--", &address, &pattern];
    let text = repository.git().reach("looking at the remote", &arguments)?;
    let prefix = place.rescue_prefix();
    let pairs = text.lines().filter_map(|line| line.split_once('\t'));
    let own = pairs.filter(|(_, name)| name.starts_with(&prefix));
    Ok(own.filter_map(|(oid, name)| Some((oid.parse().ok()?, name.to_owned()))).collect())
}

fn push(repository: &Repository<'_>, refspecs: &[String]) -> Result<(), WorkspaceError> {
    let address = repository.address();
    let options = ["push", "--quiet", "--no-verify", "--no-follow-tags", "--no-recurse-submodules", "--"];
    let mut arguments = [&options[..], &[&address]].concat();
    arguments.extend(refspecs.iter().map(String::as_str));
    repository.git().reach("keeping commits on the remote", &arguments).map(|_| ())
}
