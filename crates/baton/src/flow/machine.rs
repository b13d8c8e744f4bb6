//! The parts of an engine on this machine: GitHub, a database, git and real programs, put together from the configuration.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use baton_claims::machine::{SystemClock, SystemEntropy};
use baton_claims::{Fleet, FleetClaims, FleetSettings, LocalMemory};
use baton_core::RepoSlug;
use baton_core::board::News;
use baton_core::claim::Codename;
use baton_core::config::{Config, PipelineDialect};
use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::Pipeline;
use baton_core::slot::Safeguards;
use baton_core::workspace::names::issue_of_branch;
use baton_engine::clerk::ClerkSettings;
use baton_engine::engine::{Engine, TellDeed, TellRun};
use baton_engine::leases::LeaseBook;
use baton_engine::marshal::{Book, Marshal, MarshalSettings, Outfit, Parts, Rules, Tell};
use baton_engine::relay::Relay;
use baton_engine::worker::WorkerSettings;
use baton_git::GitWorkspaces;
use baton_github::{GitHub, GitHubBoard, LabelBoard, ProjectBoard, webhooks};
use baton_ports::store::Delivery;
use baton_slack::Slack;
use baton_store::SqlStore;

use super::context::Desk;
use super::legs;
use super::programs::Programs;
use super::slack;
use crate::claims::context::{claim_settings, github_settings};
use crate::claims::naming::Naming;
use crate::command_error::CommandError;
use crate::{stages, worktrees};

/// What claims of an engine are called when no operator is named.
const ENGINE: &str = "baton";
/// How many issues are looked at at one time.
const LOOKS_AT_ONCE: usize = 8;
/// How many effects are performed at one time, each of another issue.
const EFFECTS_AT_ONCE: usize = 16;
/// How often the outbox is looked through without a nudge.
const OUTBOX_POLL: Duration = Duration::from_secs(1);

/// What the name of the worker ends in that performs effects: it is there where an engine decides.
pub(crate) const CLERK_SUFFIX: &str = " (outbox)";

/// An engine on this machine.
#[derive(Debug)]
pub(crate) struct Machine;

impl Parts for Machine {
    type Store = SqlStore;
    type Tracker = GitHub;
    type Board = GitHubBoard;
    type Clock = SystemClock;
    type Entropy = SystemEntropy;
    type Memory = LocalMemory;
    type Workspaces = GitWorkspaces;
    type Programs = Programs;
    type Messenger = Option<Slack>;
}

/// The leases that engines of this installation hold on the tracker.
pub(crate) fn lease_book(desk: &Desk) -> Result<Arc<Book<Machine>>, CommandError> {
    let claims = claims(desk)?;
    let name = desk.config().user.as_deref().unwrap_or(ENGINE).to_ascii_lowercase();
    let codename: Codename =
        name.parse().or_else(|_| ENGINE.parse()).map_err(|error| CommandError::out_of_reach(&error))?;
    Ok(Arc::new(LeaseBook::new(claims, codename, head_start(desk))))
}

/// An agent must be dead before its lease is over: that takes two graces at most.
fn head_start(desk: &Desk) -> Duration {
    desk.config().kill_grace * 2
}

/// Who decides on this machine.
pub(crate) fn marshal(
    desk: &Desk,
    relay: Relay<SqlStore, SystemEntropy>,
    tell: Tell,
) -> Result<Arc<Marshal<Machine>>, CommandError> {
    let leases = lease_book(desk)?;
    let github = leases.claims.tracker.clone();
    let config = desk.config();
    let pipeline = stages::load::load(&desk.loaded, &desk.surroundings)?.set.pipeline;
    let repos = repos(desk)?;
    let budget = github.clone();
    let dialect = config.pipeline.dialect;
    Ok(Arc::new(Marshal::new(Outfit {
        relay,
        board: board(config, &github, &repos, &pipeline),
        tracker: github,
        clock: SystemClock,
        leases,
        workspaces: Arc::new(worktrees::workspaces(&desk.loaded, &desk.surroundings)?),
        settings: MarshalSettings {
            dialect,
            repos,
            reconcile_every: config.pipeline.reconcile_every,
            sweep_every: config.claims.sweep_every,
            looks_at_once: LOOKS_AT_ONCE,
            lock_grace: config.claims.missing_claim_grace,
        },
        decode: Box::new(move |delivery| decoded(delivery, dialect)),
        messenger: slack::messenger(desk)?,
        tell,
        left_permille: Box::new(move || budget.left_permille()),
        rules: Rules::of(config, pipeline),
    })))
}

