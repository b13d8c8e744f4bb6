//! What an agent is told of the run that it is in: a JSON document, and variables of its environment.
//!
//! Documented in docs/orchestration.md and kept. Deliberately absent: secrets, and what a stage asks for.

use serde_json::{Value, json};

use crate::slot::start::Started;
use crate::slot::{ItemKey, Reason};

/// The variable that tells a program that it is inside a run, and in which.
pub const RUN_VARIABLE: &str = "BATON_RUN_ID";

/// Returns the document, which ends with a line end.
pub fn document(started: &Started, reason: Reason) -> String {
    let run = &started.run;
    let (issue, task) = match &started.item.key {
        ItemKey::Issue(issue) => {
            let issue = json!({
                "ref": issue.to_string(), "repo": issue.repo.to_string(), "number": issue.number,
            });
            (issue, Value::Null)
        }
        ItemKey::Task { task, .. } => (Value::Null, json!(task)),
    };
    let document = json!({
        "run": run.id,
        "issue": issue,
        "task": task,
        "agent": run.agent,
        "reason": reason.as_str(),
        "context": run.context.as_value(),
        "attempt": run.attempt + 1,
        "retry_of": run.retry_of,
    });
    format!("{document}\n")
}

/// Returns the variables that tell a program inside a run where it is.
pub fn variables(started: &Started, reason: Reason) -> Vec<(String, String)> {
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
    variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
