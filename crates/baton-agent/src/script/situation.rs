//! Where the agent finds itself: from the variables of its run, and for a bare wake from the document that it was told.

use baton_core::script::Situation;
use serde_json::Value;

use super::ScriptedRun;

pub(super) fn of(run: &ScriptedRun) -> Situation {
    // A prompt for a stage is prose; then there is no document, and all is in the variables.
    let document: Value = serde_json::from_str(&run.prompt).unwrap_or_default();
    let variable = |name: &str| run.variables.get(name).filter(|value| !value.is_empty()).cloned();
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let attempt = variable("BATON_ATTEMPT").and_then(|attempt| attempt.parse().ok());
    let told_attempt = || document["attempt"].as_u64().and_then(|attempt| attempt.try_into().ok());
    Situation {
        stage: variable("BATON_STAGE").or_else(|| text("/context/stage")),
        job: variable("BATON_JOB").or_else(|| text("/context/job")).and_then(|job| job.parse().ok()),
        attempt: attempt.or_else(told_attempt).unwrap_or(1),
        issue: variable("BATON_ISSUE").unwrap_or_default(),
        number: variable("BATON_ISSUE_NUMBER").unwrap_or_default(),
        repo: variable("BATON_REPO").unwrap_or_default(),
        run: variable("BATON_RUN_ID").unwrap_or_default(),
        agent: variable("BATON_AGENT").unwrap_or_default(),
        prompt: run.prompt.clone(),
    }
}
