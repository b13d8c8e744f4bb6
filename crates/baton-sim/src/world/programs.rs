//! Scripted agents on a simulated machine: they take time, say what agents say, and die as a supervisor would have them die.
//!
//! An agent lives in a task of its own, as a process does: it outlives the engine that started it, though not for long. All
//! of its life is in the world's log, and two alive on one issue at once are noticed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_core::agent::{AgentExit, AgentOrder, KeptSession, RunNumbers};
use baton_core::slot::ItemKey;
use baton_core::time::{BootTime, millis};
use baton_ports::{AgentProgram, AgentPrograms, Clock as _, NotStarted, ProgramEnd};
use futures_util::future::{Either, select};
use tokio::sync::Notify;

use super::clock::pass;
use super::dice::Dice;
use super::machine::Machine;
use super::plant::Plant;
use super::script::{Part, part_of};

/// The longest that an agent takes to die when it is asked to.
const DEATH_MAX_MS: u64 = 8_000;

/// What starts agents on a machine.
#[derive(Clone)]
pub struct SimPrograms {
    machine: Arc<Machine>,
    dice: Dice,
}

/// An agent's life.
pub(crate) struct Life {
    pub(crate) order: AgentOrder,
    pub(crate) job: String,
    pub(crate) machine: Arc<Machine>,
    pub(crate) began_ms: u64,
    now: Mutex<Now>,
    bell: Notify,
}

/// How an agent stands.
struct Now {
    deadline: BootTime,
    /// When it was told to stop, and by what.
    told: Option<(BootTime, AgentExit)>,
    over: Option<ProgramEnd>,
}

/// A handle on an agent. When it is dropped before the agent is over, the supervisor's pipe closes.
pub struct SimProgram(Arc<Life>);

impl SimPrograms {
    /// Returns what starts agents on a machine.
    pub fn new(machine: &Arc<Machine>) -> Self {
        let dice = Dice::new(machine.scene.seed, &format!("agents {}", machine.name));
        Self { machine: Arc::clone(machine), dice }
    }

    fn alive(&self, item: &ItemKey) -> Vec<Arc<Life>> {
        let disk = self.machine.disk();
        disk.alive.iter().filter(|life| life.order.item == *item).cloned().collect()
    }

    fn session_key(order: &AgentOrder) -> String {
        format!("{} {} {:?}", order.item, order.agent.key, order.stage)
    }
}

impl AgentPrograms for SimPrograms {
    type Program = SimProgram;

    async fn end_earlier(&self, item: &ItemKey) -> Result<(), NotStarted> {
        for life in self.alive(item) {
            self.machine
                .scene
                .tell(&format!("{}: ends what is left of run {}", self.machine.name, life.order.run));
            life.tell(AgentExit::SupervisorLost);
            life.wait().await;
        }
        Ok(())
    }

    async fn start(&self, order: &AgentOrder, deadline: BootTime) -> Result<SimProgram, NotStarted> {
        pass(self.dice.millis(5, 400)).await;
        let now = self.machine.clock.boot_now();
        if now >= deadline {
            return Err(NotStarted::NotItsFault("the lease is over".to_owned()));
        }
        let job = variable(order, "BATON_JOB");
        let part = part_of(order, &job, &self.dice, &self.machine.scene);
        let life = Arc::new(Life {
            order: order.clone(),
            job,
            machine: Arc::clone(&self.machine),
            began_ms: self.machine.scene.now_ms(),
            now: Mutex::new(Now { deadline, told: None, over: None }),
            bell: Notify::new(),
        });
        life.begin(&part);
        tokio::spawn(Arc::clone(&life).live(part, self.dice.clone()));
        Ok(SimProgram(life))
    }

    async fn session(&self, order: &AgentOrder) -> Option<KeptSession> {
        self.machine.disk().sessions.get(&Self::session_key(order)).cloned()
    }

    async fn note_resume(&self, order: &AgentOrder, is_fine: bool) {
        let mut disk = self.machine.disk();
        let key = Self::session_key(order);
        if let Some(kept) = disk.sessions.remove(&key).and_then(|kept| kept.after_resume(is_fine)) {
            disk.sessions.insert(key, kept);
        }
    }

    async fn forget_session(&self, order: &AgentOrder) {
        self.machine.disk().sessions.remove(&Self::session_key(order));
    }
}

impl AgentProgram for SimProgram {
    fn extend(&self, deadline: BootTime) {
        self.0.now().deadline = deadline;
        self.0.bell.notify_waiters();
    }

    fn stop(&self) {
        if !self.0.machine.scene.has_planted(Plant::StopIgnored) {
            self.0.tell(AgentExit::Stopped);
        }
    }

