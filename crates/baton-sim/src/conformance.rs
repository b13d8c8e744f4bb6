//! One set of tests for every store: what the memory store does, the others must do too.
//!
//! A store's own test program makes a [`Ground`] and says `baton_sim::conformance_suite!(Ground)`; each test is then a
//! test of that program under its own name.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

pub mod acceptance;
mod desk;
pub mod flags;
pub mod inbox;
pub mod limits;
pub mod outbox;
pub mod rules;
pub mod steering;
pub mod workers;

use std::future::Future;
use std::time::Duration;

use baton_ports::Store;

pub use desk::{Desk, FixedDice};

/// What a suite stands on: an empty store whose time it moves.
pub trait Ground: Sized + Send + Sync {
    /// The store.
    type Store: Store<Nudges: 'static> + Clone + 'static;

    /// Makes an empty one.
    fn fresh() -> impl Future<Output = Self> + Send;

    /// Returns a handle on it.
    fn store(&self) -> Self::Store;

    /// Lets time pass in the store.
    fn advance(&self, by: Duration) -> impl Future<Output = ()> + Send;
}

/// Makes a test of each test of the suite, on one kind of store.
#[macro_export]
macro_rules! conformance_suite {
    ($ground:ty) => {
        $crate::conformance_tests!($ground, acceptance: [
            never_more_than_one_queued_or_running_owner,
            same_name_self_wakes_are_suppressed_and_not_spawned,
            other_names_are_deferred_then_promoted_oldest_first,
            mentioning_the_cto_mid_run_starts_no_second_run,
            stale_locks_heal,
            wakeups_without_an_issue_need_none,
            parallelism_stays_available_through_separate_issues,
            the_slot_is_released_and_the_next_promoted_on_every_terminal_outcome,
        ]);
        $crate::conformance_tests!($ground, rules: [
            a_wakeup_of_the_same_agent_is_merged_into_a_run_that_has_not_started,
            nothing_is_merged_into_a_run_that_has_started,
            one_follow_up_waits_for_each_agent_however_often_it_is_woken,
            the_reason_of_a_wakeup_is_never_overwritten,
            a_start_stamps_the_run_and_returns_its_context,
            a_run_that_is_not_due_gated_closed_or_unknown_is_not_started,
            an_issue_with_effects_to_perform_is_not_started,
            an_invalid_deferred_wakeup_is_skipped_with_its_reason_and_the_next_is_tried,
            a_retry_that_is_not_due_lets_others_go_first_and_is_not_lost,
            retries_are_spread_counted_and_given_up,
            a_provider_limit_waits_for_its_reset_and_is_not_charged,
            a_stale_fence_writes_nothing,
            a_persons_word_ends_a_backoff,
            a_wake_with_the_same_key_is_one_wake,
            a_claim_by_the_run_that_owns_the_slot_returns_its_own_lease,
            the_lease_is_adopted_with_the_slot,
            a_context_that_would_grow_too_large_is_refused_and_nothing_is_written,
            a_context_comes_back_as_it_was_given,
            every_transfer_of_a_slot_is_kept,
            a_scan_drains_what_a_crash_left_behind,
            tasks_of_one_agent_are_merged_by_their_key,
        ]);
        $crate::conformance_tests!($ground, steering: [
            a_cancel_is_final_for_the_run_its_retry_and_what_waits,
            a_cancel_can_keep_the_queue,
            a_running_run_is_asked_to_stop_and_keeps_the_slot_until_it_has,
            a_cancelled_run_whose_worker_is_lost_is_not_tried_again,
            closing_an_issue_ends_all_that_waits,
            a_closed_issue_wakes_nobody_until_it_is_open_again,
            reassigning_ends_a_run_of_another_agent_and_drains,
            releasing_a_slot_drains,
            a_gate_stops_a_run_which_goes_on_when_it_opens,
        ]);
        $crate::conformance_tests!($ground, limits: [
            no_more_runs_start_than_the_limit_allows_however_many_ask,
            an_agents_limit_leaves_room_for_others,
            a_repositorys_limit_leaves_room_for_others,
            a_days_budget_of_runs_is_kept_until_the_next_day,
            a_days_budget_of_costs_is_kept_until_the_next_day,
            counters_are_back_to_nothing_when_all_is_over,
        ]);
        $crate::conformance_tests!($ground, workers: [
            a_lease_is_renewed_until_it_is_over_and_never_after,
            a_run_of_a_lost_worker_is_interrupted_and_tried_again_at_once,
            a_run_is_not_reaped_before_the_stop_grace,
            a_worker_that_was_buried_cannot_come_back,
            a_worker_without_a_lease_starts_nothing,
            a_worker_hears_which_of_its_runs_must_stop,
            a_retired_worker_leaves_its_runs_to_others,
        ]);
        $crate::conformance_tests!($ground, outbox: [
            effects_are_handed_out_in_order_one_at_a_time,
            effects_of_other_items_do_not_wait,
            effects_of_all_items_are_listed_by_status_and_time,
            a_decision_is_made_once,
            no_decision_is_made_while_effects_are_pending,
            what_is_remembered_is_committed_with_the_decision,
            an_effect_whose_sender_was_lost_is_handed_out_as_unclear,
            an_effect_is_tried_again_not_before_its_time,
            an_effect_that_may_have_happened_stays_so_until_it_is_known,
            a_dead_effect_keeps_its_reason_and_blocks_nothing,
            effects_carry_the_lease_they_were_decided_under,
        ]);
        $crate::conformance_tests!($ground, inbox: [
            a_delivery_is_accepted_once,
            deliveries_are_accepted_and_marked_together,
            deliveries_in_different_orders_are_accepted_once,
            deliveries_are_read_oldest_first_and_forgotten_when_old,
            a_commit_nudges_whoever_listens,
        ]);
        $crate::conformance_tests!($ground, flags: [
            the_store_refuses_a_second_owner_even_if_the_rules_are_wrong,
            the_store_refuses_a_second_sending_effect_of_an_item,
            the_last_effects_of_a_finished_run_are_handed_out_after_the_slot_has_passed_on,
            many_wakes_at_once_make_one_run,
            many_workers_at_once_start_each_run_once,
        ]);
    };
}

/// Makes tests of one module of the suite.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ($ground:ty, $module:ident: [$($name:ident),+ $(,)?]) => {
        mod $module {
            use super::*;
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    $crate::conformance::$module::$name::<$ground>().await;
                }
            )+
        }
    };
}
