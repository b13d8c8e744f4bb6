//! Check runs and statuses, as the pipeline's checks.
//!
//! A check run and a status may have the same name. Both count where GitHub decides, so the worse of them stands for both.

use std::collections::BTreeMap;

use baton_core::pipeline::checks::{Check, Checks, Conclusion, Health};
use baton_core::time::ServerTime;

use super::voices::Room;
use crate::client::Answer;
use crate::graphql::MORE_CONTEXTS;
use crate::graphql::pull::{ContextWire, RollupWire};

/// Reads all that was said of a commit; of one about which nothing was said, nothing. Where the token may not see some
/// of it, the checks are not known: those that are hidden may be the ones that failed.
pub(super) async fn of_rollup(
    room: &Room<'_>,
    rollup: Option<RollupWire>,
    fallback: ServerTime,
) -> Answer<Option<Checks>> {
    let Some(rollup) = rollup else { return Ok(Some(Checks::default())) };
    let all = room.github.whole_as_seen(room.repo, &MORE_CONTEXTS, &rollup.id, rollup.contexts).await?;
    if all.hidden > 0 {
        return Ok(None);
    }
    let contexts = all.items;
    let (runs, statuses): (Vec<_>, Vec<_>) =
        contexts.iter().partition(|context| context.kind != "StatusContext");
    let runs: Vec<_> = runs.into_iter().filter_map(|context| run(context, fallback)).collect();
    let statuses: Vec<_> = statuses.into_iter().filter_map(|context| status(context, fallback)).collect();
    Ok(Some(worse_of(Checks::from(runs), Checks::from(statuses))))
}

fn worse_of(runs: Checks, statuses: Checks) -> Checks {
    let mut by_name: BTreeMap<String, Check> = BTreeMap::new();
    for check in runs.as_slice().iter().chain(statuses.as_slice()) {
        let is_worse = |known: &Check| severity(check) > severity(known);
        if by_name.get(&check.name).is_none_or(is_worse) {
            by_name.insert(check.name.clone(), check.clone());
        }
    }
    Checks::from(by_name.into_values().collect::<Vec<_>>())
}

fn severity(check: &Check) -> u8 {
    match check.health() {
        Health::Passed => 0,
        Health::Void => 1,
        Health::Running => 2,
        Health::Failed => 3,
    }
}

fn run(wire: &ContextWire, fallback: ServerTime) -> Option<Check> {
    let moment = |text: &Option<String>| text.as_deref().and_then(|text| text.parse().ok());
    let is_over = wire.status.as_deref() == Some("COMPLETED");
    Some(Check {
        id: wire.database_id.unwrap_or(0),
        name: wire.name.clone()?,
        conclusion: is_over.then(|| conclusion(wire.conclusion.as_deref())),
        changed_at: moment(&wire.completed_at).or_else(|| moment(&wire.started_at)).unwrap_or(fallback),
    })
}

/// A conclusion that nobody knows yet is not a success.
fn conclusion(word: Option<&str>) -> Conclusion {
    let known = word.and_then(|word| word.to_ascii_lowercase().parse().ok());
    known.unwrap_or(Conclusion::ActionRequired)
}

fn status(wire: &ContextWire, fallback: ServerTime) -> Option<Check> {
    let changed_at = wire.created_at.as_deref().and_then(|text| text.parse().ok()).unwrap_or(fallback);
    Some(Check {
        // Statuses have no number that grows; a later one of the same name replaces the earlier.
        id: u64::try_from(changed_at.0).unwrap_or(0),
        name: wire.context.clone()?,
        conclusion: match wire.state.as_deref() {
            Some("SUCCESS") => Some(Conclusion::Success),
            Some("FAILURE" | "ERROR") => Some(Conclusion::Failure),
            _ => None,
        },
        changed_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(text: serde_json::Value) -> ContextWire {
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn runs_and_statuses_become_checks() {
        let of_run = |status: &str, conclusion: Option<&str>| {
            let text = serde_json::json!({
                "__typename": "CheckRun", "databaseId": 50_000_000_000_u64, "name": "build", "status": status,
                "conclusion": conclusion, "completedAt": "2026-05-01T19:42:33Z",
            });
            run(&wire(text), ServerTime(0)).unwrap().health()
        };
        assert_eq!(of_run("IN_PROGRESS", None), Health::Running);
        assert_eq!(of_run("WAITING", Some("SUCCESS")), Health::Running, "it is not over");
        assert_eq!(of_run("COMPLETED", Some("SUCCESS")), Health::Passed);
        assert_eq!(of_run("COMPLETED", Some("TIMED_OUT")), Health::Failed);
        assert_eq!(of_run("COMPLETED", Some("STALE")), Health::Void);
        assert_eq!(of_run("COMPLETED", Some("REFORESTED")), Health::Failed, "a new word is no success");
        let of_status = |state: &str| {
            let text =
                serde_json::json!({ "context": "ci", "state": state, "createdAt": "2026-05-01T19:42:33Z" });
            status(&wire(text), ServerTime(0)).unwrap().health()
        };
        assert_eq!(of_status("SUCCESS"), Health::Passed);
        assert_eq!(of_status("ERROR"), Health::Failed);
        assert_eq!(of_status("EXPECTED"), Health::Running);
    }

    #[test]
    fn of_a_run_and_a_status_of_one_name_the_worse_counts() {
        let check = |id, conclusion| {
            Checks::from(vec![Check { id, name: "ci".into(), conclusion, changed_at: ServerTime(0) }])
        };
        let both = worse_of(check(9, Some(Conclusion::Success)), check(1, Some(Conclusion::Failure)));
        assert!(both.any(Health::Failed));
        let both = worse_of(check(9, Some(Conclusion::Failure)), check(10, Some(Conclusion::Success)));
        assert!(both.any(Health::Failed));
    }
}
