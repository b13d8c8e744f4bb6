//! What a step comes to: the effects to be performed and what is to be remembered.

use super::approval::{self, Asked};
use super::draft::Draft;
use super::effect::{Effect, Job, Place, Reaction, Settlement, Wake};
use super::gates::outstanding;
use super::item::{Comment, Item, Moment};
use super::memory::{Loop, MERGE_COOLDOWN};
use super::names::{Flag, StageMark};
use super::policy::Policy;
use super::stage::Pipeline;
use super::step::{Cause, Hold, Pause, Repair, Step};
use super::upkeep::{CLOSED_FLAGS, GATE_FLAGS, is_own_pause, is_stale};
use super::view::{TRACKER, View, WAITS};
use crate::labels::dialect::Dialect;
use crate::labels::{self, DONE, IMPLEMENT, PLAN_PENDING_APPROVAL};
use crate::slot::{EnginePause, ItemMemory};

/// Returns what a step comes to. A step that has been taken comes to nothing when it is decided again.
pub fn enact(step: &Step, item: &Item, pipeline: &Pipeline, policy: &Policy, now: Moment) -> Settlement {
    let mut draft = Draft::new(View::new(item, pipeline, policy, now));
    keep_the_clocks(&mut draft, step);
    match step {
        Step::Rest(_) => {}
        Step::CleanUp => clean_up(&mut draft),
        Step::ClearFailure => clear_failure(&mut draft),
        Step::ProcessComments { resumes } => process_comments(&mut draft, *resumes),
        Step::Invoke { resume } => invoke(&mut draft, *resume),
        Step::Reinvoke(cause) => reinvoke(&mut draft, *cause),
        Step::HoldAtGate(hold) => hold_at_gate(&mut draft, *hold),
        Step::Pause(pause) => pause_for(&mut draft, *pause),
        Step::Advance { to } => advance(&mut draft, to),
        Step::Merge => merge(&mut draft),
        Step::RepairLabels(repair) => repair_labels(&mut draft, *repair),
    }
    draft.done()
}

/// Where no label tells since when something is waited for, the memory does.
fn keep_the_clocks(draft: &mut Draft<'_>, step: &Step) {
    for wait in WAITS {
        let (view, now) = (draft.view, draft.view.now.store);
        let is_held = wait == TRACKER && matches!(step, Step::HoldAtGate(hold) if hold.is_for_pull());
        let is_waiting = view.has(wait.flag) || is_held;
        let is_known = view.item.memory.waiting_since.contains_key(wait.key);
        if is_waiting && !is_known && view.flagged_at(wait.flag).is_none() {
            draft.memory().waiting_since.insert(wait.key.to_owned(), now);
        }
        if !is_waiting && is_known && view.item.runner.is_none() {
            draft.memory().waiting_since.remove(wait.key);
        }
    }
}

fn clean_up(draft: &mut Draft<'_>) {
    draft.push(Effect::RemoveWorktree);
    draft.mark(StageMark::Complete);
    draft.remove(Flag::ExtendTurns);
    if draft.view.is_merged() && draft.view.policy.names.dialect != Dialect::Fabrik {
        for label in
            labels::lifecycle_labels(&draft.view.item.labels).into_iter().filter(|label| *label != DONE)
        {
            draft.remove_label(label);
        }
        draft.add_label(DONE.to_owned());
    }
    draft.let_go();
}

fn clear_failure(draft: &mut Draft<'_>) {
    draft.remove(Flag::AwaitingInput);
    draft.forgive();
}

fn process_comments(draft: &mut Draft<'_>, resumes: bool) {
    if resumes {
        draft.remove(Flag::Paused);
        draft.remove(Flag::AwaitingInput);
        draft.forgive();
    }
    let view = draft.view;
    let comments: Vec<_> = view.new_comments().map(|comment| comment.id).collect();
    draft.push(Effect::React { on: Place::Issue, comments: comments.clone(), with: Reaction::Eyes });
    let start = view.now.store.minus(view.policy.comment_cycle_window);
    let runs = &mut draft.memory().comment_runs;
    runs.retain(|run| *run > start);
    runs.push(view.now.store);
    wake_for_words(draft, Job::Comments, comments);
}

/// Wakes the agent for what was said, review threads included.
fn wake_for_words(draft: &mut Draft<'_>, job: Job, comments: Vec<u64>) {
    let view = draft.view;
    let is_new = |comment: &&Comment| super::comments::is_new(comment, &view.item.memory, view.policy.names);
    let said = view.new_threads().flat_map(|thread| thread.comments.iter().filter(is_new));
    let thread_comments: Vec<_> = said.map(|comment| comment.id).collect();
    if !thread_comments.is_empty() {
        draft.push(Effect::React {
            on: Place::Pull,
            comments: thread_comments.clone(),
            with: Reaction::Eyes,
        });
    }
    draft.add(Flag::Editing);
    let threads = view.new_threads().map(|thread| thread.id.clone()).collect();
    draft.push(Effect::Wake(Wake { comments, threads, thread_comments, ..wake(&view, job) }));
}

