//! The workers: `baton engine --idle`, each in a process of its own, which is killed, stopped, and replaced.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use baton_fixtures::processes::{Signal, send};
use baton_fixtures::wait::in_parallel;
use baton_fixtures::{TestEngine, TestEnv};

/// A worker that ended because the store was out of reach is not replaced at once.
const HIRE_AGAIN: Duration = Duration::from_millis(700);
/// The exit code of a worker that could not reach the store when it started.
const OUT_OF_REACH: i32 = 3;

struct Worker {
    name: String,
    /// Nothing from when it was turned away until it is hired again.
    engine: Option<TestEngine>,
    stopped_until: Option<Instant>,
    hire_at: Instant,
}

/// All workers. They are killed when this is dropped.
pub(crate) struct Crew {
    env: TestEnv,
    workers: Vec<Worker>,
    /// Workers that found the store out of reach when they started.
    pub(crate) turned_away: usize,
}

impl Crew {
    pub(crate) fn hire(env: &TestEnv, count: usize) -> Self {
        let worker = |number| Worker {
            name: format!("worker-{number:02}"),
            engine: None,
            stopped_until: None,
            hire_at: Instant::now(),
        };
        let workers = (0..count).map(worker).collect();
        let mut crew = Self { env: env.clone(), workers, turned_away: 0 };
        crew.tend();
        crew
    }

    /// Lets those go on that were stopped for long enough, and replaces those that are gone.
    pub(crate) fn tend(&mut self) {
        for worker in &mut self.workers {
            if worker.stopped_until.is_some_and(|until| until <= Instant::now()) {
                worker.go_on();
            }
            if let Some(engine) = worker.engine.take_if(|engine| engine.has_ended()) {
                worker.turned_away(engine);
                self.turned_away += 1;
            }
            if worker.engine.is_none() && worker.hire_at <= Instant::now() {
                worker.start(&self.env);
            }
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.workers.len()
    }

    /// Returns those that are at work and not stopped.
    pub(crate) fn at_work(&self) -> Vec<usize> {
        let is_at_work = |worker: &Worker| worker.engine.is_some() && worker.stopped_until.is_none();
        (0..self.workers.len()).filter(|at| is_at_work(&self.workers[*at])).collect()
    }

    /// Returns those of them that have supervisors, and so agents; trouble strikes best there.
    pub(crate) fn with_agents(&self) -> Vec<usize> {
        let parents = parents();
        let has_children = |at: &usize| self.workers[*at].pid().is_some_and(|pid| parents.contains(&pid));
        self.at_work().into_iter().filter(has_children).collect()
    }

    /// Kills a worker, as a machine short of memory would, and puts another in its place.
    pub(crate) fn kill(&mut self, at: usize) {
        let worker = &mut self.workers[at];
        worker.engine.take().unwrap().kill();
        worker.start(&self.env);
    }

    /// Lets a worker stand still, without its supervisors and agents.
    pub(crate) fn stop(&mut self, at: usize, long: Duration) {
        let worker = &mut self.workers[at];
        send(worker.pid().unwrap(), Signal::STOP);
        worker.stopped_until = Some(Instant::now() + long);
    }

    /// Lets all go on.
    pub(crate) fn calm(&mut self) {
        self.workers.iter_mut().for_each(Worker::go_on);
    }

    /// Asks all to end, and returns when they have.
    pub(crate) async fn dismiss(&mut self) {
        self.calm();
        let engines: Vec<_> = self.workers.iter_mut().filter_map(|worker| worker.engine.take()).collect();
        in_parallel(engines.len(), engines.into_iter().map(TestEngine::stop_async)).await;
    }
}

impl Worker {
    fn start(&mut self, env: &TestEnv) {
        let command = env.command(&["engine", "--idle", "--name", &self.name, "--config", "baton.yaml"]);
        self.engine = Some(TestEngine::start(command, &env.path(&format!("{}.log", self.name))));
        self.stopped_until = None;
    }

    fn pid(&self) -> Option<i32> {
        self.engine.as_ref().map(TestEngine::pid)
    }

    fn go_on(&mut self) {
        if self.stopped_until.take().is_some() {
            self.pid().into_iter().for_each(|pid| send(pid, Signal::CONT));
        }
    }

    /// A worker ends by itself only when the store is out of reach as it starts.
    fn turned_away(&mut self, engine: TestEngine) {
        let (code, said) = engine.ends();
        assert_eq!(code, OUT_OF_REACH, "{} ended by itself: {said:#?}", self.name);
        self.hire_at = Instant::now() + HIRE_AGAIN;
    }
}

/// Returns every process that has children.
fn parents() -> BTreeSet<i32> {
    let parent = |stat: String| stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats.filter_map(parent).collect()
}
