//! Random rules from a free slot on, with random agents, times and stops. The world checks after each.

use baton_core::slot::RunEnd;
use baton_core::slot::effect::{Deed, NewEffect, SettleAsk};
use baton_core::slot::finish::Baton;
use baton_core::slot::ids::{RunId, WorkerId};
use baton_core::slot::item::{AgentName, Gates};
use baton_core::slot::start::StartOutcome;
use proptest::prelude::*;
use proptest::sample::select;

use crate::slot::world::World;

const AGENTS: [&str; 4] = ["ada", " Ada", "bea", "cto"];

/// One step.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Wake { agent: &'static str, is_person: bool, own: bool, key: Option<u8> },
    Start { worker: i64 },
    Finish { end: RunEnd, has_effects: bool, is_stale: bool },
    Heal,
    Cancel { keep_queue: bool, is_old: bool },
    Release,
    Reassign(Option<&'static str>),
    SetOpen(bool),
    Gate(bool),
    Settle { is_stale: bool, has_effects: bool },
    Perform,
    Pass(u64),
    Beat(i64),
    Enlist,
    Know(bool),
}

fn end() -> impl Strategy<Value = RunEnd> {
    prop_oneof![
        2 => Just(RunEnd::Succeeded),
        2 => Just(RunEnd::Failed("exit code 1".to_owned())),
        1 => Just(RunEnd::ProviderLimit(None)),
        1 => Just(RunEnd::TimedOut("2 h".to_owned())),
        1 => Just(RunEnd::Stopped),
        1 => Just(RunEnd::GivenBack),
    ]
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let agent = || select(&AGENTS);
    let key = || prop_oneof![3 => Just(None), 1 => (0..3u8).prop_map(Some)];
    let wake = (agent(), any::<bool>(), prop::bool::weighted(0.2), key());
    let stale = || prop::bool::weighted(0.2);
    prop_oneof![
        8 => wake.prop_map(|(agent, is_person, own, key)| Step::Wake { agent, is_person, own, key }),
        6 => (1..4i64).prop_map(|worker| Step::Start { worker }),
        6 => (end(), stale(), stale())
            .prop_map(|(end, has_effects, is_stale)| Step::Finish { end, has_effects, is_stale }),
        3 => Just(Step::Heal),
        1 => (any::<bool>(), stale()).prop_map(|(keep_queue, is_old)| Step::Cancel { keep_queue, is_old }),
        1 => Just(Step::Release),
        1 => prop::option::of(agent()).prop_map(Step::Reassign),
        1 => prop::bool::weighted(0.7).prop_map(Step::SetOpen),
        1 => any::<bool>().prop_map(Step::Gate),
        1 => (stale(), any::<bool>()).prop_map(|(is_stale, has_effects)| Step::Settle { is_stale, has_effects }),
        3 => Just(Step::Perform),
        4 => select(vec![1, 20, 56, 300, 3600]).prop_map(Step::Pass),
        4 => (1..4i64).prop_map(Step::Beat),
        1 => Just(Step::Enlist),
        1 => prop::bool::weighted(0.7).prop_map(Step::Know),
    ]
}

/// A world and the batons that workers have got in it, also those of runs that are long over.
pub(crate) struct Play {
    pub(crate) world: World,
    batons: Vec<Baton>,
}

impl Play {
    pub(crate) fn new(world: World) -> Self {
        Self { world, batons: Vec::new() }
    }

    pub(crate) fn take(&mut self, step: &Step) {
        let world = &mut self.world;
        match step.clone() {
            Step::Wake { agent, is_person, own, key } => self.wake(agent, is_person, own, key),
            Step::Start { worker } => self.start(WorkerId(worker)),
            Step::Finish { end, has_effects, is_stale } => self.finish(end, has_effects, is_stale),
            Step::Heal => drop(world.heal()),
            Step::Cancel { keep_queue, is_old } => {
                let run = if is_old { Some(RunId(1)) } else { world.item.owner };
                run.map(|run| world.cancel(run, keep_queue));
            }
            Step::Release => drop(world.release()),
            Step::Reassign(to) => drop(world.reassign(to)),
            Step::SetOpen(is_open) => drop(world.set_open(is_open)),
            Step::Gate(is_shut) => {
                let paused = is_shut.then(|| "lunch".to_owned());
                world.set_gates(&Gates { paused, ..Gates::default() });
            }
            Step::Settle { is_stale, has_effects } => {
                let seen = world.item.version - i64::from(is_stale);
                world.settle(&SettleAsk {
                    seen,
                    effects: effects(has_effects),
                    memory: None,
                    lease: None,
                    settles: None,
                });
            }
            Step::Perform => world.perform(),
            Step::Pass(seconds) => world.pass(seconds),
            Step::Beat(worker) => world.beat(WorkerId(worker)),
            Step::Enlist => drop(world.enlist()),
            Step::Know(all) => {
                let known = ["ada", "bea"].map(|agent| AgentName::from(agent).key());
                world.policy.agents = (!all).then(|| known.into_iter().collect());
            }
        }
    }

    fn wake(&mut self, agent: &str, is_person: bool, own: bool, key: Option<u8>) {
        let mut ask = self.world.comment(agent);
        ask.asked_by.is_person = is_person;
        ask.asked_by.run = self.batons.last().filter(|_| own).map(|baton| baton.run);
        ask.key = key.map(|key| key.to_string());
        self.world.wake_by(&ask);
    }

    fn start(&mut self, worker: WorkerId) {
        if let StartOutcome::Started(started) = self.world.start_on(worker) {
            self.batons.push(Baton { run: started.run.id, worker, fence: started.run.fence });
        }
    }

    fn finish(&mut self, end: RunEnd, has_effects: bool, is_stale: bool) {
        let baton = if is_stale { self.batons.first() } else { self.batons.last() };
        let Some(baton) = baton.copied() else { return };
        self.world.finish_as(baton, end, effects(has_effects));
    }

    /// Lets all wait no longer: within a bound, everybody who waits is served.
    pub(crate) fn play_out(&mut self) {
        let world = &mut self.world;
        world.set_open(true);
        world.set_gates(&Gates::default());
        world.policy.agents = None;
        for _ in 0..12 {
            (0..world.effects.len()).for_each(|_| world.perform());
            world.pass(24 * 3600);
            world.heal();
            let worker = world.enlist();
            world.start_on(worker);
            if world.owner().is_some() {
                world.finish(RunEnd::Succeeded);
            }
        }
        assert_eq!((world.slot(), world.waiting()), (None, vec![]), "somebody waits for ever");
    }
}

fn effects(are_wanted: bool) -> Vec<NewEffect> {
    let comment = NewEffect::free(Deed::Comment {
        on: baton_core::pipeline::effect::Place::Issue,
        body: "done".to_owned(),
    });
    if are_wanted { vec![comment] } else { Vec::new() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_invariants_hold_and_everybody_is_served(
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut play = Play::new(World::new());
        steps.iter().for_each(|step| play.take(step));
        play.play_out();
    }
}
