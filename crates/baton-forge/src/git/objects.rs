//! Git objects in and out of a bare repository.

use git2::build::TreeUpdateBuilder;
use git2::{Commit, FileMode, ObjectType, Oid, Repository, Signature, Time, Tree};

use crate::http::error::ApiError;

#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) at: i64,
}

#[derive(Debug, Clone)]
pub(crate) struct CommitInfo {
    pub(crate) oid: String,
    pub(crate) tree: String,
    pub(crate) parents: Vec<String>,
    pub(crate) author: Person,
    pub(crate) committer: Person,
    pub(crate) message: String,
}

impl CommitInfo {
    pub(crate) fn of(commit: &Commit<'_>) -> Self {
        Self {
            oid: commit.id().to_string(),
            tree: commit.tree_id().to_string(),
            parents: commit.parent_ids().map(|oid| oid.to_string()).collect(),
            author: person_of(&commit.author()),
            committer: person_of(&commit.committer()),
            message: String::from_utf8_lossy(commit.message_bytes()).trim_end_matches('\n').to_owned(),
        }
    }
}

pub(crate) fn person_of(signature: &Signature<'_>) -> Person {
    Person {
        name: String::from_utf8_lossy(signature.name_bytes()).into_owned(),
        email: String::from_utf8_lossy(signature.email_bytes()).into_owned(),
        at: signature.when().seconds(),
    }
}

impl Person {
    /// Git's form of a signature, in UTC. Names that git cannot store are refused by it.
    pub(crate) fn signature(&self) -> Result<Signature<'static>, ApiError> {
        let clean = |text: &str| text.replace(['<', '>', '\n', '\0'], "");
        let signature = Signature::new(&clean(&self.name), &clean(&self.email), &Time::new(self.at, 0));
        signature.map_err(|_| ApiError::unprocessable("The author or committer needs a name and an email"))
    }
}

/// Reads a full object id; short and other forms are not ids.
pub(crate) fn parse_oid(text: &str) -> Option<Oid> {
    let is_full = text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_full.then(|| Oid::from_str(text).ok()).flatten()
}

/// Returns whether a repository has no refs at all. (libgit2's own test also wants a certain default branch.)
pub(crate) fn is_empty(repository: &Repository) -> Result<bool, git2::Error> {
    Ok(repository.references()?.next().is_none())
}

/// Returns the kind of an object, if it exists.
pub(crate) fn kind_of(repository: &Repository, oid: Oid) -> Option<ObjectType> {
    repository.odb().ok()?.read_header(oid).ok().map(|(_, kind)| kind)
}

/// The refs that a short name can mean, the likeliest first.
pub(crate) fn candidates(name: &str) -> Vec<String> {
    let all =
        [format!("refs/heads/{name}"), format!("refs/tags/{name}"), format!("refs/{name}"), name.to_owned()];
    all.into_iter().filter(|candidate| git2::Reference::is_valid_name(candidate)).collect()
}

/// Finds the commit that a branch, tag, full ref, `HEAD` or object id names.
pub(crate) fn resolve<'r>(repository: &'r Repository, name: &str) -> Option<Commit<'r>> {
    if let Some(commit) = parse_oid(name).and_then(|oid| peel(repository, oid)) {
        return Some(commit);
    }
    let candidates = candidates(name);
    let found = candidates.iter().filter_map(|candidate| repository.find_reference(candidate).ok()).next();
    if let Some(commit) = found.and_then(|reference| reference.peel_to_commit().ok()) {
        return Some(commit);
    }
    let is_prefix = (4..40).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_hexdigit());
    is_prefix.then(|| repository.find_commit_by_prefix(name).ok()).flatten()
}

fn peel(repository: &Repository, oid: Oid) -> Option<Commit<'_>> {
    repository.find_object(oid, None).ok()?.peel_to_commit().ok()
}

/// A file to be put into a tree, or taken out of it.
pub(crate) struct TreeEdit {
    pub(crate) path: String,
    /// `None` removes the path.
    pub(crate) entry: Option<(Oid, FileMode)>,
}

/// Writes a tree that is `base` with some paths changed.
pub(crate) fn edited_tree(
    repository: &Repository,
    base: Option<&Tree<'_>>,
    edits: &[TreeEdit],
) -> Result<Oid, ApiError> {
    let empty;
    let base = match base {
        Some(base) => base,
        None => {
            empty = repository.find_tree(repository.treebuilder(None)?.write()?)?;
            &empty
        }
    };
    let mut builder = TreeUpdateBuilder::new();
    for edit in edits {
        match edit.entry {
            Some((oid, mode)) => builder.upsert(edit.path.as_str(), oid, mode),
            // Taking out what is not there changes nothing, and git's builder would call it an error.
            None if base.get_path(std::path::Path::new(&edit.path)).is_ok() => {
                builder.remove(edit.path.as_str())
            }
            None => &mut builder,
        };
    }
    builder
        .create_updated(repository, base)
        .map_err(|error| ApiError::unprocessable(format!("tree.path {}", error.message())))
}

/// Returns whether a path may stand in a tree: relative, without empty, dotted or `.git` parts.
pub(crate) fn is_tree_path(path: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part != "." && part != ".." && !part.eq_ignore_ascii_case(".git");
    path.len() <= 4_096 && !path.contains('\0') && path.split('/').all(is_part)
}

pub(crate) fn parse_mode(text: &str) -> Option<FileMode> {
    Some(match text {
        "100644" => FileMode::Blob,
        "100755" => FileMode::BlobExecutable,
        "040000" => FileMode::Tree,
        "120000" => FileMode::Link,
        "160000" => FileMode::Commit,
        _ => return None,
    })
}

/// The kind of object a tree entry's mode stands for.
pub(crate) fn kind_of_mode(mode: i32) -> &'static str {
    match mode {
        0o040_000 => "tree",
        0o160_000 => "commit",
        _ => "blob",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_tree_are_refused() {
        for path in
            ["", "/a", "a//b", "../a", "a/../b", "./a", "a/.", ".git/config", "a/.GIT/x", "a\0b", "a/"]
        {
            assert!(!is_tree_path(path), "{path:?} was accepted");
        }
        assert!(is_tree_path("a") && is_tree_path("a/b.c/..d") && is_tree_path(".github/x"));
    }

    #[test]
    fn only_a_full_id_is_an_id() {
        assert!(parse_oid(&"a".repeat(40)).is_some());
        for text in ["", "abc", &"g".repeat(40), &"a".repeat(41), "-1"] {
            assert!(parse_oid(text).is_none(), "{text:?} was accepted");
        }
    }
}
