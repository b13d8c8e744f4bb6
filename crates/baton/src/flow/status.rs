//! `baton status`: the board on one screen, from one survey of the tracker and the store. It works whether or not an engine
//! runs, and changes nothing.

use std::collections::BTreeMap;

use baton_core::pipeline::Pipeline;
use baton_core::pipeline::budget::Spending;
use baton_core::pipeline::names::{Flag, Names, Said};
use baton_core::slot::effect::{Effect, EffectStatus};
use baton_core::slot::{AgentKey, ItemKey, RunStatus};
use baton_core::time::StoreTime;
use baton_core::tracker::{BoardRow, IssueKey, Scope};
use baton_engine::spending;
use baton_ports::store::{RunFilter, RunRow, WorkerRow};
use baton_ports::{Board as _, Store as _, Tracker as _};
use clap::Args;
use serde_json::{Value, json};

use super::context::StoreArguments;
use super::onlooker::Onlooker;
use super::{shapes, table};
use crate::claims::context::{print_json, spoken};
use crate::command_error::CommandError;
use crate::explain::live::UNTIL_TOMORROW;

/// How many runs are looked at.
const RUNS_MAX: u32 = 1_000;
const REASON_CHARS_MAX: usize = 90;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton status         one screen
  baton status --json  the same for programs (docs/engine.md)

Exit codes:
  0  shown
  3  the tracker or the store cannot be reached")]
pub(crate) struct Status {
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArguments,
}

/// An issue on the board.
struct Card {
    issue: IssueKey,
    stage: String,
    /// In a few words, what happens with it or what it waits for.
    state: String,
    /// The run that has its slot.
    run: Option<RunRow>,
    /// Who has locked it, if another engine has.
    locked_by: Option<String>,
    age_s: u64,
    /// Why it is paused, when it is.
    reason: Option<String>,
    /// Why its run does not start, when a budget is the cause.
    waits_because: Option<String>,
    is_alarming: bool,
}

/// All that is shown.
struct Picture {
    cards: Vec<Card>,
    workers: Vec<WorkerRow>,
    dead: Vec<(IssueKey, Effect)>,
    /// The budgets of agents that are spent for today.
    spent: Vec<Spending>,
    now: StoreTime,
    has_store: bool,
}

impl Status {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let onlooker = Onlooker::open(self.store.read()?, None)?;
        let picture = onlooker.flow.block_on(look(&onlooker))?;
        if self.json {
            return print_json(&shape(&picture));
        }
        print(&picture);
        Ok(())
    }
}

async fn look(onlooker: &Onlooker) -> Result<Picture, CommandError> {
    let (marshal, store) = (&onlooker.marshal, &onlooker.flow.relay.store);
    let survey =
        marshal.board.survey(Scope::All).await.map_err(|error| CommandError::out_of_reach(&error))?;
    let now = store.now().await?;
    let server = marshal.tracker.clone();
    let active = vec![RunStatus::Queued, RunStatus::ScheduledRetry, RunStatus::Running];
    let filter = RunFilter { statuses: active, limit: RUNS_MAX, ..RunFilter::default() };
    let runs: BTreeMap<_, _> =
        store.runs(&filter).await?.into_iter().map(|row| (row.item.clone(), row)).collect();
    let rules = marshal.rules();
    let names = rules.policy.names;
    let (mut cards, mut dead) = (Vec::new(), Vec::new());
    for row in survey.rows {
        let key = ItemKey::issue(&row.issue);
        let effects = store.effects(&key).await?;
        dead.extend(lately_dead(effects).into_iter().map(|effect| (row.issue.clone(), effect)));
        if is_over(&row, &rules.pipeline) {
            continue;
        }
        let mut card = card(row.clone(), runs.get(&key), names, &rules.policy.own_lock, now);
        if row.labels.iter().any(|label| names.is_flag(label, Flag::Paused)) {
            let comments = server.comments(&row.issue, None).await;
            let comments = comments.map_err(|error| CommandError::out_of_reach(&error))?.value;
            let told = comments.iter().rev().find_map(|comment| pause_reason(&comment.body, names));
            card.reason = told.or_else(|| Some("by a label, without a word".to_owned()));
        }
        cards.push(card);
    }
    let order = |card: &Card| rules.pipeline.stages().iter().position(|stage| stage.name == card.stage);
    cards.sort_by_key(|card| {
        (order(card).unwrap_or(usize::MAX), card.issue.to_string().len(), card.issue.to_string())
    });
    let mut workers = store.workers().await?;
    workers.retain(|worker| worker.lease.is_live(now));
    let of_agents = spending::of_agents(store, now).await?;
    let spent: Vec<_> = of_agents.into_iter().filter(|(_, spending)| spending.is_spent()).collect();
    for card in &mut cards {
        card.waits_for_budget(&spent);
    }
    let spent = spent.into_iter().map(|(_, spending)| spending).collect();
    Ok(Picture { cards, workers, dead, spent, now, has_store: !onlooker.is_scratch() })
}

