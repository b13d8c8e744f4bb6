//! What follows a change of refs: the table of refs, pull requests whose head moved, issues that commits close.
//!
//! Git has decided already when this runs. It compares what the bare repository says with the table and brings the
//! table, and everything that hangs on it, up to date in one transaction. Running it again changes nothing, so a crash
//! between git's change and this one is mended by the next look ([`follow_all`] at the start of the forge).

use std::collections::BTreeMap;

use baton_core::closing::closing_references;
use git2::{Oid, Repository};

use super::arrivals::synchronize;
use super::history;
use super::objects::{kind_of, parse_oid};
use super::ref_update::{self, RefEdit};
use crate::api::pull_base::place_threads;
use crate::db::events::{self, Happening, Scene};
use crate::db::issues::{self, Issue};
use crate::db::pulls::{self, Pull};
use crate::db::refs::{self, RefRow};
use crate::db::repos::{self, Permission, Repo};
use crate::db::review_threads::Place;
use crate::db::{Database, Tx, accounts, closing_links};
use crate::git::GitStore;
use crate::http::error::ApiError;
use crate::news::{News, Scope, What};
use crate::sync::lock;

/// Commits of one push whose messages may close issues.
const CLOSING_COMMITS_MAX: usize = 250;

#[derive(Debug, Clone)]
pub(super) struct RefChange {
    pub(super) name: String,
    pub(super) old: Option<String>,
    pub(super) new: Option<RefRow>,
    /// The branch was rewritten: its old tip is not in its new history.
    forced: bool,
}

/// The open pull requests that a change of their head branch concerns.
struct HeadMove {
    change: RefChange,
    pulls: Vec<(Issue, Pull)>,
    /// Where the threads of these pull requests stand after the move.
    threads: Vec<(i64, Option<Place>)>,
}

/// Where the follow-up works.
pub(crate) struct Followers<'a> {
    pub(crate) db: &'a Database,
    pub(crate) git: &'a GitStore,
    pub(crate) now: i64,
}

