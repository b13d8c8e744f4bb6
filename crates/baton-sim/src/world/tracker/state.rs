//! What a simulated tracker holds, as plain rows. Cloning it is cheap, since lagging reads are answered from old clones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use baton_core::RepoSlug;
use baton_core::board::Happening;
use baton_core::pipeline::checks::Check;
use baton_core::pipeline::item::{Review, ReviewRequest};
use baton_core::time::ServerTime;
use baton_core::tracker::{Commit, IssueKey, LabelDefinition, LabelEvent, PullState};

use super::later::Later;

/// Everything that lags.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) repos: BTreeMap<RepoSlug, Repo>,
}

/// One repository.
#[derive(Debug, Clone)]
pub(crate) struct Repo {
    pub(crate) default_branch: String,
    pub(crate) issues: BTreeMap<u64, Arc<IssueRow>>,
    pub(crate) pulls: BTreeMap<u64, Arc<PullRow>>,
    pub(crate) comments: BTreeMap<u64, Arc<Vec<CommentRow>>>,
    pub(crate) refs: BTreeMap<String, String>,
    pub(crate) checks: BTreeMap<String, Arc<Vec<Check>>>,
    pub(crate) labels: BTreeMap<String, LabelDefinition>,
    pub(crate) rules: Rules,
    pub(crate) last_number: u64,
}

/// How a repository is run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    /// The checks that run on every push.
    pub(crate) checks: Vec<String>,
    /// Those of them that must have passed before a merge.
    pub(crate) required: Vec<String>,
    /// Whether somebody has to approve.
    pub(crate) needs_review: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct IssueRow {
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) author: String,
    pub(crate) is_open: bool,
    pub(crate) labels: Vec<String>,
    pub(crate) events: Vec<LabelEvent>,
    pub(crate) blockers: BTreeSet<IssueKey>,
    pub(crate) parts: BTreeSet<IssueKey>,
    pub(crate) created_at: ServerTime,
    pub(crate) updated_at: ServerTime,
    /// Who closed it.
    pub(crate) closed_by: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct CommentRow {
    pub(crate) id: u64,
    pub(crate) author: String,
    pub(crate) body: String,
    pub(crate) created_at: ServerTime,
    pub(crate) updated_at: ServerTime,
    pub(crate) rockets: BTreeSet<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct PullRow {
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) author: String,
    pub(crate) state: PullState,
    pub(crate) is_draft: bool,
    pub(crate) head_branch: String,
    pub(crate) head_sha: String,
    pub(crate) base: String,
    pub(crate) pushed_at: ServerTime,
    /// What the tracker has found out about merging.
    pub(crate) mergeable: Option<bool>,
    /// Whether it would conflict.
    pub(crate) conflicts: bool,
    pub(crate) reviews: Vec<Review>,
    pub(crate) requests: Vec<ReviewRequest>,
    pub(crate) threads: Vec<ThreadRow>,
}

#[derive(Debug, Clone)]
pub(crate) struct ThreadRow {
    pub(crate) id: String,
    pub(crate) is_resolved: bool,
    pub(crate) comments: Vec<CommentRow>,
}

/// What never lags, and what is counted.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub(crate) commits: BTreeMap<String, Commit>,
    pub(crate) last_id: u64,
}

impl Objects {
    pub(crate) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Adds a commit, and returns it with its name.
    pub(crate) fn commit(&mut self, message: &str, parents: Vec<String>, at: ServerTime) -> Commit {
        let oid = format!("{:040x}", u128::from(self.next_id()) * 0x1_0000_0001_0000_0001);
        let commit = Commit { oid: oid.clone(), parents, message: message.to_owned(), committed_at: at };
        self.commits.insert(oid, commit.clone());
        commit
    }

    /// Returns whether `old` is `new` or comes before it.
    pub(crate) fn descends(&self, new: &str, old: &str) -> bool {
        let mut open = vec![new];
        let mut seen = BTreeSet::new();
        while let Some(oid) = open.pop() {
            if oid == old {
                return true;
            }
            if seen.insert(oid) {
                open.extend(
                    self.commits.get(oid).iter().flat_map(|commit| commit.parents.iter().map(String::as_str)),
                );
            }
        }
        false
    }
}

/// A change under way: what it may touch, and what follows from it.
pub(crate) struct Change<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) objects: &'a mut Objects,
    pub(crate) now: ServerTime,
    pub(crate) news: Vec<(IssueKey, Happening)>,
    pub(crate) later: Vec<Later>,
}

