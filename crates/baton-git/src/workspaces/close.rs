//! Ending a run in a place: what is not committed is committed, and the branch is pushed.
//!
//! Whatever an agent has left checked out, the place's own branch is checked out afterwards. What does not belong on it is
//! kept by name, here and then on the remote.

pub(crate) mod locks;

use std::time::Instant;

use baton_core::workspace::{CloseAsk, Closed, PushClaim, PushTerms, Pushed};
use baton_ports::WorkspaceError;

use super::open::{base_of, head, no_head, read_refs};
use super::place::{Place, tracking_ref};
use super::repository::{LONG, Refs, Repository, SETTINGS};
use super::{aside, disk, failure, mirror, remote, rescue, snapshot, status, tree, update};
use crate::checkout::Checkout;
use crate::error::GitError;
use crate::oid::Oid;
use crate::push::{BranchMove, FencedPush, Heartbeat, PushOutcome, UnfencedPush};

/// Ends a run in a place.
pub(crate) fn close(
    repository: &Repository<'_>,
    place: &Place,
    ask: &CloseAsk,
) -> Result<Closed, WorkspaceError> {
    find(repository, place)?;
    locks::clear(repository, place)?;
    let refs = read_refs(repository, place)?;
    let rest_committed = match ask.is_read_only {
        true => {
            aside::take_back(repository, place, &refs)?;
            false
        }
        false => {
            aside::give_up(repository, place, &refs)?;
            settle(repository, place)?;
            let message = ask.commit_rest_as.as_deref();
            message.map_or(Ok(false), |message| commit_rest(repository, place, message))?
        }
    };
    let head = head(repository, place)?;
    let push = push(repository, place, &head, &ask.push)?;
    let kept_aside = send_kept(repository, place, &ask.push, &push)?;
    Ok(Closed { head: head.to_string(), rest_committed, push, kept_aside })
}

/// Makes sure that there is a place, and that it is as we have made it.
pub(crate) fn find(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    let path = repository.shared.path(place);
    disk::is_own_directory(&repository.shared.settings.repo_worktrees(&place.repo))?;
    let is_there = disk::is_own_directory(&path)?
        && mirror::find(repository)?
        && disk::is_own_directory(&repository.admin(place))?;
    match is_there {
        // Where its refs are is read from a file that an agent can write.
        true => tree::write_admin(repository, place),
        false => Err(failure::of_state(
            &format!("using the work tree of {} in {}", place.directory, place.repo),
            format!("there is none at {}", path.display()),
            "open it first".to_owned(),
        )),
    }
}

/// Makes the place's own branch the one that is checked out, with nothing in the middle.
pub(crate) fn settle(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    update::undo(repository, place)?;
    let refs = repository.refs(&[&place.branch_ref()])?;
    let branch = refs.at(&place.branch_ref());
    if update::is_settled(repository, place) && branch.is_some() {
        return Ok(());
    }
    let status = status::read(repository, place)?;
    if let (false, Some(head)) = (tree::is_in_operation(repository, place), &status.head)
        && branch.map_or(Ok(true), |branch| repository.is_ancestor(branch, head))?
    {
        repository.move_refs(&[(place.branch_ref(), Some(head.clone()))])?;
        return tree::attach(repository, place);
    }
    for commit in tree::autostashes(repository, place) {
        snapshot::keep(repository, place, &commit)?;
    }
    let branch = branch.cloned().ok_or_else(|| no_head(repository, place))?;
    if status.has_changes() {
        let taken = snapshot::take(repository, place, &status)?;
        snapshot::keep(repository, place, &taken.commit)?;
    } else if let Some(head) = status.head.as_ref().filter(|head| **head != branch) {
        snapshot::keep(repository, place, head)?;
    }
    snapshot::go_to(repository, place, &status, &branch)
}

/// Commits what is not committed. Returns whether there was anything.
fn commit_rest(repository: &Repository<'_>, place: &Place, message: &str) -> Result<bool, WorkspaceError> {
    let status = status::read(repository, place)?;
    if !status.has_changes() {
        return Ok(false);
    }
    snapshot::stage(repository, place, &status)?;
    let (git, tried) = (repository.git_in(place).patiently(), "committing what is left");
    let arguments = ["commit", "--quiet", "--cleanup=verbatim", "--allow-empty-message", "--file=-"];
    if repository.shared.settings.run_hooks && git.feed(tried, &arguments, message.as_bytes()).is_ok() {
        return Ok(true);
    }
    // A hook that says no must not keep the work from being kept.
    let options = ["-c", "core.hooksPath=/dev/null"];
    git.feed(tried, &[&options[..], &arguments].concat(), message.as_bytes()).map(|_| true)
}

