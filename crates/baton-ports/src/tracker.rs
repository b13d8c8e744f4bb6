//! The tracker: issues, comments, labels, pull requests and refs.
//!
//! Every method is one question or one change in the relay's words. Lists are complete or an error; a failed read is
//! never an empty answer; a write that may have happened is told apart from one that did not.

use std::future::Future;

use baton_core::RepoSlug;
use baton_core::pipeline::effect::{Place, Reaction};
use baton_core::time::ServerTime;
use baton_core::tracker::{
    Comment, Commit, Dated, Issue, IssueKey, IssueState, LabelDefinition, LabelEvent, Merge, NewPull,
    Permission, Pull, PullEdit, PullOpening, RefAdvance, RefCreation, Sighting,
};

use crate::TrackerError;

/// What an adapter promises to give.
type Answer<T> = Result<T, TrackerError>;

/// A tracker with issues, labels, comments, pull requests and git refs.
pub trait Tracker: Send + Sync {
    /// Returns the account that the token acts as.
    fn viewer(&self) -> impl Future<Output = Answer<String>> + Send;

    /// Returns what someone may do in a repository.
    fn permission(&self, repo: &RepoSlug, login: &str) -> impl Future<Output = Answer<Permission>> + Send;

    /// Returns an issue.
    fn issue(&self, issue: &IssueKey) -> impl Future<Output = Answer<Dated<Issue>>> + Send;

    /// Returns the issues that carry a label, oldest first.
    fn issues_labelled(
        &self,
        repo: &RepoSlug,
        label: &str,
        state: IssueState,
    ) -> impl Future<Output = Answer<Dated<Vec<Issue>>>> + Send;

    /// Returns the comments that were made or edited since a moment, oldest first.
    fn comments(
        &self,
        issue: &IssueKey,
        since: Option<ServerTime>,
    ) -> impl Future<Output = Answer<Dated<Vec<Comment>>>> + Send;

    /// Comments on an issue.
    fn post_comment(
        &self,
        issue: &IssueKey,
        body: &str,
    ) -> impl Future<Output = Answer<Dated<Comment>>> + Send;

    /// Replaces what a comment says. Doing it twice is the same as once.
    fn edit_comment(
        &self,
        repo: &RepoSlug,
        id: u64,
        body: &str,
    ) -> impl Future<Output = Answer<Dated<Comment>>> + Send;

    /// Takes a comment away; one that is not there is fine.
    fn delete_comment(&self, repo: &RepoSlug, id: u64) -> impl Future<Output = Answer<()>> + Send;

    /// Puts labels on an issue, and returns all it has then. Labels that the repository lacks are made.
    fn add_labels(
        &self,
        issue: &IssueKey,
        labels: &[&str],
    ) -> impl Future<Output = Answer<Vec<String>>> + Send;

    /// Takes a label off an issue; one that is not there is fine.
    fn remove_label(&self, issue: &IssueKey, label: &str) -> impl Future<Output = Answer<()>> + Send;

    /// Returns when labels were put on an issue and taken off, oldest first.
    fn label_events(&self, issue: &IssueKey) -> impl Future<Output = Answer<Dated<Vec<LabelEvent>>>> + Send;

    /// Opens an issue and returns its number.
    fn open_issue(
        &self,
        repo: &RepoSlug,
        title: &str,
        body: &str,
        labels: &[&str],
    ) -> impl Future<Output = Answer<u64>> + Send;

    /// Closes an issue.
    fn close_issue(&self, issue: &IssueKey) -> impl Future<Output = Answer<()>> + Send;

    /// Returns the labels that a repository defines.
    fn label_definitions(&self, repo: &RepoSlug)
    -> impl Future<Output = Answer<Vec<LabelDefinition>>> + Send;

