//! `baton report`: how much was done in a period, how long it took, and what it cost; as text, JSON, or a page that stands by
//! itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use baton_engine::watchtower::Live;
use baton_view::{Lookout as _, LookoutError, Period, Report};
use clap::Args;

use crate::claims::context::{print_json, spoken};
use crate::command_error::CommandError;
use crate::flow::context::StoreArguments;
use crate::flow::lookout::{links, tower};
use crate::flow::onlooker::Onlooker;
use crate::flow::table;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton report                               the last 14 days
  baton report --days 30 --html report.html  a page to send around
  baton report --json                        the same for programs

Exit codes:
  0  there is a report
  1  no engine has been here, so there is nothing to report
  3  the store cannot be reached, or the page cannot be written")]
pub(crate) struct ReportCommand {
    /// How many days, today included.
    #[arg(long, value_name = "DAYS", default_value_t = 14, value_parser = clap::value_parser!(u32).range(1..=366))]
    days: u32,
    /// Write a page that needs no server and no network.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    html: Option<PathBuf>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArguments,
}

impl ReportCommand {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let onlooker = Onlooker::open(self.store.read()?, None)?;
        if onlooker.is_scratch() {
            return Err(CommandError::No(
                "no engine has been here, so there is nothing to report: `baton up` starts one".to_owned(),
            ));
        }
        let report = onlooker.flow.block_on(self.read(&onlooker))?;
        if let Some(path) = &self.html {
            let written = std::fs::write(path, baton_web::standalone_report(&report));
            written.map_err(|error| {
                CommandError::OutOfReach(format!("cannot write {}: {error}", path.display()))
            })?;
            say!("{}", path.display());
            return Ok(());
        }
        if self.json {
            let shape = serde_json::to_value(&report).map_err(|error| CommandError::out_of_reach(&error))?;
            return print_json(&shape);
        }
        print(&report);
        Ok(())
    }

    async fn read(&self, onlooker: &Onlooker) -> Result<Report, CommandError> {
        // Titles are the tracker's. A report without them is better than none.
        if let Err(error) = onlooker.marshal.survey().await {
            eprintln!("warning: titles are left out: {error}");
        }
        let desk = &onlooker.flow.desk;
        let marshal = Arc::clone(&onlooker.marshal);
        let tower = tower(desk, marshal, Arc::new(Live::default()), links(&desk.config().api_url));
        tower.report(Period { days: self.days }).await.map_err(|error| match error {
            LookoutError::Refused(words) => CommandError::Usage(words),
            LookoutError::NoSuch(words) | LookoutError::OutOfReach(words) => CommandError::OutOfReach(words),
        })
    }
}

fn dollars(micros: i64) -> String {
    format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000)
}

fn time(seconds: u64) -> String {
    spoken(Duration::from_secs(seconds))
}

fn print(report: &Report) {
    let totals = &report.totals;
    say!("{} to {}", report.from.day(), report.to.day());
    say!(
        "{} merged, {} runs ({} failed), {} spent{}",
        totals.merged,
        totals.runs,
        totals.failed_runs,
        dollars(totals.cost_micros),
        totals
            .cycle_s
            .map_or_else(String::new, |cycle| format!(", {} from the first run to the merge", time(cycle)))
    );
    if report.stages.is_empty() && report.issues.is_empty() {
        say!("nothing ended in this time");
        return;
    }
    say!("");
    let stage = |line: &baton_view::StageTime| table::Line {
        cells: [
            line.stage.clone(),
            line.issues.to_string(),
            line.runs.to_string(),
            time(line.median_s),
            time(line.p90_s),
            dollars(line.cost_micros),
        ],
        is_alarming: false,
    };
    table::print(
        ["STAGE", "ISSUES", "RUNS", "MEDIAN", "P90", "COST"],
        &report.stages.iter().map(stage).collect::<Vec<_>>(),
    );
    say!("");
    let issue = |line: &baton_view::IssueCost| table::Line {
        cells: [
            line.issue.clone(),
            line.runs.to_string(),
            dollars(line.cost_micros),
            line.cycle_s.map_or_else(|| table::NONE.to_owned(), time),
            line.title.clone().unwrap_or_default(),
        ],
        is_alarming: false,
    };
    table::print(
        ["ISSUE", "RUNS", "COST", "TO MERGE", "TITLE"],
        &report.issues.iter().map(issue).collect::<Vec<_>>(),
    );
    if report.hidden > 0 {
        say!("and {} more that cost less", report.hidden);
    }
}