fn push(
    repository: &Repository<'_>,
    place: &Place,
    head: &Oid,
    terms: &PushTerms,
) -> Result<Pushed, WorkspaceError> {
    if *terms == PushTerms::Withheld {
        return Ok(Pushed::Withheld);
    }
    let outcome = match try_to_push(repository, place, head, terms)? {
        Some(PushOutcome::BranchMoved { .. }) if note_own_push(repository, place, head)? => {
            try_to_push(repository, place, head, terms)?
        }
        outcome => outcome,
    };
    let Some(outcome) = outcome else { return Ok(Pushed::Unneeded) };
    Ok(match outcome {
        PushOutcome::Pushed { claim_tip } => {
            let names = [place.seen_ref(), place.tracking_ref()];
            repository.move_refs(&names.map(|name| (name, Some(head.clone()))))?;
            Pushed::Done { claim_tip: claim_tip.map(|tip| tip.to_string()) }
        }
        PushOutcome::Stale { .. } => Pushed::ClaimLost,
        PushOutcome::BranchMoved { .. } => {
            let mut rescued = rescue::send(repository, place, std::slice::from_ref(head))?;
            Pushed::BranchMoved { rescued_as: rescued.pop().unwrap_or_default() }
        }
        PushOutcome::NotFastForward { name } => Pushed::Refused(format!("{name} would lose commits")),
        PushOutcome::Rejected(said) => Pushed::Refused(said),
    })
}

/// Pushes, unless the remote has the branch like this, or has none and needs none.
fn try_to_push(
    repository: &Repository<'_>,
    place: &Place,
    head: &Oid,
    terms: &PushTerms,
) -> Result<Option<PushOutcome>, WorkspaceError> {
    let refs = read_refs(repository, place)?;
    let is_unneeded = match refs.at(&place.seen_ref()) {
        Some(seen) => seen == head,
        None => is_in_base(repository, place, head)?,
    };
    if is_unneeded {
        return Ok(None);
    }
    let outcome = send(repository, place, head, &refs, terms);
    let failed = |error| failure::of_call("pushing the branch", &error, &repository.mirror, true);
    outcome.map(Some).map_err(failed)
}

/// Returns whether what the remote has now is part of what is pushed, and notes that it was seen: an engine that died between
/// a push and the note of it has moved the branch itself.
fn note_own_push(repository: &Repository<'_>, place: &Place, head: &Oid) -> Result<bool, WorkspaceError> {
    let Some(tip) = remote::refresh_own(repository, place)? else { return Ok(false) };
    if !repository.is_ancestor(&tip, head)? {
        return Ok(false);
    }
    repository.move_refs(&[(place.seen_ref(), Some(tip))]).map(|()| true)
}

/// Returns whether the base has everything that the branch has, by what was last seen of it.
fn is_in_base(repository: &Repository<'_>, place: &Place, head: &Oid) -> Result<bool, WorkspaceError> {
    let Some(name) = base_of(repository, place).map(|base| tracking_ref(&base)) else { return Ok(false) };
    let refs = repository.refs(&[&name])?;
    refs.at(&name).map_or(Ok(false), |base| repository.is_ancestor(head, base))
}

fn send(
    repository: &Repository<'_>,
    place: &Place,
    head: &Oid,
    refs: &Refs,
    terms: &PushTerms,
) -> Result<PushOutcome, GitError> {
    let (token, remote) = (repository.token(), repository.address());
    let stop_at = Instant::now().checked_add(LONG);
    let settings = settings(repository);
    let checkout = Checkout {
        repository: &repository.mirror,
        token: token.as_ref(),
        stop_at,
        is_bare: true,
        settings: &settings,
    };
    let (name, expected) = (place.branch_ref(), refs.at(&place.seen_ref()).cloned());
    // What is rewritten here was seen here; the expected commit keeps everything else safe.
    let branch = BranchMove { name: &name, new: head.clone(), expected, allows_rewrite: true };
    let (remote, skips_hooks) = (remote.as_str(), !repository.shared.settings.run_hooks);
    match terms {
        PushTerms::Fenced(PushClaim { claim_ref, tip, message }) => {
            let claim_tip =
                tip.parse().map_err(|error: crate::OidError| GitError::Input(error.to_string()))?;
            let heartbeat = Heartbeat { claim_ref, claim_tip, message };
            FencedPush { checkout, remote, heartbeat, branch, skips_hooks }.send()
        }
        _ => UnfencedPush { checkout, remote, branch, skips_hooks }.send(),
    }
}

/// What git is told, here as on every other call in a mirror.
fn settings(repository: &Repository<'_>) -> Vec<&'static str> {
    let hooks: &[&str] =
        if repository.shared.settings.run_hooks { &[] } else { &["core.hooksPath=/dev/null"] };
    [&SETTINGS[..], hooks].concat()
}

/// Puts what was kept by name on the remote, unless nothing may be pushed, and tells its names.
fn send_kept(
    repository: &Repository<'_>,
    place: &Place,
    terms: &PushTerms,
    pushed: &Pushed,
) -> Result<Option<String>, WorkspaceError> {
    let kept = repository.refs(&[&place.rescue_prefix()])?;
    if kept.0.is_empty() {
        return Ok(None);
    }
    let may_push = *terms != PushTerms::Withheld && *pushed != Pushed::ClaimLost;
    let names: Vec<String> = match may_push {
        true => rescue::send_kept(repository, place, &kept)?,
        false => kept.0.into_keys().collect(),
    };
    Ok(Some(names.join(" ")))
}
