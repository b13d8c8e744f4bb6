//! What must be true when a world has been left alone for long enough: I2, I3, I4 and I6.

use std::collections::BTreeMap;

use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::names::{Flag, Names, Said, StageMark};
use baton_core::slot::effect::EffectStatus;
use baton_core::slot::{ItemKey, RunStatus, WakeupStatus};
use baton_core::tracker::{IssueKey, PullState};
use baton_ports::Store as _;
use baton_ports::store::{RunFilter, WakeupFilter};

use super::alive::why_away;
use super::tracker::Hub;
use super::tracker::state::{CommentRow, IssueRow, Repo, State};
use crate::MemoryStore;

/// What is wrong, by invariant.
pub(crate) type Wrong = Vec<(&'static str, String)>;

/// How many rows of a store are looked at.
const ALL: u32 = 1_000_000;

/// Returns everything that is not as it must be.
pub(crate) async fn wrong(hub: &Hub, stores: &[MemoryStore], engines: &[String]) -> Wrong {
    let truth = hub.truth();
    let mut wrong = Wrong::new();
    for store in stores {
        lost_wakeups(store, &truth, engines, &mut wrong).await;
        unperformed(store, &truth, &mut wrong).await;
    }
    for (slug, repo) in &truth.repos {
        repeated(slug, repo, engines, &mut wrong);
        for row in repo.issues.values() {
            let key = IssueKey { repo: slug.clone(), number: row.number };
            stuck(&truth, repo, &key, row, engines, &mut wrong);
            left_labels(&key, row, engines, &mut wrong);
        }
    }
    wrong
}

/// I2: every wakeup has ended, unless what it is about keeps agents away.
async fn lost_wakeups(store: &MemoryStore, truth: &State, engines: &[String], wrong: &mut Wrong) {
    let filter = WakeupFilter {
        statuses: vec![WakeupStatus::Queued, WakeupStatus::Deferred],
        limit: ALL,
        ..WakeupFilter::default()
    };
    for row in store.wakeups(&filter).await.unwrap_or_default() {
        let ItemKey::Issue(key) = &row.item else { continue };
        let issue = truth.repos.get(&key.repo).and_then(|repo| repo.issues.get(&key.number));
        if issue.and_then(|issue| why_away(truth, issue, engines)).is_none() {
            wrong.push(("I2", format!("wakeup {} of {key} is still {}", row.wakeup.id, row.wakeup.status)));
        }
    }
    let filter = RunFilter { statuses: vec![RunStatus::Running], limit: ALL, ..RunFilter::default() };
    for row in store.runs(&filter).await.unwrap_or_default() {
        wrong.push(("I2", format!("run {} of {} still runs", row.run.id, row.item)));
    }
}

/// I3: every effect is done, or dead with its reason.
async fn unperformed(store: &MemoryStore, truth: &State, wrong: &mut Wrong) {
    let all = truth.repos.iter().flat_map(|(repo, row)| row.issues.keys().map(move |number| (repo, *number)));
    for (repo, number) in all {
        let key = ItemKey::Issue(IssueKey { repo: repo.clone(), number });
        for effect in store.effects(&key).await.unwrap_or_default() {
            let is_said = effect.error.as_ref().is_some_and(|why| !why.is_empty());
            match effect.status {
                EffectStatus::Done => {}
                EffectStatus::Dead if is_said => {}
                status => wrong.push((
                    "I3",
                    format!(
                        "effect {} of {key} is {status}: {:?} ({:?})",
                        effect.id, effect.deed, effect.error
                    ),
                )),
            }
        }
    }
}

/// I3: nothing was said twice, and no branch has two pull requests of ours.
fn repeated(slug: &baton_core::RepoSlug, repo: &Repo, engines: &[String], wrong: &mut Wrong) {
    for (number, comments) in &repo.comments {
        // Each engine without a common store counts for itself, so a mark is one engine's.
        let mut seen: BTreeMap<(&str, &str), &CommentRow> = BTreeMap::new();
        for comment in comments.iter().filter(|comment| engines.contains(&comment.author)) {
            let Some(mark) = mark_of(&comment.body) else { continue };
            if let Some(first) = seen.insert((&comment.author, mark), comment) {
                wrong.push((
                    "I3",
                    format!("{slug}#{number} says {mark} twice: {} and {}", first.id, comment.id),
                ));
            }
        }
    }
    let mut branches: BTreeMap<&str, u64> = BTreeMap::new();
    for pull in repo.pulls.values().filter(|pull| pull.state != PullState::Closed) {
        if let Some(first) = branches.insert(&pull.head_branch, pull.number) {
            wrong.push((
                "I3",
                format!("{slug} has pull requests {first} and {} from {}", pull.number, pull.head_branch),
            ));
        }
    }
}

fn mark_of(body: &str) -> Option<&str> {
    let at = body.rfind("<!-- baton:effect=")?;
    body.get(at..).map(str::trim_end)
}

/// I4: every issue is done, or waits for something that a person can read.
fn stuck(truth: &State, repo: &Repo, key: &IssueKey, row: &IssueRow, engines: &[String], wrong: &mut Wrong) {
    if let Some(why) = why_stuck(truth, repo, row, engines) {
        wrong.push(("I4", format!("{key} in {:?} with {:?} is stuck: {why}", row.column(), row.labels)));
    }
}

fn why_stuck(truth: &State, repo: &Repo, row: &IssueRow, engines: &[String]) -> Option<String> {
    let names = Names::of(Dialect::Baton);
    let has = |flag: Flag| row.has(&names.flag(flag));
    let column = row.column();
    let is_complete = |stage: &str| row.has(&names.stage(stage, StageMark::Complete));
    match column.as_deref() {
        _ if !row.is_open => None,
        None | Some("Backlog") => None,
        // Issues that were taken apart end there and stay open; so does what a person moved there.
        Some("Done") => None,
        Some(_) if has(Flag::Paused) => {
            let by = row.labelled_by(&names.flag(Flag::Paused)).unwrap_or_default();
            let is_told = !engines.iter().any(|own| own == by) || says_why(repo, row, engines);
            (!is_told).then(|| "it is paused, and nothing says why".to_owned())
        }
        Some(_) if why_away(truth, row, engines).is_some() => None,
        // A person moves it on: that is what its label says.
        Some(stage) if (has(Flag::Cruise) || stage == "Specify") && is_complete(stage) => None,
        Some(_) => Some("nothing keeps it, and it does not move".to_owned()),
    }
}

/// Returns whether a comment of an engine tells people why an issue is paused.
fn says_why(repo: &Repo, row: &IssueRow, engines: &[String]) -> bool {
    let words = ["— paused", "— a question", "— stage failed", "— cancelled"];
    let ours = repo.comments_of(row.number).iter().filter(|comment| engines.contains(&comment.author));
    ours.into_iter().any(|comment| words.iter().any(|word| comment.body.contains(word)))
}

/// I6: no transient label of ours is left on a closed issue.
fn left_labels(key: &IssueKey, row: &IssueRow, engines: &[String], wrong: &mut Wrong) {
    if row.is_open {
        return;
    }
    let names = Names::of(Dialect::Baton);
    for label in &row.labels {
        let is_transient = match names.read(label) {
            Some(Said::Flag(
                Flag::Yolo | Flag::Cruise | Flag::Unrestricted | Flag::ExtendTurns | Flag::SubIssue,
            )) => false,
            Some(Said::Flag(_) | Said::Locked(_)) => true,
            Some(Said::Stage(_, mark)) => mark != StageMark::Complete,
            Some(Said::Held | Said::PlanPending) | None => false,
        };
        let is_ours = row.labelled_by(label).is_some_and(|by| engines.iter().any(|own| own == by));
        if is_transient && is_ours {
            wrong.push(("I6", format!("{key} is closed and still has {label}")));
        }
    }
}
