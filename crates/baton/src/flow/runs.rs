//! `baton runs`: the runs there are and were.

use baton_core::slot::RunStatus;
use baton_core::time::StoreTime;
use baton_ports::Store as _;
use baton_ports::store::{RunFilter, RunRow};
use clap::Args;
use serde_json::json;

use super::context::{Flow, StoreArguments};
use super::{shapes, table};
use crate::claims::context::{print_json, spoken};
use crate::claims::naming::IssueArgument;
use crate::command_error::CommandError;

/// How much of what went wrong is shown in a list.
const NOTE_CHARS_MAX: usize = 60;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton runs                                      the last 20
  baton runs --issue acme/web#42 --status failed  those of an issue that failed
  baton runs --limit 100 --json                   for programs

Exit codes:
  0  listed, even if there are none
  3  the store cannot be reached")]
pub(crate) struct Runs {
    /// Only of this issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(long, value_name = "REF")]
    issue: Option<IssueArgument>,
    /// Only in this status; may be given several times.
    #[arg(long = "status", value_name = "STATUS")]
    statuses: Vec<RunStatus>,
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArguments,
}

impl Runs {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let desk = self.store.read()?;
        let item = self.issue.as_ref().map(|issue| desk.item(issue)).transpose()?;
        let filter =
            RunFilter { item, statuses: self.statuses.clone(), limit: self.limit, ..RunFilter::default() };
        let (rows, now) = match desk.open_if_there()? {
            Some(flow) => flow.block_on(look(&flow, &filter))?,
            None => (Vec::new(), StoreTime::default()),
        };
        if self.json {
            let shapes: Vec<_> = rows.iter().map(|row| shapes::run(row, now)).collect();
            return print_json(&json!({ "runs": shapes }));
        }
        print(&rows, now);
        Ok(())
    }
}

async fn look(flow: &Flow, filter: &RunFilter) -> Result<(Vec<RunRow>, StoreTime), CommandError> {
    let store = &flow.relay.store;
    Ok((store.runs(filter).await?, store.now().await?))
}

fn print(rows: &[RunRow], now: StoreTime) {
    if rows.is_empty() {
        eprintln!("there are no such runs");
        return;
    }
    let lines: Vec<_> = rows.iter().map(|row| line(row, now)).collect();
    table::print(["RUN", "ISSUE", "AGENT", "STATUS", "ATTEMPT", "AGE", "HOST", "NOTE"], &lines);
}

fn line(row: &RunRow, now: StoreTime) -> table::Line<8> {
    let run = &row.run;
    let cells = [
        run.id.to_string(),
        row.item.to_string(),
        run.agent.to_string(),
        run.status.to_string(),
        (run.attempt + 1).to_string(),
        spoken(now.since(run.created_at)),
        row.host.clone().unwrap_or_else(|| table::NONE.to_owned()),
        note(row, now),
    ];
    table::Line { cells, is_alarming: matches!(run.status, RunStatus::Failed | RunStatus::TimedOut) }
}

/// What its status does not say.
fn note(row: &RunRow, now: StoreTime) -> String {
    let run = &row.run;
    match (run.status, &run.error, run.cause) {
        (RunStatus::ScheduledRetry, ..) => format!("again in {}", spoken(run.not_before.since(now))),
        (RunStatus::Running, ..) => {
            run.stop.map_or_else(String::new, |stop| format!("asked to stop: {stop}"))
        }
        (_, Some(error), _) => table::one_line(error, NOTE_CHARS_MAX),
        (_, None, Some(cause)) => cause.to_string(),
        (_, None, None) => String::new(),
    }
}
