//! What happens to a simulated tracker without its API: pushes, and what people do in their browsers. None of it fails.

use std::sync::Arc;

use baton_core::RepoSlug;
use baton_core::board::Happening;
use baton_core::pipeline::item::{Review, ReviewRequest, ReviewState};
use baton_core::tracker::{IssueKey, Merge, PullState};
use baton_core::workspace::PushClaim;

use super::hub::Hub;
use super::later::on_new_head;
use super::state::{Change, CommentRow, ThreadRow};
use super::writes;

/// A push of a branch.
#[derive(Debug, Clone)]
pub(crate) struct Push {
    pub(crate) repo: RepoSlug,
    pub(crate) branch: String,
    /// Where the branch must be.
    pub(crate) expected: Option<String>,
    pub(crate) head: String,
    /// Whether it is on top of the base, so that nothing conflicts any more.
    pub(crate) resolves: bool,
    pub(crate) claim: Option<PushClaim>,
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PushAnswer {
    Done { claim_tip: Option<String> },
    Moved,
    ClaimLost,
}

impl Hub {
    /// Returns where a branch is.
    pub(crate) fn branch(&self, repo: &RepoSlug, branch: &str) -> Option<String> {
        self.look(true, |state, _| state.repos.get(repo)?.refs.get(&format!("refs/heads/{branch}")).cloned())
    }

    /// Returns whether a commit comes after another.
    pub(crate) fn descends(&self, new: &str, old: &str) -> bool {
        self.look(true, |_, objects| objects.descends(new, old))
    }

    /// Makes a commit that is nowhere yet.
    pub(crate) fn commit_on(self: &Arc<Self>, parent: &str, message: &str) -> String {
        self.change(|change| change.objects.commit(message, vec![parent.to_owned()], change.now).oid)
    }

    /// Makes a commit that brings two together.
    pub(crate) fn merge_on(self: &Arc<Self>, head: &str, base: &str) -> String {
        let parents = vec![head.to_owned(), base.to_owned()];
        self.change(|change| change.objects.commit("rebased", parents, change.now).oid)
    }

    /// Takes a push, branch and claim together or not at all.
    pub(crate) fn push(self: &Arc<Self>, who: &str, push: &Push) -> PushAnswer {
        let dice = self.dice.clone();
        let answer = self.change(|change| take(change, &dice, push));
        self.say(who, &format_args!("push {} {} → {answer:?}", push.repo, push.branch));
        answer
    }

