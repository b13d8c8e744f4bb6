//! `baton engine --idle`: a worker that executes what others wake, and decides nothing by itself.

use std::time::Duration;

use baton_claims::machine::SystemClock;
use baton_core::config::Config;
use baton_core::slot::limits;
use baton_engine::worker::{News, Worker, WorkerSettings};
use baton_ports::Store as _;
use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use super::context::{Flow, StoreArguments, host_name};
use super::legs;
use super::report::Reporter;
use crate::command_error::CommandError;

/// How often work is looked for without a nudge.
const POLL: Duration = Duration::from_secs(5);
/// How often is looked for what a crash left behind.
const SCAN: Duration = Duration::from_secs(30);
/// How many items are healed before the first look.
const HEALED_MAX: usize = 1_000;
const NAME_CHARS_MAX: usize = 64;

#[derive(Debug, Args)]
pub(crate) struct Engine {
    /// Only execute what others wake. There is no other way yet.
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
        if !self.idle {
            return Err(CommandError::Usage(
                "only `baton engine --idle` exists yet: it executes what `baton wake` asks for, and decides nothing by itself"
                    .to_owned(),
            ));
        }
        self.check_name()?;
        let desk = self.store.read()?;
        if desk.config().agents.is_empty() {
            return Err(CommandError::Usage(
                "no agent is configured, so there is nothing to execute: add one under `agents:` in baton.yaml".to_owned(),
            ));
        }
        let flow = desk.open()?;
        flow.block_on(self.work(&flow))
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
        let mut signals = Signals::listen()?;
        flow.relay.store.set_limits(&limits::of(flow.desk.config())).await?;
        if self.once {
            // Who ends when there is nothing to start does not wait for a scan to find what a dead worker has left.
            flow.relay.heal(HEALED_MAX).await?;
        }
        let reporter = Reporter::default();
        let worker = Worker {
            relay: flow.relay.clone(),
            clock: SystemClock,
            agents: legs::legs(&flow.desk, flow.relay.store.clone())?,
            settings: self.settings(flow.desk.config()),
            tell: |news: News<'_>| reporter.tell(&news),
        };
        let (sender, receiver) = oneshot::channel();
        let end = async {
            // A sender that is gone has said nothing.
            if receiver.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            done = worker.run(end) => Ok(done?),
            () = signals.told_twice(sender) => Err(CommandError::No(
                "left at once: supervisors end the agents, and the runs go on when the worker's lease is over".to_owned(),
            )),
        }
    }

    fn settings(&self, config: &Config) -> WorkerSettings {
        WorkerSettings {
            name: self.name.clone().unwrap_or_else(host_name),
            host: host_name(),
            heartbeat: config.workers.heartbeat,
            ttl: config.workers.ttl,
            poll: POLL,
            scan: SCAN.min(config.workers.ttl),
            deferred_alarm: config.deferred_alarm,
            once: self.once,
        }
    }
}

/// The signals that end an engine.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> Result<Self, CommandError> {
        let listen = |kind| signal(kind).map_err(|error| CommandError::out_of_reach(&error));
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    /// Passes the first signal on, and returns after the second.
    async fn told_twice(&mut self, first: oneshot::Sender<()>) {
        self.next().await;
        eprintln!(
            "stopping: agents are asked to stop, and their runs given back; once more to leave at once"
        );
        let _ = first.send(());
        self.next().await;
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