impl Followers<'_> {
    /// Looks at the named refs, or at all of them, after a push.
    pub(crate) fn follow(
        &self,
        repo: &Repo,
        names: Option<&[String]>,
        actor_id: i64,
    ) -> Result<(), ApiError> {
        let gate = self.git.gate(repo.id);
        let _held = lock(&gate);
        self.follow_held(repo, names, actor_id)
    }

    /// The same for a caller that holds the repository's gate.
    pub(crate) fn follow_held(
        &self,
        repo: &Repo,
        names: Option<&[String]>,
        actor_id: i64,
    ) -> Result<(), ApiError> {
        let repository = self.git.open(repo.id)?;
        let changes = self.changes(&repository, repo.id, names)?;
        if changes.is_empty() {
            return Ok(());
        }
        let moves = self.head_moves(&repository, repo.id, &changes)?;
        let arrivals = self.arrivals(&repository, repo.id, &changes)?;
        let stranded = self.stranded(&repository, repo.id, &changes, &arrivals)?;
        let pull_refs = self.move_pull_refs(repo.id, &moves)?;
        let closing = self.closing_commits(&repository, repo, &changes)?;
        let default_branch = adopted_branch(&repository, repo, &changes)?;
        if let Some(branch) = &default_branch {
            self.git.set_head(repo.id, branch)?;
        }
        let (mut repo, now) = (repo.clone(), self.now);
        self.db.writer().write_blocking(move |tx| {
            write_refs(tx, repo.id, &changes, &pull_refs)?;
            repos::touch_pushed(tx, repo.id, now)?;
            tell_pushes(tx, repo.id, &changes, actor_id, now);
            if let Some(branch) = default_branch {
                repos::set_default_branch(tx, repo.id, &branch)?;
                repo.default_branch = branch;
            }
            for arrival in &arrivals {
                arrival.settle(tx, &repo, actor_id, now)?;
            }
            for head_move in &moves {
                move_heads(tx, &repo, head_move, actor_id, now)?;
            }
            for pull in &stranded {
                pull.settle(tx, &repo, actor_id, now)?;
            }
            for (number, commit) in &closing {
                close_by_commit(tx, &repo, *number, commit, actor_id, now)?;
            }
            Ok(())
        })
    }

    fn changes(
        &self,
        repository: &Repository,
        repo_id: i64,
        names: Option<&[String]>,
    ) -> Result<Vec<RefChange>, ApiError> {
        let (in_git, in_table) = match names {
            Some(names) => (named(repository, names), self.table(repo_id, names)?),
            None => (all(repository)?, self.table_whole(repo_id)?),
        };
        let mut changes = Vec::new();
        for (name, row) in &in_git {
            let old = in_table.get(name).map(|row| row.oid.clone());
            if old.as_deref() != Some(&row.oid) {
                let forced = old.as_deref().is_some_and(|old| is_rewrite(repository, old, &row.oid));
                changes.push(RefChange { name: name.clone(), old, new: Some(row.clone()), forced });
            }
        }
        for (name, row) in in_table.iter().filter(|(name, _)| !in_git.contains_key(*name)) {
            changes.push(RefChange {
                name: name.clone(),
                old: Some(row.oid.clone()),
                new: None,
                forced: false,
            });
        }
        Ok(changes)
    }

    fn table(&self, repo_id: i64, names: &[String]) -> Result<BTreeMap<String, RefRow>, ApiError> {
        let mut rows = BTreeMap::new();
        for name in names {
            if let Some(row) = self.db.read(|conn| refs::find(conn, repo_id, name))?? {
                rows.insert(row.name.clone(), row);
            }
        }
        Ok(rows)
    }

    fn table_whole(&self, repo_id: i64) -> Result<BTreeMap<String, RefRow>, ApiError> {
        let rows = self.db.read(|conn| refs::with_prefix(conn, repo_id, "refs/"))??;
        Ok(rows.into_iter().map(|row| (row.name.clone(), row)).collect())
    }

    fn head_moves(
        &self,
        repository: &Repository,
        repo_id: i64,
        changes: &[RefChange],
    ) -> Result<Vec<HeadMove>, ApiError> {
        let mut moves = Vec::new();
        for change in changes {
            let Some(branch) = change.name.strip_prefix("refs/heads/") else { continue };
            let pulls = self.db.read(|conn| pulls::open_by_head(conn, repo_id, branch))??;
            if !pulls.is_empty() {
                let threads = self.follow_threads(repository, change, &pulls)?;
                moves.push(HeadMove { change: change.clone(), pulls, threads });
            }
        }
        Ok(moves)
    }

    /// Points `refs/pull/N/head` at the new heads.
    fn move_pull_refs(&self, repo_id: i64, moves: &[HeadMove]) -> Result<Vec<RefRow>, ApiError> {
        let mut rows = Vec::new();
        for head_move in moves {
            let Some(new) = &head_move.change.new else { continue };
            for (issue, _) in &head_move.pulls {
                rows.push(RefRow { name: format!("refs/pull/{}/head", issue.number), ..new.clone() });
            }
        }
        let edits: Vec<RefEdit> =
            rows.iter().map(|row| RefEdit::Set { name: row.name.clone(), to: row.oid.clone() }).collect();
        if !edits.is_empty() {
            ref_update::apply(&self.git.path(repo_id), &edits)?;
        }
        Ok(rows)
    }

    /// Finds the issues that new commits on the default branch close.
    fn closing_commits(
        &self,
        repository: &Repository,
        repo: &Repo,
        changes: &[RefChange],
    ) -> Result<Vec<(i64, String)>, ApiError> {
        let default_ref = format!("refs/heads/{}", repo.default_branch);
        let change = changes.iter().find(|change| change.name == default_ref);
        // A branch that is new brings a whole history, which closes nothing.
        let Some((old, new)) = change.and_then(|change| Some((change.old.as_ref()?, change.new.as_ref()?)))
        else {
            return Ok(Vec::new());
        };
        let (Some(old), Some(new)) = (parse_oid(old), parse_oid(&new.oid)) else { return Ok(Vec::new()) };
        if kind_of(repository, old).is_none() {
            return Ok(Vec::new());
        }
        let mut closing = Vec::new();
        for commit in history::between(repository, old, new)?.into_iter().take(CLOSING_COMMITS_MAX) {
            let numbers = own_numbers(repo, &commit.message);
            closing.extend(numbers.into_iter().map(|number| (number, commit.oid.clone())));
        }
        Ok(closing)
    }
}

