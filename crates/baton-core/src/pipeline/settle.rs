//! What the end of a run comes to. The issue is read afresh before, so that what people did meanwhile counts.

use super::comments::is_new;
use super::draft::Draft;
use super::effect::{Effect, Job, Place, Reaction, Settlement};
use super::item::{Comment, Item, Moment, Thread};
use super::markers::{self, Marks};
use super::memory::{answer_key, start_key};
use super::names::{Flag, StageMark};
use super::outcome::{End, Outcome, Word};
use super::policy::{COOLDOWN_POLLS, Policy};
use super::say;
use super::stage::Pipeline;
use super::view::View;
use crate::labels::PLAN_PENDING_APPROVAL;
use crate::slot::{EnginePause, ItemMemory};
use crate::time::ServerTime;

/// Returns what the end of a run in a stage comes to.
pub fn settle(
    item: &Item,
    stage: &str,
    outcome: &Outcome,
    pipeline: &Pipeline,
    policy: &Policy,
    now: Moment,
) -> Settlement {
    // A person may have moved the issue while the agent worked; the run was for the stage that it was woken in.
    let mut view = View::new(item, pipeline, policy, now);
    if view.stage.name != stage {
        let Some(of_run) = pipeline.stage(stage) else { return Settlement::default() };
        view = view.in_stage(of_run);
    }
    let marks = markers::read(&outcome.text, policy.names.dialect);
    let word = outcome.word(&marks);
    let mut run = EndedRun { draft: Draft::new(view), outcome, marks, word };
    run.settle();
    run.draft.done()
}

/// Why an issue is not split where people have to agree first.
const NOT_SPLIT: &str = "wants to split the issue, which nobody can approve (create the parts by hand, or let a stage without \
                         `approval` split it)";

/// A run that is being settled.
struct EndedRun<'a> {
    draft: Draft<'a>,
    outcome: &'a Outcome,
    marks: Marks,
    word: Word,
}

impl<'a> EndedRun<'a> {
    fn settle(&mut self) {
        if self.has_lost_the_race() {
            return self.draft.remove_label(&self.draft.view.policy.own_lock.clone());
        }
        self.keep_what_was_done();
        if self.outcome.job != Job::Stage {
            self.draft.remove(Flag::Editing);
        }
        match self.word {
            Word::Complete => self.complete(),
            Word::Decomposed => self.decomposed(),
            Word::Blocked => self.blocked(),
            Word::Nothing => self.nothing_said(),
        }
    }

    /// Of two engines that took the issue up at once, one did not get the claim. A lock of its own would keep the other
    /// away later; what else the labels say is the winner's.
    fn has_lost_the_race(&self) -> bool {
        let view = self.draft.view;
        let is_foreign = view.item.foreign_claim.is_some() || view.signs.foreign_lock.is_some();
        self.outcome.end == End::NotStarted && is_foreign
    }

    /// Whatever a run says in the end, its commits are pushed, and what it wrote into the issue counts.
    fn keep_what_was_done(&mut self) {
        let has_run = self.outcome.has_words() || self.outcome.end == End::Cancelled;
        if has_run && !self.draft.view.stage.read_only {
            self.draft.push(Effect::PushBranch);
        }
        if let Some(body) = self.marks.issue_update.take().filter(|_| self.outcome.has_words()) {
            self.draft.push(Effect::UpdateIssue { body });
        }
    }

    fn complete(&mut self) {
        let stage = self.draft.view.stage;
        if stage.create_draft_pr {
            self.draft.push(Effect::CreateDraftPull { summary: self.marks.summary.clone() });
        }
        match self.asks_people() {
            true => self.post_plan(),
            false => self.post(""),
        }
        self.show_words_are_heard();
        self.resolve_threads();
        if stage.mark_pr_ready {
            self.draft.push(Effect::MarkPullReady);
        }
        self.draft.forget_tries();
        if self.asks_people() {
            // The gate asks, once the plan is where people read it.
            self.draft.add_label(PLAN_PENDING_APPROVAL.to_owned());
        } else {
            tell_completion(&mut self.draft);
        }
        self.draft.let_go();
    }

