//! Node ids, read back: the kind and the database id that [`crate::wire::NodeId`] writes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::error::GraphError;
use crate::wire::NodeId;

/// Writes the id of a node.
pub(crate) fn node_id(prefix: &'static str, id: i64) -> String {
    NodeId(prefix, id).to_string()
}

/// Writes the id of something that has a name inside a repository instead of a row: a ref, a commit, a blob.
pub(crate) fn named_id(prefix: &str, repo_id: i64, name: &str) -> String {
    format!("{prefix}_{}", URL_SAFE_NO_PAD.encode(format!("{repo_id}:{name}")))
}

/// Splits an id into its kind and what follows.
pub(crate) fn split(text: &str) -> Option<(&str, Vec<u8>)> {
    let (prefix, encoded) = text.split_once('_')?;
    Some((prefix, URL_SAFE_NO_PAD.decode(encoded).ok()?))
}

pub(crate) fn unresolvable(text: &str) -> GraphError {
    GraphError::not_found(format!("Could not resolve to a node with the global id of '{text}'."))
}

/// Reads an id of one of these kinds; anything else names no such node.
pub(crate) fn database_id(text: &str, prefixes: &[&str]) -> Result<i64, GraphError> {
    let (prefix, bytes) = split(text).ok_or_else(|| unresolvable(text))?;
    let id = <[u8; 8]>::try_from(bytes.as_slice()).map(i64::from_be_bytes);
    id.ok().filter(|_| prefixes.contains(&prefix)).ok_or_else(|| unresolvable(text))
}

/// Reads an id that [`named_id`] wrote.
pub(crate) fn name_in_repo(text: &str, prefix: &str) -> Result<(i64, String), GraphError> {
    let read = || {
        let (found, bytes) = split(text).filter(|(found, _)| *found == prefix)?;
        let (repo, name) = std::str::from_utf8(&bytes).ok()?.split_once(':')?;
        Some((found, repo.parse().ok()?, name.to_owned()))
    };
    read().map(|(_, repo, name)| (repo, name)).ok_or_else(|| unresolvable(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back_as_what_was_written() {
        let written = node_id("PR", 4_711);
        assert_eq!(database_id(&written, &["I", "PR"]), Ok(4_711));
        assert!(database_id(&written, &["I"]).is_err());
        let written = named_id("REF", 7, "refs/heads/a:b");
        assert_eq!(name_in_repo(&written, "REF"), Ok((7, "refs/heads/a:b".to_owned())));
    }

    #[test]
    fn what_is_no_id_names_nothing() {
        for text in ["", "PR", "PR_", "PR_!!", "PR_AAAA", "_AAAAAAAAAAA", "MDU6SXNzdWUx"] {
            assert!(database_id(text, &["PR"]).is_err(), "{text}");
            assert!(name_in_repo(text, "PR").is_err(), "{text}");
        }
    }
}