fn wake(view: &View<'_>, job: Job) -> Wake {
    let (agent, stage) = (view.stage.agent.clone(), view.stage.name.clone());
    Wake {
        job,
        agent,
        stage,
        resume: false,
        comments: Vec::new(),
        threads: Vec::new(),
        thread_comments: Vec::new(),
    }
}

fn invoke(draft: &mut Draft<'_>, resume: bool) {
    draft.unmark(StageMark::Failed);
    draft.add_label(draft.view.policy.own_lock.clone());
    draft.mark(StageMark::InProgress);
    draft.push(Effect::Wake(Wake { resume, ..wake(&draft.view, Job::Stage) }));
}

fn reinvoke(draft: &mut Draft<'_>, cause: Cause) {
    match cause {
        Cause::Review => {}
        Cause::CiFix => draft.add(Flag::AwaitingCi),
        Cause::Rebase => draft.add(Flag::RebaseNeeded),
    }
    count(draft, Loop::from(cause));
    match cause {
        Cause::Review => wake_for_words(draft, Job::Review, Vec::new()),
        Cause::CiFix | Cause::Rebase => {
            draft.add(Flag::Editing);
            draft.push(Effect::Wake(wake(&draft.view, Job::from(cause))));
        }
    }
}

fn count(draft: &mut Draft<'_>, turn: Loop) {
    let key = turn.key(&draft.view.stage.name);
    ItemMemory::count(&mut draft.memory().cycles, &key);
}

fn hold_at_gate(draft: &mut Draft<'_>, hold: Hold) {
    match hold {
        Hold::Dependencies if !draft.view.has(Flag::Blocked) => {
            draft.add(Flag::Blocked);
            draft.say(Place::Issue, super::say::blocked(&draft.view));
        }
        Hold::AskApproval => ask_approval(draft),
        Hold::Reviews => draft.add(Flag::AwaitingReview),
        Hold::Reprompt => reprompt(draft),
        Hold::ChecksFailed => draft.add(Flag::AwaitingCi),
        Hold::Draft => {
            draft.push(Effect::MarkPullReady);
            count(draft, Loop::Merge);
        }
        Hold::Dependencies
        | Hold::Approval
        | Hold::Mergeability
        | Hold::Checks
        | Hold::NoChecksYet
        | Hold::ChecksUnknown
        | Hold::MergeCooldown => {}
    }
}

fn ask_approval(draft: &mut Draft<'_>) {
    let (view, stage) = (draft.view, draft.view.stage.name.clone());
    let plan = approval::plan_of(&view.item.comments, &stage, view.policy.names);
    if !view.signs.is_plan_pending {
        draft.add_label(PLAN_PENDING_APPROVAL.to_owned());
    }
    // A plan that was changed makes the question about the old one void, wherever that was asked.
    close_slack(draft, "The plan has changed, so this question is void.");
    draft.push(Effect::AskApproval { stage, plan: plan.mark });
}

/// Puts an answer in the place of a question in Slack, if there is one.
fn close_slack(draft: &mut Draft<'_>, said: &str) {
    if let Some(message) = draft.view.item.memory.slack.clone() {
        draft.push(Effect::TellOnSlack { message, said: said.to_owned() });
        draft.memory().slack = None;
    }
}

fn reprompt(draft: &mut Draft<'_>) {
    let Some(pull) = draft.view.open_pull() else { return };
    let logins: Vec<_> = outstanding(&draft.view).map(|who| who.login.to_owned()).collect();
    let body = super::say::reminder(&draft.view, &logins);
    draft.push(Effect::AskReviewersAgain { pull: pull.number, logins });
    draft.say(Place::Pull, body);
    draft.add(Flag::BotReprompted);
}

fn pause_for(draft: &mut Draft<'_>, pause: Pause) {
    // The pause comes first: without the gate's label, and not yet paused, the stage would look unfinished to others.
    draft.add(Flag::Paused);
    draft.add(Flag::AwaitingInput);
    pass_the_gate_by(draft, pause);
    draft.say(Place::Issue, super::say::paused(&draft.view, pause));
    if draft.view.signs.has_own_lock || draft.view.signs.is_in_progress {
        draft.let_go();
    }
    remember_pause(draft, pause);
}

