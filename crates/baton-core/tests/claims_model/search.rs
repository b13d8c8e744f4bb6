//! The search: every state that can be reached, nearest first, so that the first violation has a shortest trace.
//!
//! States are remembered by 128-bit fingerprints. Only those of the nearest unexplored distance are kept whole; a trace
//! is made by walking it again.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::time::Instant;

use baton_core::claim::ledger::Ledger;
use baton_core::claim::step::Ask;

use crate::claims_model::actor::{Actor, End, Program};
use crate::claims_model::aftermath;
use crate::claims_model::server::{Server, fingerprint};
use crate::claims_model::setup::Setup;
use crate::claims_model::telling;
use crate::claims_model::turn::{Fate, Turns, View};
use crate::claims_model::world::{Action, Part, World};

/// No run within the bounds of the scenarios has nearly as many steps.
const DEPTH_MAX: usize = 150;

/// The low bits of a fingerprint are as good a hash as any.
#[derive(Default)]
pub(crate) struct Lowest(u64);

impl Hasher for Lowest {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low half is what is wanted")]
    fn write_u128(&mut self, print: u128) {
        self.0 = print as u64;
    }
}

type Prints = HashSet<u128, BuildHasherDefault<Lowest>>;

/// What was met on the way, to tell a thorough search from one that went nowhere.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// A claim was decided while another was alive.
    pub(crate) contested: u64,
    /// A claim was decided beside another of the same second.
    pub(crate) same_second: u64,
    /// A read showed less than there was.
    pub(crate) old_reads: u64,
    pub(crate) won: u64,
    pub(crate) lost: u64,
    pub(crate) refused: u64,
    pub(crate) failed: u64,
    pub(crate) renewed: u64,
    pub(crate) released: u64,
    pub(crate) stopped: u64,
    pub(crate) swept: u64,
    /// Someone won who was not the first to.
    pub(crate) takeovers: u64,
    /// Someone went on with a request decided before its deadline and sent after it.
    pub(crate) late_sends: u64,
}

/// The end of a search.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) states: usize,
    pub(crate) transitions: u64,
    pub(crate) depth: usize,
    pub(crate) aftermaths: usize,
    pub(crate) seconds: f64,
    pub(crate) met: Met,
    /// What was violated, and the shortest way there.
    pub(crate) violation: Option<(String, String)>,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} states, {} transitions, depth {}, {} aftermaths, {:.1} s",
            self.states, self.transitions, self.depth, self.aftermaths, self.seconds
        )
    }
}

struct Search<'a> {
    setup: &'a Setup,
    start: World,
    seen: Prints,
    aftermaths: Prints,
    /// How each state was reached first.
    parents: Vec<(u32, Action)>,
    turns: Turns,
    met: Met,
    transitions: u64,
}

/// Explores everything, or as much as is needed to find a violation.
pub(crate) fn explore(setup: &Setup, server: Server) -> Found {
    let began = Instant::now();
    let start = World::new(setup, server);
    let mut search = Search {
        setup,
        seen: Prints::from_iter([start.print()]),
        aftermaths: Prints::default(),
        parents: vec![(0, Action::Tick)],
        turns: Turns::default(),
        met: Met::default(),
        transitions: 0,
        start,
    };
    let mut frontier = vec![(0, search.start.clone())];
    let (mut depth, mut violation) = (0, None);
    while !frontier.is_empty() && violation.is_none() {
        let mut next = Vec::new();
        violation = frontier.iter().find_map(|(node, world)| search.expand(*node, world, &mut next));
        frontier = next;
        depth += 1;
        assert!(depth < DEPTH_MAX, "someone goes round in circles: {:#?}", frontier.first());
    }
    Found {
        states: search.seen.len(),
        transitions: search.transitions,
        depth,
        aftermaths: search.aftermaths.len(),
        seconds: began.elapsed().as_secs_f64(),
        violation: violation.map(|(node, what)| (what, search.trace(node))),
        met: search.met,
    }
}

