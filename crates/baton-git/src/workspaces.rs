//! Work trees of issues, from one bare mirror for each repository.
//!
//! [`GitWorkspaces`] is the port for an engine. Everything about one repository happens one after the other, in this process
//! and in all others of this machine. Git's own files are trusted only where we have written them; what an agent has put
//! into its work tree is data. Nothing is deleted before what only this machine has is on the remote.
//!
//! Deliberately absent: who may work on an issue, prompts and context files, ending processes, and pull requests.

mod aside;
mod close;
mod disk;
mod failure;
mod list;
mod mirror;
mod open;
mod place;
mod processes;
mod remote;
mod remove;
mod repository;
mod rescue;
mod settings;
mod snapshot;
mod status;
mod tree;
mod update;

pub(crate) use open::Terms;
pub(crate) use place::Place;
pub(crate) use repository::Repository;
pub use settings::WorkspaceSettings;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use baton_core::RepoSlug;
use baton_core::tracker::IssueKey;
use baton_core::workspace::names;
use baton_core::workspace::{CloseAsk, Closed, Listed, OpenAsk, Opened, Removal, Standing};
use baton_ports::{WorkspaceError, Workspaces};

use crate::token::Token;
use settings::Shared;

/// Work trees through the git program. Clones share everything.
#[derive(Clone)]
pub struct GitWorkspaces {
    shared: Arc<Shared>,
    turns: Arc<Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>>,
}

impl GitWorkspaces {
    /// Takes the settings, and what gives out a token that is good now; nothing where git's own credentials are to be used.
    pub fn new(
        settings: WorkspaceSettings,
        tokens: impl Fn(&RepoSlug) -> Option<Token> + Send + Sync + 'static,
    ) -> Result<Self, WorkspaceError> {
        let place = settings.worktrees.clone();
        let settings = settings
            .absolute()
            .map_err(|error| failure::of_disk("finding the work trees", &place, &error))?;
        let shared = Shared { settings, tokens: Box::new(tokens) };
        Ok(Self { shared: Arc::new(shared), turns: Arc::default() })
    }

    /// Returns where the work tree of an issue is, or would be.
    pub fn path(&self, issue: &IssueKey) -> PathBuf {
        self.shared.path(&self.shared.issue_place(issue))
    }

    /// Makes the work tree of an issue from what was fetched last, and does nothing else: for benchmarks. The mirror must be
    /// there and the work tree must not.
    pub fn make_worktree(&self, issue: &IssueKey) -> Result<PathBuf, WorkspaceError> {
        let place = self.shared.issue_place(issue);
        let repository = Repository::lock(&self.shared, &issue.repo)?;
        mirror::find(&repository)?;
        let base = remote::remembered(&repository, &place, None)?;
        let base = base.ok_or_else(|| {
            let answer = "nothing was fetched yet".to_owned();
            failure::of_state(
                "making a work tree",
                answer,
                "open a place of this repository first".to_owned(),
            )
        })?;
        tree::make(&repository, &place, &base.commit)?;
        Ok(self.shared.path(&place))
    }

    /// Returns all places of issues on this machine.
    pub async fn list(&self) -> Result<Vec<Listed>, WorkspaceError> {
        let mut all = Vec::new();
        for repo in list::repositories(&self.shared) {
            all.extend(self.list_of(&repo).await?);
        }
        Ok(all)
    }

    /// Returns the places of issues of one repository.
    pub async fn list_of(&self, repo: &RepoSlug) -> Result<Vec<Listed>, WorkspaceError> {
        self.perform(repo, list::list).await
    }

    pub(crate) async fn open_place(&self, place: Place, terms: OwnedTerms) -> Result<Opened, WorkspaceError> {
        let repo = place.repo.clone();
        self.perform(&repo, move |repository| open::open(repository, &place, terms.borrowed())).await
    }

    /// Removes the place of a feature if nothing is only there. Returns why it was kept.
    pub(crate) async fn discard_if_clean(&self, place: Place) -> Result<Option<String>, WorkspaceError> {
        let repo = place.repo.clone();
        self.perform(&repo, move |repository| remove::discard_if_clean(repository, &place)).await
    }

    /// The same, for those who cannot wait.
    pub(crate) fn discard_if_clean_now(&self, place: &Place) -> Result<Option<String>, WorkspaceError> {
        remove::discard_if_clean(&Repository::lock(&self.shared, &place.repo)?, place)
    }

    pub(crate) fn path_of(&self, place: &Place) -> PathBuf {
        self.shared.path(place)
    }

    /// Does something about a repository when it is its turn. Once begun it goes on to its end, even if nobody waits for it.
    async fn perform<T: Send + 'static>(
        &self,
        repo: &RepoSlug,
        work: impl FnOnce(&Repository<'_>) -> Result<T, WorkspaceError> + Send + 'static,
    ) -> Result<T, WorkspaceError> {
        let turn = self.turn(repo).lock_owned().await;
        let (shared, repo) = (Arc::clone(&self.shared), repo.clone());
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(&Repository::lock(&shared, &repo)?)
        });
        done.await.unwrap_or_else(|error| {
            let advice = "report this defect".to_owned();
            Err(failure::of_state("working on a repository", error.to_string(), advice))
        })
    }

    fn turn(&self, repo: &RepoSlug) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(names::repo_directory(repo)).or_default())
    }
}

/// How a place is opened, for another thread.
pub(crate) struct OwnedTerms {
    pub(crate) base: Option<String>,
    pub(crate) is_read_only: bool,
    pub(crate) updates: bool,
}

impl OwnedTerms {
    fn borrowed(&self) -> Terms<'_> {
        Terms { base: self.base.as_deref(), is_read_only: self.is_read_only, updates: self.updates }
    }
}

impl Workspaces for GitWorkspaces {
    async fn open(&self, ask: &OpenAsk) -> Result<Opened, WorkspaceError> {
        let terms =
            OwnedTerms { base: ask.base.clone(), is_read_only: ask.is_read_only, updates: ask.updates };
        self.open_place(self.shared.issue_place(&ask.issue), terms).await
    }

    async fn standing(&self, issue: &IssueKey) -> Result<Standing, WorkspaceError> {
        let place = self.shared.issue_place(issue);
        self.perform(&issue.repo, move |repository| {
            close::find(repository, &place)?;
            let status = status::read(repository, &place)?;
            let is_dirty = status.is_dirty();
            let head = status.head.ok_or_else(|| open::no_head(repository, &place))?;
            Ok(Standing { head: head.to_string(), is_dirty })
        })
        .await
    }

    async fn close(&self, ask: &CloseAsk) -> Result<Closed, WorkspaceError> {
        let (place, ask) = (self.shared.issue_place(&ask.issue), ask.clone());
        let repo = place.repo.clone();
        self.perform(&repo, move |repository| close::close(repository, &place, &ask)).await
    }

    async fn has_place(&self, issue: &IssueKey) -> bool {
        self.shared.path(&self.shared.issue_place(issue)).exists()
    }

    async fn remove(&self, issue: &IssueKey) -> Result<Removal, WorkspaceError> {
        let place = self.shared.issue_place(issue);
        self.perform(&issue.repo, move |repository| remove::remove(repository, &place)).await
    }
}