/// The repositories whose issues are worked on.
pub(crate) fn repos(desk: &Desk) -> Result<Vec<RepoSlug>, CommandError> {
    let config = desk.config();
    if !config.sources.repos.is_empty() {
        return Ok(config.sources.repos.clone());
    }
    let naming = Naming { api_url: &config.api_url, surroundings: &desk.surroundings };
    let here = naming.here().ok_or_else(|| {
        CommandError::Usage(
            "no repository is named, and this is no checkout of one: set `repos: [OWNER/NAME]` in baton.yaml"
                .to_owned(),
        )
    })?;
    Ok(vec![here])
}

fn board(config: &Config, github: &GitHub, repos: &[RepoSlug], pipeline: &Pipeline) -> GitHubBoard {
    match &config.sources.project {
        Some(project) => GitHubBoard::Project(ProjectBoard::new(
            github.clone(),
            repos.to_vec(),
            project.clone(),
            config.sources.field.clone(),
        )),
        None => {
            let stages = pipeline.stages().iter().map(|stage| stage.name.clone()).collect();
            let dialect = config.pipeline.dialect.into();
            GitHubBoard::Labels(LabelBoard::new(github.clone(), repos.to_vec(), stages, dialect))
        }
    }
}

fn decoded(delivery: &Delivery, dialect: PipelineDialect) -> Vec<News> {
    let issue = |branch: &str| issue_of_branch(dialect, branch);
    match webhooks::decode(&delivery.event, delivery.payload.as_bytes(), &issue) {
        Ok(news) => news,
        Err(error) => {
            eprintln!("delivery {} ({}) says nothing: {error}", delivery.id, delivery.event);
            Vec::new()
        }
    }
}

/// What an engine on this machine is made of.
pub(crate) fn engine(
    desk: &Desk,
    marshal: Arc<Marshal<Machine>>,
    worker: WorkerSettings,
    tell_run: TellRun,
    tell_deed: TellDeed,
) -> Result<Engine<Machine>, CommandError> {
    let config = desk.config();
    // Nothing is sent that could land after the lease; so the lease must leave room for requests between two heartbeats.
    let request_timeout = marshal.leases.claims.settings.timing.request_timeout;
    let clerk = ClerkSettings {
        name: format!("{}{CLERK_SUFFIX}", worker.name),
        host: worker.host.clone(),
        heartbeat: worker.heartbeat,
        ttl: worker.ttl.max(request_timeout * 2 + worker.heartbeat * 2),
        stop_grace: config.kill_grace,
        poll: OUTBOX_POLL,
        at_once: EFFECTS_AT_ONCE,
    };
    Ok(Engine {
        programs: legs::programs(desk)?,
        legs: legs::settings(desk)?.into(),
        worker,
        clerk,
        visible_within: config.claims.visible_within,
        request_timeout,
        tell_run,
        tell_deed,
        safeguards: Safeguards::default(),
        marshal,
    })
}

fn claims(desk: &Desk) -> Result<FleetClaims, CommandError> {
    let config = desk.config();
    let mut settings = claim_settings(config, None, &desk.surroundings);
    // The pipeline's guards have decided that an issue may be worked on before it is claimed.
    settings.eligibility.is_decided = true;
    settings.eligibility.dialect = match config.pipeline.dialect {
        PipelineDialect::Fabrik => Dialect::Fabrik,
        PipelineDialect::Baton => config.claims.dialect,
    };
    let settings = FleetSettings {
        github: github_settings(&desk.loaded, &desk.surroundings)?,
        claims: settings,
        state_dir: absolute(desk.loaded.state_dir()),
    };
    let fleet = Fleet::new(settings).map_err(|error| CommandError::Usage(error.to_string()))?;
    Ok(fleet.claims)
}

pub(super) fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}
