//! `baton wakeups`: who was asked to look at what, and what became of it.

use baton_core::config::Config;
use baton_core::slot::WakeupStatus;
use baton_core::time::StoreTime;
use baton_ports::Store as _;
use baton_ports::store::{WakeupFilter, WakeupRow};
use clap::Args;
use serde_json::json;

use super::context::{Flow, StoreArguments};
use super::{shapes, table};
use crate::claims::context::{print_json, spoken};
use crate::claims::naming::IssueArgument;
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton wakeups                             the last 20, and what became of them
  baton wakeups --issue acme/web#42 --json  those of an issue, for programs

Exit codes:
  0  listed, even if there are none
  3  the store cannot be reached")]
pub(crate) struct Wakeups {
    /// Only of this issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(long, value_name = "REF")]
    issue: Option<IssueArgument>,
    /// Only in this status; may be given several times.
    #[arg(long = "status", value_name = "STATUS", value_parser = status)]
    statuses: Vec<WakeupStatus>,
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArguments,
}

/// Nobody types `deferred_issue_execution` who could write `deferred`.
fn status(text: &str) -> Result<WakeupStatus, String> {
    if text == "deferred" { Ok(WakeupStatus::Deferred) } else { text.parse() }
}

impl Wakeups {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let desk = self.store.read()?;
        let item = self.issue.as_ref().map(|issue| desk.item(issue)).transpose()?;
        let statuses = self.statuses.clone();
        let filter = WakeupFilter { item, statuses, created_before: None, limit: self.limit };
        let config = desk.config().clone();
        let (rows, now) = match desk.open_if_there()? {
            Some(flow) => flow.block_on(look(&flow, &filter))?,
            None => (Vec::new(), StoreTime::default()),
        };
        if self.json {
            let shapes: Vec<_> = rows.iter().map(|row| shapes::wakeup(row, now, &config)).collect();
            return print_json(&json!({ "wakeups": shapes }));
        }
        print(&rows, now, &config);
        Ok(())
    }
}

async fn look(flow: &Flow, filter: &WakeupFilter) -> Result<(Vec<WakeupRow>, StoreTime), CommandError> {
    let store = &flow.relay.store;
    Ok((store.wakeups(filter).await?, store.now().await?))
}

fn print(rows: &[WakeupRow], now: StoreTime, config: &Config) {
    if rows.is_empty() {
        eprintln!("there are no such wakeups");
        return;
    }
    let lines: Vec<_> = rows.iter().map(|row| line(row, now, config)).collect();
    let heads = ["WAKEUP", "ISSUE", "AGENT", "STATUS", "REASON", "DISPOSITION", "AGE", "RUN", "NOTE"];
    table::print(heads, &lines);
}

fn line(row: &WakeupRow, now: StoreTime, config: &Config) -> table::Line<9> {
    let wakeup = &row.wakeup;
    let or_none = |text: Option<String>| text.unwrap_or_else(|| table::NONE.to_owned());
    let is_alarming = shapes::is_overdue(row, now, config);
    let cells = [
        wakeup.id.to_string(),
        row.item.to_string(),
        wakeup.agent.to_string(),
        wakeup.status.to_string(),
        wakeup.reason.to_string(),
        or_none(wakeup.disposition.map(|it| it.to_string())),
        spoken(now.since(wakeup.created_at)),
        or_none(wakeup.run.map(|run| run.to_string())),
        note(row, is_alarming),
    ];
    table::Line { cells, is_alarming }
}

fn note(row: &WakeupRow, is_overdue: bool) -> String {
    let skip = row.wakeup.skip.map(|skip| skip.to_string());
    let merged = row.wakeup.merged_into.map(|into| format!("merged into wakeup {into}"));
    let overdue = is_overdue.then(|| "waits for too long".to_owned());
    overdue.or(skip).or(merged).unwrap_or_default()
}
