//! A station: an engine that decides, with what brings it news. The endpoint for webhooks, `gh webhook forward`, and the
//! files that people edit while it runs.
//!
//! Nothing around the engine is needed for it to work: an endpoint that hears nothing costs time, and surveys find what it
//! would have told.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use baton_claims::machine::SystemEntropy;
use baton_core::pacing::HookHealth;
use baton_core::slot::effect::Deed;
use baton_core::slot::{ItemKey, limits};
use baton_engine::engine::Engine;
use baton_engine::marshal::{Happened, Marshal};
use baton_engine::outbox::Performed;
use baton_engine::watchtower::Live;
use baton_engine::worker::{News, WorkerSettings};
use baton_github::Secret;
use baton_ports::{Entropy as _, Store as _};
use baton_web::Server;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use super::context::{Desk, Flow};
use super::dashboard::DashboardPlan;
use super::forward::{Forward, ForwardHealth, ForwardNews};
use super::lookout::{Watched, tower};
use super::machine::{self, Machine};
use super::notices::{Closing, Notices};
use super::reload::Watcher;
use super::slack;
use crate::command_error::CommandError;
use crate::config::ConfigArgument;
use crate::telemetry::{Telemetry, Traced};

/// The variable with what webhooks are signed with.
pub(crate) const SECRET_VARIABLE: &str = "BATON_WEBHOOK_SECRET";

/// How long requests under way are waited for at the end.
const LEAVE_AFTER: Duration = Duration::from_secs(2);

