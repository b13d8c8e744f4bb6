//! The engine under test, put together from the ports of a simulated machine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::claim::Timing;
use baton_core::config::stages::shipped;
use baton_core::config::{Config, Layers, PipelineDialect, TextFile, resolve};
use baton_core::pacing::HookHealth;
use baton_core::prompt::Templates;
use baton_core::slot::{ItemKey, Policy, Safeguards};
use baton_engine::claims::{ClaimSettings, Claims};
use baton_engine::clerk::ClerkSettings;
use baton_engine::engine::Engine;
use baton_engine::leases::LeaseBook;
use baton_engine::leg::LegSettings;
use baton_engine::marshal::{self, Happened, Marshal, MarshalSettings, Outfit, Rules};
use baton_engine::outbox::Performed;
use baton_engine::relay::Relay;
use baton_engine::worker::{News, WorkerSettings};
use baton_ports::NoMessenger;
use tokio::sync::Notify;

use super::clock::SimClock;
use super::deliveries;
use super::dice::Dice;
use super::local_memory::SimMemory;
use super::machine::Machine;
use super::plant::Plant;
use super::programs::SimPrograms;
use super::scene::Scene;
use super::store::SimStore;
use super::tracker::SimTracker;
use super::workspaces::SimWorkspaces;

/// How long a claim lasts; short, so that what a dead engine held is not held for half of a world's time.
const CLAIM_TTL: Duration = Duration::from_secs(900);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);
const VISIBLE_WITHIN: Duration = Duration::from_secs(10);
const STOP_GRACE: Duration = Duration::from_secs(10);
/// Heartbeats and polls are rarer than they are by default, and leases longer: an idle hour shows nothing. A lease is still
/// shorter than the longest that an engine stands still.
const HEARTBEAT: Duration = Duration::from_secs(50);
const WORKER_TTL: Duration = Duration::from_secs(160);
const POLL: Duration = Duration::from_secs(60);

/// The kinds of an engine's parts.
pub(crate) struct SimParts;

impl marshal::Parts for SimParts {
    type Store = SimStore;
    type Tracker = SimTracker;
    type Board = SimTracker;
    type Clock = SimClock;
    type Entropy = Dice;
    type Memory = SimMemory;
    type Workspaces = SimWorkspaces;
    type Programs = SimPrograms;
    type Messenger = NoMessenger;
}

/// What an engine is made of.
pub(crate) struct Parts {
    pub(crate) machine: Arc<Machine>,
    pub(crate) store: SimStore,
    pub(crate) tracker: SimTracker,
    pub(crate) dice: Dice,
    pub(crate) config: Arc<Config>,
    pub(crate) repos: Vec<RepoSlug>,
}

/// Returns the configuration of an operator's engines.
pub(crate) fn config(user: &str) -> Config {
    let text = format!(
        "user: {user}\nyolo: true\npoll: 1min\nrepos: [acme/r0]\nagents:\n  dev: {{ adapter: claude }}\n"
    );
    let file = Some(TextFile { path: "baton.yaml".to_owned(), text });
    let resolved = resolve(&Layers { file, ..Layers::default() });
    resolved.expect("the text above is a configuration").config
}

fn safeguards(plant: Option<Plant>) -> Safeguards {
    let all = Safeguards::default();
    match plant {
        Some(Plant::NoHealing) => Safeguards { heal: false, ..all },
        Some(Plant::NoDraining) => Safeguards { drain: false, ..all },
        Some(Plant::NoFences) => Safeguards { fences: false, ..all },
        Some(Plant::EffectsAfterStart) => Safeguards { effects_before_start: false, ..all },
        Some(Plant::StaleEffectsDropped) => Safeguards { perform_stale_effects: false, ..all },
        _ => all,
    }
}

impl Parts {
    /// Runs an engine until it is asked to end.
    pub(crate) async fn run(self, asked: Arc<Notify>) {
        let (scene, name) = (Arc::clone(&self.machine.scene), self.machine.name.clone());
        let ended = self.engine().run(async move { asked.notified().await }).await;
        if let Err(error) = ended {
            scene.tell(&format!("{name}: the engine gave up: {error}"));
        }
    }

    fn engine(self) -> Engine<SimParts> {
        let (worker, clerk, legs) = (self.worker(), self.clerk(), self.legs().into());
        let programs = SimPrograms::new(&self.machine);
        let teller = self.teller();
        let of_deeds = self.teller();
        let safeguards = safeguards(self.machine.scene.plant);
        let marshal = Arc::new(self.marshal());
        Engine {
            marshal,
            programs,
            legs,
            worker,
            clerk,
            visible_within: VISIBLE_WITHIN,
            request_timeout: REQUEST_TIMEOUT,
            tell_run: Box::new(move |news| teller.of_run(news)),
            tell_deed: Box::new(move |item, _, performed| of_deeds.of_deed(item, performed)),
            safeguards,
        }
    }

    fn teller(&self) -> Teller {
        Teller { scene: Arc::clone(&self.machine.scene), name: self.machine.name.clone() }
    }

