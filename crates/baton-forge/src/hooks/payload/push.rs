//! Pushes, and branches and tags that come or go.

use git2::{Oid, Repository};
use serde_json::{Value, json};

use super::{PayloadError, Stage, Written, body};
use crate::db::{accounts, refs};
use crate::git::objects::{CommitInfo, Person, parse_oid};
use crate::git::tree_diff;
use crate::wire::{Time, path};

/// GitHub's limit of commits in one payload.
const COMMITS_MAX: usize = 2_048;
/// A commit's files are named one by one; beyond so many commits only the names of the newest are worth the time.
const FILES_OF_COMMITS_MAX: usize = 50;
/// What GitHub writes for a commit that is not there.
const NOTHING: &str = "0000000000000000000000000000000000000000";

/// A ref that came, moved or went.
pub(super) struct Move<'n> {
    pub(super) name: &'n str,
    pub(super) before: Option<&'n str>,
    pub(super) after: Option<&'n str>,
}

impl Move<'_> {
    fn short_name(&self) -> &str {
        let name = self.name;
        name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/tags/")).unwrap_or(name)
    }
}

impl<'a> Stage<'a> {
    pub(super) fn ref_came_or_went(&self, moved: &Move<'_>, event: &str) -> Written {
        let is_tag = moved.name.starts_with("refs/tags/");
        let mut parts = body([
            ("ref", json!(moved.short_name())),
            ("ref_type", json!(if is_tag { "tag" } else { "branch" })),
            ("pusher_type", json!("user")),
        ]);
        if event == "create" {
            let repo = self.repo()?;
            parts.insert("master_branch".to_owned(), json!(repo.default_branch));
            parts.insert("description".to_owned(), json!(repo.description));
        }
        Ok(parts)
    }

    pub(super) fn push(&self, moved: &Move<'_>, forced: bool) -> Written {
        let place = self.place()?;
        let repository = self.origin.git.open(self.repo()?.id)?;
        let commits = self.commits(&repository, moved)?;
        let head = moved.after.and_then(parse_oid).and_then(|oid| repository.find_commit(oid).ok());
        let head = head.map(|commit| self.commit(&repository, &CommitInfo::of(&commit), true)).transpose()?;
        let (before, after) = (moved.before.unwrap_or(NOTHING), moved.after.unwrap_or(NOTHING));
        let span = match (moved.before, moved.after) {
            (Some(before), Some(after)) => format!("{}...{}", &before[..12], &after[..12]),
            _ => path(moved.short_name()).to_string(),
        };
        Ok(body([
            ("ref", json!(moved.name)),
            ("before", json!(before)),
            ("after", json!(after)),
            ("created", json!(moved.before.is_none())),
            ("deleted", json!(moved.after.is_none())),
            ("forced", json!(forced)),
            ("base_ref", Value::Null),
            ("compare", json!(format!("{}/compare/{span}", place.web()))),
            ("commits", json!(commits)),
            ("head_commit", head.unwrap_or_default()),
            ("pusher", self.pusher()?),
            ("repository", self.pushed_repository()?),
        ]))
    }

    /// A push of the default branch's last commit, as if it had just come.
    pub(super) fn test_push(&self) -> Written {
        let repo = self.repo()?;
        let name = format!("refs/heads/{}", repo.default_branch);
        let tip = refs::find(self.conn, repo.id, &name)?.ok_or(PayloadError::Gone("branch"))?;
        let repository = self.origin.git.open(repo.id)?;
        let commit = repository.find_commit(Oid::from_str(&tip.oid)?)?;
        let before = commit.parent_ids().next().map(|oid| oid.to_string());
        self.push(&Move { name: &name, before: before.as_deref(), after: Some(&tip.oid) }, false)
    }

    fn pusher(&self) -> Result<Value, PayloadError> {
        let account = self.render.account(self.news.actor_id)?;
        Ok(json!({ "name": account.login, "email": account.email }))
    }

    /// In a push the repository tells its times as numbers and repeats some of its fields under older names.
    fn pushed_repository(&self) -> Result<Value, PayloadError> {
        let repo = self.repo()?;
        let mut shown = self.repository(repo)?;
        shown["created_at"] = json!(repo.created_at);
        shown["pushed_at"] = json!(repo.pushed_at);
        shown["stargazers"] = json!(0);
        shown["master_branch"] = json!(repo.default_branch);
        shown["url"] = json!(self.place()?.web());
        Ok(shown)
    }