/// Who sees what an engine does.
pub(crate) trait Witness: Send + Sync {
    /// A look, a decision, or trouble with one.
    fn happened(&self, happened: &Happened<'_>);
    /// Something became of a run.
    fn run(&self, news: &News<'_>);
    /// Something was performed.
    fn deed(&self, item: &ItemKey, deed: &Deed, performed: &Performed);
}

/// Where webhooks come in.
pub(crate) struct Endpoint {
    /// What is listened on.
    pub(crate) listener: TcpListener,
    /// Whether somebody was told to deliver there.
    pub(crate) is_expected: bool,
}

impl Endpoint {
    /// Listens on an address.
    pub(crate) async fn bind(address: SocketAddr, is_expected: bool) -> Result<Self, CommandError> {
        let listener = TcpListener::bind(address).await.map_err(|error| {
            CommandError::OutOfReach(format!(
                "cannot listen on {address}: {error}; choose another address with --listen or `webhooks.listen`"
            ))
        })?;
        Ok(Self { listener, is_expected })
    }

    /// Returns the address, with the port that was picked.
    pub(crate) fn address(&self) -> Result<SocketAddr, CommandError> {
        self.listener.local_addr().map_err(|error| CommandError::out_of_reach(&error))
    }
}

/// An engine with what brings it news.
pub(crate) struct Station {
    /// Who decides.
    pub(crate) marshal: Arc<Marshal<Machine>>,
    engine: Engine<Machine>,
    live: Arc<Live>,
    endpoint: Option<Endpoint>,
    dashboard: Option<DashboardPlan>,
    watcher: Option<Watcher>,
    telemetry: Option<Telemetry>,
    notices: Option<Notices>,
}

impl Station {
    /// Puts a station together. Nothing is decided yet.
    pub(crate) async fn open(
        flow: &Flow,
        endpoint: Option<Endpoint>,
        worker: WorkerSettings,
        witness: Arc<dyn Witness>,
    ) -> Result<Self, CommandError> {
        let live = Arc::new(Live::default());
        let telemetry = Telemetry::start(&flow.desk.surroundings)?;
        let witness = match &telemetry {
            Some(telemetry) => Arc::new(Traced { spans: telemetry.spans(), witness }),
            None => witness,
        };
        let notices = Notices::of(&flow.desk)?;
        let witness = match &notices {
            Some(notices) => Arc::new(notices.announcer(&flow.desk, witness)),
            None => witness,
        };
        let witness = Arc::new(Watched { live: Arc::clone(&live), witness });
        let (of_looks, of_runs, of_deeds) = (Arc::clone(&witness), Arc::clone(&witness), witness);
        let marshal =
            machine::marshal(&flow.desk, flow.relay.clone(), Box::new(move |it| of_looks.happened(it)))?;
        let engine = machine::engine(
            &flow.desk,
            Arc::clone(&marshal),
            worker,
            Box::new(move |news| of_runs.run(news)),
            Box::new(move |item, deed, performed| of_deeds.deed(item, deed, performed)),
        )?;
        // What is wrong with the configuration was said by now, and the store is as it was.
        flow.relay.store.set_limits(&limits::of(flow.desk.config())).await?;
        Ok(Self { marshal, engine, live, endpoint, dashboard: None, watcher: None, telemetry, notices })
    }

    /// Shows people what it does, at the endpoint.
    pub(crate) fn with_dashboard(mut self, plan: DashboardPlan) -> Self {
        self.dashboard = Some(plan);
        self
    }

    /// Takes over what people edit while it runs.
    pub(crate) fn watching(mut self, flow: &Flow, argument: &ConfigArgument) -> Self {
        let legs = self.engine.legs.clone();
        self.watcher = Some(Watcher::new(&flow.desk, argument, Arc::clone(&self.marshal), legs));
        self
    }

    /// Runs until `end` is ready and everything is given back.
    pub(crate) async fn run(
        mut self,
        flow: &Flow,
        end: impl Future<Output = ()> + Send,
    ) -> Result<(), CommandError> {
        // Dropping the set ends all of them, so that leaving at once leaves nothing behind.
        let mut around = JoinSet::new();
        let (stop, stopped) = oneshot::channel();
        if let Some(watcher) = self.watcher.take() {
            let store = flow.relay.store.clone();
            around.spawn(async move { watcher.watch(&store).await });
        }
        if let Some(socket) = slack::socket(&flow.desk)? {
            let marshal = Arc::clone(&self.marshal);
            around.spawn(async move {
                socket.listen(|it| marshal.heard_of_slack(&it.channel, &it.ts)).await;
            });
        }
        let server = match self.endpoint.take() {
            None => None,
            Some(endpoint) => {
                let secret = self.forward(&flow.desk, &endpoint, &mut around)?;
                let dashboard = self.dashboard.take().map(|plan| {
                    let marshal = Arc::clone(&self.marshal);
                    let tower = tower(&flow.desk, marshal, Arc::clone(&self.live), plan.links());
                    plan.over(tower).routes()
                });
                let server = Server { store: Arc::new(flow.relay.store.clone()), secret, dashboard };
                let stopped = async {
                    // A sender that is gone means the same.
                    let _ = stopped.await;
                };
                Some(tokio::spawn(server.serve(endpoint.listener, stopped)))
            }
        };
        let told = self.notices.take().map(|notices| {
            let (courier, errands, closing) = notices.begin();
            (closing, tokio::spawn(courier.carry(errands, self.marshal.tracker.clone())))
        });
        let worked = self.engine.run(end).await;
        let _ = stop.send(());
        if let Some((closing, told)) = told {
            finish_telling(closing, told).await;
        }
        if let Some(server) = server {
            leave(server).await;
        }
        if let Some(telemetry) = self.telemetry.take() {
            telemetry.flush().await;
        }
        Ok(worked?)
    }

    /// Begins to forward webhooks if that is configured. Returns what they are signed with.
    fn forward(
        &self,
        desk: &Desk,
        endpoint: &Endpoint,
        around: &mut JoinSet<()>,
    ) -> Result<Option<Secret>, CommandError> {
        let given = secret(desk);
        if !desk.config().sources.webhooks_forward {
            if endpoint.is_expected {
                self.marshal.set_hooks(HookHealth::StartingUp);
            }
            return Ok(given.map(Secret::new));
        }
        let secret = given.unwrap_or_else(|| format!("{:032x}", SystemEntropy.bits()));
        let port = endpoint.address()?.port();
        let health = Arc::new(Mutex::new(vec![HookHealth::StartingUp; self.marshal.settings.repos.len()]));
        for (at, repo) in self.marshal.settings.repos.iter().enumerate() {
            let forward = Forward::new(&desk.config().api_url, repo.clone(), port, secret.clone());
            let (marshal, health) = (Arc::clone(&self.marshal), Arc::clone(&health));
            around.spawn(async move {
                let own = ForwardHealth::default();
                let tell = |news: ForwardNews| {
                    eprintln!("webhooks of {}: {}", forward.repo, forwarded(&news));
                    let mut all = health.lock().unwrap_or_else(PoisonError::into_inner);
                    all[at] = own.get();
                    marshal.set_hooks(worst(&all));
                };
                forward.keep(&own, tell).await;
            });
        }
        Ok(Some(Secret::new(secret)))
    }
}

/// Waits for the notices that are under way, and not for a receiver that does not answer.
async fn finish_telling(closing: Closing, mut told: JoinHandle<()>) {
    let finished = async {
        closing.close().await;
        let _ = (&mut told).await;
    };
    if tokio::time::timeout(LEAVE_AFTER, finished).await.is_err() {
        eprintln!("warning: some notices were not told, because whoever is told takes too long");
        told.abort();
    }
}

/// Waits for the requests under way, but not for those who look on: their streams have no end of their own.
async fn leave(mut server: JoinHandle<std::io::Result<()>>) {
    match tokio::time::timeout(LEAVE_AFTER, &mut server).await {
        Ok(Ok(Err(error))) => eprintln!("warning: webhooks could not be taken: {error}"),
        Ok(_) => {}
        Err(_) => server.abort(),
    }
}

/// One repository that tells nothing is enough for the board to be surveyed as if there were no webhooks.
fn worst(all: &[HookHealth]) -> HookHealth {
    match all.iter().all(|health| *health == HookHealth::StartingUp) {
        true => HookHealth::StartingUp,
        false => HookHealth::Unhealthy,
    }
}

fn forwarded(news: &ForwardNews) -> String {
    match news {
        ForwardNews::Started => "forwarded by gh".to_owned(),
        ForwardNews::Died { why, pause } => {
            format!("gh ended and is started again in {} s: {why}", pause.as_secs())
        }
        ForwardNews::GaveUp { why } => format!("not forwarded any more: {why}"),
    }
}

/// What webhooks are signed with, from the environment or `.env`.
fn secret(desk: &Desk) -> Option<String> {
    given(desk, SECRET_VARIABLE)
}

/// A secret from the environment or `.env`.
pub(crate) fn given(desk: &Desk, variable: &str) -> Option<String> {
    let of_file = || desk.loaded.dotenv().iter().find(|it| it.name == variable).map(|it| it.value.as_str());
    let given = desk.surroundings.variable(variable).or_else(of_file);
    given.map(str::trim).filter(|secret| !secret.is_empty()).map(str::to_owned)
}