    fn marshal(self) -> Marshal<SimParts> {
        let policy = Policy { safeguards: safeguards(self.machine.scene.plant), ..Policy::of(&self.config) };
        let relay = Relay { store: self.store.clone(), entropy: self.dice.clone(), policy };
        let teller = self.teller();
        let marshal = Marshal::new(Outfit {
            relay,
            board: self.tracker.clone(),
            clock: self.machine.clock,
            leases: Arc::new(self.leases()),
            workspaces: Arc::new(SimWorkspaces::new(&self.machine)),
            settings: MarshalSettings {
                dialect: PipelineDialect::Baton,
                repos: self.repos.clone(),
                reconcile_every: Duration::from_secs(1800),
                sweep_every: Duration::from_secs(3600),
                looks_at_once: 4,
                lock_grace: Duration::from_secs(600),
            },
            decode: Box::new(deliveries::decode),
            messenger: NoMessenger,
            tell: Box::new(move |happened| teller.of_marshal(happened)),
            left_permille: Box::new(|| None),
            rules: Rules::of(&self.config, shipped(PipelineDialect::Baton).pipeline),
            tracker: self.tracker,
        });
        // Whether they can be relied on is for the engine to find out.
        marshal.set_hooks(HookHealth::StartingUp);
        marshal
    }

    fn leases(&self) -> LeaseBook<SimTracker, SimClock, Dice, SimMemory> {
        let user = self.config.user.clone().unwrap_or_default();
        let mut settings = ClaimSettings::new(&user);
        settings.timing = Timing {
            ttl: CLAIM_TTL,
            visible_within: VISIBLE_WITHIN,
            request_timeout: REQUEST_TIMEOUT,
            ..Timing::default()
        };
        settings.eligibility.is_decided = true;
        let claims = Claims {
            tracker: self.tracker.clone(),
            clock: self.machine.clock,
            entropy: self.dice.clone(),
            memory: SimMemory::new(&self.machine),
            settings,
        };
        let codename = user.parse().expect("the names of operators are codenames");
        LeaseBook::new(claims, codename, STOP_GRACE * 2)
    }

    fn worker(&self) -> WorkerSettings {
        WorkerSettings {
            name: self.machine.name.clone(),
            host: self.machine.name.clone(),
            heartbeat: HEARTBEAT,
            ttl: WORKER_TTL,
            poll: POLL,
            scan: 2 * POLL,
            deferred_alarm: self.config.deferred_alarm,
            once: false,
        }
    }

    fn clerk(&self) -> ClerkSettings {
        ClerkSettings {
            name: format!("{} clerk", self.machine.name),
            host: self.machine.name.clone(),
            heartbeat: HEARTBEAT,
            ttl: WORKER_TTL,
            stop_grace: STOP_GRACE,
            poll: POLL,
            at_once: 4,
        }
    }

    fn legs(&self) -> LegSettings {
        LegSettings {
            agents: self.config.agents.clone(),
            pipeline: shipped(PipelineDialect::Baton).pipeline,
            approvers: baton_core::pipeline::Policy::of(&self.config).approvers,
            dialect: PipelineDialect::Baton,
            directory: PathBuf::from("/sim"),
            variables: Vec::new(),
            templates: Box::new(|_| Ok(Templates::built_in(PipelineDialect::Baton))),
        }
    }
}

/// Writes what an engine tells into the log.
struct Teller {
    scene: Arc<Scene>,
    name: String,
}

impl Teller {
    fn of_run(&self, news: &News<'_>) {
        match news {
            News::Progress(..) => {}
            News::Started(started) => self.tell(&format!("started run {}", started.run.id)),
            News::Ended(started, status, _) => self.tell(&format!("run {} {status}", started.run.id)),
            other => self.tell(&format!("{other:?}")),
        }
    }

    fn of_deed(&self, item: &ItemKey, performed: &Performed) {
        match performed {
            Performed::Nothing => return,
            Performed::Done(_) => self.scene.count("effects done"),
            Performed::Later(..) => self.scene.count("effects put off"),
            Performed::Dead(..) => self.scene.count("effects dead"),
            Performed::Dropped(..) => self.scene.count("effects dropped"),
            Performed::Overtaken(_) => self.scene.count("effects overtaken"),
        }
        self.tell(&format!("{item}: {performed:?}"));
    }

    fn of_marshal(&self, happened: &Happened<'_>) {
        match happened {
            Happened::Surveyed { .. } | Happened::Delivered(_) => {}
            Happened::SlackHeard | Happened::SlackUnheard { .. } => {}
            Happened::Decided(issue, _) => {
                self.scene.count("decisions");
                self.scene.decided(&self.name, issue);
                self.tell(&format!("{happened:?}"));
            }
            other => self.tell(&format!("{other:?}")),
        }
    }

    fn tell(&self, what: &str) {
        let short: String = what.chars().take(300).collect();
        self.scene.tell(&format!("{}: {short}", self.name));
    }
}
