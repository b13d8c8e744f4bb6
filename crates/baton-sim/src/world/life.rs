//! One life of a seed, from the first issue to the last look; and lives compared.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::config::Config;
use tokio::runtime::Builder;
use tokio::sync::Notify;

use super::clock::{SimClock, pass};
use super::deliveries::Endpoint;
use super::dice::Dice;
use super::engine::{self, Parts};
use super::finale;
use super::knobs::Knobs;
use super::log::EventLog;
use super::machine::Machine;
use super::mortal::{Fate, Mortal, ProcessEnd};
use super::people::People;
use super::plant::Plant;
use super::scene::Scene;
use super::store::SimStore;
use super::tracker::state::Rules;
use super::tracker::{Hub, SimTracker};
use crate::{HandClock, MemoryStore};

/// How often is looked at the agents that are alive.
const LOOK_EVERY: Duration = Duration::from_secs(20);

/// What a life came to.
pub struct Life {
    /// The seed.
    pub seed: u64,
    /// How long it lasted in its own time.
    pub lasted: Duration,
    /// Everything that could be seen.
    pub log: EventLog,
    /// What was found to be wrong.
    pub violations: Vec<String>,
}

/// Lives through a seed, with a bug if one is planted.
pub fn live(seed: u64, plant: Option<Plant>) -> Life {
    let knobs = Knobs::of(seed);
    match plant {
        Some(planted) => live_in(seed, knobs.with_plant(planted), plant),
        None => live_in(seed, knobs, None),
    }
}

/// Lives through the world that a bug would be planted in, without the bug.
pub fn live_without(seed: u64, plant: Plant) -> Life {
    live_in(seed, Knobs::of(seed).with_plant(plant), None)
}

fn live_in(seed: u64, knobs: Knobs, plant: Option<Plant>) -> Life {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without I/O needs nothing from the system");
    runtime.block_on(async { World::new(seed, knobs, plant).live().await })
}

struct World {
    scene: Arc<Scene>,
    hub: Arc<Hub>,
    stores: Vec<MemoryStore>,
    machines: Vec<Arc<Machine>>,
    dice: Dice,
    configs: Vec<Arc<Config>>,
    repos: Vec<RepoSlug>,
}

impl World {
    fn new(seed: u64, knobs: Knobs, plant: Option<Plant>) -> Self {
        let scene = Scene::new(seed, knobs, plant);
        scene.tell(&format!("{:?}", scene.knobs));
        let hub = Hub::new(&scene);
        let dice = Dice::new(seed, "world");
        let stores = if scene.knobs.is_store_shared { 1 } else { scene.knobs.engines };
        let machine = |at: u64| {
            let skew = i64::try_from(dice.below(20)).unwrap_or(0) - 10;
            let clock = SimClock::new(scene.start, dice.below(1_000_000_000), skew);
            Machine::new(&format!("m{at}"), clock, &scene, &hub)
        };
        let machines = (0..scene.knobs.engines).map(machine).collect();
        let configs = (0..stores).map(|at| Arc::new(engine::config(&format!("baton-{at}")))).collect();
        let repos =
            (0..scene.knobs.repos).filter_map(|at| RepoSlug::new("acme", &format!("r{at}")).ok()).collect();
        let stores = (0..stores).map(|_| MemoryStore::new(HandClock::following(scene.start))).collect();
        Self { scene, hub, stores, machines, dice, configs, repos }
    }

    async fn live(self) -> Life {
        self.found();
        let people = People::new(&self.hub);
        tokio::spawn(people.clone().live());
        tokio::spawn(people.review());
        for at in 0..self.machines.len() {
            tokio::spawn(self.process(at).run());
        }
        self.watch().await;
        let lasted = Duration::from_millis(self.scene.now_ms());
        let (log, violations) = (self.scene.take_log(), self.scene.violations());
        Life { seed: self.scene.seed, lasted, log, violations }
    }

    /// Makes the repositories, and the issues that there are at the beginning.
    fn found(&self) {
        for repo in &self.repos {
            let all = ["build", "test"];
            let checks: Vec<_> =
                all.iter().filter(|_| self.dice.per_mille(700)).map(|&name| name.to_owned()).collect();
            let required = checks.iter().filter(|_| self.dice.per_mille(500)).cloned().collect();
            self.hub.make_repo(repo, Rules { checks, required, needs_review: self.dice.per_mille(200) });
        }
        People::new(&self.hub).open_issues(&self.repos);
    }

