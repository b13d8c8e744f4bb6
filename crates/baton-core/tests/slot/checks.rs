//! What must hold: at every moment within a decision, and after each.

use std::collections::{BTreeMap, BTreeSet};

use baton_core::slot::situation::Change;
use baton_core::slot::{RunStatus, Wakeup, WakeupStatus};

use crate::slot::world::World;

fn says(holds: bool, what: impl FnOnce() -> String) -> Option<String> {
    (!holds).then(what)
}

/// Returns what does not hold, though it must even between two changes: a database checks it at each statement.
pub(crate) fn at_every_moment(world: &World) -> Vec<String> {
    let active: Vec<_> = world.runs.values().filter(|run| run.status.is_active()).map(|run| run.id).collect();
    let mut agents = BTreeSet::new();
    let twice: Vec<_> = world.deferred().filter(|wakeup| !agents.insert(wakeup.agent.key())).collect();
    let wrong = [
        says(active.len() <= 1, || format!("more than one active owner: {active:?}")),
        says(twice.is_empty(), || format!("two of one agent wait: {twice:?}")),
    ];
    wrong.into_iter().flatten().collect()
}

/// Returns what does not hold after a decision.
pub(crate) fn after_a_step(before: &World, world: &World, changes: &[Change]) -> Vec<String> {
    let mut wrong = owner(world);
    wrong.extend(wakeups(world));
    wrong.extend(told(world));
    wrong.extend(counters(world));
    wrong.extend(fences(before, world));
    wrong.extend(past(before, world));
    wrong.extend(shape(before, world, changes));
    wrong
}

fn owner(world: &World) -> Vec<String> {
    let active = world.runs.values().find(|run| run.status.is_active());
    let is_named = active.is_none_or(|run| world.item.owner == Some(run.id) && run.fence == world.item.fence);
    let is_stranded = world.item.owner.is_none() && world.deferred().next().is_some();
    let wrong = [
        says(is_named, || format!("the slot does not name the active run {active:?}")),
        says(!is_stranded, || format!("{:?} wait for a free slot", world.waiting())),
    ];
    wrong.into_iter().flatten().collect()
}

fn wakeups(world: &World) -> Vec<String> {
    let is_well = |wakeup: &Wakeup| {
        let is_marked = wakeup.finished_at.is_some() == wakeup.status.is_over()
            && wakeup.skip.is_some() == (wakeup.status == WakeupStatus::Skipped);
        let run = wakeup.run.and_then(|run| world.runs.get(&run));
        let is_followed = match wakeup.status {
            WakeupStatus::Queued => run.is_some_and(|run| run.status.is_active() && run.wakeup == wakeup.id),
            WakeupStatus::Coalesced => wakeup.merged_into.is_some() || run.is_some(),
            _ => true,
        };
        is_marked && is_followed && root(world, wakeup).is_some()
    };
    let lost = world.wakeups.values().filter(|wakeup| !is_well(wakeup));
    lost.map(|wakeup| format!("a wakeup is lost: {wakeup:?}")).collect()
}

/// Returns the wakeup that speaks for this one.
fn root<'w>(world: &'w World, wakeup: &'w Wakeup) -> Option<&'w Wakeup> {
    let mut at = wakeup;
    for _ in 0..=world.wakeups.len() {
        match at.merged_into {
            Some(next) => at = world.wakeups.get(&next)?,
            None => return Some(at),
        }
    }
    None
}

/// Every comment reaches the agent, unless somebody decided that it should not.
fn told(world: &World) -> Vec<String> {
    let mut wrong = Vec::new();
    for wakeup in world.wakeups.values() {
        let Some(root) = root(world, wakeup) else { continue };
        let run = root.run.and_then(|run| world.runs.get(&run));
        let context = match (root.status, run) {
            (WakeupStatus::Deferred, _) => &root.context,
            (WakeupStatus::Queued, Some(run)) if run.status != RunStatus::Running => &run.context,
            (WakeupStatus::Queued | WakeupStatus::Completed, Some(run)) => &world.told[&run.id],
            _ => continue,
        };
        let known = context.comment_ids();
        if !wakeup.context.comment_ids().iter().all(|id| known.contains(id)) {
            wrong.push(format!("what {wakeup:?} says is not told by {root:?}"));
        }
    }
    wrong
}

