//! `baton wake`: asks that an agent look at an issue, or do a task of its own.
//!
//! Everything that was typed is checked before the store is opened, so that a mistake leaves nothing behind.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use baton_core::slot::context::CONTEXT_BYTES_MAX;
use baton_core::slot::wake::{WakeAsk, WakeOutcome};
use baton_core::slot::{AgentName, Asker, Context, ItemKey, Reason, RunId, Source};
use baton_core::time::StoreTime;
use baton_ports::Store as _;
use baton_ports::store::RunRow;
use clap::Args;
use serde_json::{Value, json};

use super::context::{Desk, Flow, StoreArguments};
use super::{shapes, words};
use crate::claims::context::{answer, usage};
use crate::claims::naming::IssueArgument;
use crate::command_error::CommandError;

/// The longest key of a wakeup, and the longest name of a task. Both are in indexes.
const NAME_CHARS_MAX: usize = 200;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton wake acme/web#42 --agent coder
  baton wake acme/web#42 --agent coder --context '{\"stage\": \"Plan\"}'  in a stage
  baton wake --agent coder --task nightly --json                      a task without an issue

Exit codes:
  0  a run will look at it: a new one, or one that is there
  1  it was skipped or refused; the reason is printed
  3  the store cannot be reached")]
pub(crate) struct Wake {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address. Without it, a task of the agent is meant,
    /// which needs no issue.
    #[arg(value_name = "REF")]
    issue: Option<IssueArgument>,
    /// Who should look: an agent of the configuration.
    #[arg(long, value_name = "AGENT")]
    agent: String,
    /// Why it should look.
    #[arg(long, value_name = "REASON", default_value_t = Reason::Manual)]
    reason: Reason,
    /// What it should know: a JSON object, `@FILE` to read it from a file, or `-` to read it from standard input.
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    context: Option<String>,
    /// What makes this wakeup the same as another of the issue and the agent: only the first one counts.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Which of the agent's tasks, when it has several.
    #[arg(long, value_name = "TASK", conflicts_with = "issue")]
    task: Option<String>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArguments,
}

/// What became of a wakeup, with what a person wants to know about it.
pub(crate) struct Woken {
    pub(super) item: ItemKey,
    pub(super) agent: AgentName,
    pub(crate) outcome: WakeOutcome,
    /// The run that has the slot.
    pub(super) holder: Option<RunRow>,
    pub(super) now: StoreTime,
}

impl Wake {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let desk = self.store.read()?;
        let (item, ask) = self.ask(&desk)?;
        let flow = desk.open()?;
        let woken = flow.block_on(wake(&flow, item, &ask))?;
        let is_yes = !matches!(woken.outcome, WakeOutcome::Skipped { .. } | WakeOutcome::Refused(_));
        answer(self.json, is_yes, words::woken(&woken), &shape(&woken))
    }

    fn ask(&self, desk: &Desk) -> Result<(ItemKey, WakeAsk), CommandError> {
        let agent = AgentName(desk.agent(&self.agent)?.name.clone());
        check_name("--key", self.key.as_deref())?;
        check_name("--task", self.task.as_deref())?;
        let item = match &self.issue {
            Some(issue) => desk.item(issue)?,
            None => ItemKey::task(&agent, self.task.as_deref().unwrap_or_default()),
        };
        let context = match &self.context {
            Some(given) => {
                Context::parse(&read_context(given, desk.surroundings.directory())?).map_err(usage)?
            }
            None => Context::default(),
        };
        let asked_by = asker(desk)?;
        let (reason, key) = (self.reason, self.key.clone());
        Ok((item, WakeAsk { agent, source: Source::Cli, reason, context, asked_by, key }))
    }
}

/// Whoever types this is a person, unless an engine has started the shell.
fn asker(desk: &Desk) -> Result<Asker, CommandError> {
    if let Some(run) = desk.own_run()? {
        return Ok(Asker { who: format!("run {run}"), is_person: false, run: Some(run) });
    }
    let user = desk.config().user.as_deref().or_else(|| desk.surroundings.variable("USER"));
    Ok(Asker { who: user.unwrap_or("somebody").to_owned(), is_person: true, run: None })
}

fn check_name(option: &str, name: Option<&str>) -> Result<(), CommandError> {
    name_problem(name).map_or(Ok(()), |problem| Err(CommandError::Usage(format!("{option} {problem}"))))
}

