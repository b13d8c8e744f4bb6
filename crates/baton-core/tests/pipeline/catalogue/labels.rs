//! §1, §7 and §8: labels, guards, and what is unexpected.

catalogue! {
    /// §8.1: the guards, in order; the first that matches decides. Those of Baton alone stand in between.
    mod guards {
        s8_1_01_no_stage_for_the_column: "1: the column has no stage → rest",
        s8_1_02_repository_not_ready: "2: the repository is not ready → rest, or the error is told",
        s8_1_03_locked_by_another:
            "3: baton:locked:<other> or a live foreign claim → rest (differs: closed issues are asked \
             before it, held ones after it)",
        s8_1_04_editing: "4: baton:editing → rest, new comments or not",
        s8_1_05_awaiting_input_with_a_comment:
            "5: baton:paused and baton:awaiting-input, a new comment → both removed, comments are processed",
        s8_1_06_awaiting_input_without_a_comment:
            "6: baton:paused and baton:awaiting-input, no new comment → rest",
        s8_1_07_paused_with_a_comment:
            "guard 7: paused; a new comment by a person → resumes, with the failure cleared; while other issues come \
             first it rests, and resumes when they are closed (differs: no agent works on a blocked issue)",
        s8_1_08_paused_without_a_comment: "8: baton:paused, no new comment → rest",
        s8_1_09_open_dependencies:
            "9: open blockers → baton:blocked and its comment, if not there; rest, new comments or not",
        s8_1_10_the_cleanup_stage:
            "10: a cleanup stage → the work tree goes, stage:X:complete comes; never an agent",
        s8_1_11_failed_after_unpause:
            "11: stage:X:failed or a remembered pause, and no baton:paused → the failure is cleared, the \
             later guards are asked",
        s8_1_12_new_comments: "12: new comments → comments are processed, complete, cooling down or not",
        s8_1_13_a_pull_request: "13: the item is a pull request → rest; it is only ever answered",
        s8_1_14_stage_complete:
            "14: stage:X:complete → the gates; the stage is not invoked (differs: a pending approval rests \
             before it; baton:awaiting-ci on a wait_for_ci stage counts as complete here)",
        s8_1_15_cooldown: "15: the cooldown of the last attempt is not over → rest",
        s8_1_16_all_guards_pass:
            "16: nothing matched → claim and invoke (differs: a spent budget pauses before it)",
    }

    /// §8.2: labels in combinations that nobody planned.
    mod unexpected {
        s8_2_01_editing_without_a_run_rests_until_healed:
            "baton:editing, no run active → rest; at the start of the engine the label is removed, as a \
             stale lock is",
        s8_2_01b_editing_by_hand_rests_until_removed:
            "baton:editing put on by a person while the engine runs → rest until a person removes it",
        s8_2_02_complete_in_its_own_column_waits_or_advances:
            "stage:X:complete in X → not invoked; advances with yolo, cruise or auto_advance, else waits \
             for a person",
        s8_2_03_paused_and_complete_stays:
            "baton:paused and stage:X:complete with yolo → no gate is asked, nothing is moved until it is \
             unpaused",
        s8_2_04_awaiting_review_without_complete_means_nothing:
            "baton:awaiting-review without stage:X:complete → removed, and the stage is invoked (differs: \
             the specification leaves the label, which nobody would look at)",
        s8_2_05_failed_without_paused_is_an_unpause:
            "stage:X:failed without baton:paused → removes it, attempts start again, the stage is invoked",
        s8_2_06_several_in_progress_labels_are_independent:
            "stage:X:in_progress of several stages → only the column's own matters; the others hold nothing \
             up",
    }

    /// §1.4: every label, who adds and who removes it, and what it holds up; §1.2: labels that only modify.
    mod labels {
        s1_4_01_locked:
            "baton:locked:<user>: added with the claim before a run; removed when the stage is complete, \
             failed for good, blocked on input or decomposed, or the claim is lost; keeps others away; \
             stays during a cooldown; over 50 characters it keeps its head and ends in 6 hex of a hash \
             (differs: a lost race never leaves it, and the lease behind it ends by itself)",
        s1_4_02_editing:
            "baton:editing: added in step 2 of a comment run; removed in step 9, on errors too, and at the \
             start of the engine when no run is active; holds up every new run",
        s1_4_03_paused:
            "baton:paused: added by escalation, a question, and every time-out or limit of reviews, CI and \
             rebases; removed by a person or by a comment that resumes; holds up everything but such a \
             comment",
        s1_4_04_awaiting_input:
            "baton:awaiting-input: added with baton:paused for a question or a time-out or limit, not for \
             an escalation; removed by a comment, or when the issue is closed; tells this pause from others",
        s1_4_05_awaiting_review:
            "baton:awaiting-review: added with completion, without wait_for_ci, or by the gate while \
             reviews are missing; removed when cleared, timed out or closed; holds up advancing; asked at \
             every look",
        s1_4_06_awaiting_ci:
            "baton:awaiting-ci: added with completion on wait_for_ci stages, and by failed checks; removed \
             when green, accepted by merge state, timed out or closed; holds up advancing and the stage \
             itself; complete is absent meanwhile",
        s1_4_07_rebase_needed:
            "baton:rebase-needed: added when mergeable is false, never when it is null; removed when it is \
             true, after a merge, or when closed; holds up CI and advancing",
        s1_4_08_blocked:
            "baton:blocked: added with the first sight of open blockers; removed when the last one closes, \
             in any column, or at a later look; holds up the start of a stage",
        s1_4_09_in_progress:
            "stage:X:in_progress: added after the claim is verified; removed together with the lock; only \
             informs",
        s1_4_10_complete:
            "stage:X:complete: added by completion without wait_for_ci, by the CI gate with it, by \
             decomposition and by cleanup; never removed; the stage is not invoked again, and the gates are \
             asked",
        s1_4_11_failed:
            "stage:X:failed: added by escalation; removed when the issue is unpaused, by completion, or by \
             the next attempt; pairs with baton:paused",
        s1_4_12_yolo:
            "baton:yolo: added and removed by people only; advances, merges at Validate, beats \
             auto_advance: false",
        s1_4_13_cruise:
            "baton:cruise: added and removed by people only; advances, never merges, stops at Validate, \
             nothing beside yolo",
        s1_4_14_unrestricted:
            "baton:unrestricted: added and removed by people only; read by what starts agents, which then \
             run without asking for permissions",
        s1_4_15_extend_turns:
            "baton:extend-turns: added by people; removed by people or by cleanup at Done, by nothing in \
             between; two budgets first, for stages and comments",
        s1_4_16_model: "model:<name>: added and removed by people only; the first one wins",
        s1_4_17_effort: "effort:<level>: added and removed by people only; the highest one wins",
        s1_4_18_base:
            "base:<branch>: added and removed by people only; read by what makes work trees and pull \
             requests; the first one wins",
        s1_4_19_sub_issue:
            "baton:sub-issue: added to issues that a decomposition made; never removed; only informs \
             (differs: the engine adds it, not the agent)",
        s1_2_01_yolo_modifies:
            "baton:yolo alone → the state is that without it; only advancing and merging differ",
        s1_2_02_cruise_modifies: "baton:cruise alone → the state is that without it; only advancing differs",
        s1_2_03_unrestricted_modifies: "baton:unrestricted → no state differs, only how agents are started",
        s1_2_04_extend_turns_modifies:
            "baton:extend-turns → only budgets differ, in all stages while it is there, for comments always",
        s1_2_05_model_modifies: "model:<name> → beats the stage's model",
        s1_2_06_effort_modifies:
            "effort:low, medium, high, max → beats the stage's effort; of several the highest",
        s1_2_07_base_modifies:
            "base:<branch> → no state differs, only the base; whether it exists on the remote is for git to \
             say",
        s1_2_08_sub_issue_modifies: "baton:sub-issue → nothing differs",
    }

    /// §2.8, §7.4: closed issues.
    mod closed {
        s2_8_01_a_closed_issue_is_never_invoked:
            "closed, idle in an active column; a look → rest; no agent, and comments are not processed \
             either",
        s2_8_02_a_closed_issue_is_still_cleaned_up:
            "closed in a cleanup stage; a look; the work tree exists → the work tree is removed; adds \
             stage:Done:complete",
        s2_8_03_a_closed_complete_issue_still_advances:
            "closed in Validate by its merge, with stage:Validate:complete; a look → the column becomes \
             Done; no agent (differs: with and without yolo or the label, since what is merged has no stages \
             before it any more)",
        s7_4_01_a_stale_lock_goes_with_the_issue:
            "closed with baton:locked:<user> of ours, in any column; a look → removes it",
        s7_4_02_transient_labels_go_with_the_issue:
            "closed; a look → removes baton:awaiting-review, baton:awaiting-ci, baton:awaiting-input, \
             baton:rebase-needed, baton:bot-reprompted, baton:blocked, baton:editing, those that are there; \
             stage:X:complete stays (differs: the last two mean as little on a closed issue)",
        s7_4_03_the_sweep_is_idempotent:
            "closed without any of them; a look → nothing is removed; a label that somebody else took first \
             is fine",
        s7_4_04_a_closed_complete_issue_reinvokes_nothing:
            "closed, complete, with unresolved threads, failed checks or a conflict; a look → no agent \
             (differs: the specification does not say; a closed issue never invokes one here)",
    }

    /// §7.6: runs that were stopped; how the process is stopped is not the machine's business.
    mod kills {
        s7_6_01_no_wall_time_means_no_cap: "max_wall_time absent or zero → no deadline but silence",
        s7_6_02_the_wall_time_ends_a_run:
            "max_wall_time is the stage's own; passed since the start of the process → the run has timed \
             out, which is a cooldown",
        s7_6_03_silence_ends_a_run:
            "no output for 15 minutes (inactivity_timeout) → the run has timed out, with or without \
             max_wall_time",
        s7_6_04_a_marker_said_before_the_end_counts:
            "timed out without a result; STAGE_COMPLETE in the assistant's text → complete, with all that \
             follows from it",
        s7_6_05_no_marker_said_is_a_cooldown:
            "timed out; no STAGE_COMPLETE → cooldown; no hard error, no retry policy of crashes",
        s7_6_06_other_markers_do_not_count_after_the_end:
            "timed out; only DECOMPOSED or BLOCKED_ON_INPUT in the assistant's text → cooldown",
        s7_6_07_a_marker_from_elsewhere_does_not_count:
            "timed out; STAGE_COMPLETE in a tool's output or the prompt only → cooldown",
        s7_6_08_a_shutdown_is_not_a_time_out:
            "the engine stops while a run is active → no outcome: nothing is posted, no attempt is charged, \
             no label of an outcome changes; the run is interrupted and taken up again",
    }
}