/// What died because its lease was not there any more was decided anew; what died last with nothing after it is somebody's to
/// look at.
fn lately_dead(effects: Vec<Effect>) -> Vec<Effect> {
    let last_done = effects.iter().filter(|it| it.status == EffectStatus::Done).map(|it| it.id).max();
    effects.into_iter().filter(|it| it.status == EffectStatus::Dead && Some(it.id) > last_done).collect()
}

/// Returns whether nothing is left to be done with an issue.
fn is_over(row: &BoardRow, pipeline: &Pipeline) -> bool {
    let stage = row.column.as_deref().and_then(|column| pipeline.stage(column));
    row.is_closed && stage.is_none_or(|stage| !stage.is_working())
}

fn card(row: BoardRow, run: Option<&RunRow>, names: Names, own_lock: &str, now: StoreTime) -> Card {
    let foreign = row.labels.iter().find_map(|label| match names.read(label) {
        Some(Said::Locked(who)) if !label.eq_ignore_ascii_case(own_lock) => Some(who.to_owned()),
        _ => None,
    });
    let flags = [
        (Flag::AwaitingInput, "a person was asked", true),
        (Flag::Paused, "paused", true),
        (Flag::Blocked, "other issues come first", false),
        (Flag::RebaseNeeded, "the branch conflicts", false),
        (Flag::AwaitingReview, "waits for reviewers", false),
        (Flag::AwaitingCi, "waits for checks", false),
    ];
    let flag = flags.iter().find(|(flag, ..)| row.labels.iter().any(|label| names.is_flag(label, *flag)));
    let (state, is_alarming) = match (run, flag, &foreign) {
        (Some(run), ..) if run.run.status == RunStatus::Running => {
            (format!("{} is at work, run {}", run.run.agent, run.run.id), false)
        }
        (_, Some((_, words, is_alarming)), _) => ((*words).to_owned(), *is_alarming),
        (Some(run), ..) => (format!("{}, run {} of {}", queue_word(run), run.run.id, run.run.agent), false),
        (None, None, Some(who)) => (format!("held by {who}"), false),
        (None, None, None) => ("waits for its turn".to_owned(), false),
    };
    let since_run = run.map(|row| now.since(shapes::since(row)).as_secs());
    let since_change = u64::try_from(now.ms / 1000 - row.updated_at.0).unwrap_or(0);
    Card {
        stage: row.column.unwrap_or_else(|| table::NONE.to_owned()),
        issue: row.issue,
        state,
        run: run.cloned(),
        locked_by: foreign,
        age_s: since_run.unwrap_or(since_change),
        reason: None,
        waits_because: None,
        is_alarming,
    }
}