fn counters(world: &World) -> Vec<String> {
    let mut expected: BTreeMap<String, i64> = BTreeMap::new();
    for run in world.runs.values().filter(|run| run.status == RunStatus::Running) {
        let repo = world.item.key.repo().map(|repo| format!("repo:{repo}"));
        let names = [Some("all".to_owned()), Some(format!("agent:{}", run.agent.key())), repo];
        for name in names.into_iter().flatten() {
            *expected.entry(name).or_default() += 1;
        }
    }
    let is_of_days = |name: &str| name.starts_with("runs:") || name.starts_with("cost:");
    let counted = world.counters.iter().filter(|(name, _)| !is_of_days(name));
    let differs = counted.filter(|(name, count)| expected.get(*name).copied().unwrap_or(0) != **count);
    let missing = expected.keys().filter(|name| !world.counters.contains_key(*name));
    let told = differs.map(|(name, count)| format!("the counter {name} is {count}"));
    told.chain(missing.map(|name| format!("{name} was not counted"))).collect()
}

fn fences(before: &World, world: &World) -> Vec<String> {
    let newest = before.runs.values().map(|run| run.fence).max().unwrap_or(0);
    let new = world.runs.values().filter(|run| !before.runs.contains_key(&run.id));
    let stale = new.filter(|run| run.fence <= newest).map(|run| format!("{} has an old fence", run.id));
    let shrank = says(world.item.fence >= before.item.fence, || "the fence went back".to_owned());
    stale.chain(shrank).collect()
}

/// What is over does not change, and transfers form a chain.
fn past(before: &World, world: &World) -> Vec<String> {
    let over = before.runs.values().filter(|run| !run.status.is_active());
    let changed = over.filter(|run| world.runs[&run.id] != **run);
    let wakeups = before.wakeups.values().filter(|wakeup| wakeup.status.is_over());
    let revived = wakeups.filter(|wakeup| world.wakeups[&wakeup.id] != **wakeup);
    let mut owner = before.item.owner;
    let mut broken = None;
    for transfer in &world.transfers[before.transfers.len()..] {
        if transfer.from != owner {
            broken = Some(format!("{transfer:?} is not from {owner:?}"));
        }
        owner = transfer.to;
    }
    let changed = changed.map(|run| format!("the run {} was over, and changed", run.id));
    let revived = revived.map(|wakeup| format!("the wakeup {} was over, and changed", wakeup.id));
    changed.chain(revived).chain(broken).collect()
}

/// A decision makes one run and one wakeup at most, merges into nothing that runs, and counts last and in order.
fn shape(before: &World, world: &World, changes: &[Change]) -> Vec<String> {
    let mut wrong = Vec::new();
    let made = world.runs.len() - before.runs.len();
    let woken = world.wakeups.len() - before.wakeups.len();
    wrong.extend(says(made <= 1 && woken <= 1, || format!("{made} runs and {woken} wakeups were made")));
    for (at, change) in changes.iter().enumerate() {
        match change {
            Change::MergeIntoRun { id, .. } => {
                let ran = before.runs.get(id).is_some_and(|run| run.status == RunStatus::Running);
                wrong.extend(says(!ran, || format!("{id} runs, and was told more")));
            }
            Change::Count(counts) => {
                let names: Vec<_> = counts.iter().map(|count| place_of(&count.name)).collect();
                let is_last = at + 1 == changes.len();
                wrong.extend(says(is_last && names.is_sorted(), || {
                    format!("counted out of order: {counts:?}")
                }));
            }
            _ => {}
        }
    }
    wrong
}

/// The order in which counters are locked.
fn place_of(counter: &str) -> usize {
    let kinds = ["all", "agent:", "repo:", "cost:", "runs:"];
    kinds.iter().position(|kind| counter.starts_with(kind)).unwrap()
}
