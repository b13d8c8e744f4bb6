//! Checks and statuses: suites, runs, annotations, and what other programs say of a commit.

use serde_json::{Value, json};

use super::account::AccountView;
use super::commit::Place;
use super::repo::RepoView;
use super::{NodeId, Render, Time, path};
use crate::db::accounts::Account;
use crate::db::checks::{self, Annotation, App, CheckRun, CheckSuite};
use crate::db::issues::Issue;
use crate::db::pulls::{self, Pull};
use crate::db::repos::Repo;
use crate::db::statuses::Status;
use crate::git::objects::CommitInfo;

/// The program behind a check, in GitHub's form of an app. The repository's owner stands for the app's.
pub(crate) fn app_view(place: Place<'_>, app: App) -> Value {
    let owner = &place.repo.owner;
    let web = &place.links.web;
    json!({
        "id": app.id,
        "slug": app.slug,
        "node_id": NodeId("A", app.id),
        "owner": AccountView { links: place.links, account: owner },
        "name": app.name,
        "description": app.description,
        "external_url": web,
        "html_url": format!("{web}/apps/{}", app.slug),
        "created_at": Time(owner.created_at),
        "updated_at": Time(owner.created_at),
        "permissions": { "checks": "write", "contents": "read", "metadata": "read" },
        "events": ["check_run", "check_suite"],
    })
}

/// GitHub's short form of a pull request inside a check.
fn minimal_pull(place: Place<'_>, issue: &Issue, pull: &Pull) -> Value {
    let repo = json!({ "id": place.repo.id, "url": place.api(), "name": place.repo.name });
    json!({
        "id": pull.id,
        "number": issue.number,
        "url": format!("{}/pulls/{}", place.api(), issue.number),
        "head": { "ref": pull.head_ref, "sha": pull.head_oid, "repo": repo },
        "base": { "ref": pull.base_ref, "sha": pull.base_oid, "repo": repo },
    })
}

impl<'a> Render<'a> {
    fn place<'p>(&'p self, repo: &'p Repo) -> Place<'p> {
        Place { links: self.links, repo }
    }

    fn pulls_at(&self, repo: &Repo, oid: &str) -> rusqlite::Result<Vec<Value>> {
        let place = self.place(repo);
        let found = pulls::open_at(self.conn, repo.id, oid)?;
        Ok(found.iter().map(|(issue, pull)| minimal_pull(place, issue, pull)).collect())
    }

    pub(crate) fn check_run(&self, repo: &Repo, run: &CheckRun) -> rusqlite::Result<Value> {
        let place = self.place(repo);
        let url = format!("{}/check-runs/{}", place.api(), run.id);
        let html_url = format!("{}/runs/{}", place.web(), run.id);
        Ok(json!({
            "id": run.id,
            "name": run.name,
            "node_id": NodeId("CR", run.id),
            "head_sha": run.head_oid,
            "external_id": run.external_id,
            "url": url,
            "details_url": run.details_url.as_ref().unwrap_or(&html_url),
            "html_url": html_url,
            "status": run.status,
            "conclusion": run.conclusion,
            "started_at": Time(run.started_at),
            "completed_at": run.completed_at.map(Time),
            "output": {
                "title": run.output_title,
                "summary": run.output_summary,
                "text": run.output_text,
                "annotations_count": checks::annotation_count(self.conn, run.id)?,
                "annotations_url": format!("{url}/annotations"),
            },
            "check_suite": { "id": run.suite_id },
            "app": app_view(place, checks::app(run.app_id)),
            "pull_requests": self.pulls_at(repo, &run.head_oid)?,
        }))
    }