    /// Defines a label, or changes its colour and description.
    fn define_label(
        &self,
        repo: &RepoSlug,
        label: &LabelDefinition,
        exists: bool,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// Returns a pull request.
    fn pull(&self, repo: &RepoSlug, number: u64) -> impl Future<Output = Answer<Pull>> + Send;

    /// Returns the open pull requests.
    fn open_pulls(&self, repo: &RepoSlug) -> impl Future<Output = Answer<Vec<Pull>>> + Send;

    /// Returns the pull requests in any state that come from a branch of the repository itself, oldest first.
    fn pulls_by_head(&self, repo: &RepoSlug, branch: &str) -> impl Future<Output = Answer<Vec<Pull>>> + Send;

    /// Opens a pull request. It is sent once: after an unclear answer, look by its head before it is sent again.
    fn open_pull(&self, repo: &RepoSlug, pull: &NewPull) -> impl Future<Output = Answer<PullOpening>> + Send;

    /// Changes what a pull request says, and returns it as it is then. Doing it twice is the same as once.
    fn edit_pull(
        &self,
        repo: &RepoSlug,
        number: u64,
        edit: &PullEdit,
    ) -> impl Future<Output = Answer<Pull>> + Send;

    /// Returns the branch that a repository merges to where nobody says otherwise.
    fn default_branch(&self, repo: &RepoSlug) -> impl Future<Output = Answer<String>> + Send;

    /// Merges a pull request if its head is still the one named.
    fn merge_pull(
        &self,
        repo: &RepoSlug,
        number: u64,
        head_sha: &str,
    ) -> impl Future<Output = Answer<Merge>> + Send;

    /// Returns the commit that a ref points at, if there is such a ref. `name` is full: `refs/…`.
    fn ref_tip(
        &self,
        repo: &RepoSlug,
        name: &str,
    ) -> impl Future<Output = Answer<Dated<Option<Commit>>>> + Send;

    /// Returns the refs whose names begin with `prefix`, with what they point at.
    fn refs_under(
        &self,
        repo: &RepoSlug,
        prefix: &str,
    ) -> impl Future<Output = Answer<Vec<(String, String)>>> + Send;

    /// Writes a commit with some existing tree, dated by the server, on no ref yet.
    fn write_commit(
        &self,
        repo: &RepoSlug,
        message: &str,
        parent: Option<&str>,
    ) -> impl Future<Output = Answer<Dated<Commit>>> + Send;

    /// Creates a ref, if there is none of this name.
    fn create_ref(
        &self,
        repo: &RepoSlug,
        name: &str,
        oid: &str,
    ) -> impl Future<Output = Answer<RefCreation>> + Send;

    /// Moves a ref forward, if the commit descends from where it stands. Doing it twice is the same as once.
    fn advance_ref(
        &self,
        repo: &RepoSlug,
        name: &str,
        oid: &str,
    ) -> impl Future<Output = Answer<RefAdvance>> + Send;

    /// Returns everything that the tracker shows of an issue, all pages of it, together with the newest pull request that
    /// comes from `branch` of the same repository.
    fn sight(&self, issue: &IssueKey, branch: &str) -> impl Future<Output = Answer<Dated<Sighting>>> + Send;

    /// Puts a sign on a comment: one as on issues, or one of a review thread. Doing it twice is the same as once.
    fn react(
        &self,
        repo: &RepoSlug,
        on: Place,
        comment: u64,
        with: Reaction,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// Replaces what an issue says. Doing it twice is the same as once.
    fn edit_issue(&self, issue: &IssueKey, body: &str) -> impl Future<Output = Answer<()>> + Send;

    /// Settles a thread of a review; one that is settled, or gone, is fine.
    fn resolve_thread(&self, repo: &RepoSlug, thread: &str) -> impl Future<Output = Answer<()>> + Send;

    /// Declares a pull request ready for reviews; one that is ready is fine.
    fn mark_ready(&self, repo: &RepoSlug, number: u64) -> impl Future<Output = Answer<()>> + Send;

    /// Takes the requests for reviews back, and makes them again, so that reviewers are told once more.
    fn ask_reviewers_again(
        &self,
        repo: &RepoSlug,
        number: u64,
        logins: &[String],
    ) -> impl Future<Output = Answer<()>> + Send;

    /// Makes an issue a part of another, which waits for it; twice is the same as once.
    fn link_part(&self, whole: &IssueKey, part: &IssueKey) -> impl Future<Output = Answer<()>> + Send;
}