impl Card {
    /// A run whose agent has spent a budget waits for the next day, and not for a worker.
    fn waits_for_budget(&mut self, spent: &[(AgentKey, Spending)]) {
        let queued = self.run.as_ref().filter(|row| row.run.status == RunStatus::Queued);
        let Some(agent) = queued.map(|row| row.run.agent.key()) else { return };
        if let Some((_, spending)) = spent.iter().find(|(own, _)| *own == agent) {
            self.waits_because = Some(format!("{}{UNTIL_TOMORROW}", spending.words()));
            self.is_alarming = true;
        }
    }
}

fn queue_word(row: &RunRow) -> &'static str {
    if row.run.status == RunStatus::ScheduledRetry { "tried again later" } else { "queued" }
}

/// Returns the first words under a heading of ours that tells of a pause.
fn pause_reason(body: &str, names: Names) -> Option<String> {
    let about = body.strip_prefix(names.heading())?.strip_prefix(" — ")?;
    let is_pause =
        ["paused", "a question", "stage failed", "cancelled"].iter().any(|it| about.starts_with(it));
    let text = about.split_once("\n\n").filter(|_| is_pause)?.1;
    let first = text.split("\n\n").next().unwrap_or(text);
    Some(table::one_line(first, REASON_CHARS_MAX))
}

fn print(picture: &Picture) {
    if picture.cards.is_empty() {
        say!("no issue is on its way");
    } else {
        let lines: Vec<_> = picture.cards.iter().map(line).collect();
        table::print(["STAGE", "ISSUE", "STATE", "FOR", "WHY"], &lines);
    }
    say!("");
    match picture.workers.as_slice() {
        [] if !picture.has_store => say!("no engine has been here: `baton up` starts one"),
        [] => say!("no worker is alive: `baton up` starts an engine"),
        workers => {
            let names: Vec<_> = workers.iter().map(|it| format!("{} on {}", it.name, it.host)).collect();
            say!("workers: {}", names.join(", "));
        }
    }
    for spending in &picture.spent {
        say!("{}{UNTIL_TOMORROW}", spending.words());
    }
    if !picture.dead.is_empty() {
        say!("\neffects that never took effect (`baton explain REF` says what comes next):");
        for (issue, effect) in &picture.dead {
            say!(
                "  {issue}  {}  {}",
                shapes::deed(&effect.deed),
                effect.error.as_deref().unwrap_or("no reason was kept")
            );
        }
    }
}

fn line(card: &Card) -> table::Line<5> {
    let cells = [
        card.stage.clone(),
        card.issue.to_string(),
        card.state.clone(),
        spoken(std::time::Duration::from_secs(card.age_s)),
        card.reason.clone().or_else(|| card.waits_because.clone()).unwrap_or_default(),
    ];
    table::Line { cells, is_alarming: card.is_alarming }
}

fn shape(picture: &Picture) -> Value {
    let card = |card: &Card| {
        json!({
            "issue": card.issue.to_string(),
            "stage": card.stage,
            "state": card.state,
            "run": card.run.as_ref().map(|row| shapes::holder(row, picture.now)),
            "locked_by": card.locked_by,
            "age_s": card.age_s,
            "paused_because": card.reason,
            "waits_because": card.waits_because,
        })
    };
    let worker = |row: &WorkerRow| {
        json!({
            "worker": row.lease.worker,
            "name": row.name,
            "host": row.host,
            "since": row.since.to_string(),
            "until": row.lease.until.to_string(),
        })
    };
    let dead = |(issue, effect): &(IssueKey, Effect)| json!({ "issue": issue.to_string(), "effect": effect.id, "deed": effect.deed, "error": effect.error });
    json!({
        "issues": picture.cards.iter().map(card).collect::<Vec<_>>(),
        "workers": picture.workers.iter().map(worker).collect::<Vec<_>>(),
        "spent_budgets": picture.spent,
        "dead_effects": picture.dead.iter().map(dead).collect::<Vec<_>>(),
    })
}