    /// The commits that a branch or tag has got, oldest first.
    fn commits(&self, repository: &Repository, moved: &Move<'_>) -> Result<Vec<Value>, PayloadError> {
        let Some(after) = moved.after.and_then(parse_oid) else { return Ok(Vec::new()) };
        if repository.find_commit(after).is_err() {
            return Ok(Vec::new());
        }
        let mut walk = repository.revwalk()?;
        walk.push(after)?;
        match moved.before.and_then(parse_oid) {
            Some(before) if repository.find_commit(before).is_ok() => walk.hide(before)?,
            // A new branch has brought only what no other branch has.
            _ => self.hide_other_branches(&mut walk, repository, moved.name)?,
        }
        // The newest come first, so that a long history is not walked to its end while others wait to write.
        let mut oids: Vec<Oid> = walk.take(COMMITS_MAX).collect::<Result<_, _>>()?;
        oids.reverse();
        let from = oids.len().saturating_sub(FILES_OF_COMMITS_MAX);
        let show = |(at, oid): (usize, &Oid)| {
            let commit = CommitInfo::of(&repository.find_commit(*oid)?);
            self.commit(repository, &commit, at >= from)
        };
        oids.iter().enumerate().map(show).collect()
    }

    fn hide_other_branches(
        &self,
        walk: &mut git2::Revwalk<'_>,
        repository: &Repository,
        name: &str,
    ) -> Result<(), PayloadError> {
        for row in refs::with_prefix(self.conn, self.repo()?.id, "refs/heads/")? {
            let oid = parse_oid(&row.oid).filter(|oid| repository.find_commit(*oid).is_ok());
            if let Some(oid) = oid.filter(|_| row.name != name) {
                walk.hide(oid)?;
            }
        }
        Ok(())
    }

    /// GitHub's form of a commit in a push.
    fn commit(
        &self,
        repository: &Repository,
        commit: &CommitInfo,
        with_files: bool,
    ) -> Result<Value, PayloadError> {
        let files = if with_files { Files::of(repository, commit)? } else { Files::default() };
        Ok(json!({
            "id": commit.oid,
            "tree_id": commit.tree,
            "distinct": true,
            "message": commit.message,
            "timestamp": Time(commit.committer.at),
            "url": format!("{}/commit/{}", self.place()?.web(), commit.oid),
            "author": self.person(&commit.author)?,
            "committer": self.person(&commit.committer)?,
            "added": files.added,
            "removed": files.removed,
            "modified": files.modified,
        }))
    }

    pub(super) fn person(&self, person: &Person) -> Result<Value, PayloadError> {
        let mut shown = json!({ "name": person.name, "email": email(person), "date": Time(person.at) });
        if let Some(account) = accounts::by_email(self.conn, &person.email)? {
            shown["username"] = json!(account.login);
        }
        Ok(shown)
    }
}

/// An address that is none is not shown.
pub(super) fn email(person: &Person) -> Option<&str> {
    let (name, host) = person.email.split_once('@')?;
    let is_plain =
        |part: &str| !part.is_empty() && !part.contains(char::is_whitespace) && !part.contains('@');
    (is_plain(name) && is_plain(host)).then_some(person.email.as_str())
}

#[derive(Default)]
struct Files {
    added: Vec<String>,
    removed: Vec<String>,
    modified: Vec<String>,
}

impl Files {
    fn of(repository: &Repository, commit: &CommitInfo) -> Result<Self, git2::Error> {
        let tree = |oid: &str| repository.find_commit(Oid::from_str(oid)?)?.tree();
        let before = commit.parents.first().map(|parent| tree(parent)).transpose()?;
        let mut files = Self::default();
        for change in tree_diff::changes(repository, before.as_ref(), Some(&tree(&commit.oid)?))? {
            match change.status {
                "added" | "copied" => files.added.push(change.path),
                "removed" => files.removed.push(change.path),
                "renamed" => {
                    files.removed.extend(change.previous_path);
                    files.added.push(change.path);
                }
                _ => files.modified.push(change.path),
            }
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_none_is_left_out() {
        let check = |text: &str, expected: bool| {
            let person = Person { name: "n".to_owned(), email: text.to_owned(), at: 0 };
            assert_eq!(email(&person).is_some(), expected, "{text}");
        };
        check("ada@example.com", true);
        check("ada", false);
        check("@example.com", false);
        check("a da@example.com", false);
        check("ada@exa@mple.com", false);
    }
}
