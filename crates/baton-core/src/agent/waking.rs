//! What an agent is told of the run that it is in: a JSON document, and variables of its environment.
//!
//! Documented in docs/orchestration.md and kept. Deliberately absent: secrets, and what a stage asks for.

use serde_json::{Value, json};

use super::errand::Errand;
use crate::slot::start::Started;
use crate::slot::{ItemKey, Reason};
use crate::workspace::Opened;

/// The variable that tells a program that it is inside a run, and in which.
pub const RUN_VARIABLE: &str = "BATON_RUN_ID";

/// What an agent is told that goes on in its own session after it was cut off.
pub const GO_ON: &str = "You came to the limit of your turns before you were done, and are given more. Go on where you \
    stopped. What you were told still holds: its rules, and how the last message ends.\n";

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
        ("BATON_ATTEMPT", run.attempt.saturating_add(1).to_string()),
    ];
    match &started.item.key {
        ItemKey::Issue(issue) => variables.extend([
            ("BATON_ISSUE", issue.to_string()),
            ("BATON_REPO", issue.repo.to_string()),
            ("BATON_ISSUE_NUMBER", issue.number.to_string()),
        ]),
        ItemKey::Task { task, .. } => variables.push(("BATON_TASK", task.clone())),
    }
    named(variables)
}

/// Returns the variables that tell a program what it works for and where.
pub fn variables_of_stage(errand: &Errand, place: Option<&Opened>) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    if let Some(stage) = &errand.stage {
        variables.extend([("BATON_STAGE", stage.clone()), ("BATON_JOB", errand.job.to_string())]);
    }
    if let Some(place) = place {
        variables.extend([
            ("BATON_WORKTREE", place.path.display().to_string()),
            ("BATON_BRANCH", place.branch.clone()),
            ("BATON_BASE", place.base.clone()),
        ]);
    }
    named(variables)
}

fn named(variables: Vec<(&str, String)>) -> Vec<(String, String)> {
    variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
