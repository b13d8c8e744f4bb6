//! Refs and the commits they point at: the compare and swap that claims stand on.
//!
//! A ref is created once or not at all, and moved forward only; both are decided by the server. Refs are never forced
//! and never deleted here.

use baton_core::RepoSlug;
use baton_core::tracker::{Commit, Dated, RefAdvance, RefCreation};
use baton_ports::TrackerErrorKind;
use http::Method;
use serde_json::json;

use crate::client::{Answer, GitHub, Sent, map};
use crate::layers::lock;
use crate::refusal::sentence_of;
use crate::wire::{CommitWire, GitCommitWire, RefWire};

const REPO: &str = "/repos/{owner}/{repo}";
const COMMIT: &str = "/repos/{owner}/{repo}/commits/{ref}";
const GIT_COMMITS: &str = "/repos/{owner}/{repo}/git/commits";
const GIT_REFS: &str = "/repos/{owner}/{repo}/git/refs";
const GIT_REF: &str = "/repos/{owner}/{repo}/git/refs/{ref}";
const MATCHING: &str = "/repos/{owner}/{repo}/git/matching-refs/{ref}";

/// The id of the tree without entries, which is the same everywhere; git knows it without having it.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// The list of changed files comes in pages too, and nobody here reads it.
const FEW_FILES: (&str, &str) = ("per_page", "1");

pub(super) async fn tip(github: &GitHub, repo: &RepoSlug, name: &str) -> Answer<Dated<Option<Commit>>> {
    let sent = github.send(github.call(Method::GET, repo, COMMIT, &[name])?.query(&[FEW_FILES])).await?;
    let is_absent = match (sent.status(), sentence_of(&sent.reply)) {
        (404 | 422, sentence) if sentence.starts_with("No commit found") => true,
        (409, sentence) => sentence.contains("is empty"),
        // A repository that this token does not see answers like this as well, and that is not "no such ref".
        (404, _) => github.ask(github.call(Method::GET, repo, REPO, &[])?).await.map(|_| true)?,
        _ => false,
    };
    if is_absent {
        return Ok(Dated { value: None, date: sent.date()?, pages: 1 });
    }
    Ok(map(sent.succeeded()?.dated::<CommitWire>()?, |wire| Some(wire.into())))
}

pub(super) async fn under(github: &GitHub, repo: &RepoSlug, prefix: &str) -> Answer<Vec<(String, String)>> {
    // Whether a slash at the end counts differs between servers, so it is left out and looked for afterwards.
    let short = prefix.strip_prefix("refs/").unwrap_or(prefix).trim_end_matches('/');
    let draft = github.call(Method::GET, repo, MATCHING, &[short])?;
    let list = match github.list::<RefWire>(draft).await {
        Ok(list) => list.value,
        Err(error) if error.answer.contains("Git Repository is empty") => Vec::new(),
        Err(error) => return Err(error),
    };
    let refs = list.into_iter().filter(|found| found.name.starts_with(prefix));
    Ok(refs.map(|found| (found.name, found.object.sha)).collect())
}

pub(super) async fn write_commit(
    github: &GitHub,
    repo: &RepoSlug,
    message: &str,
    parent: Option<&str>,
) -> Answer<Dated<Commit>> {
    let known = lock(github.trees()).get(repo).cloned();
    let sent = post_commit(github, repo, message, parent, known.as_deref().unwrap_or(EMPTY_TREE)).await?;
    if !is_tree_missing(&sent) {
        return commit_of(sent);
    }
    let tree = some_tree(github, repo).await?;
    let sent = post_commit(github, repo, message, parent, &tree).await?;
    lock(github.trees()).insert(repo.clone(), tree);
    commit_of(sent)
}

async fn post_commit(
    github: &GitHub,
    repo: &RepoSlug,
    message: &str,
    parent: Option<&str>,
    tree: &str,
) -> Answer<Sent> {
    let parents: Vec<_> = parent.into_iter().collect();
    let fields = json!({ "message": message, "tree": tree, "parents": parents });
    // A commit on no ref is seen by nobody, so a second one does no harm.
    github.send(github.call(Method::POST, repo, GIT_COMMITS, &[])?.json(&fields)).await
}

fn is_tree_missing(sent: &Sent) -> bool {
    matches!(sent.status(), 404 | 422) && sentence_of(&sent.reply).to_ascii_lowercase().contains("tree")
}

fn commit_of(sent: Sent) -> Answer<Dated<Commit>> {
    Ok(map(sent.succeeded()?.dated::<GitCommitWire>()?, Commit::from))
}