    /// Lets a person do something at once.
    pub(crate) fn person<T>(
        self: &Arc<Self>,
        who: &str,
        what: &str,
        make: impl FnOnce(&mut Change<'_>) -> T,
    ) -> T {
        self.say(who, &what);
        self.scene.count("doings of people");
        self.change(make)
    }

    /// Lets a person review a pull request.
    pub(crate) fn review(self: &Arc<Self>, who: &str, repo: &RepoSlug, number: u64, state: ReviewState) {
        self.person(who, &format!("reviews {repo} {number}: {state}"), |change| {
            let Some(pull) = change.pull(repo, number) else { return };
            pull.reviews.retain(|review| review.author != who);
            pull.requests.retain(|request| request.login != who);
            pull.reviews.push(Review { author: who.to_owned(), state });
            change.tell_of_pull(repo, number, Happening::PullChanged);
        });
    }

    /// Lets a person open a thread in a review.
    pub(crate) fn open_thread(self: &Arc<Self>, who: &str, repo: &RepoSlug, number: u64) {
        self.person(who, &format!("opens a thread on {repo} {number}"), |change| {
            let (id, now) = (change.objects.next_id(), change.now);
            let Some(pull) = change.pull(repo, number) else { return };
            let comment = CommentRow {
                id,
                author: who.to_owned(),
                body: "This loop never ends.".to_owned(),
                created_at: now,
                updated_at: now,
                rockets: std::collections::BTreeSet::new(),
            };
            pull.threads.push(ThreadRow {
                id: format!("T{id}"),
                is_resolved: false,
                comments: vec![comment],
            });
            change.tell_of_pull(repo, number, Happening::PullChanged);
        });
    }

    /// Lets a person ask somebody for a review.
    pub(crate) fn request(self: &Arc<Self>, who: &str, repo: &RepoSlug, number: u64, whom: &str) {
        self.person(who, &format!("asks {whom} to review {repo} {number}"), |change| {
            let Some(pull) = change.pull(repo, number) else { return };
            if !pull.requests.iter().any(|request| request.login == whom) {
                pull.requests.push(ReviewRequest { login: whom.to_owned(), is_bot: whom.ends_with("[bot]") });
            }
            change.tell_of_pull(repo, number, Happening::PullChanged);
        });
    }

    /// Lets a person press the button.
    pub(crate) fn merge_by_hand(self: &Arc<Self>, who: &str, repo: &RepoSlug, number: u64) {
        let (dice, chance) = (self.dice.clone(), self.scene.knobs.conflicts);
        let merged = self.person(who, &format!("merges {repo} {number}"), |change| {
            let head = change.pull(repo, number).map(|pull| {
                pull.is_draft = false;
                pull.head_sha.clone()
            })?;
            writes::merge(change, &dice, chance, repo, number, &head, who).ok()
        });
        self.say(who, &format_args!("merged: {}", matches!(merged, Some(Merge::Merged(_)))));
    }

    /// Lets a person comment.
    pub(crate) fn comment(self: &Arc<Self>, who: &str, key: &IssueKey, body: &str) {
        // An issue that is gone cannot be commented on, and nobody minds.
        let _ = self.person(who, &format!("comments on {key}: {body}"), |change| {
            writes::comment(change, key, who, body)
        });
    }

    /// Lets a person put a label on, or take it off.
    pub(crate) fn label(self: &Arc<Self>, who: &str, key: &IssueKey, label: &str, is_on: bool) {
        let word = if is_on { "labels" } else { "unlabels" };
        self.person(who, &format!("{word} {key} {label}"), |change| {
            let _ = match is_on {
                true => writes::add_labels(change, key, who, &[label.to_owned()]).map(drop),
                false => writes::remove_label(change, key, who, label),
            };
        });
    }

    /// Lets a person move an issue into a column.
    pub(crate) fn drag(self: &Arc<Self>, who: &str, key: &IssueKey, column: &str) {
        self.person(who, &format!("moves {key} to {column}"), |change| {
            let _ = writes::move_to(change, key, who, column);
        });
    }

    /// Lets a person close an issue.
    pub(crate) fn close(self: &Arc<Self>, who: &str, key: &IssueKey) {
        self.person(who, &format!("closes {key}"), |change| {
            let _ = writes::close_issue(change, key, who);
        });
    }

    /// Lets a person open an issue, with what comes first.
    pub(crate) fn open(
        self: &Arc<Self>,
        who: &str,
        repo: &RepoSlug,
        labels: &[String],
        blocker: Option<IssueKey>,
    ) -> u64 {
        self.person(who, &format!("opens an issue in {repo} {labels:?} after {blocker:?}"), |change| {
            let number =
                writes::open_issue(change, repo, who, "Something", "Please.", labels).unwrap_or_default();
            let key = IssueKey { repo: repo.clone(), number };
            if let Some(row) = change.issue(&key) {
                row.blockers.extend(blocker);
            }
            number
        })
    }
}

fn take(change: &mut Change<'_>, dice: &crate::world::dice::Dice, push: &Push) -> PushAnswer {
    let name = format!("refs/heads/{}", push.branch);
    let now = change.now;
    let Some(row) = change.repo(&push.repo) else { return PushAnswer::Moved };
    if let Some(claim) = &push.claim
        && row.refs.get(&claim.claim_ref) != Some(&claim.tip)
    {
        return PushAnswer::ClaimLost;
    }
    if row.refs.get(&name) != push.expected.as_ref() {
        return PushAnswer::Moved;
    }
    row.refs.insert(name, push.head.clone());
    let claim_tip = push.claim.as_ref().map(|claim| {
        let heartbeat = change.objects.commit(&claim.message, vec![claim.tip.clone()], now);
        if let Some(row) = change.repo(&push.repo) {
            row.refs.insert(claim.claim_ref.clone(), heartbeat.oid.clone());
        }
        heartbeat.oid
    });
    let open = change.repo(&push.repo).and_then(|row| {
        let pull = row.pull_from(&push.branch).filter(|pull| pull.state == PullState::Open)?;
        Some(pull.number)
    });
    if let Some(number) = open {
        if let Some(pull) = change.pull(&push.repo, number) {
            pull.head_sha.clone_from(&push.head);
            pull.pushed_at = now;
            pull.conflicts &= !push.resolves;
        }
        on_new_head(change, dice, &push.repo, number);
        change.tell_of_pull(&push.repo, number, Happening::PullChanged);
    }
    PushAnswer::Done { claim_tip }
}
