//! Check suites, check runs and commit statuses: REST's forms, with what webhooks show beside.

use git2::Oid;
use serde_json::{Value, json};

use super::push::email;
use super::{PayloadError, Stage, Written, body};
use crate::db::refs::{self, RefRow};
use crate::db::{accounts, checks, protections, statuses};
use crate::git::objects::CommitInfo;
use crate::wire::Time;
use crate::wire::commit::{CommitView, Place, short_branch};

impl Stage<'_> {
    pub(super) fn check_suite(&self, id: i64) -> Written {
        let suite = checks::suite(self.conn, id)?.ok_or(PayloadError::Gone("check suite"))?;
        let commit = self.commit_info(&suite.head_oid)?;
        let mut shown = self.render.check_suite(self.repo()?, &suite, &commit)?;
        for (role, person) in [("author", &commit.author), ("committer", &commit.committer)] {
            shown["head_commit"][role]["email"] = json!(email(person));
        }
        // It stands beside the suite.
        shown.as_object_mut().and_then(|shown| shown.remove("repository"));
        Ok(body([("check_suite", shown)]))
    }

    pub(super) fn check_run(&self, id: i64) -> Written {
        let repo = self.repo()?;
        let run = checks::run(self.conn, id)?.ok_or(PayloadError::Gone("check run"))?;
        let suite = checks::suite(self.conn, run.suite_id)?.ok_or(PayloadError::Gone("check suite"))?;
        let latest = checks::runs_in(self.conn, suite.id, true)?;
        let mut shown = self.render.check_run(repo, &run)?;
        shown["check_suite"] = self.render.simple_suite(repo, &suite, &latest)?;
        Ok(body([("check_run", shown)]))
    }

    fn commit_info(&self, oid: &str) -> Result<CommitInfo, PayloadError> {
        let repository = self.origin.git.open(self.repo()?.id)?;
        let commit = repository.find_commit(Oid::from_str(oid)?)?;
        Ok(CommitInfo::of(&commit))
    }

    pub(super) fn status(&self, id: i64) -> Written {
        let status = statuses::by_id(self.conn, id)?.ok_or(PayloadError::Gone("status"))?;
        Ok(body([
            ("id", json!(id)),
            ("sha", json!(status.oid)),
            ("name", json!(self.repo()?.full_name())),
            ("avatar_url", json!(self.links().avatar(status.creator_id))),
            ("target_url", json!(status.target_url)),
            ("context", json!(status.context)),
            ("description", json!(status.description)),
            ("state", json!(status.state)),
            ("commit", self.whole_commit(&status.oid)?),
            ("branches", json!(self.branches_at(&status.oid)?)),
            ("created_at", json!(Time(status.created_at))),
            ("updated_at", json!(Time(status.updated_at))),
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