    fn numbers(&self) -> RunNumbers {
        let worked_ms = self.0.machine.scene.now_ms().saturating_sub(self.0.began_ms);
        RunNumbers { turns: worked_ms / 60_000, ..RunNumbers::default() }
    }

    async fn wait(&self) -> ProgramEnd {
        self.0.wait().await
    }
}

impl Drop for SimProgram {
    fn drop(&mut self) {
        if !self.0.machine.scene.has_planted(Plant::DeadlineIgnored) {
            self.0.tell(AgentExit::SupervisorLost);
        }
    }
}

impl Life {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells it to stop, unless it is over or was told already.
    fn tell(&self, exit: AgentExit) {
        let at = self.machine.clock.boot_now();
        let mut now = self.now();
        if now.over.is_none() && now.told.is_none() {
            now.told = Some((at, exit));
            self.bell.notify_waiters();
        }
    }

    async fn wait(&self) -> ProgramEnd {
        loop {
            let mut rung = std::pin::pin!(self.bell.notified());
            rung.as_mut().enable();
            if let Some(end) = self.now().over.clone() {
                return end;
            }
            rung.await;
        }
    }

    fn begin(self: &Arc<Self>, part: &Part) {
        let scene = &self.machine.scene;
        scene.count("runs of agents");
        scene.tell(&format!(
            "{}: agent of run {} begins {} {:?} {} ({:?})",
            self.machine.name, self.order.run, self.order.item, self.order.stage, self.job, part.kind
        ));
        self.machine.disk().alive.push(Arc::clone(self));
        self.machine.hub.alive().on_begin(self);
    }

    async fn live(self: Arc<Self>, part: Part, dice: Dice) {
        let clock = self.machine.clock;
        let ends_at = clock.boot_now().plus(part.takes);
        let dies_before = dice.below(900);
        let dies_after = dice.between(20, DEATH_MAX_MS);
        let outlives = self.machine.scene.has_planted(Plant::DeadlineIgnored);
        let end = loop {
            let mut rung = std::pin::pin!(self.bell.notified());
            rung.as_mut().enable();
            let (killed_at, exit) = self.killed_at(dies_before, dies_after, outlives);
            let now = clock.boot_now();
            if now >= ends_at && killed_at > now {
                break part.played(&self);
            }
            if now >= killed_at {
                break Part::cut_off(exit, &part);
            }
            let wait = Duration::from_millis(ends_at.min(killed_at).ms.saturating_sub(now.ms));
            match select(std::pin::pin!(pass(wait)), rung).await {
                Either::Left(_) | Either::Right(_) => {}
            }
        };
        self.end(end);
    }

    /// Returns when it is dead if nothing changes, and how that looks.
    fn killed_at(&self, before_ms: u64, after_ms: u64, outlives: bool) -> (BootTime, AgentExit) {
        let now = self.now();
        let deadline = match outlives {
            true => BootTime { ms: u64::MAX },
            false => BootTime { ms: now.deadline.ms.saturating_sub(before_ms) },
        };
        match &now.told {
            Some((at, exit)) if at.plus(Duration::from_millis(after_ms)) < deadline => {
                (at.plus(Duration::from_millis(after_ms)), exit.clone())
            }
            _ => (deadline, AgentExit::DeadlinePassed),
        }
    }

    fn end(self: &Arc<Self>, end: ProgramEnd) {
        let scene = &self.machine.scene;
        scene
            .tell(&format!("{}: agent of run {} is over: {:?}", self.machine.name, self.order.run, end.exit));
        {
            let mut disk = self.machine.disk();
            disk.alive.retain(|life| !Arc::ptr_eq(life, self));
            if let Some(id) = &end.report.session {
                let kept = KeptSession { id: id.clone(), ..KeptSession::default() };
                disk.sessions.insert(SimPrograms::session_key(&self.order), kept);
            }
        }
        self.machine.hub.alive().on_end(self);
        self.now().over = Some(end);
        self.bell.notify_waiters();
    }

    /// Returns how long it has been at work.
    pub(crate) fn age(&self) -> Duration {
        Duration::from_millis(self.machine.scene.now_ms().saturating_sub(self.began_ms))
    }
}

/// Returns a variable that an agent is given.
pub(crate) fn variable(order: &AgentOrder, name: &str) -> String {
    let found = order.told.variables.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.clone()).unwrap_or_default()
}

/// The longest wall time of agents that take too long.
pub(crate) fn wall_time_ms(order: &AgentOrder) -> u64 {
    order.max_wall_time.map_or(3_600_000, millis)
}
