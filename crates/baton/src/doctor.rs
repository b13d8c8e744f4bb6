//! `baton doctor`: everything that the relay needs, looked at and told, with what helps.
//!
//! Facts are gathered here, each within a bounded time and without changing anything; what they mean is decided in
//! `baton_core::doctor`. What cannot be looked at because of something else that is wrong is told as not checked.

mod claims;
pub(crate) mod local;
mod people;
mod size;
mod store;
mod tracker;
mod wakers;
mod webhooks;

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use baton_core::doctor::{CheckId, Finding, Grade, Report, setup};
use baton_core::pipeline::Pipeline;
use clap::Args;

use crate::claims::context::print_json;
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};
use crate::flow::context::Desk;
use crate::stages;
use size::Size;

/// How long a check may take that talks to somebody.
const CHECK_TIME_MAX: Duration = Duration::from_secs(30);

/// The checks that need an account on the tracker.
const WITH_ACCOUNT: [CheckId; 7] = [
    CheckId::Scopes,
    CheckId::Repository,
    CheckId::Labels,
    CheckId::Board,
    CheckId::Webhooks,
    CheckId::Claims,
    CheckId::Wakers,
];

/// The checks that need a tracker.
const WITH_TRACKER: [CheckId; 3] = [CheckId::Token, CheckId::RateBudget, CheckId::Clock];

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton doctor         a line for each check, and what helps
  baton doctor --json  the same for programs (docs/doctor.md)

Exit codes:
  0  nothing failed
  1  a check failed
  3  the tracker or the store cannot be reached")]
pub(crate) struct Doctor {
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    /// The least room that there must be on disks, such as 500MB or 2GB.
    #[arg(long, value_name = "SIZE", default_value = "500MB")]
    disk_min: Size,
    #[command(flatten)]
    config: ConfigArgument,
}

impl Default for Doctor {
    fn default() -> Self {
        Self { json: false, disk_min: Size(500_000_000), config: ConfigArgument::default() }
    }
}

impl Doctor {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let report = self.examine(surroundings)?.finished();
        match self.json {
            true => print_json(&report.shape())?,
            false => print(&report),
        }
        match report.exit_code() {
            0 => Ok(()),
            code => Err(CommandError::SaidWith(ExitCode::from(code))),
        }
    }

    fn examine(&self, surroundings: Surroundings) -> Result<Report, CommandError> {
        let mut report = Report::default();
        report.add(local::git(surroundings.directory()));
        let loaded = match self.config.load(Vec::new(), &surroundings) {
            Ok(loaded) => loaded,
            Err(error) => {
                report.add([setup::unreadable_config(&plain(&error))]);
                report.skip(CheckId::ALL, "the configuration cannot be read (see `config`)");
                return Ok(report);
            }
        };
        let desk = Desk { surroundings, loaded };
        report.add(local::config(&desk));
        report.add(local::agents(&desk));
        report.add(local::disk(&desk, self.disk_min.0));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| CommandError::OutOfReach(format!("no runtime: {error}")))?;
        let pipeline = self.stages(&desk, &mut report);
        if let Some(pipeline) = &pipeline {
            report.add(runtime.block_on(people::examine(&desk, pipeline)));
        }
        let stored = runtime.block_on(store::examine(&desk, &mut report));
        let patient = Patient { desk, pipeline, runtime };
        patient.on_the_tracker(&mut report);
        self.wakers(&stored, &mut report);
        Ok(report)
    }

    fn stages(&self, desk: &Desk, report: &mut Report) -> Option<Pipeline> {
        match stages::load::load(&desk.loaded, &desk.surroundings) {
            Ok(stages) => {
                let is_known = |name: &str| desk.config().agent(name).is_some();
                let set = &stages.set;
                report.add(setup::stages(&stages.origin(), &set.pipeline, &set.warnings, is_known));
                Some(stages.set.pipeline)
            }
            Err(error) => {
                report.add([setup::unreadable_stages(&plain(&error))]);
                let needing = [CheckId::Board, CheckId::Wakers, CheckId::Approvals, CheckId::Slack];
                report.skip(&needing, "the stages cannot be read (see `stages`)");
                None
            }
        }
    }

    /// What needs the tracker and the store both.
    fn wakers(&self, stored: &store::Stored, report: &mut Report) {
        if report.of(CheckId::Wakers).next().is_some() {
            return;
        }
        if let store::Stored::Unusable(because) = stored {
            return report.skip(&[CheckId::Wakers], because);
        }
        let found = Desk::read(&self.config).map_err(|error| plain(&error)).and_then(|desk| {
            let again = || Desk::read(&self.config);
            wakers::examine(desk, again)
        });
        report.add(found.unwrap_or_else(|why| {
            let found = format!("the issues cannot be looked at: {why}");
            vec![Finding::fail(CheckId::Wakers, found, "baton status; then look at what it says")]
        }));
    }
}

