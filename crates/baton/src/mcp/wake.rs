//! The tool `wake`: ask that an agent of the engine look at an issue.

use baton_core::agent::Errand;
use baton_core::slot::wake::WakeAsk;
use baton_core::slot::{AgentName, Asker, Context, Reason, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::session::{Session, as_argument, named};
use super::tool::{Manner, Told, Tool, Trouble};
use crate::command_error::CommandError;
use crate::flow::context::Desk;
use crate::flow::{wake, words};

pub(super) struct Wake;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The issue: OWNER/REPO#7, or its address; #7 in a checkout of its repository.
    issue: String,
    /// Who should look: the name of an agent of the configuration.
    agent: String,
    /// Why it should look: stage_ready, issue_commented, issue_comment_mentioned, issue_assigned, review_feedback, ci_failed,
    /// merge_conflict, blockers_resolved, children_completed, approval_decided or manual; by default manual.
    #[serde(default)]
    reason: Option<String>,
    /// What it should know, as an object of your choice, without the keys by which the engine says what a run is for: stage,
    /// job, resume, threads, thread_comments and settled.
    #[serde(default)]
    context: Option<Map<String, Value>>,
    /// What makes this wakeup the same as another of the issue and the agent: only the first one counts. Give one when you may
    /// have to call again.
    #[serde(default)]
    key: Option<String>,
}

/// What became of a wakeup.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// It has a run of its own.
    Queued,
    /// It was merged into a run that has not started.
    Merged,
    /// It was your own doing, which does not wake you.
    OwnDoing,
    /// It waits until the run is over that has the issue.
    Deferred,
    /// It was not followed: see `why`.
    Skipped,
    /// One with the same key was there already.
    Duplicate,
    /// It says too much to be merged with what waits: see `why`.
    Refused,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    /// What became of it.
    outcome: Outcome,
    /// The issue.
    issue: String,
    /// The agent.
    agent: String,
    /// The number of the wakeup.
    wakeup: Option<i64>,
    /// The run that it has, or was merged into.
    run: Option<i64>,
    /// Why it was not followed.
    why: Option<String>,
}

impl Tool for Wake {
    const NAME: &'static str = "wake";
    const TITLE: &'static str = "Wake an agent";
    const DESCRIPTION: &'static str = "Asks that an agent that the engine runs look at an issue. It works whether or not the \
         engine is running; the wakeup waits in the store. Outcomes: queued, merged, deferred, own_doing, duplicate (all of \
         them are fine), skipped and refused (see `why`).";
    const MANNER: Manner = Manner::WRITES;
    const WHEN_UNCLEAR: &'static str = "The wakeup may or may not be in the store: call again with a `key`, so that it counts \
         once.";
    type Input = Input;
    type Output = Output;

    fn call(session: &Session, input: Input) -> Result<Told<Output>, Trouble> {
        let desk = session.desk()?;
        let ask = ask(session, &desk, &input)?;
        let item = as_argument("issue", desk.item(&named(&input.issue)?))?;
        let flow = desk.open()?;
        let woken = flow.block_on(wake::wake(&flow, item, &ask))?;
        let shape = serde_json::from_value(wake::shape(&woken))
            .map_err(|error| CommandError::out_of_reach(&error))?;
        Ok(Told { shape, words: words::woken(&woken) })
    }
}

/// An agent asks, and never a person: its word ends no backoff.
fn ask(session: &Session, desk: &Desk, input: &Input) -> Result<WakeAsk, Trouble> {
    let agent = as_argument("agent", desk.agent(&input.agent))?.name.clone();
    let reason = input.reason.as_deref().map(str::parse::<Reason>).transpose();
    let reason = reason.map_err(|error| Trouble::argument("reason", error))?.unwrap_or(Reason::Manual);
    if let Some(problem) = wake::name_problem(input.key.as_deref()) {
        return Err(Trouble::argument("key", problem));
    }
    let context = match &input.context {
        Some(given) if let Some(key) = Errand::reserved(given.keys()) => {
            let why = format!(
                "`{key}` in it is the engine's alone; leave it out, and say what you mean in other words"
            );
            return Err(Trouble::argument("context", why));
        }
        Some(given) => Context::parse(&Value::Object(given.clone()).to_string())
            .map_err(|error| Trouble::argument("context", error))?,
        None => Context::default(),
    };
    let asked_by = Asker { who: session.holder.codename.to_string(), is_person: false, run: desk.own_run()? };
    let key = input.key.clone();
    Ok(WakeAsk { agent: AgentName(agent), source: Source::Api, reason, context, asked_by, key })
}
