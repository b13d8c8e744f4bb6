//! The tour: everything is started, watched until all issues are done, and told about.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use baton_core::config::PipelineDialect;
use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::names::Names;
use baton_core::tracker::IssueKey;
use baton_core::workspace::names::issue_of_branch;
use baton_engine::marshal::Marshal;
use baton_web::ForgeDoor;
use serde_json::Value;
use tokio::sync::oneshot;

use super::client::Client;
use super::ground::{Ground, LANGUAGES, REPO, WANTED};
use super::people::Reviewer;
use super::score::Score;
use super::{rival, verdict};
use crate::command_error::CommandError;
use crate::flow::context::Flow;
use crate::flow::dashboard::DashboardPlan;
use crate::flow::engine::worker_settings;
use crate::flow::machine::Machine;
use crate::flow::signals::{Signals, Told, until_told};
use crate::flow::station::{Endpoint, SECRET_VARIABLE, Station};

/// How often the forge is looked at.
const EVERY: Duration = Duration::from_millis(200);
/// After so long, what is not done is stuck.
const PATIENCE: Duration = Duration::from_secs(300);

/// How the tour is made.
pub(super) struct Options<'a> {
    pub(super) exits: bool,
    pub(super) listen: Option<SocketAddr>,
    pub(super) directory: &'a Path,
}

/// An issue as the forge shows it.
#[derive(Debug, Clone)]
pub(super) struct Issue {
    pub(super) number: u64,
    pub(super) is_closed: bool,
    pub(super) labels: Vec<String>,
    pub(super) pull: Option<u64>,
    pub(super) is_merged: bool,
}

/// All issues at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub(super) issues: Vec<Issue>,
}

impl Issue {
    /// Returns whether its relay is over: merged, closed, cleaned up in the last column, and with no label that says
    /// otherwise. While an issue is moved it is in two columns.
    pub(super) fn is_done(&self) -> bool {
        let is_last =
            self.columns().eq(["Done"]) && self.labels.iter().any(|label| label == "stage:Done:complete");
        self.is_closed && self.is_merged && is_last && self.unclean().next().is_none()
    }

    pub(super) fn has_label(&self, label: &str) -> bool {
        self.labels.iter().any(|own| own == label)
    }

    /// Returns the labels that say that something is still going on.
    pub(super) fn unclean(&self) -> impl Iterator<Item = &str> {
        let names = Names::of(Dialect::Baton);
        self.labels.iter().map(String::as_str).filter(move |label| verdict::is_transient(names, label))
    }

    fn columns(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().filter_map(|label| label.strip_prefix("stage:")).filter(|rest| !rest.contains(':'))
    }
}

/// Plays it all.
pub(super) async fn play(ground: &Ground, flow: &Flow, options: &Options<'_>) -> Result<(), CommandError> {
    let signals = Signals::listen()?;
    until_told(signals, |told| run(ground, flow, options, told)).await
}

async fn run(ground: &Ground, flow: &Flow, options: &Options<'_>, told: Told) -> Result<(), CommandError> {
    let address = options.listen.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let endpoint = Endpoint::bind(address, true).await?;
    let secret = flow.desk.loaded.dotenv().iter().find(|it| it.name == SECRET_VARIABLE);
    let listening = endpoint.address()?;
    let door = ForgeDoor { api_url: ground.forge.url(), token: ground.visitor_token.clone() };
    let plan = DashboardPlan::new(&flow.desk, listening, Some(door))?;
    ground.tell(listening, secret.map_or("", |it| &it.value)).await?;
    say!("dashboard: http://{listening}");
    say!("forge:     {}", ground.forge.url());
    say!("files:     {}\n", options.directory.display());
    ground.open_issues().await?;
    let score = Arc::new(Score::new());
    let worker = worker_settings(flow.desk.config(), None);
    let station = Station::open(flow, Some(endpoint), worker, Arc::clone(&score) as _).await?;
    let station = station.with_dashboard(plan);
    let marshal = Arc::clone(&station.marshal);
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = async {
        let _ = stopped.await;
    };
    let touring = async {
        let toured = tour(ground, flow, options, &marshal, &score, told).await;
        let _ = stop.send(());
        toured
    };
    let (ran, toured) = tokio::join!(station.run(flow, ended), touring);
    toured.and(ran)
}