impl Search<'_> {
    /// Takes every step from a state; returns a violation with the state that has it.
    fn expand(&mut self, node: u32, world: &World, next: &mut Vec<(u32, World)>) -> Option<(u32, String)> {
        for action in world.actions(self.setup) {
            let after = world.after(self.setup, &mut self.turns, action);
            self.transitions += 1;
            self.note(world, &after, action);
            if !self.seen.insert(after.print()) {
                continue;
            }
            let child = u32::try_from(self.parents.len()).unwrap();
            self.parents.push((node, action));
            if let Some(what) = self.violation(&after) {
                return Some((child, what));
            }
            next.push((child, after));
        }
        None
    }

    fn violation(&mut self, world: &World) -> Option<String> {
        let is_working = |actor: &usize| world.actors[*actor].value.is_working(self.setup, world.now);
        let working: Vec<usize> = (0..self.setup.workers).filter(is_working).collect();
        let names = || working.iter().map(|actor| self.setup.name(*actor)).collect::<Vec<_>>().join(" and ");
        if working.len() > 1 {
            return Some(format!("two holders: {} work at the same time", names()));
        }
        if world.is_finished && !working.is_empty() {
            return Some(format!("{} works on an issue that was finished before", names()));
        }
        // Two quiet states on the same tracker have the same future, however they came about.
        let visible = || world.server.value.print_of_visible();
        let end = || fingerprint(&(visible(), world.now, world.is_finished, world.is_label_unfenced));
        let is_new_end = world.is_quiet() && self.aftermaths.insert(end());
        is_new_end.then(|| aftermath::violation(self.setup, world)).flatten()
    }

    fn note(&mut self, before: &World, after: &World, action: Action) {
        let met = &mut self.met;
        let (Action::Act(actor, _) | Action::Hear(actor)) = action else {
            let stopped = |world: &World| {
                let is_stopped = |value: &Actor| matches!(value, Actor::Over(End::Stopped));
                world.actors.iter().filter(|part| is_stopped(&part.value)).count()
            };
            met.stopped += (stopped(after) - stopped(before)) as u64;
            return;
        };
        let was = &*before.actors[actor].value;
        if let (Action::Act(_, sending), Actor::Busy(busy)) = (action, was) {
            met.old_reads += u64::from(sending.view != View::Fresh);
            let is_over = busy.hold.as_ref().is_some_and(|hold| hold.lease.is_over(before.now.boot()));
            met.late_sends += u64::from(is_over && busy.ask.is_write() && sending.fate != Fate::Lost);
            let is_deciding = matches!((&busy.program, &busy.ask), (Program::Bid(_), Ask::Edit(..)))
                || matches!((&busy.program, &busy.ask), (Program::Swap(_), Ask::Create(_) | Ask::Advance(_)));
            if is_deciding {
                note_contest(self.setup, before, actor, met);
            }
        }
        let is_acquiring = matches!(was, Actor::Unborn)
            || matches!(was, Actor::Busy(busy) if matches!(busy.program, Program::Bid(_) | Program::Swap(_)));
        match &*after.actors[actor].value {
            Actor::Holding(_) if is_acquiring => {
                met.won += 1;
                let is_other = |(other, part): (usize, &Part<Actor>)| {
                    other != actor && matches!(*part.value, Actor::Over(End::Stopped | End::Crashed))
                };
                met.takeovers += u64::from(after.actors.iter().enumerate().any(is_other));
            }
            Actor::Holding(_) => met.renewed += 1,
            Actor::Over(End::Lost) => met.lost += 1,
            Actor::Over(End::Refused) => met.refused += 1,
            Actor::Over(End::Failed) => met.failed += 1,
            Actor::Over(End::Released) => met.released += 1,
            Actor::Over(End::Swept) => met.swept += 1,
            Actor::Over(End::Stopped) => met.stopped += 1,
            Actor::Unborn | Actor::Busy(_) | Actor::Over(End::Crashed) => {}
        }
    }

    fn trace(&mut self, mut node: u32) -> String {
        let mut actions = Vec::new();
        while node != 0 {
            let (parent, action) = self.parents[node as usize];
            actions.push(action);
            node = parent;
        }
        let mut world = self.start.clone();
        let mut lines = Vec::new();
        for action in actions.into_iter().rev() {
            let after = world.after(self.setup, &mut self.turns, action);
            lines.extend(telling::line(self.setup, &world, &after, action));
            world = after;
        }
        lines.join("\n")
    }
}

/// Looks whether others were after the issue when someone decided to take it.
fn note_contest(setup: &Setup, world: &World, actor: usize, met: &mut Met) {
    let is_rival = |(other, part): &(usize, &Part<Actor>)| {
        let is_claiming =
            matches!(&*part.value, Actor::Busy(busy) if matches!(busy.program, Program::Swap(_)));
        *other != actor && is_claiming
    };
    let swaps = world.actors.iter().enumerate().filter(is_rival).count();
    let ledger = Ledger::of(&world.server.value.reading(world.now), &setup.terms);
    let own = setup.claimant(actor).nonce;
    let rivals: Vec<_> = ledger.live().filter(|claim| claim.text.nonce != Some(own)).collect();
    let created_at = ledger.own(own).map(|claim| claim.created_at);
    met.contested += u64::from(swaps > 0 || !rivals.is_empty());
    met.same_second += u64::from(rivals.iter().any(|claim| Some(claim.created_at) == created_at));
}
