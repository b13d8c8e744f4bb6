//! A client of a simulated tracker: the port that an engine uses.

use std::sync::{Arc, Mutex, PoisonError};

use baton_core::RepoSlug;
use baton_core::pipeline::effect::{Place, Reaction};
use baton_core::time::ServerTime;
use baton_core::tracker::{
    Comment, Commit, Dated, Issue, IssueKey, IssueState, LabelDefinition, LabelEvent, Merge, NewPull,
    Permission, Pull, PullEdit, PullOpening, RefAdvance, RefCreation, Scope, Sighting, Survey,
};
use baton_ports::{Board, Tracker, TrackerError};

use super::calls::{Answer, invalid, missing};
use super::hub::{Hub, permission};
use super::{reads, writes};
use crate::world::plant::Plant;

/// A client, with the account that it acts as.
#[derive(Clone)]
pub struct SimTracker {
    pub(super) hub: Arc<Hub>,
    pub(super) login: String,
    pub(super) client: String,
    pub(super) surveyed: Arc<Mutex<Option<ServerTime>>>,
}

impl SimTracker {
    /// Makes a client of a server.
    pub fn new(hub: &Arc<Hub>, login: &str, client: &str) -> Self {
        let (login, client) = (login.to_owned(), client.to_owned());
        Self { hub: Arc::clone(hub), login, client, surveyed: Arc::default() }
    }

    /// Returns its server.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }
}

impl Tracker for SimTracker {
    async fn viewer(&self) -> Answer<String> {
        Ok(self.login.clone())
    }

    async fn permission(&self, repo: &RepoSlug, login: &str) -> Answer<Permission> {
        let may = permission(login);
        Ok(self.read(format!("permission {repo} {login}"), true, |_, _| Ok(may)).await?.value)
    }

    async fn issue(&self, key: &IssueKey) -> Answer<Dated<Issue>> {
        let what = format!("issue {key}");
        self.read(what.clone(), false, |state, _| {
            let repo = state.repos.get(&key.repo).ok_or_else(|| missing(&what))?;
            let row = repo.issues.get(&key.number).ok_or_else(|| missing(&what))?;
            Ok(reads::issue(&key.repo, row, repo.comments_of(key.number).len()))
        })
        .await
    }

    async fn issues_labelled(
        &self,
        repo: &RepoSlug,
        label: &str,
        wanted: IssueState,
    ) -> Answer<Dated<Vec<Issue>>> {
        let what = format!("issues {repo} labelled {label}");
        self.read(what.clone(), false, |state, _| {
            let row = state.repos.get(repo).ok_or_else(|| missing(&what))?;
            let is_wanted = |issue: &super::state::IssueRow| {
                issue.has(label) && (wanted == IssueState::Any || issue.is_open)
            };
            let found = row.issues.values().filter(|issue| is_wanted(issue));
            Ok(found.map(|issue| reads::issue(repo, issue, row.comments_of(issue.number).len())).collect())
        })
        .await
    }

    async fn comments(&self, key: &IssueKey, since: Option<ServerTime>) -> Answer<Dated<Vec<Comment>>> {
        let what = format!("comments {key}");
        let is_blind = since.is_some() && self.hub.scene.has_planted(Plant::OwnCommentsUnseen);
        self.read(what.clone(), false, |state, _| {
            let repo = state.repos.get(&key.repo).ok_or_else(|| missing(&what))?;
            let rows = repo.comments_of(key.number).iter();
            let is_new = |row: &&super::state::CommentRow| {
                !is_blind && since.is_none_or(|since| row.updated_at >= since)
            };
            Ok(rows.filter(is_new).map(reads::comment).collect())
        })
        .await
    }

    async fn post_comment(&self, key: &IssueKey, body: &str) -> Answer<Dated<Comment>> {
        let (key, body, login) = (key.clone(), body.to_owned(), self.login.clone());
        let what = format!("comment {key} {:?}", head(&body));
        let posted = self.write(what, move |change| writes::comment(change, &key, &login, &body)).await?;
        Ok(self.dated(posted))
    }

    async fn edit_comment(&self, repo: &RepoSlug, id: u64, body: &str) -> Answer<Dated<Comment>> {
        let (repo, body) = (repo.clone(), body.to_owned());
        let what = format!("edit comment {repo} {id}");
        let edited = self.write(what, move |change| writes::edit_comment(change, &repo, id, &body)).await?;
        Ok(self.dated(edited))
    }

    async fn delete_comment(&self, repo: &RepoSlug, id: u64) -> Answer<()> {
        let repo = repo.clone();
        let what = format!("delete comment {repo} {id}");
        self.write(what, move |change| writes::delete_comment(change, &repo, id)).await
    }

