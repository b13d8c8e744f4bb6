//! Git objects: refs, commits, trees, blobs, tags and differences.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::account::AccountView;
use super::protection::branch_summary;
use super::{Links, Time, entries, path, segment};
use crate::db::accounts::Account;
use crate::db::protections::ProtectionSettings;
use crate::db::refs::RefRow;
use crate::db::repos::Repo;
use crate::git::objects::{CommitInfo, Person};
use crate::git::tree_diff::FileChange;
use crate::graphql::ids::named_id;

/// The addresses of one repository.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) links: &'a Links,
    pub(crate) repo: &'a Repo,
}

impl Place<'_> {
    pub(crate) fn api(&self) -> String {
        format!("{}/repos/{}/{}", self.links.api, self.repo.owner.login, self.repo.name)
    }

    pub(crate) fn web(&self) -> String {
        format!("{}/{}/{}", self.links.web, self.repo.owner.login, self.repo.name)
    }

    /// The address of a git object of the given kind.
    pub(crate) fn object_url(&self, kind: &str, oid: &str) -> String {
        format!("{}/git/{kind}s/{oid}", self.api())
    }
}

pub(crate) struct RefView<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) row: &'a RefRow,
}

impl Serialize for RefView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.row;
        let short = row.name.strip_prefix("refs/").unwrap_or(&row.name);
        let mut map = serializer.serialize_map(Some(4))?;
        entries!(map;
            "ref" => row.name,
            "node_id" => named_id("REF", self.place.repo.id, &row.name),
            "url" => format_args!("{}/git/refs/{}", self.place.api(), path(short)),
            "object" => json!({
                "type": row.kind,
                "sha": row.oid,
                "url": self.place.object_url(&row.kind, &row.oid),
            }),
        );
        map.end()
    }
}

/// Who signed, and when.
pub(crate) fn person(person: &Person) -> Value {
    json!({ "name": person.name, "email": person.email, "date": Time(person.at) })
}

/// What GitHub says of an object without a signature.
pub(crate) fn unsigned() -> Value {
    json!({ "verified": false, "reason": "unsigned", "signature": null, "payload": null, "verified_at": null })
}

fn parents(place: Place<'_>, commit: &CommitInfo, collection: &str) -> Value {
    let parent = |oid: &String| {
        json!({
            "sha": oid,
            "url": format!("{}/{collection}/{oid}", place.api()),
            "html_url": format!("{}/commit/{oid}", place.web()),
        })
    };
    commit.parents.iter().map(parent).collect()
}

/// GitHub's `git-commit`: the object itself.
pub(crate) fn git_commit(place: Place<'_>, commit: &CommitInfo) -> Value {
    json!({
        "sha": commit.oid,
        "node_id": commit_node_id(place.repo, &commit.oid),
        "url": place.object_url("commit", &commit.oid),
        "html_url": format!("{}/commit/{}", place.web(), commit.oid),
        "author": person(&commit.author),
        "committer": person(&commit.committer),
        "message": commit.message,
        "tree": { "sha": commit.tree, "url": place.object_url("tree", &commit.tree) },
        "parents": parents(place, commit, "git/commits"),
        "verification": unsigned(),
    })
}

pub(crate) fn commit_node_id(repo: &Repo, oid: &str) -> String {
    named_id("C", repo.id, oid)
}

/// GitHub's `commit`: the object with the accounts behind its signatures, and optionally what it changed.
pub(crate) struct CommitView<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) commit: &'a CommitInfo,
    pub(crate) author: Option<Account>,
    pub(crate) committer: Option<Account>,
    pub(crate) files: Option<&'a [FileChange]>,
}

impl Serialize for CommitView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (commit, place) = (self.commit, self.place);
        let (api, oid) = (place.api(), &commit.oid);
        let account = |account: &Option<Account>| {
            account.as_ref().map(|account| json!(AccountView { links: place.links, account }))
        };
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "sha" => oid,
            "node_id" => commit_node_id(place.repo, oid),
            "commit" => json!({
                "author": person(&commit.author),
                "committer": person(&commit.committer),
                "message": commit.message,
                "tree": { "sha": commit.tree, "url": place.object_url("tree", &commit.tree) },
                "url": place.object_url("commit", oid),
                "comment_count": 0,
                "verification": unsigned(),
            }),
            "url" => format_args!("{api}/commits/{oid}"),
            "html_url" => format_args!("{}/commit/{oid}", place.web()),
            "comments_url" => format_args!("{api}/commits/{oid}/comments"),
            "author" => account(&self.author),
            "committer" => account(&self.committer),
            "parents" => parents(place, commit, "commits"),
        );
        if let Some(files) = self.files {
            let (additions, deletions) = totals(files);
            entries!(map;
                "stats" => json!({ "total": additions + deletions, "additions": additions, "deletions": deletions }),
                "files" => file_views(place, oid, files),
            );
        }
        map.end()
    }
}

pub(crate) fn totals(files: &[FileChange]) -> (usize, usize) {
    files.iter().fold((0, 0), |(added, gone), file| (added + file.additions, gone + file.deletions))
}

/// GitHub's `diff-entry` for each file.
pub(crate) fn file_views(place: Place<'_>, at: &str, files: &[FileChange]) -> Vec<Value> {
    let view = |file: &FileChange| {
        let name = path(&file.path);
        let mut entry = json!({
            "sha": file.oid,
            "filename": file.path,
            "status": file.status,
            "additions": file.additions,
            "deletions": file.deletions,
            "changes": file.additions + file.deletions,
            "blob_url": format!("{}/blob/{at}/{name}", place.web()),
            "raw_url": format!("{}/raw/{at}/{name}", place.web()),
            "contents_url": format!("{}/contents/{name}?ref={at}", place.api()),
        });
        if let Some(patch) = &file.patch {
            entry["patch"] = json!(patch);
        }
        if let Some(previous) = &file.previous_path {
            entry["previous_filename"] = json!(previous);
        }
        entry
    };
    files.iter().map(view).collect()
}

/// GitHub's form of a branch; the full one also carries its commit and addresses.
pub(crate) fn short_branch(place: Place<'_>, row: &RefRow, is_protected: bool) -> Value {
    let name = row.name.strip_prefix("refs/heads/").unwrap_or(&row.name);
    json!({
        "name": name,
        "commit": { "sha": row.oid, "url": format!("{}/commits/{}", place.api(), row.oid) },
        "protected": is_protected,
    })
}

pub(crate) fn full_branch(
    place: Place<'_>,
    row: &RefRow,
    commit: &CommitView<'_>,
    protection: Option<&ProtectionSettings>,
) -> Value {
    let name = row.name.strip_prefix("refs/heads/").unwrap_or(&row.name);
    let at = format!("{}/branches/{}", place.api(), segment(name));
    json!({
        "name": name,
        "commit": commit,
        "_links": { "self": at, "html": format!("{}/tree/{}", place.web(), path(name)) },
        "protected": protection.is_some(),
        "protection": branch_summary(protection),
        "protection_url": format!("{at}/protection"),
    })
}

pub(crate) fn blob_node_id(repo: &Repo, oid: &str) -> String {
    named_id("B", repo.id, oid)
}

pub(crate) fn tag_node_id(repo: &Repo, oid: &str) -> String {
    named_id("TA", repo.id, oid)
}
