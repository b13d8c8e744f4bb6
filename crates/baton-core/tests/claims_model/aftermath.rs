//! What must hold when everybody has stopped or died: the issue can be had again, in time and not before, and one sweep
//! leaves no label that tells of nobody.

use baton_core::claim::chain::{self, Standing};
use baton_core::claim::ledger::Ledger;
use baton_core::claim::step::Ask;
use baton_core::claim::sweep::Sweep;
use baton_core::claim::text::{self, Marker};
use baton_core::claim::{Protocol, Timing};
use baton_core::labels;

use crate::claims_model::actor::{End, Next, Program};
use crate::claims_model::server::{Server, Tick};
use crate::claims_model::setup::Setup;
use crate::claims_model::world::World;

/// Returns what is wrong with a state in which nobody acts any more.
pub(crate) fn violation(setup: &Setup, world: &World) -> Option<String> {
    let server = &*world.server.value;
    let free_after = last_live_second(setup, server, world.now);
    recovery(setup, world, free_after).or_else(|| leftovers(setup, world, free_after))
}

/// The last second in which some claim still counts, if one does now.
pub(crate) fn last_live_second(setup: &Setup, server: &Server, now: Tick) -> Option<Tick> {
    let timing = &setup.terms.timing;
    let touched: Vec<(i64, u64)> = match setup.protocol {
        Protocol::Comment => {
            let ledger = Ledger::of(&server.reading(now), &setup.terms);
            let last = |claim: &baton_core::claim::ledger::Claim| {
                (claim.touched_at.0, claim.ttl(&setup.terms).as_secs())
            };
            ledger.live().map(last).collect()
        }
        Protocol::Ref => {
            let sighting = server.sighting(now);
            let is_held =
                matches!(chain::standing(&sighting, now.boot(), &setup.terms), Standing::Held { .. });
            let tip = sighting.tip.filter(|_| is_held);
            tip.into_iter().map(|tip| (tip.committed_at.0, ttl_of(&tip.message, timing))).collect()
        }
    };
    let last = |(at, ttl): (i64, u64)| u32::try_from(at).unwrap() + seconds(ttl + timing.grace().as_secs());
    touched.into_iter().map(last).max().map(Tick)
}

fn ttl_of(message: &str, timing: &Timing) -> u64 {
    match text::read(message) {
        Some(Marker::Claim(claim)) => claim.ttl.unwrap_or(timing.foreign_ttl).as_secs(),
        _ => 0,
    }
}

fn seconds(count: u64) -> u32 {
    u32::try_from(count).unwrap()
}

/// Whoever comes after the dead wins one second after the last of them has expired, and never before.
fn recovery(setup: &Setup, world: &World, free_after: Option<Tick>) -> Option<String> {
    let first_free = Tick(free_after.map_or(world.now.0, |last| last.0 + 1));
    // Between the first moment and the last ones nothing changes.
    let starts = [world.now.0, first_free.0.saturating_sub(1), first_free.0];
    for start in starts.into_iter().filter(|start| *start >= world.now.0) {
        let (end, at, _) = alone(setup, &world.server.value, claimant(setup, start), Tick(start));
        if end == Ended::Held && free_after.is_some_and(|last| at <= last) {
            return Some(format!(
                "a claimant that comes at {start} s has the issue at {} s, while it is held",
                at.0
            ));
        }
        if end == Ended::Held && world.is_finished {
            return Some(format!("a claimant that comes at {start} s has an issue that was finished"));
        }
        let is_blocked = world.server.value.labels.iter().any(|label| labels::blocks_claim(label));
        let is_had = if is_blocked { end == Ended::Over(End::Refused) } else { end == Ended::Held };
        if start == first_free.0 && !is_had {
            return Some(format!("a claimant that comes at {start} s, when all are dead, gets {end:?}"));
        }
    }
    None
}

/// One sweep, long after, and the labels tell the truth.
fn leftovers(setup: &Setup, world: &World, free_after: Option<Tick>) -> Option<String> {
    let start = Tick(free_after.unwrap_or(world.now).0 + 10);
    let sweep = Program::Sweep(Sweep::new(setup.terms.clone(), setup.sweep_rules()));
    let (_, at, server) = alone(setup, &world.server.value, sweep, start);
    if server.labels.iter().any(|label| label == labels::IN_FLIGHT) {
        return Some(format!(
            "nobody holds it, and after a sweep the labels are {}",
            server.labels.join(", ")
        ));
    }
    let lifecycle = labels::lifecycle_labels(&server.labels);
    if lifecycle.is_empty() && !world.is_label_unfenced {
        return Some(
            "no label change was unfenced, and after a sweep none tells where the issue is".to_owned(),
        );
    }
    let (end, _, _) = alone(setup, &server, claimant(setup, at.0), at);
    let is_wrong = end == Ended::Held && world.is_finished;
    is_wrong.then(|| "after a sweep someone works on an issue that was finished before".to_owned())
}

fn claimant(setup: &Setup, start: u32) -> Program {
    Program::claim(setup, Setup::probe(), Tick(start))
}

#[derive(Debug, PartialEq, Eq)]
enum Ended {
    Held,
    Over(End),
}

/// Runs one machine with nobody else about, and returns how it ended, when, and what it left.
fn alone(setup: &Setup, server: &Server, mut program: Program, start: Tick) -> (Ended, Tick, Server) {
    let (mut server, mut now) = (server.clone(), start);
    let mut next = program.begin(now);
    loop {
        let answer = match next {
            Next::Held(_) => return (Ended::Held, now, server),
            Next::Over(end) => return (Ended::Over(end), now, server),
            Next::Ask(Ask::Wait(until)) => {
                now = Tick(now.0.max(seconds(until.ms.div_ceil(1000))));
                baton_core::claim::step::Answer::Done
            }
            Next::Ask(ask) if ask.is_write() => server.write(&ask, setup.name(Setup::probe()), now),
            Next::Ask(ask) => server.read(&ask, now),
        };
        next = program.answered(now, now, answer);
    }
}