    async fn add_labels(&self, key: &IssueKey, labels: &[&str]) -> Answer<Vec<String>> {
        let labels: Vec<_> = labels.iter().map(|&label| label.to_owned()).collect();
        let (key, login) = (key.clone(), self.login.clone());
        let what = format!("label {key} {labels:?}");
        self.write(what, move |change| writes::add_labels(change, &key, &login, &labels)).await
    }

    async fn remove_label(&self, key: &IssueKey, label: &str) -> Answer<()> {
        let (key, label, login) = (key.clone(), label.to_owned(), self.login.clone());
        let what = format!("unlabel {key} {label:?}");
        let is_kept = label.ends_with(":in_progress") && self.hub.scene.has_planted(Plant::LabelsKept);
        self.write(what, move |change| match is_kept {
            true => Ok(()),
            false => writes::remove_label(change, &key, &login, &label),
        })
        .await
    }

    async fn label_events(&self, key: &IssueKey) -> Answer<Dated<Vec<LabelEvent>>> {
        let what = format!("label events {key}");
        self.read(what.clone(), false, |state, _| {
            let row = state.repos.get(&key.repo).and_then(|repo| repo.issues.get(&key.number));
            row.map(|row| row.events.clone()).ok_or_else(|| missing(&what))
        })
        .await
    }

    async fn open_issue(&self, repo: &RepoSlug, title: &str, body: &str, labels: &[&str]) -> Answer<u64> {
        let labels: Vec<_> = labels.iter().map(|&label| label.to_owned()).collect();
        let (repo, title, body, login) =
            (repo.clone(), title.to_owned(), body.to_owned(), self.login.clone());
        let what = format!("open issue {repo} {title:?}");
        self.write(what, move |change| writes::open_issue(change, &repo, &login, &title, &body, &labels))
            .await
    }

    async fn close_issue(&self, key: &IssueKey) -> Answer<()> {
        let (key, login) = (key.clone(), self.login.clone());
        self.write(format!("close {key}"), move |change| writes::close_issue(change, &key, &login)).await
    }

    async fn label_definitions(&self, repo: &RepoSlug) -> Answer<Vec<LabelDefinition>> {
        let what = format!("labels of {repo}");
        let read = self.read(what.clone(), false, |state, _| {
            let row = state.repos.get(repo).ok_or_else(|| missing(&what))?;
            Ok(row.labels.values().cloned().collect())
        });
        Ok(read.await?.value)
    }

    async fn define_label(&self, repo: &RepoSlug, label: &LabelDefinition, _: bool) -> Answer<()> {
        let (repo, label) = (repo.clone(), label.clone());
        let what = format!("define {repo} {}", label.name);
        self.write(what.clone(), move |change| {
            let row = change.repo(&repo).ok_or_else(|| missing(&what))?;
            row.labels.insert(label.name.to_lowercase(), label);
            Ok(())
        })
        .await
    }

    async fn pull(&self, repo: &RepoSlug, number: u64) -> Answer<Pull> {
        let what = format!("pull {repo} {number}");
        let read = self.read(what.clone(), false, |state, _| {
            let row = state.repos.get(repo).and_then(|row| row.pulls.get(&number));
            row.map(|row| reads::pull(repo, row)).ok_or_else(|| missing(&what))
        });
        Ok(read.await?.value)
    }

    async fn open_pulls(&self, repo: &RepoSlug) -> Answer<Vec<Pull>> {
        let what = format!("open pulls {repo}");
        let read = self.read(what.clone(), false, |state, _| {
            let row = state.repos.get(repo).ok_or_else(|| missing(&what))?;
            let open = row.pulls.values().filter(|pull| pull.state == baton_core::tracker::PullState::Open);
            Ok(open.map(|pull| reads::pull(repo, pull)).collect())
        });
        Ok(read.await?.value)
    }

    async fn pulls_by_head(&self, repo: &RepoSlug, branch: &str) -> Answer<Vec<Pull>> {
        let what = format!("pulls {repo} from {branch}");
        let read = self.read(what.clone(), false, |state, _| {
            let row = state.repos.get(repo).ok_or_else(|| missing(&what))?;
            let found = row.pulls.values().filter(|pull| pull.head_branch == branch);
            Ok(found.map(|pull| reads::pull(repo, pull)).collect())
        });
        Ok(read.await?.value)
    }

    async fn open_pull(&self, repo: &RepoSlug, pull: &NewPull) -> Answer<PullOpening> {
        let (repo, pull, login, dice) =
            (repo.clone(), pull.clone(), self.login.clone(), self.hub.dice.clone());
        let what = format!("open pull {repo} from {}", pull.head);
        self.write(what, move |change| writes::open_pull(change, &dice, &repo, &login, &pull)).await
    }

