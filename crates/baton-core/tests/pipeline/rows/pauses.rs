//! Rows of the specification: see the catalogue.

use std::time::Duration;

use baton_core::pipeline::effect::{Effect, Job, Wake};
use baton_core::pipeline::item::Comment;
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::Rest;
use baton_core::pipeline::{Loop, Step};
use baton_core::slot::EnginePause;

use crate::pipeline::world::{World, comment, issue_in, relabelled};

pub(crate) fn s3_2_01_a_paused_issue_rests() {
    for column in ["Specify", "Research", "Plan", "Implement", "Review", "Validate"] {
        let mut world = issue_in(column).flag(Flag::Paused);
        assert_eq!(world.look_until_rest(), [Step::Rest(Rest::Paused)], "{column}");
        world.wait(Duration::from_hours(1000));
        assert_eq!(world.look_until_rest(), [Step::Rest(Rest::Paused)], "{column}, later");
        assert_eq!(world.performed, []);
    }
}

pub(crate) fn s3_2_02_an_unpaused_issue_is_taken_up_again() {
    let mut world = issue_in("Plan").flag(Flag::Paused);
    assert_eq!(world.look(), Step::Rest(Rest::Paused));
    world.item.labels.clear();
    assert_eq!(world.look(), Step::Invoke { resume: false });
    assert_eq!(world.item.column, "Plan");
}

pub(crate) fn s3_2_03_a_comment_resumes_a_paused_issue() {
    let mut world = tried_in_vain().comment(comment(1, "rob", "Go on, please."));
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::ProcessComments { resumes: true });
    assert_eq!(relabelled(&settlement), "+baton:editing -baton:paused");
    assert_eq!(woken_for(&settlement.effects), Some((Job::Comments, [1].as_slice())));
    assert!(world.item.memory.attempts.is_empty());
    let strangers = Comment { may_write: false, ..comment(1, "eve", "Go on, please.") };
    let programs = Comment { is_bot: true, ..comment(1, "linter", "Go on, please.") };
    for comment in [strangers, programs] {
        assert_eq!(tried_in_vain().comment(comment).step(), Step::Rest(Rest::Paused));
    }
}

pub(crate) fn s3_2_03b_a_comment_on_a_failed_issue_clears_the_failure() {
    let mut world = tried_in_vain().mark(StageMark::Failed).with(|world| {
        let memory = &mut world.item.memory;
        memory.cooldowns.insert("Plan".to_owned(), world.now.store.plus(world.policy.cooldown));
        memory.cycles.insert(Loop::Review.key("Plan"), 2);
        let (stage, cause) = ("Plan".to_owned(), "stage_failed".to_owned());
        memory.paused_by_engine = Some(EnginePause { stage, cause, unheard_before: None });
    });
    world = world.comment(comment(1, "rob", "The token was missing. Try again."));
    let (_, settlement) = world.look_closely();
    assert_eq!(relabelled(&settlement), "+baton:editing -baton:paused -stage:Plan:failed");
    assert_eq!(woken_for(&settlement.effects), Some((Job::Comments, [1].as_slice())));
    let memory = world.item.memory;
    assert!(memory.attempts.is_empty() && memory.cooldowns.is_empty() && memory.cycles.is_empty());
    assert_eq!(memory.paused_by_engine, None);
}

/// A paused issue whose stage has ended without a word before.
fn tried_in_vain() -> World {
    issue_in("Plan").flag(Flag::Paused).with(|world| {
        world.item.memory.attempts.insert("Plan".to_owned(), 2);
    })
}

fn woken_for(effects: &[Effect]) -> Option<(Job, &[u64])> {
    effects.iter().find_map(|effect| match effect {
        Effect::Wake(Wake { job, comments, .. }) => Some((*job, comments.as_slice())),
        _ => None,
    })
}
