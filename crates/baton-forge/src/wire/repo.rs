//! Repositories.
//!
//! One form serves GitHub's minimal, plain and full repository: each is a subset of it.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::account::{AccountView, PermissionFlags};
use super::{Links, NodeId, Time, entries};
use crate::db::accounts::AccountKind;
use crate::db::repos::{Permission, Repo};

pub(crate) struct RepoView<'a> {
    pub(crate) links: &'a Links,
    pub(crate) repo: &'a Repo,
    /// What the reader may do; `None` where GitHub leaves it out.
    pub(crate) permission: Option<Permission>,
}

impl RepoView<'_> {
    fn write_addresses<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let at = format!("{}/repos/{}/{}", self.links.api, self.repo.owner.login, self.repo.name);
        entries!(map;
            "url" => at,
            "archive_url" => format_args!("{at}/{{archive_format}}{{/ref}}"),
            "assignees_url" => format_args!("{at}/assignees{{/user}}"),
            "blobs_url" => format_args!("{at}/git/blobs{{/sha}}"),
            "branches_url" => format_args!("{at}/branches{{/branch}}"),
            "collaborators_url" => format_args!("{at}/collaborators{{/collaborator}}"),
            "comments_url" => format_args!("{at}/comments{{/number}}"),
            "commits_url" => format_args!("{at}/commits{{/sha}}"),
            "compare_url" => format_args!("{at}/compare/{{base}}...{{head}}"),
            "contents_url" => format_args!("{at}/contents/{{+path}}"),
            "contributors_url" => format_args!("{at}/contributors"),
            "deployments_url" => format_args!("{at}/deployments"),
            "downloads_url" => format_args!("{at}/downloads"),
            "events_url" => format_args!("{at}/events"),
            "forks_url" => format_args!("{at}/forks"),
            "git_commits_url" => format_args!("{at}/git/commits{{/sha}}"),
            "git_refs_url" => format_args!("{at}/git/refs{{/sha}}"),
            "git_tags_url" => format_args!("{at}/git/tags{{/sha}}"),
            "hooks_url" => format_args!("{at}/hooks"),
            "issue_comment_url" => format_args!("{at}/issues/comments{{/number}}"),
            "issue_events_url" => format_args!("{at}/issues/events{{/number}}"),
            "issues_url" => format_args!("{at}/issues{{/number}}"),
            "keys_url" => format_args!("{at}/keys{{/key_id}}"),
            "labels_url" => format_args!("{at}/labels{{/name}}"),
            "languages_url" => format_args!("{at}/languages"),
            "merges_url" => format_args!("{at}/merges"),
            "milestones_url" => format_args!("{at}/milestones{{/number}}"),
            "notifications_url" => format_args!("{at}/notifications{{?since,all,participating}}"),
            "pulls_url" => format_args!("{at}/pulls{{/number}}"),
            "releases_url" => format_args!("{at}/releases{{/id}}"),
            "stargazers_url" => format_args!("{at}/stargazers"),
            "statuses_url" => format_args!("{at}/statuses/{{sha}}"),
            "subscribers_url" => format_args!("{at}/subscribers"),
            "subscription_url" => format_args!("{at}/subscription"),
            "tags_url" => format_args!("{at}/tags"),
            "teams_url" => format_args!("{at}/teams"),
            "trees_url" => format_args!("{at}/git/trees{{/sha}}"),
        );
        Ok(())
    }

    fn write_git<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (web, owner, name) = (&self.links.web, &self.repo.owner.login, &self.repo.name);
        let host = web.split_once("://").map_or(web.as_str(), |(_, host)| host);
        entries!(map;
            "html_url" => format_args!("{web}/{owner}/{name}"),
            "git_url" => format_args!("git://{host}/{owner}/{name}.git"),
            "ssh_url" => format_args!("git@{host}:{owner}/{name}.git"),
            "clone_url" => format_args!("{web}/{owner}/{name}.git"),
            "svn_url" => format_args!("{web}/{owner}/{name}"),
            "mirror_url" => (),
        );
        Ok(())
    }

    fn write_facts<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let repo = self.repo;
        entries!(map;
            "private" => repo.private,
            "visibility" => if repo.private { "private" } else { "public" },
            "description" => repo.description,
            "homepage" => repo.homepage,
            "fork" => false,
            "language" => (),
            "license" => (),
            "topics" => [(); 0],
            "forks" => 0,
            "forks_count" => 0,
            "stargazers_count" => 0,
            "watchers" => 0,
            "watchers_count" => 0,
            "size" => 0,
            "default_branch" => repo.default_branch,
            "open_issues" => repo.open_count,
            "open_issues_count" => repo.open_count,
            "is_template" => false,
            "has_issues" => repo.has_issues,
            "has_projects" => true,
            "has_wiki" => false,
            "has_pages" => false,
            "has_downloads" => false,
            "has_discussions" => false,
            "archived" => repo.archived,
            "disabled" => false,
            "allow_forking" => false,
            "web_commit_signoff_required" => false,
            "created_at" => Time(repo.created_at),
            "updated_at" => Time(repo.updated_at),
            "pushed_at" => Time(repo.pushed_at),
        );
        Ok(())
    }

    fn write_policy<M: SerializeMap>(&self, map: &mut M, permission: Permission) -> Result<(), M::Error> {
        entries!(map;
            "permissions" => PermissionFlags(permission),
            "allow_merge_commit" => self.repo.merging.merge_commit,
            "allow_squash_merge" => self.repo.merging.squash,
            "allow_rebase_merge" => self.repo.merging.rebase,
            "allow_auto_merge" => self.repo.merging.auto_merge,
            "allow_update_branch" => false,
            "delete_branch_on_merge" => self.repo.merging.delete_branch,
            "use_squash_pr_title_as_default" => false,
            "squash_merge_commit_title" => "COMMIT_OR_PR_TITLE",
            "squash_merge_commit_message" => "COMMIT_MESSAGES",
            "merge_commit_title" => "MERGE_MESSAGE",
            "merge_commit_message" => "PR_TITLE",
            "temp_clone_token" => "",
            "subscribers_count" => 0,
            "network_count" => 0,
        );
        if self.repo.owner.kind == AccountKind::Organization {
            map.serialize_entry(
                "organization",
                &AccountView { links: self.links, account: &self.repo.owner },
            )?;
        }
        Ok(())
    }
}

impl Serialize for RepoView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let repo = self.repo;
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "id" => repo.id,
            "node_id" => NodeId("R", repo.id),
            "name" => repo.name,
            "full_name" => format_args!("{}/{}", repo.owner.login, repo.name),
            "owner" => AccountView { links: self.links, account: &repo.owner },
        );
        self.write_addresses(&mut map)?;
        self.write_git(&mut map)?;
        self.write_facts(&mut map)?;
        if let Some(permission) = self.permission {
            self.write_policy(&mut map, permission)?;
        }
        map.end()
    }
}