    /// Returns whether people have to agree before anything follows from what the stage came to.
    fn asks_people(&self) -> bool {
        self.draft.view.stage.approval.is_some() && !self.draft.view.signs.is_complete
    }

    /// Posts a plan that people are to be asked about, always as a comment of its own: with the words of an earlier one, or
    /// with none, it would be answered by what was said about that.
    fn post_plan(&mut self) {
        let rest = say::with_problems(std::mem::take(&mut self.marks.rest), &self.not_obeyed());
        let text = say::with_summary(self.marks.summary.take().as_deref(), &rest);
        let text = if text.is_empty() { say::NO_PLAN } else { text.as_str() };
        self.draft.say(Place::Issue, say::output(&self.draft.view, self.outcome, text, "", ""));
    }

    /// The issue lives on in others: no stage and no gate between here and the end has anything to do with it. Where people
    /// have to agree first, they are asked about plans and not about issues, so no agent splits one there.
    fn decomposed(&mut self) {
        self.post("");
        self.show_words_are_heard();
        if self.asks_people() {
            return self.give_up(NOT_SPLIT);
        }
        let issues = std::mem::take(&mut self.marks.sub_issues);
        self.draft.push(Effect::CreateSubIssues { issues });
        self.draft.forget_tries();
        self.draft.mark(StageMark::Complete);
        if let Some(end) = self.draft.view.pipeline.cleanup() {
            self.draft.push(Effect::MoveTo { column: end.name.clone() });
        }
        self.draft.let_go();
    }

    /// The question stands for the answer; review threads stay as they are until there is one.
    fn blocked(&mut self) {
        let question = say::question(&self.draft.view, self.marks.summary.take().as_deref());
        self.post("");
        self.show_words_are_heard();
        self.draft.say(Place::Issue, question);
        self.draft.add(Flag::Paused);
        self.draft.add(Flag::AwaitingInput);
        self.remember_pause("blocked_on_input", None);
        let stage = self.stage();
        self.draft.memory().cooldowns.remove(&stage);
        self.draft.let_go();
    }

    fn nothing_said(&mut self) {
        match (self.outcome.end, self.outcome.job) {
            (End::Stopped, _) => {}
            (End::Cancelled, _) => self.cancelled(),
            (End::NotStarted, _) => self.not_started(),
            (_, Job::Stage) => self.stage_goes_on(),
            (End::Failed, _) => {}
            (End::FailedForGood, _) => self.give_up("could not answer: its runs failed"),
            (End::TimedOut | End::FinishedWithError, _) => self.not_answered(),
            (End::Finished | End::TurnLimit, _) => self.answered(),
        }
    }

    /// What a person ended does not begin again by itself.
    fn cancelled(&mut self) {
        self.draft.add(Flag::Paused);
        self.draft.say(Place::Issue, say::cancelled(&self.draft.view));
        self.remember_pause("cancelled", Some(self.draft.view.now.server));
        self.draft.let_go();
    }

    /// An agent that cannot even begin is tried a few times, a poll apart.
    fn not_started(&mut self) {
        let (key, stage) = (start_key(&self.draft.view.stage.name), self.stage());
        let tries = ItemMemory::count(&mut self.draft.memory().attempts, &key);
        if self.is_too_often(tries) {
            return self.give_up(&format!("could not be started {tries} times"));
        }
        let view = self.draft.view;
        let until = view.now.store.plus(view.policy.cooldown / COOLDOWN_POLLS);
        self.draft.memory().cooldowns.insert(stage, until);
    }

    fn answered(&mut self) {
        self.post("");
        self.show_words_are_heard();
        self.resolve_threads();
        let key = answer_key(&self.draft.view.stage.name);
        if self.draft.view.item.memory.attempts.contains_key(&key) {
            self.draft.memory().attempts.remove(&key);
        }
        self.release_unless_between_tries();
    }

    /// A run that was cut off has answered nothing. What it was told stays new; comments have no other bound on that than
    /// this one.
    fn not_answered(&mut self) {
        self.post("");
        if self.outcome.job == Job::Comments {
            let key = answer_key(&self.draft.view.stage.name);
            let tries = ItemMemory::count(&mut self.draft.memory().attempts, &key);
            if self.is_too_often(tries) {
                return self.give_up(&format!("gave no answer to comments {tries} times"));
            }
        }
        self.release_unless_between_tries();
    }

