//! Facts of issues: what the rules say is next with each, and who there is to do it. Nothing is left behind.

use std::time::Duration;

use baton_core::doctor::Finding;
use baton_core::doctor::wakers::{IssueFacts, RunFacts, Unread, wakers};
use baton_core::pipeline::names::Said;
use baton_core::pipeline::{StageKind, next_step};
use baton_core::slot::{ItemKey, RunStatus};
use baton_core::tracker::{BoardRow, IssueKey, Scope};
use baton_engine::marshal::{Glance, Rules};
use baton_ports::{Board as _, Store as _, StoreError};
use baton_store::SqlStore;
use tokio::time::Instant;

use super::{plain, within};
use crate::command_error::CommandError;
use crate::flow::context::Desk;
use crate::flow::machine::CLERK_SUFFIX;
use crate::flow::onlooker::Onlooker;

/// How many issues are looked at, the oldest first. Each takes a few requests.
const ISSUES_MAX: usize = 50;
/// How long all of them may take.
const LOOK_TIME_MAX: Duration = Duration::from_secs(60);

/// Looks at the issues on the board. `again` reads the configuration for a second look, beside the store.
pub(super) fn examine(
    desk: Desk,
    again: impl FnOnce() -> Result<Desk, CommandError>,
) -> Result<Vec<Finding>, String> {
    let onlooker = Onlooker::open(desk, None).map_err(|error| plain(&error))?;
    let beside = again().and_then(Onlooker::beside_the_store).map_err(|error| plain(&error))?;
    onlooker.flow.block_on(look(&onlooker, &beside))
}

async fn look(onlooker: &Onlooker, beside: &Onlooker) -> Result<Vec<Finding>, String> {
    let store = &onlooker.flow.relay.store;
    let deadline = Instant::now() + LOOK_TIME_MAX;
    let survey = within(async { onlooker.marshal.board.survey(Scope::All).await.map_err(told) }).await?;
    let rules = onlooker.marshal.rules();
    let open = survey.rows.into_iter().filter(|row| is_on_its_way(row, &rules)).take(ISSUES_MAX);
    let (facts, unread) = until(deadline, open.collect(), async |row: &BoardRow| {
        let is_known = store.item(&ItemKey::issue(&row.issue)).await.map_err(told)?.is_some();
        let looker = if is_known { onlooker } else { beside };
        let glance = looker.marshal.peek(&row.issue).await.map_err(told)?;
        Ok(facts_of(&row.issue, &glance, &rules))
    })
    .await;
    if let (true, Some(Left::Failed { why, .. })) = (facts.is_empty(), &unread) {
        return Err(why.clone());
    }
    let unread = unread.map(Left::told);
    let is_engine_alive = within(async { is_engine_alive(store).await.map_err(told) }).await?;
    Ok(wakers(&facts, unread.as_ref(), is_engine_alive))
}

/// What was not read, and why.
#[derive(Debug, PartialEq, Eq)]
enum Left {
    NoTime { count: usize },
    Failed { count: usize, why: String },
}

impl Left {
    fn told(self) -> Unread {
        match self {
            Self::NoTime { count } => {
                Unread { count, why: format!("{} s were not enough", LOOK_TIME_MAX.as_secs()) }
            }
            Self::Failed { count, why } => Unread { count, why },
        }
    }
}

/// Reads one after the other until there is no time left or one cannot be read. What was read until then is not thrown away.
async fn until<T, U>(
    deadline: Instant,
    rows: Vec<T>,
    read: impl AsyncFn(&T) -> Result<U, String>,
) -> (Vec<U>, Option<Left>) {
    let mut done = Vec::new();
    for row in &rows {
        let count = rows.len() - done.len();
        match tokio::time::timeout_at(deadline, read(row)).await {
            Ok(Ok(facts)) => done.push(facts),
            Ok(Err(why)) => return (done, Some(Left::Failed { count, why })),
            Err(_) => return (done, Some(Left::NoTime { count })),
        }
    }
    (done, None)
}

async fn is_engine_alive(store: &SqlStore) -> Result<bool, StoreError> {
    let now = store.now().await?;
    let workers = store.workers().await?;
    Ok(workers.iter().any(|worker| worker.lease.is_live(now) && worker.name.ends_with(CLERK_SUFFIX)))
}

fn told(error: impl std::error::Error) -> String {
    error.to_string()
}

fn is_on_its_way(row: &BoardRow, rules: &Rules) -> bool {
    let stage = row.column.as_deref().and_then(|column| rules.pipeline.stage(column));
    !row.is_closed && stage.is_some_and(|stage| stage.kind == StageKind::Working)
}

fn facts_of(issue: &IssueKey, glance: &Glance, rules: &Rules) -> IssueFacts {
    let names = rules.policy.names;
    let foreign_lock = glance.item.labels.iter().find_map(|label| match names.read(label) {
        Some(Said::Locked(who)) if !label.eq_ignore_ascii_case(&rules.policy.own_lock) => {
            Some(who.to_owned())
        }
        _ => None,
    });
    IssueFacts {
        issue: issue.to_string(),
        step: next_step(&glance.item, &rules.pipeline, &rules.policy, glance.now),
        run: run_of(glance),
        foreign_claim: glance.item.foreign_claim.clone(),
        foreign_lock,
    }
}

fn run_of(glance: &Glance) -> RunFacts {
    let situation = &glance.situation;
    match situation.owner.as_ref().map(|run| run.status) {
        Some(RunStatus::Queued | RunStatus::ScheduledRetry) => RunFacts::Waiting,
        Some(RunStatus::Running) => match situation.owner_lease {
            Some(lease) if lease.is_live(situation.now) => RunFacts::AtWork,
            _ => RunFacts::Dropped,
        },
        _ => RunFacts::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads what is even; 1 cannot be read, and 3 never comes to an end.
    async fn read(row: &u32) -> Result<u32, String> {
        match row {
            1 => Err("broken".to_owned()),
            3 => std::future::pending().await,
            row => Ok(*row),
        }
    }

    #[tokio::test]
    async fn what_was_read_in_time_is_kept_and_the_rest_is_counted() {
        for (rows, done, left) in [
            (vec![], vec![], None),
            (vec![0, 2], vec![0, 2], None),
            (vec![0, 2, 3, 4], vec![0, 2], Some(Left::NoTime { count: 2 })),
            (vec![0, 1, 2], vec![0], Some(Left::Failed { count: 2, why: "broken".to_owned() })),
        ] {
            // What is there at once is read even when the time is over.
            assert_eq!(until(Instant::now(), rows, read).await, (done, left));
        }
    }
}
