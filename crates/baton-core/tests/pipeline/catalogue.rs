//! The rows of the specification of the pipeline, one id each.
//!
//! The list is made from the specification of the state machine alone, without a look at the code: its transition
//! tables, its lists of guards, gates, labels and steps, and the rules in prose beside them. Each id is the name of a
//! test in the file of tests that is called like its module; the program does not compile while one is missing, so
//! that no row is forgotten. Where Baton decides otherwise, the text says what Baton does, and why after `differs`.
//!
//! An id is the section, the number of the row in it, and a sentence. A letter after the number marks a further fact
//! of the same row; before it, `x` marks a rule in prose, `p` a signal of progress and `r` a rule for checks. The rows
//! of §3.2 are counted through all of its tables. A text gives state, event and guard, then after the arrow the state
//! that results, the labels added and removed, and other effects. "The same" is the row above where it stands before
//! the arrow, and no change of state after it. X is the stage of the issue's column, and Y the next one. A look is one
//! assessment, whatever caused it.
//!
//! Deliberately absent: the tests themselves, and sections that only tell how another program is built inside
//! (observers, caches, goroutines, polling).
//!
//! | section | rows there | ids here |
//! |---|---|---|
//! | §1.2 | 8 labels | 8 |
//! | §1.4 | 19 labels | 19 |
//! | §2.6 | 3 markers, and none of them | 7 |
//! | §2.8 | 3: skipped, and two exceptions | 3 |
//! | §3.1 | 10 in two tables, 5 lines, catching up | 22 |
//! | §3.2 | 47 in thirteen tables, 4 signals of progress | 84 |
//! | §4.1 | 3 filters | 8 |
//! | §4.2 | 11 steps that have an effect (step 0 is display) | 20 |
//! | §4.3 | 4 | 10 |
//! | §4.4 | 3 | 3 |
//! | §4.5 | 1 | 2 |
//! | §5.4 | 7 steps, R2 to R6 (there is no R1) | 19 |
//! | §6.1 | 4 outcomes, 3 mixes of reviewers, 2 labels | 20 |
//! | §6.2 | prose | 3 |
//! | §6.4 | prose | 1 |
//! | §6.5 | prose | 2 |
//! | §6.6 | 3 steps | 4 |
//! | §7.4 | 2 sweeps (its two exceptions are those of §2.8) | 4 |
//! | §7.6 | prose | 8 |
//! | §8.1 | 16 | 16 |
//! | §8.2 | 6 | 7 |
//! | all | | 270 |

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

    /// §4.3: turn limits of runs over comments.
    mod comment_turns {
        s4_3_01_progress_extends_a_comment_run:
            "comments in process; turn limit hit; baton:extend-turns, less than three budgets used, \
             progress seen → the same; one budget of comment turns more; output is collected; the run is \
             recorded only after the last",
        s4_3_02_three_budgets_end_a_comment_run:
            "comments in process; turn limit hit; three budgets used → processed in part; what was said is \
             posted; the run is recorded",
        s4_3_03_no_progress_ends_a_comment_run:
            "comments in process; turn limit hit; no progress, or it could not be read → processed in part; \
             what was said is posted",
        s4_3_04_completion_in_a_comment_extension_completes:
            "comments in process; STAGE_COMPLETE in any extension → processed; the output is posted, and \
             the stage is complete as in step 11",
        s4_3_x01_without_the_label_comment_runs_are_not_extended:
            "comments in process; turn limit hit; no baton:extend-turns, progress seen → processed in part; \
             never extended",
        s4_3_x02_the_label_grants_two_comment_budgets_first:
            "baton:extend-turns at the start → the first run has twice the comment turns without asking for \
             progress, and counts as two budgets of three",
        s4_3_x03_comment_turns_have_a_default:
            "the budget is comment_max_turns, else max_turns, else 50; never unlimited",
        s4_3_x04_stages_without_a_signal_get_the_grant_only:
            "Specify, Research, Plan, Done with baton:extend-turns; turn limit hit → no further extension",
        s4_3_x05_only_a_clean_capped_comment_run_is_extended:
            "a comment run that ended with an error or below its budget → never extended",
        s4_3_x06_a_comment_run_posts_once:
            "a comment run with extensions → one comment with all of its output; usage is summed and \
             recorded once",
    }

    /// §4.1, §4.2, §4.4, §4.5: which comments are new, and what happens to them.
    mod comments {
        s4_1_01_a_processed_comment_is_not_new:
            "a comment that is remembered as processed → not new, also after a restart (differs: the memory \
             is durable)",
        s4_1_02_our_own_comment_is_not_new:
            "a comment that begins with Baton's heading → not new, even without a rocket",
        s4_1_03_a_rocketed_comment_is_not_new:
            "a comment with 🚀 → not new, even if nothing is remembered of it",
        s4_1_04_one_of_the_three_signs_is_enough:
            "a comment with any one of the three signs → not new; with none of them → new",
        s4_1_05_a_comment_of_ours_gets_its_rocket:
            "a comment that the engine posts → begins with the heading, so that it is not new even before \
             it gets 🚀 (differs: whoever posts it puts that on, when the comment has its number)",
        s4_1_06_strangers_comments_are_not_new:
            "a comment of somebody who may not write → not new (differs: anybody's counts in the \
             specification; strangers must not start agents)",
        s4_1_07_service_notices_are_not_new:
            "a bot's service notice → not new (differs: learnt from loops between bots)",
        s4_1_08_claims_and_releases_are_never_new:
            "a comment that claims or releases an issue, whoever wrote it → not new (differs: such comments \
             are Baton's protocol)",
        s4_2_01_new_comments_get_eyes: "step 1: 👀 on every new comment, those of review threads included",
        s4_2_01b_made_up_comments_get_no_reactions:
            "steps 1 and 10: a report of failures or an order to rebase is no comment of the tracker → \
             neither 👀 nor 🚀 (§6.4.2, §6.5.3)",
        s4_2_02_editing_is_on_during_the_run: "step 2: adds baton:editing, before the agent runs",
        s4_2_03_the_worktree_is_there:
            "step 3: the agent is woken whether or not there is a work tree (differs: whoever runs the agent \
             makes the work tree or brings it up to date, with its context files)",
        s4_2_04_the_agent_gets_the_comment_prompt:
            "step 4: the agent runs with comment_prompt or comment_skill and the comment turns",
        s4_2_05_completion_is_looked_for: "step 5: the output is searched for STAGE_COMPLETE",
        s4_2_05b_a_question_counts_in_comment_runs_too:
            "step 5: BLOCKED_ON_INPUT in a comment run → awaiting input; adds baton:paused, \
             baton:awaiting-input (differs: the specification strips the marker there and forgets the \
             question)",
        s4_2_06_an_issue_update_is_applied:
            "step 6: text between ISSUE_UPDATE_BEGIN and ISSUE_UPDATE_END becomes the issue's body, \
             complete or not",
        s4_2_06b_an_issue_update_is_not_posted: "step 6: that text is no part of the comment that is posted",
        s4_2_07_markers_are_not_posted:
            "step 7: STAGE_COMPLETE, BLOCKED_ON_INPUT, DECOMPOSED, SUMMARY_BEGIN and SUMMARY_END are no \
             part of the comment; what stands between the last two is",
        s4_2_08_stages_of_the_pull_request_post_anew:
            "step 8: post_to_pr → a new comment on the issue, named a comment review",
        s4_2_08b_other_stages_rewrite_their_comment:
            "step 8: without post_to_pr → the stage's comment is rewritten, or made where there is none",
        s4_2_08c_answered_threads_are_listed_on_the_pull_request:
            "step 8: only review threads as input, output not empty → after the issue's comment one on the \
             pull request, with path:line once per thread, or path alone where no line is known (differs: \
             whoever reads the thread falls back to the original line)",
        s4_2_08d_nothing_is_listed_without_output_or_pull_request:
            "step 8: threads as input, output empty or no pull request → no comment there; a mixed batch \
             posts none either",
        s4_2_09_editing_is_off_afterwards: "step 9: removes baton:editing",
        s4_2_09b_editing_is_off_after_an_error_too:
            "step 9: the run failed → removes baton:editing all the same; a label that is gone already is \
             fine",
        s4_2_10_processed_comments_get_rockets: "step 10: 🚀 on every processed comment, and it is remembered",
        s4_2_10b_answered_threads_are_resolved: "step 10: review threads that were input are resolved",
        s4_2_11_completion_in_a_comment_run_completes:
            "step 11: STAGE_COMPLETE was found → the same completion as after a stage's run: labels, pull \
             request, gates, advance",
        s4_2_11b_without_completion_the_stage_goes_on:
            "step 11: no marker → no completion; the stage is as before",
        s4_4_01_a_comment_enters_by_awaiting_input:
            "awaiting input; new comments → both labels removed, then comments are processed",
        s4_4_02_a_comment_enters_by_a_pause:
            "paused; new comments → baton:paused removed, failure cleared, then comments are processed",
        s4_4_03_a_comment_enters_by_itself:
            "not paused; new comments → comments are processed; no label is removed for it",
        s4_5_01_comments_seen_by_a_stage_get_rockets:
            "a stage's run ended, whatever its outcome → 🚀 on every comment that its prompt contained; not \
             when it never began or was stopped (differs: then the next run is to hear them)",
        s4_5_02_seen_comments_do_not_resume:
            "awaiting input; only comments that the asking run had seen → the same; a question is not \
             answered by what came before it",
        s6_2_03_open_threads_join_any_comment_run:
            "comments in process; unresolved review threads of the pull request → part of the same run, and \
             resolved after it",
    }

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