/// Takes off what tells of a gate that is not waited at any more. A conflict stays visible, since it is the reason.
fn pass_the_gate_by(draft: &mut Draft<'_>, pause: Pause) {
    match pause {
        Pause::ReviewTimeout { .. } => {
            draft.remove(Flag::AwaitingReview);
            draft.remove(Flag::BotReprompted);
        }
        Pause::CiTimeout | Pause::ChecksFailed => draft.remove(Flag::AwaitingCi),
        Pause::RebaseCycles => draft.add(Flag::RebaseNeeded),
        Pause::ApprovalTimeout => {
            draft.remove_label(PLAN_PENDING_APPROVAL);
            close_slack(draft, "Nobody decided about the plan in time.");
            if draft.view.policy.names.dialect != Dialect::Fabrik {
                draft.add_label(IMPLEMENT.to_owned());
            }
        }
        _ => {}
    }
}

/// Every pause takes back what was counted towards it; otherwise the next look would pause again.
fn remember_pause(draft: &mut Draft<'_>, pause: Pause) {
    let (stage, now) = (draft.view.stage.name.clone(), draft.view.now.server);
    let turn = match pause {
        Pause::ReviewCycles => Some(Loop::Review),
        Pause::CiFixCycles => Some(Loop::CiFix),
        Pause::RebaseCycles => Some(Loop::Rebase),
        Pause::MergeRefused => Some(Loop::Merge),
        _ => None,
    };
    let follows_comments = matches!(pause, Pause::CommentCycles | Pause::BudgetSpent(_));
    let memory = draft.memory();
    if let Some(turn) = turn {
        memory.cycles.remove(&turn.key(&stage));
    }
    if pause == Pause::CommentCycles {
        memory.comment_runs.clear();
    }
    let (cause, unheard_before) = (pause.word().to_owned(), follows_comments.then_some(now));
    memory.paused_by_engine = Some(EnginePause { stage, cause, unheard_before });
}

fn advance(draft: &mut Draft<'_>, to: &str) {
    draft.push(Effect::MoveTo { column: to.to_owned() });
    let stage = draft.view.stage.name.clone();
    super::memory::forget_failures(draft.memory(), &stage);
}

fn merge(draft: &mut Draft<'_>) {
    let Some(pull) = draft.view.open_pull() else { return };
    draft.push(Effect::MergePull { pull: pull.number, head_sha: pull.head_sha.clone() });
    count(draft, Loop::Merge);
    let until = draft.view.now.store.plus(draft.view.policy.cooldown);
    draft.memory().cooldowns.insert(MERGE_COOLDOWN.to_owned(), until);
}

fn repair_labels(draft: &mut Draft<'_>, repair: Repair) {
    match repair {
        Repair::Closed => sweep(draft),
        Repair::Unblocked => draft.remove(Flag::Blocked),
        Repair::Idle => draft.let_go(),
        Repair::Stale => {
            let view = draft.view;
            GATE_FLAGS.into_iter().filter(|flag| is_stale(&view, *flag)).for_each(|flag| draft.remove(flag));
        }
        Repair::Reviewed => {
            draft.remove(Flag::AwaitingReview);
            draft.remove(Flag::BotReprompted);
        }
        Repair::Mergeable => draft.remove(Flag::RebaseNeeded),
        Repair::ChecksPassed => {
            draft.mark(StageMark::Complete);
            draft.remove(Flag::AwaitingCi);
        }
        Repair::Decided => decided(draft),
    }
}

fn sweep(draft: &mut Draft<'_>) {
    let is_own_pause = is_own_pause(&draft.view);
    for flag in CLOSED_FLAGS {
        draft.remove(flag);
    }
    draft.unmark(StageMark::Failed);
    draft.let_go();
    if is_own_pause {
        // That the pause is ours stays known: should the label not come off this time, the next look tries again.
        draft.remove(Flag::Paused);
    }
}

/// An approved plan completes its stage as far as it can; after a rejection the stage is run again.
fn decided(draft: &mut Draft<'_>) {
    let Some(approval) = draft.view.approval() else { return };
    let is_approved = approval.state == super::item::ApprovalState::Approved;
    let word = if is_approved { "approved" } else { "rejected" };
    if !approval.unrecorded.is_empty() {
        // From now on the tracker alone tells of it, to every engine and after every restart.
        let asked = Asked { stage: approval.stage.clone(), plan: approval.plan.clone() };
        let (votes, more) = (&approval.unrecorded, &approval.amendments);
        draft.say(Place::Issue, approval::record(draft.view.policy.names, &asked, votes, more));
    }
    close_slack(draft, &format!("The plan was {word} by {}.", approval.by));
    draft.remove_label(PLAN_PENDING_APPROVAL);
    match is_approved {
        true => super::settle::tell_completion(draft),
        // It may have been complete before, with a plan that people agreed to then.
        false => {
            let view = draft.view;
            draft.remove_label(&view.policy.names.stage(&view.stage.name, StageMark::Complete));
        }
    }
}
