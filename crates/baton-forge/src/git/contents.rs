//! Files at a path of a commit.

use git2::{Commit, ObjectType, Repository};

/// Files up to this size are shown with their content, as on GitHub.
const SHOWN_BYTES_MAX: usize = 1024 * 1024;

/// What stands at a path.
pub(crate) enum Found {
    File {
        oid: String,
        bytes: Vec<u8>,
        mode: i32,
    },
    /// A file that is not loaded because of its size.
    Large {
        oid: String,
        size: usize,
    },
    Directory(Vec<Entry>),
    Submodule {
        name: String,
        oid: String,
    },
}

pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) oid: String,
    pub(crate) kind: &'static str,
    pub(crate) size: usize,
}

/// Looks a path up; the empty path is the root.
pub(crate) fn at(
    repository: &Repository,
    commit: &Commit<'_>,
    path: &str,
) -> Result<Option<Found>, git2::Error> {
    let tree = commit.tree()?;
    if path.is_empty() {
        return list(repository, &tree).map(|entries| Some(Found::Directory(entries)));
    }
    let Ok(entry) = tree.get_path(std::path::Path::new(path)) else { return Ok(None) };
    let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
    let oid = entry.id().to_string();
    Ok(Some(match entry.kind() {
        Some(ObjectType::Tree) => Found::Directory(list(repository, &repository.find_tree(entry.id())?)?),
        Some(ObjectType::Blob) if size_of(repository, entry.id()) > SHOWN_BYTES_MAX => {
            Found::Large { oid, size: size_of(repository, entry.id()) }
        }
        Some(ObjectType::Blob) => {
            let bytes = repository.find_blob(entry.id())?.content().to_vec();
            Found::File { oid, bytes, mode: entry.filemode() }
        }
        _ => Found::Submodule { name, oid },
    }))
}

fn size_of(repository: &Repository, oid: git2::Oid) -> usize {
    repository.odb().and_then(|odb| odb.read_header(oid)).map_or(0, |(size, _)| size)
}

fn list(repository: &Repository, tree: &git2::Tree<'_>) -> Result<Vec<Entry>, git2::Error> {
    let odb = repository.odb()?;
    let entry = |entry: git2::TreeEntry<'_>| Entry {
        name: String::from_utf8_lossy(entry.name_bytes()).into_owned(),
        oid: entry.id().to_string(),
        kind: match (entry.kind(), entry.filemode()) {
            (Some(ObjectType::Tree), _) => "dir",
            (Some(ObjectType::Commit), _) => "submodule",
            (_, 0o120_000) => "symlink",
            _ => "file",
        },
        size: match entry.kind() {
            Some(ObjectType::Blob) => odb.read_header(entry.id()).map_or(0, |(size, _)| size),
            _ => 0,
        },
    };
    Ok(tree.iter().map(entry).collect())
}