    async fn edit_pull(&self, repo: &RepoSlug, number: u64, edit: &PullEdit) -> Answer<Pull> {
        let (repo, edit) = (repo.clone(), edit.clone());
        let what = format!("edit pull {repo} {number}");
        self.write(what.clone(), move |change| {
            let row = change.pull(&repo, number).ok_or_else(|| missing(&what))?;
            row.title = edit.title.unwrap_or_else(|| row.title.clone());
            row.body = edit.body.unwrap_or_else(|| row.body.clone());
            Ok(reads::pull(&repo, row))
        })
        .await
    }

    async fn default_branch(&self, repo: &RepoSlug) -> Answer<String> {
        let what = format!("default branch of {repo}");
        let read = self.read(what.clone(), false, |state, _| {
            state.repos.get(repo).map(|row| row.default_branch.clone()).ok_or_else(|| missing(&what))
        });
        Ok(read.await?.value)
    }

    async fn merge_pull(&self, repo: &RepoSlug, number: u64, head_sha: &str) -> Answer<Merge> {
        let (repo, head_sha, login) = (repo.clone(), head_sha.to_owned(), self.login.clone());
        let hub = Arc::clone(&self.hub);
        let what = format!("merge {repo} {number} at {}", head(&head_sha));
        self.write(what, move |change| {
            let chance = hub.scene.knobs.conflicts;
            writes::merge(change, &hub.dice, chance, &repo, number, &head_sha, &login)
        })
        .await
    }

    async fn ref_tip(&self, repo: &RepoSlug, name: &str) -> Answer<Dated<Option<Commit>>> {
        let what = format!("tip {repo} {name}");
        let is_blind = name.contains("/claims/") && self.hub.scene.has_planted(Plant::NoClaims);
        self.read(what.clone(), true, |state, objects| {
            if is_blind {
                return Ok(None);
            }
            let row = state.repos.get(repo).ok_or_else(|| missing(&what))?;
            Ok(row.refs.get(name).and_then(|oid| objects.commits.get(oid)).cloned())
        })
        .await
    }

    async fn refs_under(&self, repo: &RepoSlug, prefix: &str) -> Answer<Vec<(String, String)>> {
        let what = format!("refs {repo} {prefix}");
        let read = self.read(what.clone(), false, |state, _| {
            let row = state.repos.get(repo).ok_or_else(|| missing(&what))?;
            let under = row.refs.iter().filter(|(name, _)| name.starts_with(prefix));
            Ok(under.map(|(name, oid)| (name.clone(), oid.clone())).collect())
        });
        Ok(read.await?.value)
    }

    async fn write_commit(
        &self,
        repo: &RepoSlug,
        message: &str,
        parent: Option<&str>,
    ) -> Answer<Dated<Commit>> {
        let (message, parents) = (message.to_owned(), parent.map(str::to_owned).into_iter().collect());
        let what = format!("commit {repo} {:?}", head(&message));
        let written = self.write(what, move |change| {
            let now = change.now;
            Ok(change.objects.commit(&message, parents, now))
        });
        let written = written.await?;
        Ok(self.dated(written))
    }

    async fn create_ref(&self, repo: &RepoSlug, name: &str, oid: &str) -> Answer<RefCreation> {
        let (repo, name, oid) = (repo.clone(), name.to_owned(), oid.to_owned());
        let what = format!("create {repo} {name}");
        let overwrites = self.overwrites();
        self.write(what, move |change| match overwrites {
            true => writes::overwrite_ref(change, &repo, &name, &oid).map(|()| RefCreation::Created),
            false => writes::create_ref(change, &repo, &name, &oid),
        })
        .await
    }

    async fn advance_ref(&self, repo: &RepoSlug, name: &str, oid: &str) -> Answer<RefAdvance> {
        let (repo, name, oid) = (repo.clone(), name.to_owned(), oid.to_owned());
        let what = format!("advance {repo} {name}");
        let overwrites = self.overwrites();
        self.write(what, move |change| match overwrites {
            true => writes::overwrite_ref(change, &repo, &name, &oid).map(|()| RefAdvance::Advanced),
            false => writes::advance_ref(change, &repo, &name, &oid),
        })
        .await
    }