    fn release_unless_between_tries(&mut self) {
        if !self.draft.view.signs.has_own_lock {
            self.draft.push(Effect::Release);
        }
    }

    fn is_too_often(&self, tries: u32) -> bool {
        self.draft.view.policy.max_retries.is_some_and(|max| tries >= max)
    }

    /// The stage has not ended. It keeps its lock, since nobody else should begin in the middle.
    fn stage_goes_on(&mut self) {
        self.show_words_are_heard();
        if !matches!(self.outcome.end, End::Failed | End::FailedForGood) {
            self.post("Stage incomplete.");
        }
        match self.outcome.end {
            End::Failed => {}
            End::FailedForGood => self.give_up("failed, and was tried again in vain"),
            End::TurnLimit => self.count_slice(),
            _ => self.count_attempt(),
        }
    }

    fn count_attempt(&mut self) {
        let stage = self.stage();
        let attempts = ItemMemory::count(&mut self.draft.memory().attempts, &stage);
        match self.is_too_often(attempts) {
            true => self.give_up(&format!("ended {attempts} times without a word of completion")),
            false => self.cool_down(),
        }
    }

    fn count_slice(&mut self) {
        let stage = self.stage();
        let slices = ItemMemory::count(&mut self.draft.memory().slices, &stage);
        match slices >= self.draft.view.policy.max_slices {
            true => self.give_up(&format!("came to its limit of turns {slices} times")),
            false => self.cool_down(),
        }
    }

    fn cool_down(&mut self) {
        let until = self.draft.view.now.store.plus(self.draft.view.policy.cooldown);
        let stage = self.stage();
        self.draft.memory().cooldowns.insert(stage, until);
    }

    fn give_up(&mut self, why: &str) {
        self.draft.forget_tries();
        self.draft.mark(StageMark::Failed);
        self.draft.add(Flag::Paused);
        self.draft.say(Place::Issue, say::gave_up(&self.draft.view, why));
        // What was said before a failed answer led to it, and would do so again at once.
        let is_answer = self.outcome.job != Job::Stage;
        self.remember_pause("stage_failed", is_answer.then_some(self.draft.view.now.server));
        self.draft.let_go();
    }

    fn remember_pause(&mut self, cause: &str, unheard_before: Option<ServerTime>) {
        let pause = EnginePause { stage: self.stage(), cause: cause.to_owned(), unheard_before };
        self.draft.memory().paused_by_engine = Some(pause);
    }

    fn stage(&self) -> String {
        self.draft.view.stage.name.clone()
    }

    /// Shows on every comment that the agent was told that it was acted on, and remembers it.
    fn show_words_are_heard(&mut self) {
        self.rocket(Place::Issue, self.outcome.comments.clone());
    }

    /// Settles the threads that the agent was told, and what was said in them. What reviewers said meanwhile is still to be
    /// heard, and keeps its thread open.
    fn resolve_threads(&mut self) {
        self.rocket(Place::Pull, self.outcome.thread_comments.clone());
        let view = self.draft.view;
        let told = &self.outcome.thread_comments;
        let is_untold = |comment: &Comment| {
            is_new(comment, &view.item.memory, view.policy.names) && !told.contains(&comment.id)
        };
        let settled = self.threads().into_iter().filter(|thread| !thread.comments.iter().any(is_untold));
        let threads: Vec<_> = settled.map(|thread| thread.id.clone()).collect();
        if !threads.is_empty() {
            self.draft.push(Effect::ResolveThreads { threads });
        }
    }

    fn rocket(&mut self, on: Place, comments: Vec<u64>) {
        if comments.is_empty() {
            return;
        }
        self.draft.memory().processed_comments.extend(&comments);
        self.draft.push(Effect::React { on, comments, with: Reaction::Rocket });
    }

