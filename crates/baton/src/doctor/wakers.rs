//! Facts of issues: what the rules say is next with each, and who there is to do it. Nothing is left behind.

use std::time::Duration;

use baton_core::doctor::Finding;
use baton_core::doctor::wakers::{IssueFacts, RunFacts, wakers};
use baton_core::pipeline::names::Said;
use baton_core::pipeline::{StageKind, next_step};
use baton_core::slot::{ItemKey, RunStatus};
use baton_core::tracker::{BoardRow, IssueKey, Scope};
use baton_engine::marshal::{Glance, Rules};
use baton_ports::{Board as _, Store as _};

use super::plain;
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
    onlooker.flow.block_on(async {
        let looking = look(&onlooker, &beside);
        let late = |_| format!("there was no answer for {} s", LOOK_TIME_MAX.as_secs());
        tokio::time::timeout(LOOK_TIME_MAX, looking).await.map_err(late)?
    })
}

async fn look(onlooker: &Onlooker, beside: &Onlooker) -> Result<Vec<Finding>, String> {
    let store = &onlooker.flow.relay.store;
    let told = |error: &dyn std::error::Error| error.to_string();
    let survey = onlooker.marshal.board.survey(Scope::All).await.map_err(|error| told(&error))?;
    let rules = onlooker.marshal.rules();
    let open = survey.rows.into_iter().filter(|row| is_on_its_way(row, &rules)).take(ISSUES_MAX);
    let mut facts = Vec::new();
    for row in open {
        let is_known = store.item(&ItemKey::issue(&row.issue)).await.map_err(|error| told(&error))?.is_some();
        let looker = if is_known { onlooker } else { beside };
        let glance = looker.marshal.peek(&row.issue).await.map_err(|error| told(&error))?;
        facts.push(facts_of(&row.issue, &glance, &rules));
    }
    let now = store.now().await.map_err(|error| told(&error))?;
    let workers = store.workers().await.map_err(|error| told(&error))?;
    let is_engine_alive =
        workers.iter().any(|worker| worker.lease.is_live(now) && worker.name.ends_with(CLERK_SUFFIX));
    Ok(wakers(&facts, is_engine_alive))
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
