//! `baton engine`: decides, performs and executes; with `--idle`, a worker that executes what others wake and decides nothing.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use baton_claims::machine::SystemClock;
use baton_core::config::Config;
use baton_core::slot::limits;
use baton_engine::worker::{News, Worker, WorkerSettings};
use baton_ports::Store as _;
use clap::Args;

use super::context::{Flow, StoreArguments, host_name};
use super::legs;
use super::report::Reporter;
use super::signals::{Signals, until_told};
use super::station::{Endpoint, Station};
use super::teller::Teller;
use crate::command_error::CommandError;
use crate::telemetry::Telemetry;

/// How often work is looked for without a nudge.
const POLL: Duration = Duration::from_secs(5);
/// How often is looked for what a crash left behind.
const SCAN: Duration = Duration::from_secs(30);
/// How many items are healed before the first look.
const HEALED_MAX: usize = 1_000;
const NAME_CHARS_MAX: usize = 64;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton engine                decide, perform and execute, until told to stop
  baton engine --idle         only execute what was woken
  baton engine --idle --once  execute what is there, and leave

Exit codes:
  0  told to stop, or nothing is left
  1  told to stop twice
  3  the tracker or the store cannot be reached

SIGTERM and Ctrl-C stop agents, give their runs back and leave; a second signal leaves at once.")]
pub(crate) struct Engine {
    /// Only execute what others wake, and decide nothing.
    #[arg(long)]
    idle: bool,
    /// What this worker calls itself; by default the name of the machine.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// End when there is nothing left to start and nothing runs.
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    store: StoreArguments,
}

impl Engine {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        self.check_name()?;
        let desk = self.store.read()?;
        if desk.config().agents.is_empty() {
            return Err(CommandError::Usage(
                "no agent is configured, so there is nothing to execute: add one under `agents:` in baton.yaml".to_owned(),
            ));
        }
        if self.once && !self.idle {
            return Err(CommandError::Usage(
                "--once goes with --idle: an engine that decides always has something to wait for".to_owned(),
            ));
        }
        let flow = desk.open()?;
        match self.idle {
            true => flow.block_on(self.work(&flow)),
            false => flow.block_on(self.decide(&flow)),
        }
    }

    /// Decides, performs and executes, until it is told to stop.
    async fn decide(&self, flow: &Flow) -> Result<(), CommandError> {
        let signals = Signals::listen()?;
        let endpoint = match endpoint_of(flow.desk.config())? {
            Some(address) => Some(Endpoint::bind(address, true).await?),
            None => None,
        };
        let worker = self.settings(flow.desk.config());
        let station = Station::open(flow, endpoint, worker, Arc::new(Teller::default())).await?;
        let station = station.watching(flow, &self.store.config);
        until_told(signals, |told| station.run(flow, told.wait())).await
    }

    fn check_name(&self) -> Result<(), CommandError> {
        let is_good = |name: &String| {
            !name.trim().is_empty()
                && name.chars().count() <= NAME_CHARS_MAX
                && !name.contains(char::is_control)
        };
        match self.name.as_ref().is_none_or(is_good) {
            true => Ok(()),
            false => Err(CommandError::Usage(format!(
                "--name must be 1 to {NAME_CHARS_MAX} characters on one line"
            ))),
        }
    }

    async fn work(&self, flow: &Flow) -> Result<(), CommandError> {
        let signals = Signals::listen()?;
        flow.relay.store.set_limits(&limits::of(flow.desk.config())).await?;
        if self.once {
            // Who ends when there is nothing to start does not wait for a scan to find what a dead worker has left.
            flow.relay.heal(HEALED_MAX).await?;
        }
        let reporter = Reporter::default();
        let telemetry = Telemetry::start(&flow.desk.surroundings)?;
        let spans = telemetry.as_ref().map(Telemetry::spans);
        let worker = Worker {
            relay: flow.relay.clone(),
            clock: SystemClock,
            agents: legs::legs(&flow.desk, flow.relay.store.clone())?,
            settings: self.settings(flow.desk.config()),
            tell: |news: News<'_>| {
                if let Some(spans) = &spans {
                    spans.run(&news);
                }
                reporter.tell(&news);
            },
        };
        let worked = until_told(signals, |told| async {
            let worked = worker.run(told.wait()).await;
            if let Some(telemetry) = telemetry {
                telemetry.flush().await;
            }
            Ok(worked?)
        });
        worked.await
    }

    fn settings(&self, config: &Config) -> WorkerSettings {
        WorkerSettings { once: self.once, ..worker_settings(config, self.name.clone()) }
    }
}

/// How a worker of this machine keeps time.
pub(crate) fn worker_settings(config: &Config, name: Option<String>) -> WorkerSettings {
    WorkerSettings {
        name: name.unwrap_or_else(host_name),
        host: host_name(),
        heartbeat: config.workers.heartbeat,
        ttl: config.workers.ttl,
        poll: POLL,
        scan: SCAN.min(config.workers.ttl),
        deferred_alarm: config.deferred_alarm,
        once: false,
    }
}

/// Where webhooks are taken, if that is configured.
pub(crate) fn endpoint_of(config: &Config) -> Result<Option<SocketAddr>, CommandError> {
    let Some(text) = &config.sources.webhooks_listen else { return Ok(None) };
    let address = text.parse().map_err(|_| {
        CommandError::Usage(format!("`webhooks.listen`: `{text}` is no address such as 127.0.0.1:8477"))
    })?;
    Ok(Some(address))
}
