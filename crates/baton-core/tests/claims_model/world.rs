//! One state of the whole model, and every step that can follow it.
//!
//! Time stands still until everybody who can act has acted, is stalled or waits; so a delay is always a stall, and the
//! number of stalls bounds the search. Hearing an answer in the second in which it was given changes nothing for others,
//! so asking and hearing are one step unless the answer is late. Dying matters only before a write: until then nothing
//! tells the dead from the idle.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use baton_core::claim::handback::Handback;
use baton_core::claim::renewal::Renewal;
use baton_core::claim::step::Ask;

use crate::claims_model::actor::{Actor, Busy, End, Program};
use crate::claims_model::server::{Server, Tick, fingerprint};
use crate::claims_model::setup::Setup;
use crate::claims_model::turn::{self, Fate, Sending, Turn, Turns, View};

/// A part of the world with its fingerprint. States share the parts in which they agree.
#[derive(Debug, Clone)]
pub(crate) struct Part<T> {
    pub(crate) value: Arc<T>,
    pub(crate) print: u128,
}

impl<T> Hash for Part<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.print.hash(state);
    }
}

impl<T: Hash> Part<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { print: fingerprint(&value), value: Arc::new(value) }
    }
}

/// One step of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// A second passes.
    Tick,
    /// An actor sends what it wants to ask.
    Act(usize, Sending),
    /// An actor hears a late answer.
    Hear(usize),
    /// An actor stalls with a decision made and nothing sent.
    Stall(usize),
    /// An actor dies.
    Crash(usize),
    /// A holder renews.
    Renew(usize),
    /// A holder hands back.
    HandBack(usize, usize),
    /// A request that was given up arrives.
    Land(usize),
}

/// What is left of everything that may go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    pub(crate) stalls: u8,
    pub(crate) crashes: u8,
    pub(crate) losses: u8,
}

/// One state.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) now: Tick,
    pub(crate) server: Part<Server>,
    /// The tracker at the end of each of the last seconds, the latest first.
    past: Vec<Part<Server>>,
    pub(crate) actors: Vec<Part<Actor>>,
    pub(crate) budget: Budget,
    /// Requests on their way whose senders have given them up.
    adrift: Vec<(usize, Ask)>,
    /// Whether a holder has finished the issue.
    pub(crate) is_finished: bool,
    /// Whether a change of labels came late, or by a sweep on an issue that was taken meanwhile. The protocols cannot
    /// refuse such a change; the next renewal repairs it, and without one it stays.
    pub(crate) is_label_unfenced: bool,
}

impl World {
    pub(crate) fn new(setup: &Setup, server: Server) -> Self {
        let server = Part::new(server);
        Self {
            now: Tick(0),
            past: vec![server.clone(); setup.lag],
            server,
            actors: vec![Part::new(Actor::Unborn); setup.actors()],
            budget: Budget { stalls: setup.stalls, crashes: setup.crashes, losses: setup.losses },
            adrift: Vec::new(),
            is_finished: false,
            is_label_unfenced: false,
        }
    }

    pub(crate) fn print(&self) -> u128 {
        let rest = (self.now, self.budget, &self.adrift, self.is_finished, self.is_label_unfenced);
        fingerprint(&(&self.server, &self.past, &self.actors, rest))
    }

    /// Returns whether nothing more can happen but the passing of time.
    pub(crate) fn is_quiet(&self) -> bool {
        let is_over = |part: &Part<Actor>| matches!(*part.value, Actor::Unborn | Actor::Over(_));
        self.adrift.is_empty() && self.actors.iter().all(is_over)
    }

