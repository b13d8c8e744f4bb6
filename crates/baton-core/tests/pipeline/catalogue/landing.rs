//! §5 and §6: merging, reviews, taking issues apart.

catalogue! {
    /// §5.4: merging at Validate.
    mod merging {
        s5_4_01_the_linked_pull_request_is_merged:
            "step 1: complete Validate with yolo → the pull request linked to the issue is the one to \
             merge, at the head that was looked at",
        s5_4_02_an_accepted_merge_state_skips_the_checks:
            "step 2: merge state clean or unstable, no check running → checks that failed are not asked; \
             removes a stale baton:awaiting-ci, and with it stops the clock of pending checks; on to merging \
             (differs: what still runs is waited for, since an unstable state says nothing of it)",
        s5_4_03_other_merge_states_ask_the_checks:
            "step 3: any other merge state → checks are classified by R2 to R6; a branch that is behind is \
             rebased instead of merged (differs: the tracker would refuse it)",
        s5_4_r2_pending_checks_postpone:
            "step 3, R2: a check is pending → not merged, no label; the clock of pending checks starts at \
             the first sight and is not set back (differs: it survives a restart)",
        s5_4_r3_failed_checks_postpone_with_a_label:
            "step 3, R3: a check failed → not merged; adds baton:awaiting-ci; where the stage has \
             wait_for_ci, a fix is asked for",
        s5_4_r4_green_checks_merge:
            "step 3, R4: all green → on to merging; removes baton:awaiting-ci; the clock stops",
        s5_4_r5_no_checks_at_all_merge:
            "step 3, R5: no checks, this pull request never had any, none is required, the head is older \
             than post_push_dwell → on to merging; otherwise they are waited for (differs: the same rule as \
             at the CI gate, since a merge cannot be taken back)",
        s5_4_r6_checks_that_stay_pending_pause:
            "step 3, R6: pending for ci_wait_timeout → not merged; adds baton:paused, baton:awaiting-input; \
             removes baton:awaiting-ci if there; a comment explains",
        s5_4_04_an_open_pull_request_is_merged: "step 4: mergeable → merged",
        s5_4_04b_an_already_merged_one_counts_as_merged:
            "step 4: somebody merged it before → success without a merge",
        s5_4_05_a_conflict_asks_for_a_rebase:
            "step 5: not mergeable, no run active, cycles below max_rebase_cycles → adds \
             baton:rebase-needed; one cycle is charged; a rebase is asked for; not advanced",
        s5_4_05b_a_conflict_at_the_limit_pauses:
            "step 5: not mergeable, cycles have reached max_rebase_cycles → adds baton:rebase-needed, \
             baton:paused, baton:awaiting-input; a comment explains; no rebase; the counter starts again \
             (differs: every pause resets the counter that caused it)",
        s5_4_05c_a_conflict_with_an_active_run_waits:
            "step 5: not mergeable, a run is active → rest; no label, no cycle is charged, nothing is asked \
             for (differs: while a run has the slot, nothing is decided about its issue)",
        s5_4_06_another_refusal_is_tried_again:
            "step 6: the merge failed for another reason → not advanced, no label of conflict; tried again \
             after a cooldown; the third refusal pauses (differs: the specification tries for ever)",
        s5_4_07_a_merge_advances:
            "step 7: merged, by us or before → removes baton:rebase-needed if there; the issue goes on to \
             Done",
        s5_4_x01_completion_comes_before_the_merge:
            "right after the run, without gates: adds stage:Validate:complete; the next look merges; a plain \
             failure → the merge alone is tried again, Validate is not invoked (differs: the specification \
             merges before the label, and repeats the work when only the merge failed)",
        s5_4_x02_a_conflict_right_after_the_run_still_completes:
            "right after the run: a rebase was asked for → adds stage:Validate:complete; later looks merge, \
             Validate is not invoked again",
        s5_4_x03_a_conflict_at_a_look_keeps_complete:
            "at a look: not mergeable → stage:Validate:complete stays; the merge is tried again at later \
             looks",
        s5_4_x04_without_yolo_nothing_is_merged:
            "complete Validate; cruise, auto_advance or neither → never merged",
    }

    /// §6.1: when reviews are enough.
    mod review_gate {
        s6_1_01_an_outstanding_reviewer_holds:
            "complete; a look; a requested reviewer is outstanding, no time-out → waiting; \
             baton:awaiting-review is there afterwards",
        s6_1_02_no_review_at_all_holds:
            "complete; a look; nobody is outstanding and nobody has reviewed → waiting; adds \
             baton:awaiting-review: a bot may come by itself",
        s6_1_03_pure_bots_are_asked_again:
            "complete; a look; only bots outstanding, a linked pull request, review_wait_timeout since \
             baton:awaiting-review → re-prompted: each request is taken back and made again, a comment \
             mentions each bot; adds baton:bot-reprompted; still waiting",
        s6_1_03b_bots_are_asked_again_once:
            "the same with baton:bot-reprompted there, its time not over → waiting; no second request, no \
             second comment",
        s6_1_04_all_reviews_clear:
            "complete; a look; nobody outstanding, one review that is not dismissed → cleared; removes \
             baton:awaiting-review, and baton:bot-reprompted if there; on to threads and the next gates",
        s6_1_05_bots_time_out_after_two_windows:
            "complete; a look; only bots outstanding, review_wait_timeout since baton:bot-reprompted → \
             timed out; removes baton:bot-reprompted, baton:awaiting-review; adds baton:paused, \
             baton:awaiting-input; the comment names the bots and says that they were asked again",
        s6_1_06_mixed_reviewers_time_out_after_one_window:
            "complete; a look; a bot and a person outstanding, review_wait_timeout since \
             baton:awaiting-review → timed out; nobody is asked again; adds baton:paused, \
             baton:awaiting-input; removes baton:awaiting-review",
        s6_1_07_people_time_out_after_one_window:
            "complete; a look; only people outstanding, review_wait_timeout since baton:awaiting-review → \
             timed out, as with mixed reviewers",
        s6_1_08_the_pause_names_bots_and_people:
            "timed out → the comment names each outstanding reviewer, as bot or as person",
        s6_1_09_a_time_out_never_advances: "timed out with yolo → paused; never merged or moved",
        s6_1_10_a_dismissed_review_does_not_count:
            "complete; a look; nobody outstanding, the only review is dismissed → waiting",
        s6_1_11_a_review_after_a_dismissal_counts:
            "the same with another review that is not dismissed → cleared",
        s6_1_12_a_bot_that_was_not_asked_clears:
            "complete; a look; nobody was ever asked, a bot submitted a review → cleared",
        s6_1_13_nobody_asked_and_nobody_came_times_out:
            "complete; a look; nobody outstanding, no review, review_wait_timeout since \
             baton:awaiting-review → timed out after one window; there is nobody to ask again",
        s6_1_14_bots_are_told_by_type_or_name:
            "a requested reviewer is a bot by the tracker's type, or by a name that ends in [bot] or -bot, \
             begins with copilot-, or is dependabot or gemini-code-assist",
        s6_1_15_completion_seeds_the_label_without_ci_only:
            "STAGE_COMPLETE; wait_for_reviews → baton:awaiting-review with the completion; with wait_for_ci \
             not before checks are green",
        s6_1_16_the_gate_is_not_asked_before_complete:
            "awaiting CI without stage:X:complete; a look; reviewers outstanding → the review gate says \
             nothing; no baton:awaiting-review",
        s6_1_17_stages_without_the_key_have_no_gate:
            "complete; a look; no wait_for_reviews, reviewers outstanding → not held",
        s6_1_18_awaiting_review_lives_until_clear_or_time_out:
            "baton:awaiting-review: added at the first hold; removed when cleared, timed out or closed; not \
             left on a paused issue (differs: §6.1 says that it stays there; §1.4 was chosen)",
        s6_1_19_bot_reprompted_lives_within_one_ladder:
            "baton:bot-reprompted: added after the bots were asked again; removed at the second time-out, \
             when cleared, or when closed",
    }

    /// §6.6 and §2.6: decomposition, and which marker counts.
    mod decompose {
        s6_6_01_decomposed_completes_the_stage:
            "locked and in progress in X; DECOMPOSED with at least one block of SUB_ISSUE that can be read, not complete, no \
             error → adds stage:X:complete; removes baton:locked:<user>, stage:X:in_progress; the claim is released \
             (differs: without such a block nothing is left of the issue, so the marker does not count)",
        s6_6_02_decomposed_moves_to_the_column_done:
            "the same → the column is the cleanup stage's, wherever the board has it",
        s6_6_03_decomposed_skips_the_stages_between:
            "the same → no stage between X and Done is invoked, no gate is asked, nothing is merged",
        s6_6_04_sub_issues_are_made_by_the_engine:
            "the same with blocks of SUB_ISSUE → each is created once, labelled, linked as sub-issue and \
             blocker and put on the board before the parent moves; a crash in between makes none twice \
             (differs: the agent makes them in the specification, and needs a token for it)",
        s2_6_01_complete_beats_decomposed_and_blocked:
            "STAGE_COMPLETE together with DECOMPOSED or BLOCKED_ON_INPUT → complete",
        s2_6_02_decomposed_beats_blocked: "DECOMPOSED together with BLOCKED_ON_INPUT, no error → decomposed",
        s2_6_03_decomposed_needs_a_run_without_error:
            "DECOMPOSED and an error → not decomposed; a run that failed",
        s2_6_04_blocked_needs_a_run_without_error:
            "BLOCKED_ON_INPUT and an error → not awaiting input; a run that failed",
        s2_6_05_complete_counts_in_spite_of_an_error: "STAGE_COMPLETE in the result and an error → complete",
        s2_6_06_no_marker_is_a_retry: "none of the markers → cooldown, and in the end escalation",
        s2_6_07_a_marker_that_is_mentioned_does_not_count:
            "a marker within a sentence or a code fence → not found, but logged as mentioned (differs: the \
             specification does not ask for a line of its own outside of fences)",
    }
}