    fn process(&self, at: usize) -> Process {
        let own = if self.stores.len() == 1 { 0 } else { at };
        let store = self.stores[own].clone();
        let (scene, is_up) = (Arc::clone(&self.scene), AtomicBool::new(false));
        let endpoint = Arc::new(Endpoint { scene, store: store.clone(), is_up });
        let taker = Arc::clone(&endpoint);
        self.hub.listen(Arc::new(move |id, news| taker.take(id, news)));
        Process {
            machine: Arc::clone(&self.machines[at]),
            store,
            endpoint,
            dice: Dice::new(self.scene.seed, &format!("process {at}")),
            config: Arc::clone(&self.configs[own]),
            repos: self.repos.clone(),
        }
    }

    /// Looks at the world until it is at rest, its time is over, or something is wrong.
    async fn watch(&self) {
        let engines: Vec<String> = self.configs.iter().filter_map(|config| config.user.clone()).collect();
        let end = self.scene.knobs.faults_until + self.scene.knobs.quiet;
        let calm_from = self.scene.knobs.faults_until + People::looks_after();
        let mut next_rest = calm_from;
        while self.scene.violations().is_empty() {
            pass(LOOK_EVERY).await;
            self.hub.alive().look(&self.hub, &engines);
            let now = Duration::from_millis(self.scene.now_ms());
            if now < end && now < next_rest {
                continue;
            }
            next_rest = now + Duration::from_secs(900);
            let wrong = finale::wrong(&self.hub, &self.stores, &engines).await;
            match wrong.is_empty() {
                true => return,
                false if now >= end => {
                    wrong.iter().for_each(|(which, what)| self.scene.violated(which, what))
                }
                false => {}
            }
        }
    }
}

/// A process that is started again and again.
struct Process {
    machine: Arc<Machine>,
    store: MemoryStore,
    endpoint: Arc<Endpoint>,
    dice: Dice,
    config: Arc<Config>,
    repos: Vec<RepoSlug>,
}

impl Process {
    async fn run(self) {
        let (scene, name) = (Arc::clone(&self.machine.scene), self.machine.name.clone());
        loop {
            let (polls, fate) = self.draw_fate();
            let asked = Arc::new(Notify::new());
            scene.tell(&format!("{name}: an engine begins; {fate:?} after {polls}"));
            let parts = self.parts();
            self.endpoint.is_up.store(true, Ordering::SeqCst);
            let end = Mortal::new(parts.run(Arc::clone(&asked)), polls, fate, asked).await;
            self.endpoint.is_up.store(false, Ordering::SeqCst);
            scene.tell(&format!("{name}: the engine is over: {end:?}"));
            scene.count(if end == ProcessEnd::Killed { "engines killed" } else { "engines ended" });
            pass(self.dice.millis(50, 90_000)).await;
        }
    }

    fn parts(&self) -> Parts {
        let (scene, login) = (&self.machine.scene, self.config.user.clone().unwrap_or_default());
        Parts {
            machine: Arc::clone(&self.machine),
            store: SimStore::new(
                &self.store,
                scene,
                &format!("{} {}", self.machine.name, self.dice.bits64()),
            ),
            tracker: SimTracker::new(&self.machine.hub, &login, &self.machine.name),
            dice: Dice::new(self.dice.bits64(), "engine"),
            config: Arc::clone(&self.config),
            repos: self.repos.clone(),
        }
    }

    fn draw_fate(&self) -> (u64, Fate) {
        let knobs = &self.machine.scene.knobs;
        if knobs.polls_between_deaths == 0 || !self.machine.scene.are_faults_on() {
            return (0, Fate::Spared);
        }
        let polls = self.dice.between(1, 2 * knobs.polls_between_deaths);
        let fate = match () {
            () if self.dice.per_mille(knobs.stalls) => Fate::Stalled(self.dice.millis(1_000, 300_000)),
            () if self.dice.per_mille(knobs.graceful) => Fate::Asked,
            () => Fate::Killed,
        };
        (polls, fate)
    }
}