    /// Lists every step that can follow.
    pub(crate) fn actions(&self, setup: &Setup) -> Vec<Action> {
        let mut actions = Vec::new();
        for actor in 0..self.actors.len() {
            match &*self.actors[actor].value {
                Actor::Unborn if self.may_start(setup, actor) => {
                    if let Actor::Busy(busy) = self.newborn(setup, actor) {
                        self.asking(actor, &busy, &mut actions);
                    }
                }
                Actor::Busy(busy) => self.going_on(actor, busy, &mut actions),
                Actor::Holding(hold) => {
                    let renew_at = setup.terms.timing.renew_at(hold.lease.ttl, hold.lease.sent_at);
                    if hold.renewals_left > 0 && self.now.boot() >= renew_at {
                        actions.push(Action::Renew(actor));
                    }
                    let handovers = 0..setup.handovers.len();
                    actions.extend(handovers.map(|index| Action::HandBack(actor, index)));
                }
                Actor::Unborn | Actor::Over(_) => {}
            }
        }
        actions.extend((0..self.adrift.len()).map(Action::Land));
        if self.now < setup.horizon && self.actors.iter().all(|part| self.lets_time_pass(&part.value)) {
            actions.push(Action::Tick);
        }
        actions
    }

    /// Workers are alike, so of all orders in which they can start one is enough.
    fn may_start(&self, setup: &Setup, actor: usize) -> bool {
        actor == 0 || actor == setup.workers || !matches!(*self.actors[actor - 1].value, Actor::Unborn)
    }

    fn newborn(&self, setup: &Setup, actor: usize) -> Actor {
        Actor::start(Program::first(setup, actor, self.now), None, setup, self.now)
    }

    fn going_on(&self, actor: usize, busy: &Busy, actions: &mut Vec<Action>) {
        if let Some((_, given_at, _)) = busy.late {
            if self.now > given_at {
                actions.push(Action::Hear(actor));
            }
            return;
        }
        if self.is_waiting(busy) || busy.stalled_at.is_some_and(|at| self.now <= at) {
            return;
        }
        if busy.stalled_at.is_none() {
            if self.budget.stalls > 0 {
                actions.push(Action::Stall(actor));
            }
            if self.budget.crashes > 0 && busy.ask.is_write() {
                actions.push(Action::Crash(actor));
            }
        }
        self.asking(actor, busy, actions);
    }

    fn asking(&self, actor: usize, busy: &Busy, actions: &mut Vec<Action>) {
        let is_wait = matches!(busy.ask, Ask::Wait(_));
        let is_read = !is_wait && !busy.ask.is_write();
        let mut views = vec![View::Fresh];
        for (index, part) in self.past.iter().enumerate().filter(|_| is_read) {
            if part.print != self.server.print {
                views.push(View::Old(index));
                if busy.ask == Ask::Comments {
                    views.push(View::OldButOwn(index));
                }
            }
        }
        let clocks: &[bool] = if self.now > busy.asked_at && !is_wait { &[false, true] } else { &[false] };
        for &view in &views {
            for &is_clock_old in clocks {
                let mut push = |fate| actions.push(Action::Act(actor, Sending { view, is_clock_old, fate }));
                push(Fate::Heard);
                if self.budget.stalls > 0 && !is_wait {
                    push(Fate::HeardLate);
                }
            }
        }
        if self.budget.losses > 0 && !is_wait {
            let fates: &[Fate] =
                if is_read { &[Fate::Lost] } else { &[Fate::AnswerLost, Fate::Lost, Fate::Adrift] };
            let lose = |&fate| Action::Act(actor, Sending { view: View::Fresh, is_clock_old: false, fate });
            actions.extend(fates.iter().map(lose));
        }
    }

    fn is_waiting(&self, busy: &Busy) -> bool {
        matches!(busy.ask, Ask::Wait(until) if until > self.now.boot())
    }

    fn lets_time_pass(&self, actor: &Actor) -> bool {
        match actor {
            Actor::Busy(busy) => self.is_waiting(busy) || busy.stalled_at.is_some() || busy.late.is_some(),
            Actor::Unborn | Actor::Holding(_) | Actor::Over(_) => true,
        }
    }