    /// A suite; `head` is its commit, which only git can show.
    pub(crate) fn check_suite(
        &self,
        repo: &Repo,
        suite: &CheckSuite,
        head: &CommitInfo,
    ) -> rusqlite::Result<Value> {
        let latest = checks::runs_in(self.conn, suite.id, true)?;
        let mut view = self.simple_suite(repo, suite, &latest)?;
        view["head_commit"] = simple_commit(head);
        view["latest_check_runs_count"] = json!(latest.len());
        let url = format!("{}/check-suites/{}", self.place(repo).api(), suite.id);
        view["check_runs_url"] = json!(format!("{url}/check-runs"));
        view["rerequestable"] = json!(true);
        view["runs_rerequestable"] = json!(true);
        Ok(view)
    }

    /// GitHub's `simple-check-suite`; `latest` are its runs, of each name the newest.
    pub(crate) fn simple_suite(
        &self,
        repo: &Repo,
        suite: &CheckSuite,
        latest: &[CheckRun],
    ) -> rusqlite::Result<Value> {
        let place = self.place(repo);
        let (status, conclusion) = checks::summary(latest);
        Ok(json!({
            "id": suite.id,
            "node_id": NodeId("CS", suite.id),
            "head_branch": suite.head_branch,
            "head_sha": suite.head_oid,
            "status": status,
            "conclusion": conclusion,
            "url": format!("{}/check-suites/{}", place.api(), suite.id),
            "before": suite.before_oid,
            "after": suite.head_oid,
            "pull_requests": self.pulls_at(repo, &suite.head_oid)?,
            "app": app_view(place, checks::app(suite.app_id)),
            "repository": RepoView { links: self.links, repo, permission: None },
            "created_at": Time(suite.created_at),
            "updated_at": Time(suite.updated_at),
        }))
    }

    pub(crate) fn commit_status(&self, repo: &Repo, status: &Status) -> rusqlite::Result<Value> {
        let creator = self.account(status.creator_id)?;
        let mut view = simple_status(self.place(repo), status, &creator);
        view["creator"] = json!(AccountView { links: self.links, account: &creator });
        Ok(view)
    }

    pub(crate) fn combined_status(
        &self,
        repo: &Repo,
        oid: &str,
        state: &str,
        (shown, total): (&[Status], usize),
    ) -> rusqlite::Result<Value> {
        let place = self.place(repo);
        let mut views = Vec::with_capacity(shown.len());
        for status in shown {
            views.push(simple_status(place, status, self.account(status.creator_id)?.as_ref()));
        }
        Ok(json!({
            "state": state,
            "statuses": views,
            "sha": oid,
            "total_count": total,
            "repository": RepoView { links: self.links, repo, permission: None },
            "commit_url": format!("{}/commits/{oid}", place.api()),
            "url": format!("{}/commits/{oid}/status", place.api()),
        }))
    }
}

/// GitHub's short form of a commit inside a suite.
pub(crate) fn simple_commit(commit: &CommitInfo) -> Value {
    json!({
        "id": commit.oid,
        "tree_id": commit.tree,
        "message": commit.message,
        "timestamp": Time(commit.committer.at),
        "author": { "name": commit.author.name, "email": commit.author.email },
        "committer": { "name": commit.committer.name, "email": commit.committer.email },
    })
}

fn simple_status(place: Place<'_>, status: &Status, creator: &Account) -> Value {
    json!({
        "url": format!("{}/statuses/{}", place.api(), status.oid),
        "avatar_url": place.links.avatar(creator.id),
        "id": status.id,
        "node_id": NodeId("SC", status.id),
        "state": status.state,
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        "created_at": Time(status.created_at),
        "updated_at": Time(status.updated_at),
    })
}

pub(crate) fn annotation_view(place: Place<'_>, oid: &str, note: &Annotation) -> Value {
    json!({
        "path": note.path,
        "start_line": note.start_line,
        "end_line": note.end_line,
        "start_column": note.start_column,
        "end_column": note.end_column,
        "annotation_level": note.level,
        "title": note.title,
        "message": note.message,
        "raw_details": note.raw_details,
        "blob_href": format!("{}/blob/{oid}/{}", place.web(), path(&note.path)),
    })
}
