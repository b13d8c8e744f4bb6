//! `baton up`: everything in one process: the engine, the dashboard, the endpoint for webhooks, and a forge when no tracker is
//! configured.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use baton_web::ForgeDoor;
use clap::Args;

use super::context::{Desk, Flow, StoreArguments};
use super::dashboard::DashboardPlan;
use super::engine::{endpoint_of, worker_settings};
use super::own_forge::{self, OwnForge};
use super::signals::{Signals, until_told};
use super::station::{Endpoint, Station};
use super::teller::Teller;
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton up                        with the tracker of baton.yaml, or a forge in .baton/forge
  baton up --listen 0.0.0.0:8477  for other machines; needs BATON_DASHBOARD_TOKEN

Exit codes:
  0  told to stop
  1  told to stop twice
  3  the tracker, the store or an address cannot be reached

SIGTERM and Ctrl-C stop agents, give their runs back and leave; a second signal leaves at once.
For webhooks, set BATON_WEBHOOK_SECRET here and on the tracker.")]
pub(crate) struct Up {
    /// Where the dashboard is, and webhooks are taken; by default `webhooks.listen`, or 127.0.0.1:8477.
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    store: StoreArguments,
}

/// Where it listens when nobody says so.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8477);

impl Up {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let desk = self.store.read()?;
        if desk.config().agents.is_empty() {
            return Err(CommandError::Usage(
                "no agent is configured, so nobody would do the work: add one under `agents:` in baton.yaml"
                    .to_owned(),
            ));
        }
        if !own_forge::is_needed(&desk)? {
            let flow = desk.open()?;
            return flow.block_on(self.serve(&flow, None));
        }
        let runtime = tokio::runtime::Runtime::new().map_err(|error| CommandError::out_of_reach(&error))?;
        let forge = runtime.block_on(OwnForge::start(&desk))?;
        let url = forge.handle.url();
        say!("no tracker is configured: a forge of its own is on {url}, with {} in it", forge.repo);
        say!(
            "for other commands, write to .env:\n  BATON_GITHUB_API_URL={url}\n  BATON_TOKEN=$(cat .baton/forge-token)"
        );
        let flow = self.at_home(&forge, desk)?.open()?;
        let door = ForgeDoor { api_url: url, token: forge.person_token.clone() };
        let served = flow.block_on(self.serve(&flow, Some(door)));
        runtime.block_on(forge.handle.shut_down());
        served
    }

    /// Reads the configuration again, as if the forge were configured.
    fn at_home(&self, forge: &OwnForge, desk: Desk) -> Result<Desk, CommandError> {
        let mut surroundings = desk.surroundings;
        surroundings.set("BATON_GITHUB_API_URL", &forge.handle.url());
        surroundings.set("BATON_TOKEN", &forge.token);
        if desk.loaded.resolved.config.sources.repos.is_empty() {
            surroundings.set("BATON_REPOS", &forge.repo.to_string());
        }
        let loaded = self.store.config.load(Vec::new(), &surroundings)?;
        Ok(Desk { surroundings, loaded })
    }

    async fn serve(&self, flow: &Flow, forge: Option<ForgeDoor>) -> Result<(), CommandError> {
        let signals = Signals::listen()?;
        let config = flow.desk.config();
        let configured = endpoint_of(config)?;
        let address = self.listen.or(configured).unwrap_or(LISTEN);
        let is_expected = self.listen.is_some() || configured.is_some();
        let plan = DashboardPlan::new(&flow.desk, address, forge)?;
        let endpoint = Endpoint::bind(address, is_expected).await?;
        let listening = endpoint.address()?;
        say!("dashboard: http://{listening}");
        say!("webhooks:  http://{listening}/webhooks/github   health: http://{listening}/healthz");
        let worker = worker_settings(config, None);
        let station = Station::open(flow, Some(endpoint), worker, Arc::new(Teller::default())).await?;
        let station = station.with_dashboard(plan).watching(flow, &self.store.config);
        until_told(signals, |told| station.run(flow, told.wait())).await
    }
}
