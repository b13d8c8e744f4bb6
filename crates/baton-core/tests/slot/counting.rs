//! Counters: what a start counts up its end counts down, on every path; the day's are only counted up.

use baton_core::slot::item::Gates;
use baton_core::slot::situation::Change;
use baton_core::slot::{AgentName, RunEnd, RunId};

use crate::slot::world::{Event, World};

fn counts(world: &World) -> Vec<(&str, i64, bool)> {
    let Some(Change::Count(counts)) = world.last.last() else { return Vec::new() };
    counts.iter().map(|count| (count.name.as_str(), count.add, count.needs_room)).collect()
}

fn budgeted() -> World {
    let mut world = World::new();
    world.policy.budgeted = [AgentName::from("ada").key()].into();
    world.wake(" Ada ");
    world
}

#[test]
fn a_start_names_its_counters_in_the_order_in_which_they_are_locked() {
    let mut world = budgeted();
    world.started();
    let day = world.now.day();
    let (cost, runs) = (format!("cost:ada:{day}"), format!("runs:ada:{day}"));
    let expected = [("all", 1, true), ("agent:ada", 1, true), ("repo:acme/web", 1, true)];
    let of_day = [(cost.as_str(), 0, true), (runs.as_str(), 1, true)];
    assert_eq!(counts(&world), expected.into_iter().chain(of_day).collect::<Vec<_>>());
}

#[test]
fn an_end_gives_back_in_the_same_order_and_adds_its_cost() {
    let mut world = budgeted();
    world.started();
    world.finish(RunEnd::Succeeded);
    let cost = format!("cost:ada:{}", world.now.day());
    let expected =
        [("all", -1, false), ("agent:ada", -1, false), ("repo:acme/web", -1, false), (&cost, 1000, false)];
    assert_eq!(counts(&world), expected);
    assert_eq!(world.runs[&RunId(1)].cost_micros, 1000);
}

#[test]
fn a_cost_is_counted_on_the_day_of_the_end_and_a_run_on_that_of_the_start() {
    let mut world = budgeted();
    let start = world.now.day();
    world.started();
    world.pass(86_400);
    let end = world.now.day();
    world.finish(RunEnd::Succeeded);
    assert_eq!(world.counters[&format!("runs:ada:{start}")], 1);
    assert_eq!(world.counters[&format!("cost:ada:{end}")], 1000);
    assert_ne!(start, end);
}

#[test]
fn an_agent_without_a_budget_is_not_counted_by_the_day_at_its_start() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    assert_eq!(counts(&world).len(), 3);
}

#[test]
fn every_path_that_ends_a_running_run_gives_back_what_its_start_took() {
    let shut = Gates { paused: Some("lunch".to_owned()), ..Gates::default() };
    let stopped = |world: &mut World| {
        world.finish(RunEnd::Stopped);
    };
    let reaped = |world: &mut World| {
        world.lose_workers();
        world.heal();
    };
    let words: [Event<'_>; 6] = [
        &|_| {},
        &|world| {
            world.cancel(RunId(1), false);
        },
        &|world| {
            world.release();
        },
        &|world| {
            world.reassign(None);
        },
        &|world| {
            world.set_open(false);
        },
        &|world| {
            world.set_gates(&shut);
        },
    ];
    let ends: [Event<'_>; 6] = [
        &stopped,
        &reaped,
        &|world| {
            world.fail();
        },
        &|world| {
            world.finish(RunEnd::Succeeded);
        },
        &|world| {
            world.finish(RunEnd::ProviderLimit(None));
        },
        &|world| {
            world.lose_workers();
            world.wake("bea");
        },
    ];
    for word in words {
        for end in ends {
            let mut world = budgeted();
            world.started();
            assert_eq!(world.counters["all"], 1);
            word(&mut world);
            end(&mut world);
            let running = ["all", "agent:ada", "repo:acme/web"].map(|name| world.counters[name]);
            assert_eq!(running, [0, 0, 0]);
        }
    }
}

#[test]
fn what_never_started_is_never_counted() {
    for end in [
        World::release,
        |world: &mut World| world.cancel(RunId(1), false),
        |world: &mut World| world.set_open(false),
    ] {
        let mut world = budgeted();
        end(&mut world);
        assert!(world.counters.is_empty(), "{:?}", world.counters);
    }
}