/// The branch that becomes the default because the first push brought others: GitHub takes what there is.
fn adopted_branch(
    repository: &Repository,
    repo: &Repo,
    changes: &[RefChange],
) -> Result<Option<String>, ApiError> {
    let is_first = repository.references()?.flatten().all(|known| {
        known
            .name()
            .is_ok_and(|name| changes.iter().any(|change| change.name == name && change.old.is_none()))
    });
    let mut branches: Vec<&str> = changes
        .iter()
        .filter(|change| change.new.is_some())
        .filter_map(|change| change.name.strip_prefix("refs/heads/"))
        .collect();
    if !is_first || branches.contains(&repo.default_branch.as_str()) {
        return Ok(None);
    }
    branches.sort_by_key(|name| (*name != "master", *name));
    Ok(branches.first().map(|name| (*name).to_owned()))
}

/// Returns the numbers of this repository's issues that a text closes.
fn own_numbers(repo: &Repo, text: &str) -> Vec<i64> {
    let closing = closing_references(text).into_iter();
    let own = closing.filter(|reference| reference.is_in(&repo.owner.login, &repo.name));
    own.filter_map(|reference| i64::try_from(reference.number).ok()).collect()
}

fn is_rewrite(repository: &Repository, old: &str, new: &str) -> bool {
    match (parse_oid(old), parse_oid(new)) {
        (Some(old), Some(new)) => !history::contains(repository, new, old),
        _ => false,
    }
}

pub(crate) fn row_of(repository: &Repository, name: &str, oid: Oid) -> RefRow {
    let kind = kind_of(repository, oid).map_or("commit", |kind| kind.str());
    RefRow { name: name.to_owned(), oid: oid.to_string(), kind: kind.to_owned() }
}

fn named(repository: &Repository, names: &[String]) -> BTreeMap<String, RefRow> {
    let row = |name: &String| {
        let oid = repository.find_reference(name).ok()?.target()?;
        Some((name.clone(), row_of(repository, name, oid)))
    };
    names.iter().filter_map(row).collect()
}

fn all(repository: &Repository) -> Result<BTreeMap<String, RefRow>, git2::Error> {
    let mut rows = BTreeMap::new();
    for reference in repository.references()? {
        let reference = reference?;
        if let (Ok(name), Some(oid)) = (reference.name(), reference.target()) {
            rows.insert(name.to_owned(), row_of(repository, name, oid));
        }
    }
    Ok(rows)
}

/// Tells of every branch and tag that came, moved or went.
fn tell_pushes(tx: &Tx<'_>, repo_id: i64, changes: &[RefChange], actor_id: i64, now: i64) {
    let is_told = |name: &str| name.starts_with("refs/heads/") || name.starts_with("refs/tags/");
    for change in changes.iter().filter(|change| is_told(&change.name)) {
        tx.tell(News {
            scope: Scope::Repo(repo_id),
            actor_id,
            now,
            what: What::Push {
                name: change.name.clone(),
                before: change.old.clone(),
                after: change.new.as_ref().map(|row| row.oid.clone()),
                forced: change.forced,
            },
        });
    }
}

fn write_refs(
    tx: &Tx<'_>,
    repo_id: i64,
    changes: &[RefChange],
    pull_refs: &[RefRow],
) -> Result<(), ApiError> {
    for change in changes {
        match &change.new {
            Some(row) => refs::set(tx, repo_id, row)?,
            None => refs::remove(tx, repo_id, &change.name)?,
        }
    }
    for row in pull_refs {
        refs::set(tx, repo_id, row)?;
    }
    Ok(())
}

