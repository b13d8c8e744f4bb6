//! The tracker port on GitHub, one file per noun.
//!
//! Which answers are expected outcomes is decided here, in GitHub's words; everything else is an error. Nothing is
//! remembered between calls but the tree that commits are made with.

mod comments;
mod issues;
mod labels;
mod people;
mod pulls;
mod refs;
mod relay;
mod sight;

use baton_core::RepoSlug;
use baton_core::pipeline::effect::{Place, Reaction};
use baton_core::time::ServerTime;
use baton_core::tracker::{
    Comment, Commit, Dated, Issue, IssueKey, IssueState, LabelDefinition, LabelEvent, Merge, NewPull,
    Permission, Pull, PullEdit, PullOpening, RefAdvance, RefCreation, Sighting,
};
use baton_ports::{Tracker, TrackerError, TrackerErrorKind};

use crate::client::{Answer, GitHub};

/// Reads a repository's name as the tracker writes it.
pub(crate) fn slug(text: &str) -> Answer<RepoSlug> {
    text.parse().map_err(|_| {
        let answer = format!("`{text}` is said to be a repository, and cannot be one");
        TrackerError::new(TrackerErrorKind::Malformed, "reading an answer", answer)
    })
}

impl Tracker for GitHub {
    async fn viewer(&self) -> Answer<String> {
        people::viewer(self).await
    }

    async fn permission(&self, repo: &RepoSlug, login: &str) -> Answer<Permission> {
        people::permission(self, repo, login).await
    }

    async fn issue(&self, issue: &IssueKey) -> Answer<Dated<Issue>> {
        issues::get(self, issue).await
    }

    async fn issues_labelled(
        &self,
        repo: &RepoSlug,
        label: &str,
        state: IssueState,
    ) -> Answer<Dated<Vec<Issue>>> {
        issues::labelled(self, repo, label, state).await
    }

    async fn comments(&self, issue: &IssueKey, since: Option<ServerTime>) -> Answer<Dated<Vec<Comment>>> {
        comments::list(self, issue, since).await
    }

    async fn post_comment(&self, issue: &IssueKey, body: &str) -> Answer<Dated<Comment>> {
        comments::post(self, issue, body).await
    }

    async fn edit_comment(&self, repo: &RepoSlug, id: u64, body: &str) -> Answer<Dated<Comment>> {
        comments::edit(self, repo, id, body).await
    }

    async fn delete_comment(&self, repo: &RepoSlug, id: u64) -> Answer<()> {
        comments::delete(self, repo, id).await
    }

    async fn add_labels(&self, issue: &IssueKey, labels: &[&str]) -> Answer<Vec<String>> {
        labels::add(self, issue, labels).await
    }

    async fn remove_label(&self, issue: &IssueKey, label: &str) -> Answer<()> {
        labels::remove(self, issue, label).await
    }

    async fn label_events(&self, issue: &IssueKey) -> Answer<Dated<Vec<LabelEvent>>> {
        labels::events(self, issue).await
    }

    async fn open_issue(&self, repo: &RepoSlug, title: &str, body: &str, labels: &[&str]) -> Answer<u64> {
        issues::open(self, repo, title, body, labels).await
    }

    async fn close_issue(&self, issue: &IssueKey) -> Answer<()> {
        issues::close(self, issue).await
    }

    async fn label_definitions(&self, repo: &RepoSlug) -> Answer<Vec<LabelDefinition>> {
        labels::definitions(self, repo).await
    }

    async fn define_label(&self, repo: &RepoSlug, label: &LabelDefinition, exists: bool) -> Answer<()> {
        labels::define(self, repo, label, exists).await
    }

    async fn pull(&self, repo: &RepoSlug, number: u64) -> Answer<Pull> {
        pulls::get(self, repo, number).await
    }

    async fn open_pulls(&self, repo: &RepoSlug) -> Answer<Vec<Pull>> {
        pulls::open(self, repo).await
    }

    async fn pulls_by_head(&self, repo: &RepoSlug, branch: &str) -> Answer<Vec<Pull>> {
        pulls::by_head(self, repo, branch).await
    }

    async fn open_pull(&self, repo: &RepoSlug, pull: &NewPull) -> Answer<PullOpening> {
        pulls::create(self, repo, pull).await
    }

    async fn edit_pull(&self, repo: &RepoSlug, number: u64, edit: &PullEdit) -> Answer<Pull> {
        pulls::edit(self, repo, number, edit).await
    }

    async fn default_branch(&self, repo: &RepoSlug) -> Answer<String> {
        pulls::default_branch(self, repo).await
    }

    async fn merge_pull(&self, repo: &RepoSlug, number: u64, head_sha: &str) -> Answer<Merge> {
        pulls::merge(self, repo, number, head_sha).await
    }

    async fn ref_tip(&self, repo: &RepoSlug, name: &str) -> Answer<Dated<Option<Commit>>> {
        refs::tip(self, repo, name).await
    }

    async fn refs_under(&self, repo: &RepoSlug, prefix: &str) -> Answer<Vec<(String, String)>> {
        refs::under(self, repo, prefix).await
    }

    async fn write_commit(
        &self,
        repo: &RepoSlug,
        message: &str,
        parent: Option<&str>,
    ) -> Answer<Dated<Commit>> {
        refs::write_commit(self, repo, message, parent).await
    }

    async fn create_ref(&self, repo: &RepoSlug, name: &str, oid: &str) -> Answer<RefCreation> {
        refs::create(self, repo, name, oid).await
    }

    async fn advance_ref(&self, repo: &RepoSlug, name: &str, oid: &str) -> Answer<RefAdvance> {
        refs::advance(self, repo, name, oid).await
    }

    async fn sight(&self, issue: &IssueKey, branch: &str) -> Answer<Dated<Sighting>> {
        sight::sight(self, issue, branch).await
    }

    async fn react(&self, repo: &RepoSlug, on: Place, comment: u64, with: Reaction) -> Answer<()> {
        relay::react(self, repo, on, comment, with).await
    }

    async fn edit_issue(&self, issue: &IssueKey, body: &str) -> Answer<()> {
        issues::edit(self, issue, body).await
    }

    async fn resolve_thread(&self, repo: &RepoSlug, thread: &str) -> Answer<()> {
        relay::resolve_thread(self, repo, thread).await
    }

    async fn mark_ready(&self, repo: &RepoSlug, number: u64) -> Answer<()> {
        relay::mark_ready(self, repo, number).await
    }

    async fn ask_reviewers_again(&self, repo: &RepoSlug, number: u64, logins: &[String]) -> Answer<()> {
        relay::ask_reviewers_again(self, repo, number, logins).await
    }

    async fn link_part(&self, whole: &IssueKey, part: &IssueKey) -> Answer<()> {
        relay::link_part(self, whole, part).await
    }
}