    async fn sight(&self, key: &IssueKey, branch: &str) -> Answer<Dated<Sighting>> {
        let what = format!("sight {key}");
        self.read(what.clone(), false, |state, _| {
            let mut seen = reads::sighting(state, key, branch, &self.login).ok_or_else(|| missing(&what))?;
            if self.hub.scene.has_planted(Plant::PauseUnseen) {
                seen.issue.labels.retain(|label| label != "baton:paused" && label != "do-not-pickup");
            }
            Ok(seen)
        })
        .await
    }

    async fn react(&self, repo: &RepoSlug, _: Place, comment: u64, with: Reaction) -> Answer<()> {
        let (repo, login) = (repo.clone(), self.login.clone());
        let what = format!("react {repo} {comment} {with}");
        self.write(what, move |change| writes::react(change, &repo, comment, with, &login)).await
    }

    async fn edit_issue(&self, key: &IssueKey, body: &str) -> Answer<()> {
        let (key, body) = (key.clone(), body.to_owned());
        let what = format!("edit {key}");
        self.write(what.clone(), move |change| {
            change.issue(&key).ok_or_else(|| missing(&what))?.body = body;
            change.tell(&key, baton_core::board::Happening::Edited);
            Ok(())
        })
        .await
    }

    async fn resolve_thread(&self, repo: &RepoSlug, thread: &str) -> Answer<()> {
        let (repo, thread) = (repo.clone(), thread.to_owned());
        let what = format!("resolve {repo} {thread}");
        self.write(what, move |change| {
            writes::resolve(change, &repo, &thread);
            Ok(())
        })
        .await
    }

    async fn mark_ready(&self, repo: &RepoSlug, number: u64) -> Answer<()> {
        let repo = repo.clone();
        let what = format!("ready {repo} {number}");
        self.write(what.clone(), move |change| {
            change.pull(&repo, number).ok_or_else(|| missing(&what))?.is_draft = false;
            change.tell_of_pull(&repo, number, baton_core::board::Happening::PullChanged);
            Ok(())
        })
        .await
    }

    async fn ask_reviewers_again(&self, repo: &RepoSlug, number: u64, logins: &[String]) -> Answer<()> {
        let (repo, logins) = (repo.clone(), logins.to_vec());
        let what = format!("ask again {repo} {number} {logins:?}");
        self.write(what.clone(), move |change| {
            let row = change.pull(&repo, number).ok_or_else(|| missing(&what))?;
            if row.state != baton_core::tracker::PullState::Open {
                return Err(invalid(&what, "it is not open"));
            }
            Ok(())
        })
        .await
    }

    async fn link_part(&self, whole: &IssueKey, part: &IssueKey) -> Answer<()> {
        let (whole, part) = (whole.clone(), part.clone());
        let what = format!("link {whole} {part}");
        self.write(what.clone(), move |change| {
            let row = change.issue(&whole).ok_or_else(|| missing(&what))?;
            row.parts.insert(part.clone());
            row.blockers.insert(part);
            Ok(())
        })
        .await
    }
}

impl Board for SimTracker {
    async fn survey(&self, scope: Scope) -> Answer<Survey> {
        let last = *self.surveyed();
        let lag_s = self.hub.scene.knobs.lag_ms / 1000 + 2;
        let since = last.filter(|_| scope == Scope::News).map(|last| last.minus(lag_s));
        let read = self.read(format!("survey {scope:?}"), false, |state, _| {
            let all = state
                .repos
                .iter()
                .flat_map(|(slug, repo)| repo.issues.values().map(move |row| reads::board_row(slug, row)));
            Ok(all.filter(|row| since.is_none_or(|since| row.updated_at >= since)).collect::<Vec<_>>())
        });
        let Dated { value: rows, date, .. } = read.await?;
        *self.surveyed() = Some(date);
        Ok(Survey { rows, is_complete: since.is_none() })
    }

    fn column_of(&self, seen: &Sighting) -> Option<String> {
        reads::newest_column(seen)
    }

    async fn move_to(&self, key: &IssueKey, column: &str) -> Result<(), TrackerError> {
        let (key, column, login) = (key.clone(), column.to_owned(), self.login.clone());
        let what = format!("move {key} to {column}");
        self.write(what, move |change| writes::move_to(change, &key, &login, &column)).await
    }
}

impl SimTracker {
    fn dated<T>(&self, value: T) -> Dated<T> {
        Dated { value, date: self.hub.date(), pages: 1 }
    }

    fn overwrites(&self) -> bool {
        let scene = &self.hub.scene;
        scene.has_planted(Plant::RefsWithoutSwap) || scene.has_planted(Plant::NoClaims)
    }

    fn surveyed(&self) -> std::sync::MutexGuard<'_, Option<ServerTime>> {
        self.surveyed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the beginning of a text, for the log.
fn head(text: &str) -> String {
    text.chars().take(60).collect()
}
