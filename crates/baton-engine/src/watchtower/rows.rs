//! Rows of the store, for tests of what is told of them.

use baton_core::slot::{AgentName, Context, ItemId, ItemKey, Run, RunId, RunStatus, WakeupId};
use baton_core::time::StoreTime;
use baton_ports::store::RunRow;

/// The moment that the others are told from: the beginning of a day.
pub(super) const FROM_MS: i64 = 10 * 24 * 60 * 60 * 1000;

fn at(ms: i64) -> StoreTime {
    StoreTime { ms }
}

/// A run in a stage, from a second before or after [`FROM_MS`] to another.
pub(super) fn run(item: &ItemKey, stage: Option<&str>, from_s: i64, to_s: i64) -> RunRow {
    let context = stage.map_or_else(|| "{}".to_owned(), |stage| format!(r#"{{"stage":"{stage}"}}"#));
    let run = Run {
        id: RunId(1),
        item: ItemId(1),
        agent: AgentName::from("dev"),
        wakeup: WakeupId(1),
        status: RunStatus::Succeeded,
        context: Context::parse(&context).unwrap(),
        fence: 0,
        worker: None,
        attempt: 0,
        interruptions: 0,
        retry_of: None,
        not_before: at(0),
        stop: None,
        created_at: at(FROM_MS + from_s * 1_000),
        started_at: Some(at(FROM_MS + from_s * 1_000)),
        finished_at: Some(at(FROM_MS + to_s * 1_000)),
        cause: None,
        error: None,
        cost_micros: 10,
    };
    RunRow { run, item: item.clone(), host: None }
}
