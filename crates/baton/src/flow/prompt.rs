//! What an agent is told when it starts: a JSON document on its standard input, and variables of its environment.
//!
//! Documented in docs/orchestration.md and kept. Deliberately absent: secrets.

use baton_core::slot::start::Started;
use baton_core::slot::{ItemKey, Reason};
use serde_json::json;

use super::context::RUN_VARIABLE;
use super::shapes;

/// Returns the document, which ends with a line end.
pub(super) fn document(started: &Started, reason: Reason) -> Vec<u8> {
    let run = &started.run;
    let issue = match &started.item.key {
        ItemKey::Issue(issue) => json!({
            "ref": issue.to_string(), "repo": issue.repo.to_string(), "number": issue.number,
        }),
        ItemKey::Task { .. } => json!(null),
    };
    let document = json!({
        "run": run.id,
        "issue": issue,
        "task": shapes::task(&started.item.key),
        "agent": run.agent,
        "reason": reason.as_str(),
        "context": run.context.as_value(),
        "attempt": run.attempt + 1,
        "retry_of": run.retry_of,
    });
    format!("{document}\n").into_bytes()
}

/// Returns the variables that tell a program inside a run where it is.
pub(super) fn variables(started: &Started, reason: Reason) -> Vec<(&'static str, String)> {
    let run = &started.run;
    let mut variables = vec![
        (RUN_VARIABLE, run.id.to_string()),
        ("BATON_AGENT", run.agent.to_string()),
        ("BATON_WAKE_REASON", reason.to_string()),
        ("BATON_FENCE", run.fence.to_string()),
    ];
    match &started.item.key {
        ItemKey::Issue(issue) => variables.extend([
            ("BATON_ISSUE", issue.to_string()),
            ("BATON_REPO", issue.repo.to_string()),
            ("BATON_ISSUE_NUMBER", issue.number.to_string()),
        ]),
        ItemKey::Task { task, .. } => variables.push(("BATON_TASK", task.clone())),
    }
    variables
}