/// What is looked at.
struct Patient {
    desk: Desk,
    pipeline: Option<Pipeline>,
    runtime: tokio::runtime::Runtime,
}

impl Patient {
    fn on_the_tracker(&self, report: &mut Report) {
        let is_of_its_own = crate::flow::own_forge::is_needed(&self.desk).unwrap_or(false);
        if is_of_its_own {
            report.add([Finding::ok(
                CheckId::Tracker,
                "none is configured: `baton up` brings a forge of its own",
            )]);
            report.skip(&WITH_TRACKER, "no tracker is configured");
            report.skip(&WITH_ACCOUNT, "no tracker is configured");
            return;
        }
        let Some(github) = self.runtime.block_on(tracker::account(&self.desk, report)) else {
            report.skip(&WITH_TRACKER, "the tracker cannot be reached (see `tracker`)");
            let is_reached = report.of(CheckId::Tracker).all(|finding| finding.grade == Grade::Ok);
            let because = match is_reached {
                true => "the tracker knows no account of ours (see `token`)",
                false => "the tracker cannot be reached (see `tracker`)",
            };
            return report.skip(&WITH_ACCOUNT, because);
        };
        let repos = match crate::flow::machine::repos(&self.desk) {
            Ok(repos) => repos,
            Err(error) => {
                let fix = "set `repos: [OWNER/NAME]` in baton.yaml, or: git remote add origin URL";
                report.add([Finding::fail(CheckId::Repository, plain(&error), fix)]);
                return report.skip(&WITH_ACCOUNT, "no repository is named (see `repository`)");
            }
        };
        self.runtime.block_on(async {
            let seen = tracker::repositories(&github, &repos, report).await;
            if seen.is_empty() {
                return report.skip(&WITH_ACCOUNT, "no repository can be used (see `repository`)");
            }
            tracker::labels(&github, &seen, report).await;
            if let Some(pipeline) = &self.pipeline {
                tracker::board(&github, self.desk.config(), pipeline, &seen, report).await;
            }
            report.add(webhooks::examine(&self.desk, &github, &seen).await);
            claims::examine(&self.desk, &seen, report).await;
        });
    }
}

/// Waits for an answer, but not for ever.
async fn within<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let late = |_| format!("there was no answer for {} s", CHECK_TIME_MAX.as_secs());
    tokio::time::timeout(CHECK_TIME_MAX, work).await.map_err(late)?
}

/// Returns what an error says, without the word that begins a line of its own.
pub(crate) fn plain(error: &CommandError) -> String {
    let said = error.to_string();
    said.strip_prefix("error: ").unwrap_or(&said).to_owned()
}

fn print(report: &Report) {
    let is_coloured =
        std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    let width = CheckId::ALL.iter().map(|check| check.as_str().len()).max().unwrap_or(0);
    for finding in report.findings() {
        say!("{}  {:width$}  {}", word(finding.grade, is_coloured), finding.check, finding.found);
        if let Some(fix) = &finding.fix {
            say!("      {:width$}  fix: {fix}", "");
        }
    }
    let count = |grade: Grade| format!("{} {grade}", report.count(grade));
    let counts: Vec<_> = Grade::ALL.iter().map(|grade| count(*grade)).collect();
    say!("\n{}", counts.join(", "));
}

fn word(grade: Grade, is_coloured: bool) -> String {
    let colour = match grade {
        Grade::Ok => "32",
        Grade::Warn => "33",
        Grade::Fail => "31",
        Grade::Skip => "2",
    };
    match is_coloured {
        true => format!("\u{1b}[{colour}m{grade:4}\u{1b}[0m"),
        false => format!("{grade:4}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    const OPENING: &str = "<!-- doctor:checks -->\n";
    const CLOSING: &str = "<!-- /doctor:checks -->";

    #[test]
    fn the_page_of_the_doctor_lists_the_checks_as_they_are() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/doctor.md");
        let page = fs::read_to_string(&path).unwrap_or_default();
        let (head, rest) = page.split_once(OPENING).expect("the page has a place for the table");
        let (found, tail) = rest.split_once(CLOSING).expect("the table ends");
        let table = baton_core::doctor::table();
        if std::env::var_os("BATON_BLESS").is_some() {
            fs::write(&path, format!("{head}{OPENING}{table}{CLOSING}{tail}"))
                .expect("the page can be written");
        } else {
            assert_eq!(
                found, table,
                "docs/doctor.md is stale: run `BATON_BLESS=1 cargo xtask test the_page_of_the_doctor` and commit it"
            );
        }
    }
}
