//! Check suites, check runs and commit statuses.

use git2::Oid;
use rusqlite::{OptionalExtension, Row, params};
use serde_json::{Value, json};

use super::push::email;
use super::{PayloadError, Stage, Written, body};
use crate::db::refs::{self, RefRow};
use crate::db::{accounts, checks, protections, pulls};
use crate::git::objects::CommitInfo;
use crate::wire::account::AccountView;
use crate::wire::commit::{CommitView, Place, short_branch};
use crate::wire::{NodeId, Time};

/// A row of `check_suites`.
struct Suite {
    id: i64,
    app_id: i64,
    head_oid: String,
    head_branch: Option<String>,
    before_oid: Option<String>,
    created_at: i64,
    updated_at: i64,
}

fn suite_from(row: &Row<'_>) -> rusqlite::Result<Suite> {
    Ok(Suite {
        id: row.get(0)?,
        app_id: row.get(1)?,
        head_oid: row.get(2)?,
        head_branch: row.get(3)?,
        before_oid: row.get(4)?,
        created_at: row.get(5)?,
        updated_at: row.get(6)?,
    })
}

/// A row of `check_runs`.
struct Run {
    suite_id: i64,
    name: String,
    head_oid: String,
    status: String,
    conclusion: Option<String>,
    details_url: Option<String>,
    external_id: String,
    output: [Option<String>; 3],
    started_at: i64,
    completed_at: Option<i64>,
}

fn run_from(row: &Row<'_>) -> rusqlite::Result<Run> {
    Ok(Run {
        suite_id: row.get(1)?,
        name: row.get(2)?,
        head_oid: row.get(3)?,
        status: row.get(4)?,
        conclusion: row.get(5)?,
        details_url: row.get(6)?,
        external_id: row.get(7)?,
        output: [row.get(8)?, row.get(9)?, row.get(10)?],
        started_at: row.get(11)?,
        completed_at: row.get(12)?,
    })
}