async fn tour(
    ground: &Ground,
    flow: &Flow,
    options: &Options<'_>,
    marshal: &Marshal<Machine>,
    score: &Score,
    told: Told,
) -> Result<(), CommandError> {
    let watching = async {
        let raced = race(ground, flow, options.directory, score);
        let watched = tokio::time::timeout(PATIENCE, async { tokio::try_join!(watch(ground, score), raced) });
        let finished = watched.await;
        score.close();
        verdict::tell(ground, score).await?;
        match finished {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(error),
            Err(_) => verdict::stuck(ground, flow, marshal).await,
        }
    };
    let mut told = std::pin::pin!(told.wait());
    tokio::select! {
        watched = watching => watched?,
        () = &mut told => {
            score.close();
            return Err(CommandError::No("interrupted before all issues were done".to_owned()));
        }
    }
    if !options.exits {
        verdict::invite(ground, options.directory);
        told.await;
    }
    Ok(())
}

/// Sends the other worker when the engine holds the issue.
async fn race(ground: &Ground, flow: &Flow, directory: &Path, score: &Score) -> Result<(), CommandError> {
    score.is_held.notified().await;
    let issue: Result<IssueKey, _> = format!("{REPO}#{WANTED}").parse();
    let issue = issue.map_err(|error| CommandError::out_of_reach(&error))?;
    rival::compete(ground, flow, directory, &issue, score).await
}

/// Watches the forge until all issues are done.
async fn watch(ground: &Ground, score: &Score) -> Result<(), CommandError> {
    let mut reviewer = Reviewer::new(&ground.reviewer);
    let mut reds = verdict::Reds::default();
    loop {
        let snapshot = look(&ground.admin).await?;
        for issue in &snapshot.issues {
            let column = Some(issue.columns().collect::<Vec<_>>())
                .filter(|it| it.len() == 1)
                .map(|it| it[0].to_owned());
            let elapsed = score.elapsed();
            score.change(issue.number, |row| {
                row.pull = issue.pull;
                if let Some(column) = column.filter(|column| *column != row.stage) {
                    row.stages += 1;
                    row.stage = column;
                }
                if issue.is_done() && row.took.is_none() {
                    row.took = Some(elapsed);
                }
            });
        }
        reviewer.look(&snapshot, score).await?;
        reds.look(&ground.admin, &snapshot, score).await?;
        if !snapshot.issues.is_empty() && snapshot.issues.iter().all(Issue::is_done) {
            return Ok(());
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Reads all issues and their pull requests.
pub(super) async fn look(client: &Client) -> Result<Snapshot, CommandError> {
    let issues = client.get(&format!("/repos/{REPO}/issues?state=all&per_page=100")).await?;
    let pulls = client.get(&format!("/repos/{REPO}/pulls?state=all&per_page=100")).await?;
    let pull_of = |number: u64| {
        let is_of = |pull: &&Value| {
            let branch = pull["head"]["ref"].as_str().unwrap_or_default();
            issue_of_branch(PipelineDialect::Baton, branch) == Some(number)
        };
        pulls.as_array().and_then(|pulls| pulls.iter().find(is_of))
    };
    let issue = |issue: &Value| {
        let number = issue["number"].as_u64()?;
        let pull = pull_of(number);
        let labels = issue["labels"].as_array()?.iter().filter_map(|label| label["name"].as_str());
        // What visitors open is theirs to look after.
        if usize::try_from(number).is_ok_and(|number| number > LANGUAGES.len()) {
            return None;
        }
        Some(Issue {
            number,
            is_closed: issue["state"] == "closed",
            labels: labels.map(str::to_owned).collect(),
            pull: pull.and_then(|pull| pull["number"].as_u64()),
            is_merged: pull.is_some_and(|pull| !pull["merged_at"].is_null()),
        })
    };
    let plain = issues.as_array().into_iter().flatten().filter(|issue| issue["pull_request"].is_null());
    let mut issues: Vec<_> = plain.filter_map(issue).collect();
    issues.sort_by_key(|issue| issue.number);
    Ok(Snapshot { issues })
}