impl Change<'_> {
    pub(crate) fn repo(&mut self, repo: &RepoSlug) -> Option<&mut Repo> {
        self.state.repos.get_mut(repo)
    }

    pub(crate) fn issue(&mut self, key: &IssueKey) -> Option<&mut IssueRow> {
        let now = self.now;
        let row = Arc::make_mut(self.state.repos.get_mut(&key.repo)?.issues.get_mut(&key.number)?);
        row.updated_at = now;
        Some(row)
    }

    pub(crate) fn pull(&mut self, repo: &RepoSlug, number: u64) -> Option<&mut PullRow> {
        Some(Arc::make_mut(self.state.repos.get_mut(repo)?.pulls.get_mut(&number)?))
    }

    pub(crate) fn tell(&mut self, key: &IssueKey, what: Happening) {
        self.news.push((key.clone(), what));
    }

    /// Tells of a pull request, by the issue whose branch it comes from.
    pub(crate) fn tell_of_pull(&mut self, repo: &RepoSlug, number: u64, what: Happening) {
        let branch = self
            .state
            .repos
            .get(repo)
            .and_then(|repo| repo.pulls.get(&number))
            .map(|pull| pull.head_branch.clone());
        let issue = branch.as_deref().and_then(issue_of_branch);
        if let Some(number) = issue {
            self.tell(&IssueKey { repo: repo.clone(), number }, what);
        }
    }
}

/// Returns the issue that a branch of ours belongs to.
pub(crate) fn issue_of_branch(branch: &str) -> Option<u64> {
    branch.strip_prefix("baton/issue-")?.parse().ok()
}

impl IssueRow {
    pub(crate) fn has(&self, label: &str) -> bool {
        self.labels.iter().any(|own| own.eq_ignore_ascii_case(label))
    }

    /// Puts a label on. Returns whether it was not there.
    pub(crate) fn add(&mut self, label: &str, actor: &str, at: ServerTime) -> bool {
        if self.has(label) {
            return false;
        }
        self.labels.push(label.to_owned());
        self.note(label, true, actor, at);
        true
    }

    /// Takes a label off. Returns whether it was there.
    pub(crate) fn remove(&mut self, label: &str, actor: &str, at: ServerTime) -> bool {
        let Some(place) = self.labels.iter().position(|own| own.eq_ignore_ascii_case(label)) else {
            return false;
        };
        self.labels.remove(place);
        self.note(label, false, actor, at);
        true
    }

    fn note(&mut self, label: &str, was_added: bool, actor: &str, at: ServerTime) {
        self.events.push(LabelEvent { label: label.to_owned(), was_added, at, actor: actor.to_owned() });
    }

    /// Returns when each label that it carries was put on last.
    pub(crate) fn labelled_at(&self) -> BTreeMap<String, ServerTime> {
        let added = self.events.iter().filter(|event| event.was_added && self.has(&event.label));
        added.map(|event| (event.label.clone(), event.at)).collect()
    }

    /// Returns who put a label on last.
    pub(crate) fn labelled_by(&self, label: &str) -> Option<&str> {
        let mut events = self.events.iter().rev();
        events
            .find(|event| event.was_added && event.label.eq_ignore_ascii_case(label))
            .map(|event| event.actor.as_str())
    }

    /// Returns the column that its labels name: of several, the one that was put on last.
    pub(crate) fn column(&self) -> Option<String> {
        let labelled_at = self.labelled_at();
        let columns =
            self.labels.iter().filter_map(|label| Some((labelled_at.get(label), column_of_label(label)?)));
        columns.max_by_key(|(at, _)| *at).map(|(_, column)| column.to_owned())
    }
}

/// Returns the column that a label stands for, if it stands for one.
pub(crate) fn column_of_label(label: &str) -> Option<&str> {
    label.strip_prefix("stage:").filter(|rest| !rest.contains(':'))
}

/// Returns the label that stands for a column.
pub(crate) fn label_of_column(column: &str) -> String {
    format!("stage:{column}")
}

impl Repo {
    /// Returns the newest pull request from a branch.
    pub(crate) fn pull_from(&self, branch: &str) -> Option<&PullRow> {
        self.pulls.values().rev().find(|pull| pull.head_branch == branch).map(AsRef::as_ref)
    }

    pub(crate) fn comments_of(&self, number: u64) -> &[CommentRow] {
        self.comments.get(&number).map_or(&[], |rows| rows.as_slice())
    }

    pub(crate) fn checks_of(&self, sha: &str) -> &[Check] {
        self.checks.get(sha).map_or(&[], |rows| rows.as_slice())
    }
}
