//! Whether each stage of each issue was decided once and completed once, and never run twice at one time.
//!
//! An engine that is starved of the machine ends its agent and begins the run again. That is right, so it is told apart from
//! a stage that two engines have run.

use std::collections::BTreeMap;

use baton_core::slot::{EndCause, Run, RunStatus};

use crate::storm::journal::Entry;

/// The stages that have an agent.
const WORKING_STAGES: [&str; 6] = ["Specify", "Research", "Plan", "Implement", "Review", "Validate"];

/// Insists that each stage of each issue was run once. `store` tells in which list of runs an engine's are.
pub(crate) fn assert_one_run_each<'a>(
    entries: Vec<Entry>,
    repo: &str,
    issues: &[u64],
    store: impl Fn(&str) -> &'a [Run],
) {
    let mut starts: BTreeMap<(String, String), Vec<Entry>> = BTreeMap::new();
    for entry in entries {
        assert_eq!(entry.job, "stage", "{entry:?}");
        starts.entry((entry.issue.clone(), entry.stage.clone())).or_default().push(entry);
    }
    for number in issues {
        for stage in WORKING_STAGES {
            let of_stage = starts.remove(&(format!("{repo}#{number}"), stage.to_owned())).unwrap_or_default();
            let found: Option<Vec<_>> = of_stage
                .iter()
                .map(|entry| store(&entry.engine).iter().find(|run| run.id == entry.run))
                .collect();
            let found = found.unwrap_or_else(|| panic!("a run is in no store: {of_stage:#?}"));
            let engine = of_stage.first().map(|entry| entry.engine.as_str()).unwrap_or_default();
            let all = if found.is_empty() { &[] } else { store(engine) };
            match judge(&found, all) {
                Ok(0) => {}
                Ok(again) => println!("#{number} {stage} was begun {again} times again: {of_stage:?}"),
                Err(why) => panic!("#{number} {stage}: {why}\n{of_stage:#?}\n{found:#?}"),
            }
        }
    }
    assert!(starts.is_empty(), "nobody asked for these: {starts:?}");
}

/// Judges the runs whose agents were started for one stage, in order, by all runs of the first one's store. Returns how often
/// it was begun again.
fn judge(started: &[&Run], store: &[Run]) -> Result<usize, String> {
    let Some(first) = started.first() else { return Err("nobody ran".to_owned()) };
    // Some of these may have ended before they had an agent.
    let mut decided: Vec<_> = store.iter().filter(|run| run.wakeup == first.wakeup).collect();
    decided.sort_by_key(|run| run.id);
    let mut rest = decided.iter();
    // Each start must be of the next run or a later one, so that none is there twice or belongs to another decision.
    if let Some(run) = started.iter().find(|run| !rest.any(|of_wakeup| of_wakeup == *run)) {
        return Err(format!("run {} is of another decision, or had two agents", run.id));
    }
    for pair in decided.windows(2) {
        let [run, next] = pair else { continue };
        let is_blameless =
            matches!(run.cause, Some(EndCause::WorkerLost | EndCause::WorkerStopped | EndCause::NotReady));
        let is_over = run.finished_at.is_some() && run.finished_at <= next.started_at;
        if run.status != RunStatus::Interrupted || !is_blameless {
            return Err(format!("run {} was not to be repeated", run.id));
        }
        if next.retry_of != Some(run.id) {
            return Err(format!("run {} is no retry", next.id));
        }
        if !is_over {
            return Err(format!("runs {} and {} were at work at one time", run.id, next.id));
        }
    }
    match decided.last() {
        Some(last) if last.status == RunStatus::Succeeded => Ok(decided.len() - 1),
        _ => Err("the last run has not succeeded".to_owned()),
    }
}

mod judged {
    use baton_core::slot::{AgentName, Context, ItemId, RunId, WakeupId};
    use baton_core::time::StoreTime;

    use super::{EndCause, Run, RunStatus, judge};

    fn run(id: i64, wakeup: i64, status: RunStatus, cause: Option<EndCause>, retry_of: Option<i64>) -> Run {
        Run {
            id: RunId(id),
            item: ItemId(1),
            agent: AgentName::from("coder"),
            wakeup: WakeupId(wakeup),
            status,
            context: Context::default(),
            fence: id,
            worker: None,
            attempt: 0,
            interruptions: 0,
            retry_of: retry_of.map(RunId),
            not_before: StoreTime { ms: 0 },
            stop: None,
            created_at: StoreTime { ms: id * 10 },
            started_at: Some(StoreTime { ms: id * 10 }),
            finished_at: Some(StoreTime { ms: id * 10 + 5 }),
            cause,
            error: None,
            cost_micros: 0,
        }
    }

    fn judged(runs: &[Run]) -> Result<usize, String> {
        judge(&runs.iter().collect::<Vec<_>>(), runs)
    }

    fn lost(id: i64) -> Run {
        run(id, 1, RunStatus::Interrupted, Some(EndCause::WorkerLost), None)
    }

    fn succeeded(id: i64, wakeup: i64, retry_of: Option<i64>) -> Run {
        run(id, wakeup, RunStatus::Succeeded, None, retry_of)
    }

    #[test]
    fn one_that_succeeds_at_once_or_after_an_interruption_is_accepted() {
        assert_eq!(judged(&[succeeded(1, 1, None)]), Ok(0));
        assert_eq!(judged(&[lost(1), succeeded(2, 1, Some(1))]), Ok(1));
        // The interrupted one had no agent yet.
        let runs = [lost(1), succeeded(2, 1, Some(1)), succeeded(3, 2, None)];
        assert_eq!(judge(&[&runs[1]], &runs), Ok(1));
    }

    #[test]
    fn one_that_is_decided_or_completed_twice_or_never_is_refused() {
        let failed = run(1, 1, RunStatus::Failed, Some(EndCause::AgentFailed), None);
        let gated = run(1, 1, RunStatus::Interrupted, Some(EndCause::Gated), None);
        for runs in [
            vec![],
            vec![lost(1)],
            vec![succeeded(1, 1, None), succeeded(2, 1, Some(1))],
            vec![succeeded(1, 1, None), succeeded(2, 2, None)],
            vec![failed.clone(), succeeded(2, 1, Some(1))],
            vec![failed, succeeded(2, 2, None)],
            vec![gated, succeeded(2, 1, Some(1))],
            vec![lost(1), succeeded(2, 1, None)],
        ] {
            assert!(judged(&runs).is_err(), "{runs:?}");
        }
    }

    #[test]
    fn two_at_one_time_and_two_agents_of_one_run_are_refused() {
        let early = Run { started_at: Some(StoreTime { ms: 14 }), ..succeeded(2, 1, Some(1)) };
        assert!(judged(&[lost(1), early]).is_err());
        let one = succeeded(1, 1, None);
        assert!(judge(&[&one, &one], std::slice::from_ref(&one)).is_err());
    }
}
