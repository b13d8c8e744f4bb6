//! Trees, their entries, and blobs.

use git2::{ObjectType, Oid, TreeEntry};

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, objects, optional, unknown};
use super::error::GraphError;
use super::git_object::{self, Located};
use super::repository::RepositoryNode;
use crate::git::objects::{kind_of_mode, parse_oid};

/// Files up to this size are shown with their text, as on GitHub.
const TEXT_BYTES_MAX: usize = 512 * 1024;

pub(crate) struct TreeNode {
    pub(crate) at: Located,
    /// Where it was found, for the paths of its entries.
    pub(crate) path: String,
}

impl Entity for TreeNode {
    fn type_name(&self) -> &'static str {
        "Tree"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "entries" => objects(context, self.entries(context)?),
            _ => self.at.field(("TREE", "Tree"), context, ask),
        }
    }
}

impl TreeNode {
    fn entries(&self, context: &Context<'_>) -> Result<Vec<EntryNode>, GraphError> {
        let repository = self.at.open(context)?;
        let Some(oid) = parse_oid(&self.at.oid) else { return Ok(Vec::new()) };
        let tree = repository.find_tree(oid)?;
        Ok(tree.iter().map(|entry| EntryNode::of(&self.at, &self.path, &entry)).collect())
    }
}

/// The entry at a path of a commit.
pub(super) fn file<'a>(context: &'a Context<'a>, commit: &Located, path: &str) -> Answer<'a> {
    let repository = commit.open(context)?;
    let tree = parse_oid(&commit.oid).and_then(|oid| repository.find_commit(oid).ok()?.tree().ok());
    let found = tree.and_then(|tree| tree.get_path(std::path::Path::new(path)).ok());
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    maybe_object(context, found.map(|entry| EntryNode::of(commit, parent, &entry)))
}

pub(crate) struct EntryNode {
    at: Located,
    name: String,
    path: String,
    mode: i32,
}

impl EntryNode {
    fn of(around: &Located, parent: &str, entry: &TreeEntry<'_>) -> Self {
        let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
        let path = if parent.is_empty() { name.clone() } else { format!("{parent}/{name}") };
        let at = Located { oid: entry.id().to_string(), ..around.clone() };
        Self { at, name, path, mode: entry.filemode() }
    }

    fn size(&self, context: &Context<'_>) -> Result<usize, GraphError> {
        Ok(parse_oid(&self.at.oid).map_or(0, |oid| size_of(&self.at, context, oid).unwrap_or(0)))
    }
}

fn size_of(at: &Located, context: &Context<'_>, oid: Oid) -> Option<usize> {
    let header = at.open(context).ok()?.odb().ok()?.read_header(oid).ok()?;
    (header.1 == ObjectType::Blob).then_some(header.0)
}

impl Entity for EntryNode {
    fn type_name(&self) -> &'static str {
        "TreeEntry"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "name" => leaf(self.name.as_str()),
            "path" => leaf(self.path.as_str()),
            "oid" => leaf(self.at.oid.as_str()),
            "mode" => leaf(self.mode),
            "type" => leaf(kind_of_mode(self.mode)),
            "size" => leaf(self.size(context)?),
            "extension" => {
                let extension = self.name.rsplit_once('.').map(|(_, extension)| format!(".{extension}"));
                leaf(extension.unwrap_or_default())
            }
            "repository" => object(context, RepositoryNode(self.at.visit.clone())),
            // A submodule's commit is in another repository.
            "object" if kind_of_mode(self.mode) == "commit" => null(),
            "object" if kind_of_mode(self.mode) == "tree" => {
                object(context, TreeNode { at: self.at.clone(), path: self.path.clone() })
            }
            "object" => maybe_object(context, git_object::load(context, &self.at.visit, &self.at.oid)?),
            _ => unknown("TreeEntry", ask),
        }
    }
}

pub(crate) struct BlobNode {
    pub(crate) at: Located,
}

impl Entity for BlobNode {
    fn type_name(&self) -> &'static str {
        "Blob"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "byteSize" | "isBinary" | "isTruncated" | "text" => self.content(context, ask),
            _ => self.at.field(("B", "Blob"), context, ask),
        }
    }
}

impl BlobNode {
    fn content<'a>(&self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let repository = self.at.open(context)?;
        let Some(oid) = parse_oid(&self.at.oid) else { return null() };
        let blob = repository.find_blob(oid)?;
        match ask.name() {
            "byteSize" => leaf(blob.size()),
            "isBinary" => leaf(blob.is_binary()),
            "isTruncated" => leaf(blob.size() > TEXT_BYTES_MAX),
            _ if blob.is_binary() => null(),
            _ => {
                let shown = &blob.content()[..blob.size().min(TEXT_BYTES_MAX)];
                optional(Some(String::from_utf8_lossy(shown).into_owned()))
            }
        }
    }
}
