//! §4: comments, and the turns of runs over them.

catalogue! {
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
}
