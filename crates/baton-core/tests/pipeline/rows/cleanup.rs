//! The last column: the work tree goes once, and nothing else happens there.

use baton_core::pipeline::effect::Effect;
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::{Rest, Step};

use crate::pipeline::world::{World, comment, issue_in};

pub(crate) fn s3_2_37_cleanup_removes_the_worktree() {
    for is_closed in [false, true] {
        let mut world = done().flag(Flag::ExtendTurns).with(|world| world.item.is_closed = is_closed);
        assert_eq!(world.look_until_rest(), [Step::CleanUp, Step::Rest(Rest::CleanedUp)]);
        let expected = [
            Effect::RemoveWorktree,
            Effect::AddLabel { label: "stage:Done:complete".to_owned() },
            Effect::RemoveLabel { label: "baton:extend-turns".to_owned() },
            // Whoever still holds the issue gives it back.
            Effect::Release,
        ];
        assert_eq!(world.performed, expected);
    }
}

pub(crate) fn s3_2_37b_a_paused_done_issue_keeps_its_worktree() {
    for is_closed in [false, true] {
        let world = done().flag(Flag::Paused).with(|world| world.item.is_closed = is_closed);
        assert_at_rest(&world, Rest::Paused);
    }
}

pub(crate) fn s3_2_37c_without_a_worktree_nothing_is_cleaned() {
    assert_at_rest(&done().with(|world| world.item.has_worktree = false), Rest::NothingToClean);
}

pub(crate) fn s3_2_38_a_complete_done_issue_is_at_rest() {
    for has_worktree in [true, false] {
        let world = done().mark(StageMark::Complete).with(|world| world.item.has_worktree = has_worktree);
        assert_at_rest(&world, Rest::CleanedUp);
    }
}

/// Returns an issue in the last column, with a comment that nobody answers any more.
fn done() -> World {
    issue_in("Done").comment(comment(1, "ana", "Thank you!"))
}

fn assert_at_rest(world: &World, why: Rest) {
    assert_eq!(world.step(), Step::Rest(why));
    assert!(world.settlement(&world.step()).is_empty());
}