    /// Returns the state after a step.
    pub(crate) fn after(&self, setup: &Setup, turns: &mut Turns, action: Action) -> Self {
        let mut world = self.clone();
        match action {
            Action::Tick => world.tick(setup),
            Action::Act(actor, sending) => world.act(setup, turns, actor, sending),
            Action::Hear(actor) => world.hear(setup, actor),
            Action::Stall(actor) => {
                world.budget.stalls -= 1;
                let mut busy = world.busy(actor);
                busy.stalled_at = Some(world.now);
                world.put(actor, Actor::Busy(busy));
            }
            Action::Crash(actor) => {
                world.budget.crashes -= 1;
                world.put(actor, Actor::Over(End::Crashed));
            }
            Action::Renew(actor) => {
                let mut hold = world.actors[actor].value.hold().cloned().unwrap();
                hold.renewals_left -= 1;
                let program = Program::Renewal(Renewal::new(
                    setup.terms.clone(),
                    hold.lease.clone(),
                    world.now.server(),
                ));
                world.put(actor, Actor::start(program, Some(hold), setup, world.now));
            }
            Action::HandBack(actor, handover) => {
                let mut hold = world.actors[actor].value.hold().cloned().unwrap();
                hold.to = Some(setup.handovers[handover]);
                let machine =
                    Handback::new(setup.terms.clone(), hold.lease.clone(), setup.handover(handover));
                let program = Program::Handback(machine);
                world.put(actor, Actor::start(program, Some(hold), setup, world.now));
            }
            Action::Land(index) => {
                let (actor, ask) = world.adrift.remove(index);
                let mut server = Server::clone(&world.server.value);
                server.write(&ask, setup.name(actor), world.now);
                world.server = Part::new(server);
            }
        }
        world
    }

    fn put(&mut self, actor: usize, value: Actor) {
        self.actors[actor] = Part::new(value);
    }

    fn busy(&self, actor: usize) -> Box<Busy> {
        match &*self.actors[actor].value {
            Actor::Busy(busy) => busy.clone(),
            other => unreachable!("{other:?} is not at work"),
        }
    }

    fn tick(&mut self, setup: &Setup) {
        self.past.insert(0, self.server.clone());
        self.past.truncate(setup.lag);
        self.now = Tick(self.now.0 + 1);
        for actor in 0..self.actors.len() {
            let Actor::Holding(hold) = &*self.actors[actor].value else { continue };
            if setup.has_deadline() && hold.lease.is_over(self.now.boot()) {
                self.put(actor, Actor::Over(End::Stopped));
            }
        }
    }

    fn seen(&self, setup: &Setup, actor: usize, view: View) -> Part<Server> {
        match view {
            View::Fresh => self.server.clone(),
            View::Old(index) => self.past[index].clone(),
            View::OldButOwn(index) => {
                Part::new(self.server.value.own_over(&self.past[index].value, setup.name(actor)))
            }
        }
    }

    fn act(&mut self, setup: &Setup, turns: &mut Turns, actor: usize, sending: Sending) {
        if matches!(*self.actors[actor].value, Actor::Unborn) {
            self.put(actor, self.newborn(setup, actor));
        }
        let turn = Turn { actor, now: self.now, part: &self.actors[actor], sending };
        let key = match sending.view {
            View::OldButOwn(index) => fingerprint(&(&turn, &self.server, &self.past[index])),
            View::Old(index) => fingerprint(&(&turn, &self.past[index])),
            View::Fresh => fingerprint(&(&turn, &self.server)),
        };
        let taken = turns.entry(key).or_insert_with(|| {
            let seen = self.seen(setup, actor, sending.view);
            turn.take(setup, &seen)
        });
        self.budget.losses -= u8::from(sending.fate.is_loss());
        self.budget.stalls -= u8::from(sending.fate == Fate::HeardLate);
        self.is_label_unfenced |= taken.is_label_unfenced;
        self.is_finished |= taken.is_finished;
        self.adrift.extend(taken.adrift.iter().map(|ask| (actor, ask.clone())));
        self.actors[actor] = taken.actor.clone();
        if let Some(server) = &taken.server {
            self.server = server.clone();
        }
    }

    fn hear(&mut self, setup: &Setup, actor: usize) {
        let mut busy = self.busy(actor);
        let (sent_at, _, answer) = busy.late.take().unwrap();
        let (value, is_finished) = turn::go_on(setup, self.now, *busy, sent_at, answer);
        self.is_finished |= is_finished;
        self.put(actor, value);
    }
}