/// Returns a tree that the server certainly has: that of the default branch.
async fn some_tree(github: &GitHub, repo: &RepoSlug) -> Answer<String> {
    let sent = github.ask(github.call(Method::GET, repo, COMMIT, &["HEAD"])?.query(&[FEW_FILES])).await?;
    sent.parse::<CommitWire>()?.tree().ok_or_else(|| sent.tried.unreadable("the commit has no tree"))
}

pub(super) async fn create(github: &GitHub, repo: &RepoSlug, name: &str, oid: &str) -> Answer<RefCreation> {
    let fields = json!({ "ref": name, "sha": oid });
    // A second attempt would be told "already exists" by the first, and the winner would think that it has lost.
    let sent = github.send(github.call(Method::POST, repo, GIT_REFS, &[])?.json(&fields).once()).await?;
    match (sent.status(), creation_refused(&sentence_of(&sent.reply))) {
        (422, Some(outcome)) => Ok(outcome),
        (409, _) => Err(contended(&sent)),
        _ => sent.succeeded().map(|_| RefCreation::Created),
    }
}

/// Reads why a ref was not created; nothing if it is the commit's fault.
fn creation_refused(sentence: &str) -> Option<RefCreation> {
    let sentence = sentence.to_ascii_lowercase();
    let says = |words: &str| sentence.contains(words);
    match () {
        () if says("reference already exists") => Some(RefCreation::Exists),
        () if says("object does not exist") || says("sha") => None,
        () if says("reference") || says(" ref") => Some(RefCreation::NameRefused),
        () => None,
    }
}

pub(super) async fn advance(github: &GitHub, repo: &RepoSlug, name: &str, oid: &str) -> Answer<RefAdvance> {
    let short = name.strip_prefix("refs/").unwrap_or(name);
    let draft = github.call(Method::PATCH, repo, GIT_REF, &[short])?;
    let sent = github.send(draft.json(&json!({ "sha": oid, "force": false }))).await?;
    match (sent.status(), advance_refused(&sentence_of(&sent.reply))) {
        // The first attempt may have moved it, and somebody else has gone on from there.
        (422, Some(RefAdvance::NotFastForward)) if sent.reply.is_after_doubt => Err(overtaken(&sent)),
        (422, Some(outcome)) => Ok(outcome),
        (404, _) => Ok(RefAdvance::Missing),
        (409, _) => Err(contended(&sent)),
        _ => sent.succeeded().map(|_| RefAdvance::Advanced),
    }
}

fn advance_refused(sentence: &str) -> Option<RefAdvance> {
    let sentence = sentence.to_ascii_lowercase();
    match () {
        () if sentence.contains("fast forward") || sentence.contains("fast-forward") => {
            Some(RefAdvance::NotFastForward)
        }
        () if sentence.contains("reference does not exist") => Some(RefAdvance::Missing),
        () => None,
    }
}

fn overtaken(sent: &Sent) -> baton_ports::TrackerError {
    let answer = "422 not a fast forward, after an attempt that had no clear answer";
    sent.tried.error(TrackerErrorKind::Unclear, answer)
}

/// The server gave up between several writers; this one was not carried out.
fn contended(sent: &Sent) -> baton_ports::TrackerError {
    let kind =
        if sent.reply.is_after_doubt { TrackerErrorKind::Unclear } else { TrackerErrorKind::Unavailable };
    sent.tried.error(kind, sent.refused().answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_to_create_a_ref_are_told_apart() {
        let check = |sentence: &str, expected| assert_eq!(creation_refused(sentence), expected, "{sentence}");
        check("Reference already exists", Some(RefCreation::Exists));
        check("Object does not exist", None);
        check("The sha parameter must be exactly 40 characters and contain only [0-9a-f].", None);
        check("Reference name is not valid: it must start with 'refs/'", Some(RefCreation::NameRefused));
        check("refs/baton/x is not a valid ref name.", Some(RefCreation::NameRefused));
        check("Reference cannot be created: its name collides with another", Some(RefCreation::NameRefused));
        check("Repository rule violations found: Cannot create ref", Some(RefCreation::NameRefused));
        check("Validation Failed", None);
        check("", None);
    }

    #[test]
    fn refusals_to_move_a_ref_are_told_apart() {
        let check = |sentence: &str, expected| assert_eq!(advance_refused(sentence), expected, "{sentence}");
        check("Update is not a fast forward", Some(RefAdvance::NotFastForward));
        check("Reference does not exist", Some(RefAdvance::Missing));
        check("Object does not exist", None);
    }
}