fn move_heads(
    tx: &Tx<'_>,
    repo: &Repo,
    head_move: &HeadMove,
    actor_id: i64,
    now: i64,
) -> Result<(), ApiError> {
    place_threads(tx, &head_move.threads)?;
    for (issue, pull) in &head_move.pulls {
        // It may have been merged by the same push.
        if !issues::by_id(tx, issue.id)?.is_some_and(|issue| issue.is_open()) {
            continue;
        }
        let scene = Scene { repo_id: repo.id, issue_id: issue.id, actor_id, now };
        match &head_move.change.new {
            Some(row) => {
                pulls::set_head(tx, pull.id, &row.oid)?;
                issues::touch(tx, issue.id, now)?;
                synchronize(tx, scene, pull, &row.oid)?;
                if head_move.change.forced {
                    events::record(tx, scene, &Happening::HeadRefForcePushed { commit: &row.oid })?;
                }
            }
            // A pull request whose branch is gone cannot be merged any more, and GitHub closes it.
            None => {
                events::record(tx, scene, &Happening::HeadRefDeleted)?;
                close(tx, scene, None, None)?;
            }
        }
    }
    Ok(())
}

fn close_by_commit(
    tx: &Tx<'_>,
    repo: &Repo,
    number: i64,
    commit: &str,
    actor_id: i64,
    now: i64,
) -> Result<(), ApiError> {
    match issues::by_number(tx, repo.id, number)? {
        Some(issue) if !issue.is_pull => {
            let scene = Scene { repo_id: repo.id, issue_id: issue.id, actor_id, now };
            close(tx, scene, Some("completed"), Some(commit))
        }
        _ => Ok(()),
    }
}

/// Closes the scene's issue or pull request, if it is open now: what was read before the transaction may be old.
pub(crate) fn close(
    tx: &Tx<'_>,
    scene: Scene,
    reason: Option<&str>,
    commit: Option<&str>,
) -> Result<(), ApiError> {
    let Some(issue) = issues::by_id(tx, scene.issue_id)?.filter(Issue::is_open) else { return Ok(()) };
    let closed = Issue {
        state: "closed".to_owned(),
        state_reason: reason.map(str::to_owned),
        closed_by: Some(scene.actor_id),
        closed_at: Some(scene.now),
        updated_at: scene.now,
        ..issue.clone()
    };
    issues::update(tx, &issue, &closed)?;
    events::record(tx, scene, &Happening::Closed { reason, commit })?;
    Ok(())
}

/// Closes what a merged pull request says that it closes. An issue of another repository is closed only by one who may
/// close it there.
pub(crate) fn close_linked(tx: &Tx<'_>, scene: Scene, pull_id: i64, commit: &str) -> Result<(), ApiError> {
    let merger = accounts::by_id(tx, scene.actor_id)?;
    for linked in closing_links::issues_of(tx, pull_id)? {
        if linked.repo_id != scene.repo_id {
            let Some(repo) = repos::by_id(tx, linked.repo_id)? else { continue };
            if repos::permission(tx, &repo, &merger)? < Permission::Triage {
                continue;
            }
        }
        let scene = Scene { repo_id: linked.repo_id, issue_id: linked.id, ..scene };
        close(tx, scene, Some("completed"), Some(commit))?;
    }
    Ok(())
}

/// Brings every repository's table up to date, as the forge does when it starts.
pub(crate) fn follow_all(followers: &Followers<'_>) -> Result<(), ApiError> {
    for repo in followers.db.read(|conn| repos::list(conn, None))?? {
        match followers.follow(&repo, None, repo.owner.id) {
            Ok(()) => {}
            Err(error) => tracing::error!(
                repo = repo.full_name(),
                error = error.message,
                "cannot read its git repository"
            ),
        }
    }
    Ok(())
}