impl Stage<'_> {
    fn suite(&self, id: i64) -> Result<Suite, PayloadError> {
        let sql =
            "SELECT id, app_id, head_oid, head_branch, before_oid, created_at, updated_at FROM check_suites
                   WHERE id = ?1";
        let found = self.conn.prepare_cached(sql)?.query_row([id], suite_from).optional()?;
        found.ok_or(PayloadError::Gone("check suite"))
    }

    /// How many runs a suite has, and what it is as a whole.
    fn suite_whole(&self, id: i64) -> Result<(usize, &'static str, Option<&'static str>), PayloadError> {
        let latest = checks::runs_in(self.conn, id, true)?;
        let (status, conclusion) = checks::summary(&latest);
        Ok((latest.len(), status, conclusion))
    }

    pub(super) fn check_suite(&self, id: i64) -> Written {
        let suite = self.suite(id)?;
        let (count, status, conclusion) = self.suite_whole(id)?;
        let url = format!("{}/check-suites/{id}", self.place()?.api());
        let shown = json!({
            "id": id,
            "node_id": NodeId("CS", id),
            "head_branch": suite.head_branch,
            "head_sha": suite.head_oid,
            "status": status,
            "conclusion": conclusion,
            "url": url,
            "before": suite.before_oid,
            "after": suite.head_oid,
            "pull_requests": self.pulls_at(&suite.head_oid)?,
            "app": self.app(suite.app_id)?,
            "created_at": Time(suite.created_at),
            "updated_at": Time(suite.updated_at),
            "latest_check_runs_count": count,
            "check_runs_url": format!("{url}/check-runs"),
            "head_commit": self.head_commit(&suite.head_oid)?,
            "rerequestable": true,
            "runs_rerequestable": true,
        });
        Ok(body([("check_suite", shown)]))
    }

    pub(super) fn check_run(&self, id: i64) -> Written {
        let sql =
            "SELECT id, suite_id, name, head_oid, status, conclusion, details_url, external_id, output_title,
                   output_summary, output_text, started_at, completed_at FROM check_runs WHERE id = ?1";
        let run = self.conn.prepare_cached(sql)?.query_row([id], run_from).optional()?;
        let run = run.ok_or(PayloadError::Gone("check run"))?;
        let suite = self.suite(run.suite_id)?;
        let place = self.place()?;
        let (url, html) = (format!("{}/check-runs/{id}", place.api()), format!("{}/runs/{id}", place.web()));
        let pulls = self.pulls_at(&run.head_oid)?;
        let count = "SELECT count(*) FROM check_annotations WHERE run_id = ?1";
        let annotations: i64 = self.conn.prepare_cached(count)?.query_row([id], |row| row.get(0))?;
        let [title, summary, text] = &run.output;
        let shown = json!({
            "id": id,
            "node_id": NodeId("CR", id),
            "name": run.name,
            "head_sha": run.head_oid,
            "external_id": run.external_id,
            "url": url,
            "html_url": html,
            "details_url": run.details_url.as_ref().unwrap_or(&html),
            "status": run.status,
            "conclusion": run.conclusion,
            "started_at": Time(run.started_at),
            "completed_at": run.completed_at.map(Time),
            "output": {
                "title": title,
                "summary": summary,
                "text": text,
                "annotations_count": annotations,
                "annotations_url": format!("{url}/annotations"),
            },
            "check_suite": self.simple_suite(&suite, &pulls)?,
            "app": self.app(suite.app_id)?,
            "pull_requests": pulls,
        });
        Ok(body([("check_run", shown)]))
    }

    fn simple_suite(&self, suite: &Suite, pulls: &[Value]) -> Result<Value, PayloadError> {
        let (_, status, conclusion) = self.suite_whole(suite.id)?;
        Ok(json!({
            "id": suite.id,
            "node_id": NodeId("CS", suite.id),
            "head_branch": suite.head_branch,
            "head_sha": suite.head_oid,
            "status": status,
            "conclusion": conclusion,
            "url": format!("{}/check-suites/{}", self.place()?.api(), suite.id),
            "before": suite.before_oid,
            "after": suite.head_oid,
            "pull_requests": pulls,
            "app": self.app(suite.app_id)?,
            "repository": self.repository(self.repo()?)?,
            "created_at": Time(suite.created_at),
            "updated_at": Time(suite.updated_at),
        }))
    }

    /// The program that reported: the forge's own CI, or whoever had a token.
    fn app(&self, id: i64) -> Result<Value, PayloadError> {
        let (slug, name, description) = match id {
            2 => ("forge-ci", "Forge CI", "Checks that the forge runs itself"),
            _ => ("forge-checks", "Forge checks", "Checks that were reported with a token"),
        };
        let (web, repo) = (&self.links().web, self.repo()?);
        Ok(json!({
            "id": id,
            "slug": slug,
            "node_id": NodeId("A", id),
            "owner": AccountView { links: self.links(), account: &repo.owner },
            "name": name,
            "description": description,
            "external_url": web,
            "html_url": format!("{web}/apps/{slug}"),
            "created_at": Time(repo.created_at),
            "updated_at": Time(repo.created_at),
            "permissions": { "checks": "write", "metadata": "read", "statuses": "write" },
            "events": [],
        }))
    }

    /// The open pull requests whose head is a commit.
    fn pulls_at(&self, oid: &str) -> Result<Vec<Value>, PayloadError> {
        let repo = self.repo()?;
        let sql = "SELECT p.id FROM pulls p JOIN issues i ON i.id = p.issue_id
                   WHERE p.repo_id = ?1 AND p.head_oid = ?2 AND i.state = 'open' ORDER BY p.id";
        let mut statement = self.conn.prepare_cached(sql)?;
        let ids: Vec<i64> =
            statement.query_map(params![repo.id, oid], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let api = self.place()?.api();
        let end = |name: &str, oid: &str| {
            let shown = json!({ "id": repo.id, "url": api, "name": repo.name });
            json!({ "ref": name, "sha": oid, "repo": shown })
        };
        let mut shown = Vec::new();
        for (issue, pull) in
            ids.into_iter().filter_map(|id| pulls::by_id(self.conn, id).transpose()).flatten()
        {
            shown.push(json!({
                "id": pull.id,
                "number": issue.number,
                "url": format!("{api}/pulls/{}", issue.number),
                "head": end(&pull.head_ref, &pull.head_oid),
                "base": end(&pull.base_ref, &pull.base_oid),
            }));
        }
        Ok(shown)
    }

    fn commit_info(&self, oid: &str) -> Result<CommitInfo, PayloadError> {
        let repository = self.origin.git.open(self.repo()?.id)?;
        let commit = repository.find_commit(Oid::from_str(oid)?)?;
        Ok(CommitInfo::of(&commit))
    }

    fn head_commit(&self, oid: &str) -> Result<Value, PayloadError> {
        let commit = self.commit_info(oid)?;
        let person =
            |person: &crate::git::objects::Person| json!({ "name": person.name, "email": email(person) });
        Ok(json!({
            "id": commit.oid,
            "tree_id": commit.tree,
            "message": commit.message,
            "timestamp": Time(commit.committer.at),
            "author": person(&commit.author),
            "committer": person(&commit.committer),
        }))
    }

    pub(super) fn status(&self, id: i64) -> Written {
        let sql = "SELECT oid, state, context, description, target_url, creator_id, created_at, updated_at FROM statuses
                   WHERE id = ?1";
        let text = |row: &Row<'_>, at| row.get::<_, Option<String>>(at);
        let read = |row: &Row<'_>| {
            let texts = [text(row, 0)?, text(row, 1)?, text(row, 2)?, text(row, 3)?, text(row, 4)?];
            Ok((texts, row.get::<_, i64>(5)?, row.get::<_, i64>(6)?, row.get::<_, i64>(7)?))
        };
        let found = self.conn.prepare_cached(sql)?.query_row([id], read).optional()?;
        let (texts, creator_id, created_at, updated_at) = found.ok_or(PayloadError::Gone("status"))?;
        let [oid, state, context, description, target_url] = texts;
        let (oid, repo) = (oid.unwrap_or_default(), self.repo()?);
        Ok(body([
            ("id", json!(id)),
            ("sha", json!(oid)),
            ("name", json!(repo.full_name())),
            ("avatar_url", self.account(creator_id)?["avatar_url"].clone()),
            ("target_url", json!(target_url)),
            ("context", json!(context)),
            ("description", json!(description)),
            ("state", json!(state)),
            ("commit", self.whole_commit(&oid)?),
            ("branches", json!(self.branches_at(&oid)?)),
            ("created_at", json!(Time(created_at))),
            ("updated_at", json!(Time(updated_at))),
        ]))
    }

    fn whole_commit(&self, oid: &str) -> Result<Value, PayloadError> {
        let commit = self.commit_info(oid)?;
        let author = accounts::by_email(self.conn, &commit.author.email)?;
        let committer = accounts::by_email(self.conn, &commit.committer.email)?;
        let view = CommitView { place: self.place()?, commit: &commit, author, committer, files: None };
        super::to_value(&view)
    }

    /// The branches whose tip is a commit; GitHub names ten at most.
    fn branches_at(&self, oid: &str) -> Result<Vec<Value>, PayloadError> {
        let place: Place<'_> = self.place()?;
        let repo_id = self.repo()?.id;
        let rows = refs::with_prefix(self.conn, repo_id, "refs/heads/")?;
        let here = rows.iter().filter(|row| row.oid == oid).take(10);
        let branch = |row: &RefRow| {
            let name = row.name.trim_start_matches("refs/heads/");
            let is_protected = protections::of_branch(self.conn, repo_id, name)?.is_some();
            Ok(short_branch(place, row, is_protected))
        };
        here.map(branch).collect()
    }
}