/// Returns what is wrong with a key or the name of a task.
pub(crate) fn name_problem(name: Option<&str>) -> Option<String> {
    let is_good = |name: &str| {
        !name.trim().is_empty() && name.chars().count() <= NAME_CHARS_MAX && !name.contains(char::is_control)
    };
    let problem =
        || format!("must be 1 to {NAME_CHARS_MAX} characters on one line; leave it out if there is none");
    (!name.is_none_or(is_good)).then(problem)
}

fn read_context(given: &str, directory: &Path) -> Result<String, CommandError> {
    match given.strip_prefix('@') {
        Some(name) => {
            let file = File::open(directory.join(name));
            let file = file.map_err(|error| usage(format!("--context @{name}: cannot be read: {error}")))?;
            read_text(file, given)
        }
        None if given == "-" => read_text(std::io::stdin().lock(), given),
        None => Ok(given.to_owned()),
    }
}

/// Reads a text, and not much more of it than could be used.
fn read_text(from: impl Read, given: &str) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(CONTEXT_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    let read = from.take(most).read_to_end(&mut bytes);
    read.map_err(|error| usage(format!("--context {given}: cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| usage(format!("--context {given}: this is no text in UTF-8")))
}

/// Asks that an agent look at an item.
pub(crate) async fn wake(flow: &Flow, item: ItemKey, ask: &WakeAsk) -> Result<Woken, CommandError> {
    let outcome = flow.relay.wake(&item, ask).await?;
    let holder = match holder(flow, &item, &outcome).await? {
        Some(run) => flow.run_row(run).await?,
        None => None,
    };
    let now = flow.relay.store.now().await?;
    Ok(Woken { item, agent: ask.agent.clone(), outcome, holder, now })
}

async fn holder(flow: &Flow, item: &ItemKey, outcome: &WakeOutcome) -> Result<Option<RunId>, CommandError> {
    Ok(match outcome {
        WakeOutcome::Queued { .. } => None,
        WakeOutcome::Coalesced { run, .. }
        | WakeOutcome::OwnDoing { run, .. }
        | WakeOutcome::Deferred { behind: run, .. } => Some(*run),
        WakeOutcome::Skipped { .. } | WakeOutcome::Duplicate { .. } | WakeOutcome::Refused(_) => {
            flow.relay.store.item(item).await?.and_then(|item| item.owner)
        }
    })
}

/// Returns what became of a wakeup, for programs.
pub(crate) fn shape(woken: &Woken) -> Value {
    let (outcome, wakeup, run) = match &woken.outcome {
        WakeOutcome::Queued { wakeup, run } => ("queued", Some(wakeup), Some(run)),
        WakeOutcome::Coalesced { wakeup, run } => ("merged", Some(wakeup), Some(run)),
        WakeOutcome::OwnDoing { wakeup, run } => ("own_doing", Some(wakeup), Some(run)),
        WakeOutcome::Deferred { wakeup, .. } => ("deferred", Some(wakeup), None),
        WakeOutcome::Skipped { wakeup, .. } => ("skipped", Some(wakeup), None),
        WakeOutcome::Duplicate { wakeup, .. } => ("duplicate", Some(wakeup), None),
        WakeOutcome::Refused(_) => ("refused", None, None),
    };
    let mut value = json!({
        "outcome": outcome,
        "issue": shapes::issue(&woken.item),
        "task": shapes::task(&woken.item),
        "agent": woken.agent,
        "wakeup": wakeup,
        "run": run,
        "merged_into": null,
        "holder": woken.holder.as_ref().map(|row| shapes::holder(row, woken.now)),
        "why": null,
    });
    match &woken.outcome {
        WakeOutcome::Deferred { merged_into, .. } => value["merged_into"] = json!(merged_into),
        WakeOutcome::Skipped { skip, .. } => value["why"] = json!(skip.as_str()),
        WakeOutcome::Duplicate { status, .. } => value["why"] = json!(status.as_str()),
        WakeOutcome::Refused(error) => value["why"] = json!(error.to_string()),
        WakeOutcome::Queued { .. } | WakeOutcome::Coalesced { .. } | WakeOutcome::OwnDoing { .. } => {}
    }
    value
}
