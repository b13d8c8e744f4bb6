//! Unresolved review threads of a finished stage send its agent back.

use baton_core::pipeline::Loop;
use baton_core::pipeline::checks::Conclusion;
use baton_core::pipeline::effect::{Effect, Job, Place, Wake};
use baton_core::pipeline::item::ReviewState;
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::{Cause, Pause, Repair, Rest, Step};

use crate::pipeline::world::{World, check, issue_in, relabelled, review, said, thread};

pub(crate) fn s3_2_39_threads_reinvoke_the_stage() {
    let mut world = reviewed().flag(Flag::Yolo);
    let steps = world.look_until_rest();
    let cleared = Step::RepairLabels(Repair::Reviewed);
    assert_eq!(steps, [cleared, Step::Reinvoke(Cause::Review), Step::Rest(Rest::Running)]);
    let threads = world.performed.iter().find_map(|effect| match effect {
        Effect::Wake(Wake { job: Job::Review, threads, .. }) => Some(threads.clone()),
        _ => None,
    });
    assert_eq!(threads.unwrap(), ["T1", "T2"]);
    assert!(world.has(Flag::Editing) && !world.has(Flag::AwaitingReview));
    assert_eq!((world.view().cycles(Loop::Review), world.item.column.as_str()), (1, "Review"));
}

pub(crate) fn s3_2_39b_threads_need_neither_yolo_nor_cruise() {
    for auto_advance in [None, Some(false)] {
        let mut world = reviewed().stage(|stage| stage.auto_advance = auto_advance);
        assert!(world.look_until_rest().contains(&Step::Reinvoke(Cause::Review)));
    }
}

pub(crate) fn s3_2_40_the_review_limit_pauses() {
    let mut world = cleared().with(|world| count(world, 4));
    assert_eq!(world.step(), Step::Reinvoke(Cause::Review), "the limit is five");
    count(&mut world, 5);
    assert_eq!(world.step(), Step::Pause(Pause::ReviewCycles));
    let settlement = world.settlement(&world.step());
    assert_eq!(relabelled(&settlement), "+baton:awaiting-input +baton:paused");
    let [(Place::Issue, why)] = said(&settlement)[..] else { panic!("not one comment: {settlement:?}") };
    assert!(why.contains("review threads 5 times"), "{why}");
    world.perform(settlement);
    assert_eq!(world.view().cycles(Loop::Review), 0);
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingInput));
}

pub(crate) fn s3_2_41_an_active_run_defers_the_threads() {
    for cycles in [0, 5] {
        let world = cleared().with(|world| count(world, cycles));
        let world = world.with(|world| world.item.runner = Some("coder".to_owned()));
        assert_eq!(world.step(), Step::Rest(Rest::Running));
        assert_eq!(world.settlement(&world.step()).effects, []);
    }
}

pub(crate) fn s6_2_01_threads_answered_before_do_not_reinvoke() {
    let table: [(&str, Change); 3] = [
        ("rocketed", |world| answered(world).for_each(|comment| comment.has_rocket = true)),
        ("processed", |world| world.item.memory.processed_comments.extend([903, 907])),
        ("one each", |world| {
            answered(world).take(1).for_each(|comment| comment.has_rocket = true);
            world.item.memory.processed_comments.insert(907);
        }),
    ];
    for (how, answer) in table {
        assert_eq!(cleared().with(answer).step(), Step::Rest(Rest::AwaitingMove), "{how}");
    }
}

pub(crate) fn s6_2_02_a_reinvocation_comes_before_conflict_and_ci() {
    let conflicting = validated().pull(|pull| pull.mergeable = Some(false));
    let failed = vec![check(1, "build", Some(Conclusion::Failure))];
    let failing = validated().pull(|pull| pull.checks = Some(failed.into()));
    for mut world in [conflicting, failing] {
        assert_eq!(world.step(), Step::Reinvoke(Cause::Review));
        assert_eq!(relabelled(&world.settlement(&world.step())), "+baton:editing");
        world.look();
        assert_eq!(world.jobs(), [Job::Review]);
    }
}

type Change = fn(&mut World);

/// Returns a complete Review whose reviewer has just answered, with two threads.
fn reviewed() -> World {
    let world = issue_in("Review").mark(StageMark::Complete).flag(Flag::AwaitingReview);
    world.pull(|pull| {
        pull.reviews = vec![review("rob", ReviewState::Commented)];
        pull.threads = vec![thread("T1", "src/a.rs", 3), thread("T2", "src/b.rs", 7)];
    })
}

/// Returns the same once the gate has cleared.
fn cleared() -> World {
    let mut world = reviewed();
    assert_eq!(world.look(), Step::RepairLabels(Repair::Reviewed));
    world
}

/// Returns a Validate that waits for checks, with a thread.
fn validated() -> World {
    let world = issue_in("Validate").flag(Flag::AwaitingCi);
    world.pull(|pull| pull.threads = vec![thread("T1", "src/a.rs", 3)])
}

fn count(world: &mut World, cycles: u32) {
    world.item.memory.cycles.insert(Loop::Review.key("Review"), cycles);
}

fn answered(world: &mut World) -> impl Iterator<Item = &mut baton_core::pipeline::item::Comment> {
    world.item.pull.iter_mut().flat_map(|pull| &mut pull.threads).flat_map(|thread| &mut thread.comments)
}