    /// The threads that the run was told, as far as they are still known.
    fn threads(&self) -> Vec<&'a Thread> {
        let known = self.draft.view.item.pull.iter().flat_map(|pull| &pull.threads);
        known.filter(|thread| self.outcome.threads.contains(&thread.id)).collect()
    }

    /// Posts what the agent said, where people look for it.
    fn post(&mut self, tail: &str) {
        let rest = say::with_problems(std::mem::take(&mut self.marks.rest), &self.not_obeyed());
        let summary = self.marks.summary.take();
        if self.outcome.job == Job::Stage && self.has_pull_to_post_to() && !rest.is_empty() {
            return self.post_on_pull(&rest, summary.as_deref(), tail);
        }
        let text = say::with_summary(summary.as_deref(), &rest);
        match self.outcome.job {
            _ if text.is_empty() => {}
            Job::Stage => self.post_stage(&text, tail),
            Job::Comments | Job::Review | Job::CiFix | Job::Rebase => self.post_answer(&text, tail),
        }
    }

    /// What the agent probably meant and what came to nothing, for people and for its next run.
    fn not_obeyed(&self) -> Vec<String> {
        let is_split = self.word == Word::Decomposed && !self.asks_people();
        let unmade = self.marks.sub_issues.iter().filter(|_| !is_split);
        let unmade =
            unmade.map(|issue| format!("the sub-issue \u{201c}{}\u{201d} was not created", issue.title));
        self.marks.problems().map(ToString::to_string).chain(unmade).collect()
    }

    fn has_pull_to_post_to(&self) -> bool {
        let view = self.draft.view;
        let will_be_there = view.stage.create_draft_pr && self.word == Word::Complete;
        self.posts_to_pull() && (view.item.pull.is_some() || will_be_there)
    }

    /// A plan that people are asked about is where they are asked: a pointer to it would stay the same when it changes.
    fn posts_to_pull(&self) -> bool {
        let stage = self.draft.view.stage;
        stage.post_to_pr && stage.approval.is_none()
    }

    fn post_on_pull(&mut self, text: &str, summary: Option<&str>, tail: &str) {
        let view = self.draft.view;
        self.draft.say(Place::Pull, say::output(&view, self.outcome, text, "", tail));
        self.draft.say(Place::Issue, say::on_pull(&view, summary));
    }

    fn post_stage(&mut self, text: &str, tail: &str) {
        let said = say::output(&self.draft.view, self.outcome, text, "", tail);
        match tail.is_empty() {
            true => self.draft.say(Place::Issue, said),
            // A stage that is tried several times tells of it in one comment.
            false => self.rewrite(said),
        }
    }

    fn post_answer(&mut self, text: &str, tail: &str) {
        let view = self.draft.view;
        match self.posts_to_pull() {
            true => {
                let said = say::output(&view, self.outcome, text, " (comment review)", tail);
                self.draft.say(Place::Issue, said);
            }
            false => self.rewrite(say::output(&view, self.outcome, text, "", tail)),
        }
        let threads = self.threads();
        let is_about_threads_alone = self.outcome.comments.is_empty() && !threads.is_empty();
        if is_about_threads_alone && view.item.pull.is_some() {
            self.draft.say(Place::Pull, say::threads_answered(&view, text, &threads));
        }
    }

    /// Writes the comment of the stage anew, or the first one.
    fn rewrite(&mut self, said: String) {
        let view = self.draft.view;
        let heading = say::stage_heading(&view, "");
        // Anybody can write our heading; only what our own account wrote is ours to write anew.
        let is_it = |comment: &&Comment| {
            comment.is_own_account && !comment.is_on_pull && comment.body.starts_with(&heading)
        };
        match view.item.comments.iter().rfind(is_it) {
            Some(comment) => self.draft.push(Effect::EditComment { id: comment.id, body: said }),
            None => self.draft.say(Place::Issue, said),
        }
    }
}

/// Says that a stage is complete, as far as it can be without its gates.
pub(super) fn tell_completion(draft: &mut Draft<'_>) {
    let (stage, is_told) = (draft.view.stage, draft.view.signs.is_complete);
    match stage.wait_for_ci && !is_told && !draft.view.item.is_closed {
        true => draft.add(Flag::AwaitingCi),
        false => draft.mark(StageMark::Complete),
    }
    if stage.wait_for_reviews && !stage.wait_for_ci && !is_told && !draft.view.item.is_closed {
        draft.add(Flag::AwaitingReview);
    }
}
