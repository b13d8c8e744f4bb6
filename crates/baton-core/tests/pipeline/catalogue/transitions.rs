//! §3: every row of the transition tables.

catalogue! {
    /// §3.1: the linear path, and when a finished stage leads to the next.
    mod happy_path {
        s3_1_01_an_idle_issue_is_invoked:
            "idle in X; a look; X is a stage, nothing paused, locked, editing or blocked, no cooldown → \
             locked and in progress; adds baton:locked:<user>, stage:X:in_progress; the issue is claimed \
             and the claim verified, the work tree is there, the agent runs (differs: the claim is a lease \
             with a deadline and a token, not a label that is read again after two seconds)",
        s3_1_02_a_complete_stage_waits_when_it_should_not_advance:
            "locked and in progress in X; STAGE_COMPLETE; it should not advance → complete in X; adds \
             stage:X:complete; removes baton:locked:<user>, stage:X:in_progress; the output is posted, the \
             claim is released, the column stays",
        s3_1_02b_completion_takes_an_old_failure_away:
            "the same, with stage:X:failed of an earlier escalation on the issue → removes stage:X:failed \
             as well",
        s3_1_02c_completion_opens_a_draft_where_the_stage_asks:
            "the same; create_draft_pr → a draft pull request exists; without the key none is opened (that it \
             closes the issue is written by whoever opens it)",
        s3_1_02d_completion_marks_the_pull_request_ready:
            "the same; mark_pr_ready_on_complete → the pull request is ready for review, after the draft \
             was opened; without the key it stays as it is",
        s3_1_03_a_person_moves_a_complete_issue_on:
            "complete in X; a person moves it to Y → idle in Y; no labels change; stage:X:complete does not \
             hold it up in Y, where it is invoked at the next look",
        s3_1_04_a_complete_stage_advances_when_it_should:
            "locked and in progress in X; STAGE_COMPLETE; it should advance → idle in Y; adds \
             stage:X:complete; removes baton:locked:<user>, stage:X:in_progress, stage:X:failed if there; \
             output, draft and ready as without advancing; the column becomes Y; the claim is released",
        s3_1_05_a_look_catches_up_with_a_complete_stage:
            "complete in X; a look; yolo or cruise, stage:X:complete, no new comments → idle in Y; no \
             labels change; the column becomes Y",
        s3_1_05b_new_comments_are_answered_before_catching_up:
            "the same with a new comment → the comment is processed first; the column stays",
        s3_1_06_validate_with_yolo_merges_and_goes_to_done:
            "locked and in progress in Validate; STAGE_COMPLETE; yolo, no gate open → Done, cleanup \
             pending; adds stage:Validate:complete; removes baton:locked:<user>, \
             stage:Validate:in_progress; the pull request is merged, the column becomes Done (differs: the \
             end of the run only sets labels, and the looks after it take one step each)",
        s3_1_07_a_look_merges_a_complete_validate_with_yolo:
            "complete in Validate; a look; yolo → Done, cleanup pending; no labels change; the pull request \
             is merged, the column becomes Done",
        s3_1_08_validate_with_cruise_stops_complete:
            "locked and in progress in Validate; STAGE_COMPLETE; cruise without yolo → complete in \
             Validate; adds stage:Validate:complete; removes baton:locked:<user>, \
             stage:Validate:in_progress; neither merged nor moved",
        s3_1_09_a_look_leaves_a_complete_validate_with_cruise:
            "complete in Validate; a look; cruise without yolo → the same; nothing is merged, moved or \
             labelled",
        s3_1_10_done_with_a_worktree_is_cleaned_up:
            "Done, cleanup pending; a look; the work tree is on disk → Done, complete; adds \
             stage:Done:complete; the work tree is removed",
        s3_1_x01_yolo_is_the_setting_or_the_label_read_afresh:
            "should it advance, first: yolo holds by the configuration or by baton:yolo, from labels that \
             are read after the run, so that one put on during the run counts",
        s3_1_x02_cruise_counts_only_without_yolo:
            "second: cruise holds by baton:cruise, and not while yolo holds, by setting or label (yolo \
             beats cruise)",
        s3_1_x03_yolo_or_cruise_advances:
            "third: with yolo or cruise it advances; with neither, and no auto_advance in the stage, it \
             does not",
        s3_1_x04_auto_advance_decides_without_either_label:
            "fourth: a stage's auto_advance, where it is set, decides when neither label is there: false \
             beats yolo of the configuration, true advances alone",
        s3_1_x04b_a_label_beats_auto_advance_false:
            "the same with baton:yolo or baton:cruise on the issue → it advances although the stage says \
             auto_advance: false",
        s3_1_x05_cruise_never_leaves_validate:
            "fifth: cruise at Validate does not advance, whatever the stage's auto_advance says",
        s3_1_x06_catching_up_needs_yolo_cruise_or_auto_advance:
            "complete in X; a look; none of yolo, cruise and auto_advance: true → it stays; with \
             auto_advance: true alone it advances (differs: one of two tellings of the specification asks \
             for yolo or cruise here; that of §6.2 was chosen)",
        s3_1_x07_catching_up_respects_auto_advance_false:
            "complete in X; a look; yolo of the configuration only, auto_advance: false → it stays; with \
             either label it advances, as right after the run",
    }

    /// §3.2: pause and unpause.
    mod pauses {
        s3_2_01_a_paused_issue_rests:
            "idle in an active column; a person adds baton:paused → paused in the same column; no other \
             labels; later looks leave it alone",
        s3_2_02_an_unpaused_issue_is_taken_up_again:
            "paused; a person removes baton:paused → idle in the same column; the next look invokes it",
        s3_2_03_a_comment_resumes_a_paused_issue:
            "paused; a new comment → idle, then comments are processed; removes baton:paused; attempts are \
             forgotten; only a person who may write resumes it (differs: anybody's comment does in the \
             specification; strangers must not start agents)",
        s3_2_03b_a_comment_on_a_failed_issue_clears_the_failure:
            "paused with stage:X:failed; a new comment → removes baton:paused, stage:X:failed; attempts, \
             cooldown and cycles start again; comments are processed",
    }

    /// §3.2: two engines, one issue.
    mod locks {
        s3_2_04_of_two_claimants_one_goes_on:
            "idle; two engines look at once; both claim → one is locked and in progress, the other leaves; \
             both add baton:locked:<user>, the loser removes its own and invokes nothing (differs: the \
             claim protocol names the winner; whoever knows nothing but the label is a lock as below)",
        s3_2_05_an_issue_locked_by_another_is_left_alone:
            "locked by another; a look; baton:locked:<other> → the same; no effect at all",
        s3_2_05b_a_live_foreign_claim_counts_as_a_lock:
            "a live claim of another without the label; a look → left alone as well (differs: the lock is a \
             lease, the label only shows it)",
    }

    /// §3.2: issues that wait for other issues.
    mod dependencies {
        s3_2_06_open_blockers_block:
            "idle; a look; open blockers → blocked; adds baton:blocked; one comment lists the blockers",
        s3_2_06b_blockers_are_listed_once:
            "blocked with baton:blocked there already; a look; blockers still open → the same; no second \
             label, no second comment, no agent",
        s3_2_07_the_last_blocker_that_closes_frees_at_once:
            "blocked, in any column; a blocker closes, or the blockers become known for the first time; all \
             of them are closed → idle; removes baton:blocked; no comment",
        s3_2_07b_one_blocker_of_two_that_closes_frees_nothing:
            "the same while another blocker is open → still blocked; no labels change",
        s3_2_07c_columns_without_a_stage_are_freed_too:
            "blocked in a column that no stage has; the last blocker closes → removes baton:blocked; \
             nothing is invoked",
        s3_2_08_a_look_frees_what_an_event_missed:
            "blocked in a stage's column; a look that is due; all blockers are closed → idle; removes \
             baton:blocked; the issue goes on in the same or the next look",
    }

    /// §3.2: `BATON_BLOCKED_ON_INPUT`.
    mod awaiting_input {
        s3_2_09_blocked_on_input_waits_for_a_person:
            "locked and in progress in X; BLOCKED_ON_INPUT; neither complete nor decomposed, no error → \
             awaiting input; adds baton:paused, baton:awaiting-input; removes baton:locked:<user>, \
             stage:X:in_progress; the claim is released; a comment mentions the operator",
        s3_2_09b_the_question_is_quoted:
            "the same with a summary between SUMMARY_BEGIN and SUMMARY_END → the operator's comment quotes \
             it; without one the comment mentions the operator alone (§1.3)",
        s3_2_10_a_comment_answers_and_resumes:
            "awaiting input; a new comment of a person who may write → comments are processed; removes \
             baton:paused, baton:awaiting-input; the cooldown of the stage is forgotten",
        s3_2_10b_without_a_comment_it_keeps_waiting:
            "awaiting input; a look; no new comment → the same; no effect at all",
    }

    /// §3.2: stages with `wait_for_reviews`.
    mod awaiting_review {
        s3_2_11_completion_waits_for_reviews:
            "locked and in progress in X; STAGE_COMPLETE; wait_for_reviews, no wait_for_ci → awaiting review; \
             adds stage:X:complete, baton:awaiting-review; removes baton:locked:<user>, stage:X:in_progress; \
             the claim is released; it does not advance, and does not ask who reviewed, for that is not known \
             yet (differs: also when it should not advance, since reviewers are waited for in any case)",
        s3_2_12_outstanding_reviewers_hold_it:
            "awaiting review and complete; a look; reviewers outstanding, no time-out → the same; \
             baton:awaiting-review stays or is added if missing; the pending reviewers are told",
        s3_2_13_the_last_review_clears_the_gate:
            "awaiting review and complete; a review arrives; none outstanding, one review that counts → \
             complete, then it advances or is reinvoked; removes baton:awaiting-review",
        s3_2_14_a_review_that_never_comes_pauses:
            "awaiting review and complete; a look; the time-out has passed → awaiting input; adds \
             baton:paused, baton:awaiting-input; removes baton:awaiting-review; a comment explains (the \
             label goes, as §1.4 says; §6.1 also says that it stays)",
    }

    /// §3.2: stages with `wait_for_ci`, complete only when checks are green.
    mod awaiting_ci {
        s3_2_15_completion_waits_for_checks:
            "locked and in progress in X; STAGE_COMPLETE; wait_for_ci → awaiting CI; adds \
             baton:awaiting-ci; removes baton:locked:<user>, stage:X:in_progress; stage:X:complete is \
             withheld",
        s3_2_15b_reviews_are_not_awaited_before_checks:
            "the same with wait_for_reviews too → no baton:awaiting-review; the review gate is asked only \
             once stage:X:complete is there",
        s3_2_15c_awaiting_checks_never_invokes_the_stage:
            "awaiting CI in X; a look; no stage:X:complete, no cooldown → the gates are asked; the stage is \
             not invoked again",
        s3_2_16_pending_checks_hold_it:
            "awaiting CI; a look; checks pending, none failed → the same; no labels change; the pending \
             checks are told",
        s3_2_17_a_failed_check_keeps_it_and_asks_for_a_fix:
            "awaiting CI; a look; a check's latest run is failure, timed_out or action_required → awaiting \
             CI; baton:awaiting-ci stays or is added if missing; a fix is asked for, or it pauses at the \
             limit",
        s3_2_17b_only_the_latest_run_of_a_name_counts:
            "awaiting CI; a look; an older run of the same name failed, its latest passed → not failed \
             (differs: said in our CI rules; all pages are read)",
        s3_2_18_green_checks_complete_the_stage:
            "awaiting CI; a look; all checks green → complete, then it advances, or merges at Validate with \
             yolo; adds stage:X:complete; removes baton:awaiting-ci",
        s3_2_18b_no_checks_at_all_complete_the_stage:
            "awaiting CI; a look; no checks, this pull request never had any, no context is required, the \
             head is older than post_push_dwell → complete; adds stage:X:complete; removes \
             baton:awaiting-ci (differs: the specification asks only whether it had checks before; checks \
             of a fresh push are not there yet)",
        s3_2_18c_checks_that_are_not_there_yet_hold_it:
            "awaiting CI; a look; no checks, but it had some, or a context is required, or the head is \
             younger than post_push_dwell → the same; no labels change",
        s3_2_19_a_clean_or_unstable_merge_state_completes:
            "awaiting CI; a look; the merge state is clean or unstable → complete, then it advances; adds \
             stage:X:complete; removes baton:awaiting-ci; one that is not required may have failed \
             (ci.accept_states holds the list) (differs: none may still be running, since unstable is also \
             said while checks run)",
        s3_2_19b_other_merge_states_ask_the_checks:
            "awaiting CI; a look; blocked, behind, dirty, unknown, has_hooks, draft or none → the checks \
             decide",
        s3_2_20_checks_that_never_end_pause:
            "awaiting CI; a look; ci_wait_timeout has passed since the later of the label and the last \
             change of a check → awaiting input; adds baton:paused, baton:awaiting-input; removes \
             baton:awaiting-ci; a comment explains (differs: the specification counts from the label alone, \
             which stops pipelines that still move)",
        s3_2_20b_the_backstop_pauses_whatever_moves:
            "awaiting CI; a look; checks still change, but ci_backstop_timeout has passed since the label → \
             the same pause (differs: a second bound, needed because progress extends the first)",
        s6_4_01_an_unreadable_gate_changes_nothing:
            "awaiting CI; a look; checks, or whether it merges, could not be read → the same; no labels, no \
             agent, no cycle charged (without its pull request an issue is not shown at all)",
    }

    /// §3.2: the merge-conflict gate, before that of CI, for stages with `wait_for_ci`.
    mod merge_conflicts {
        s3_2_21_a_conflict_asks_for_a_rebase:
            "awaiting CI; a look; mergeable is false → rebase needed; adds baton:rebase-needed; a rebase is \
             asked for, or it pauses at the limit; CI is not asked",
        s3_2_22_a_landed_rebase_goes_on_to_ci:
            "rebase needed with baton:awaiting-ci; a look; mergeable is true → awaiting CI; removes \
             baton:rebase-needed; the CI gate is asked next (differs: one look takes one step)",
        s3_2_23_unknown_mergeability_waits_without_labels:
            "awaiting CI; a look; mergeable is null → the same; no label is added or removed; CI is not \
             asked",
        s3_2_24_the_rebase_limit_pauses_and_keeps_the_label:
            "rebase needed; a look; mergeable is false, cycles have reached max_rebase_cycles → awaiting \
             input; adds baton:paused, baton:awaiting-input; baton:rebase-needed stays so that a person \
             sees why; a comment explains; the counter starts again (differs: every pause resets the \
             counter that caused it)",
        s6_5_01_no_pull_request_is_no_conflict:
            "awaiting CI; a look; no linked pull request → the gate is clear; a stale baton:rebase-needed \
             is removed",
        s6_5_02_stages_without_ci_skip_the_gate:
            "complete in X; a look; no wait_for_ci, mergeable is false → this gate says nothing; only \
             merging at Validate meets the conflict",
    }

    /// §3.2: cooldown and escalation, with the time-outs.
    mod retries {
        s3_2_25_a_marker_before_the_wall_time_counts:
            "locked and in progress in X; max_wall_time passed, the agent was stopped; STAGE_COMPLETE in \
             what it had said → complete; adds stage:X:complete; removes baton:locked:<user>, \
             stage:X:in_progress; as if it had ended by itself",
        s3_2_26_the_wall_time_without_a_marker_cools_down:
            "the same without the marker → cooldown in X; no labels change; no hard error; the claim is \
             kept and renewed, the slot is freed (differs: the specification keeps its only lock; here a \
             slot and a claim are two things)",
        s3_2_27_a_marker_before_the_silence_counts:
            "locked and in progress in X; no output for 15 minutes, the agent was stopped; STAGE_COMPLETE \
             in what it had said → complete; adds stage:X:complete; removes baton:locked:<user>, \
             stage:X:in_progress",
        s3_2_28_silence_without_a_marker_cools_down:
            "the same without the marker → cooldown in X; no labels change; the claim is kept, the slot is \
             freed",
        s3_2_29_a_run_without_a_marker_cools_down:
            "locked and in progress in X; the run ended without error and without a marker → cooldown of \
             ten polls; no labels change; baton:locked:<user> and stage:X:in_progress stay, the claim is \
             renewed, the slot is freed; one attempt is charged and remembered across restarts (differs: \
             attempts and cooldown are durable)",
        s3_2_29b_a_crashed_run_follows_the_retry_policy:
            "locked and in progress in X; the agent crashed or its API failed → nothing is charged to the \
             stage, no labels change, and it rests while the slot retries after a growing delay; when that \
             gives up, paused and failed (differs: the specification treats it as a run without a marker; a \
             crash says nothing of the stage)",
        s3_2_29c_an_agent_that_never_started_is_not_charged:
            "an agent could not be started → no attempt is charged to the stage; it is tried again a poll later; \
             after max_retries in a row it escalates (differs: the specification tries for ever; wakes are immediate \
             here, so a missing program would be called without end)",
        s3_2_29d_a_comment_is_answered_during_the_cooldown:
            "cooldown in X; a new comment → comments are processed at once (differs: said in our outcomes; \
             the guard of comments comes before that of the cooldown)",
        s3_2_30_after_the_cooldown_the_session_is_resumed:
            "cooldown in X; a look; the cooldown is over → locked and in progress; the agent is resumed, not \
             started afresh; stage:X:failed, if left from an escalation, is removed first (differs: after a \
             failure that was cleared it is started afresh)",
        s3_2_30b_during_the_cooldown_it_rests:
            "cooldown in X; a look; the cooldown is not over → the same; no effect at all",
        s3_2_31_too_many_attempts_escalate:
            "cooldown in X; the attempt just charged reaches max_retries, which is not 0 → paused and \
             failed; adds baton:paused, stage:X:failed; removes baton:locked:<user>, stage:X:in_progress; a \
             comment explains; the claim is released; remembered as paused by the engine",
        s3_2_31b_no_limit_means_no_escalation:
            "the same with max_retries 0 → cooldown, however many attempts there were",
        s3_2_32_unpausing_clears_the_failure:
            "paused and failed; a person removes baton:paused; stage:X:failed is there, or the engine \
             remembers its pause → idle; removes stage:X:failed; attempts, pause, cooldown and the cycles \
             of reviews, CI and rebases start again",
    }

    /// §3.2: turn limits of stages, and what counts as progress.
    mod turn_limits {
        s3_2_33_progress_extends_the_run:
            "locked and in progress in X; turn limit hit; less than three budgets used, progress seen → the \
             same state; one budget more; the session is resumed at once; output is collected; nothing is \
             committed or pushed in between",
        s3_2_34_three_budgets_are_the_end:
            "locked and in progress in X; turn limit hit; three budgets used → cooldown in X; no labels \
             change; what is there is committed and pushed; progress is not asked; counts as a slice and \
             not as an attempt (differs: the agent was cut off, it did not fail; max_slices bounds it)",
        s3_2_35_no_progress_means_no_extension:
            "locked and in progress in X; turn limit hit; no progress, or progress could not be read → \
             cooldown in X; no labels change; committed and pushed; counts as a slice (differs: as above)",
        s3_2_36_completion_in_an_extension_completes:
            "locked and in progress in X; STAGE_COMPLETE in any extension → complete; adds \
             stage:X:complete; removes baton:locked:<user>, stage:X:in_progress; baton:extend-turns stays",
        s3_2_p01_implement_progresses_by_a_commit:
            "Implement: the head is another commit than at the start → progress",
        s3_2_p01b_implement_progresses_by_new_edits:
            "Implement: the work tree was clean at the start and has edits now → progress",
        s3_2_p01c_edits_from_before_are_no_progress:
            "Implement: the work tree had edits at the start already, and no commit is new → no progress",
        s3_2_p02_review_progresses_by_a_commit:
            "Review: the head is another commit than at the start → progress; threads need not be read",
        s3_2_p02b_review_progresses_by_resolved_threads:
            "Review: more review threads are resolved than at the start → progress; edits that are not \
             committed are none",
        s3_2_p03_validate_progresses_by_comments:
            "Validate: issue and pull request have more comments than at the start → progress; a commit \
             alone is none",
        s3_2_p04_other_stages_have_no_progress:
            "Specify, Research, Plan and stages of one's own: nothing counts as progress, so a turn limit \
             is the end (differs: names decide nothing; a stage of one's own that opens the pull request, \
             waits for checks or waits for reviews is judged like the shipped one that does)",
        s3_2_x01_only_a_clean_capped_run_is_extended:
            "a run that ended with an error, below its budget, complete, or in a stage without max_turns → \
             never extended (differs: the agent says that it was cut off; turns are not compared)",
        s3_2_x02_extend_turns_grants_two_budgets_first:
            "baton:extend-turns at the start → the first run has 2 × max_turns, without asking for \
             progress, and counts as two budgets of three",
        s3_2_x03_extend_turns_beyond_two_asks_for_progress:
            "the same; turn limit hit again → one more budget only with progress, then the cap",
        s3_2_x04_extend_turns_is_nothing_without_a_limit:
            "baton:extend-turns on a stage without max_turns → the run is as unlimited as without it",
        s3_2_x05_extensions_post_one_comment:
            "a run with extensions → its outputs are posted as one stage comment, after the last",
    }

    /// §3.2: the last column.
    mod cleanup {
        s3_2_37_cleanup_removes_the_worktree:
            "Done, cleanup pending; a look; the work tree exists, not paused, not complete → Done, \
             complete; adds stage:Done:complete; removes baton:extend-turns if there; the work tree is \
             removed; no claim, no agent, no comments processed",
        s3_2_37b_a_paused_done_issue_keeps_its_worktree:
            "Done with baton:paused; a look → the same; the work tree stays (§1.3)",
        s3_2_37c_without_a_worktree_nothing_is_cleaned:
            "Done; a look; there is no work tree → no effect at all (appendix B)",
        s3_2_38_a_complete_done_issue_is_at_rest:
            "Done with stage:Done:complete; a look → the same; no effect at all",
    }

    /// §3.2: unresolved review threads of a finished stage.
    mod review_reinvoke {
        s3_2_39_threads_reinvoke_the_stage:
            "awaiting review and complete; the gate clears, threads unresolved; no run is active, cycles \
             below max_review_cycles → comments are processed with the threads as input; adds baton:editing \
             meanwhile; one cycle is charged; it does not advance in this look",
        s3_2_39b_threads_need_neither_yolo_nor_cruise:
            "the same without yolo, cruise and auto_advance → reinvoked all the same (§2.9)",
        s3_2_40_the_review_limit_pauses:
            "the same; cycles have reached max_review_cycles → awaiting input; adds baton:paused, \
             baton:awaiting-input; a comment explains; the counter starts again (differs: every pause \
             resets the counter that caused it)",
        s3_2_41_an_active_run_defers_the_threads:
            "the same; a run is active → nothing happens, not even the question of the limit (differs: the \
             wish is a wakeup, so the slot refuses a second agent by itself)",
        s6_2_01_threads_answered_before_do_not_reinvoke:
            "complete; a look; all thread comments are rocketed or processed → no reinvocation",
        s6_2_02_a_reinvocation_comes_before_conflict_and_ci:
            "awaiting CI with unresolved threads; a look; mergeable is false or checks failed → the review \
             is answered first; neither rebase nor fix is asked for in this look",
    }

    /// §3.2: failed checks.
    mod ci_fix_reinvoke {
        s3_2_42_failed_checks_reinvoke_the_stage:
            "awaiting CI; a look; checks failed, no run is active, cycles below max_ci_fix_cycles → \
             comments are processed with a report of the failures as input; adds baton:editing meanwhile; \
             one cycle is charged; it does not advance in this look",
        s3_2_42b_the_report_separates_new_regressions:
            "the same; of two failures one is on the base too → the report calls one new and the other \
             older than this change (§6.4.2)",
        s3_2_42c_the_ci_skill_falls_back_to_that_of_comments:
            "the same → the agent gets ci_fix_skill, or comment_skill where the stage has none (§6.4.2)",
        s3_2_43_the_ci_fix_limit_pauses:
            "awaiting CI; a look; checks failed, cycles have reached max_ci_fix_cycles → awaiting input; \
             adds baton:paused, baton:awaiting-input; baton:awaiting-ci stays; a comment explains; the \
             counter starts again (differs: every pause resets the counter that caused it; of two tellings \
             about the label, this table's was chosen)",
        s3_2_44_an_active_run_defers_the_fix:
            "awaiting CI; a look; checks failed, a run is active → nothing happens, not even the question \
             of the limit",
    }

    /// §3.2: confirmed conflicts.
    mod rebase_reinvoke {
        s3_2_45_a_conflict_reinvokes_the_stage:
            "rebase needed; a look; mergeable is false, no run is active, cycles below max_rebase_cycles → \
             comments are processed with the order to rebase as input; adds baton:editing meanwhile; one \
             cycle is charged (differs: with baton:awaiting-ci while complete is withheld; with \
             stage:X:complete only on stages without wait_for_ci)",
        s3_2_45b_the_rebase_skill_falls_back_to_that_of_comments:
            "the same → the agent gets rebase_skill, or comment_skill where the stage has none (§6.5.3)",
        s3_2_46_the_rebase_limit_pauses:
            "rebase needed; a look; mergeable is false, cycles have reached max_rebase_cycles → awaiting \
             input; adds baton:paused, baton:awaiting-input; baton:rebase-needed stays; a comment explains; \
             the counter starts again (differs: every pause resets the counter that caused it)",
        s3_2_47_an_active_run_defers_the_rebase:
            "rebase needed; a look; mergeable is false, a run is active → nothing happens, not even the \
             question of the limit",
    }
}
