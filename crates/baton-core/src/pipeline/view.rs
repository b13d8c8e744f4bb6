//! An issue as the rules look at it: its stage, what its labels say, and the questions that several rules ask.
//!
//! A view borrows everything and allocates nothing, because most issues rest most of the time.

use std::sync::LazyLock;
use std::time::Duration;

use super::comments::{is_by_bot, is_new};
use super::item::{Approval, Comment, Item, LinkedPull, Moment, Thread};
use super::memory::{PULL_WAIT, REPROMPT_WAIT, REVIEW_WAIT};
use super::names::{Flag, Said, StageMark};
use super::policy::Policy;
use super::stage::{Pipeline, Stage, StageKind};
use super::trail::Notes;
use crate::time::ServerTime;

/// Stands for the stage of a column that belongs to none.
static NOWHERE: LazyLock<Stage> = LazyLock::new(|| Stage { kind: StageKind::Unmanaged, ..Stage::default() });

/// Something that is waited for, with the label that tells of it and the name under which the memory keeps its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The label.
    pub flag: Flag,
    /// The name.
    pub key: &'static str,
}

/// Reviewers.
pub const REVIEWERS: Wait = Wait { flag: Flag::AwaitingReview, key: REVIEW_WAIT };
/// Bots that were asked once more.
pub const REPROMPTED: Wait = Wait { flag: Flag::BotReprompted, key: REPROMPT_WAIT };
/// What the tracker finds out about the pull request.
pub const TRACKER: Wait = Wait { flag: Flag::AwaitingCi, key: PULL_WAIT };
/// All of them.
pub const WAITS: [Wait; 3] = [REVIEWERS, REPROMPTED, TRACKER];

/// An issue with all that decides about it.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The issue.
    pub item: &'a Item,
    /// The stages.
    pub pipeline: &'a Pipeline,
    /// The settings.
    pub policy: &'a Policy,
    /// Now.
    pub now: Moment,
    /// The stage that it is in.
    pub stage: &'a Stage,
    /// What its labels say.
    pub signs: Signs<'a>,
}

/// What labels say, together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Signs<'a> {
    flags: u32,
    /// Somebody else's lock.
    pub foreign_lock: Option<&'a str>,
    /// Whether our lock is there.
    pub has_own_lock: bool,
    /// The label by which a person keeps agents away.
    pub held_by: Option<&'a str>,
    /// Whether a plan waits for a person's word.
    pub is_plan_pending: bool,
    /// Whether the stage that it is in is complete.
    pub is_complete: bool,
    /// Whether any stage is said to be in progress.
    pub is_in_progress: bool,
    /// Whether any stage is said to have failed.
    pub has_failed: bool,
}

impl<'a> Signs<'a> {
    fn of(item: &'a Item, stage: &Stage, policy: &Policy) -> Self {
        let mut signs = Self::default();
        // The labels of an issue lie far apart in memory. One pass that branches on nothing lets the processor fetch all
        // of them at once; reading them one after another would wait for each.
        let is_ours = item
            .labels
            .iter()
            .rev()
            .fold(0_u128, |bits, label| (bits << 1) | u128::from(policy.names.may_be_read(label)));
        for (place, label) in item.labels.iter().enumerate() {
            if place < 128 && (is_ours >> place) & 1 == 0 {
                continue;
            }
            match policy.names.read(label) {
                None => {}
                Some(Said::Flag(flag)) => signs.flags |= bit(flag),
                Some(Said::Locked(_)) if label.eq_ignore_ascii_case(&policy.own_lock) => {
                    signs.has_own_lock = true;
                }
                Some(Said::Locked(user)) => signs.foreign_lock = Some(user),
                Some(Said::Held) => signs.held_by = Some(label),
                Some(Said::PlanPending) => signs.is_plan_pending = true,
                Some(Said::Stage(name, mark)) => signs.of_stage(name, mark, stage),
            }
        }
        signs
    }

    fn of_stage(&mut self, name: &str, mark: StageMark, stage: &Stage) {
        match mark {
            StageMark::Complete => self.is_complete |= name.eq_ignore_ascii_case(&stage.name),
            StageMark::InProgress => self.is_in_progress = true,
            StageMark::Failed => self.has_failed = true,
        }
    }

    /// Returns whether a flag is there.
    pub fn has(&self, flag: Flag) -> bool {
        self.flags & bit(flag) != 0
    }

    /// Returns whether one of some flags is there.
    pub fn has_any(&self, flags: &[Flag]) -> bool {
        flags.iter().any(|flag| self.has(*flag))
    }
}

fn bit(flag: Flag) -> u32 {
    1 << flag as u32
}

impl<'a> View<'a> {
    /// Looks at an issue.
    pub fn new(item: &'a Item, pipeline: &'a Pipeline, policy: &'a Policy, now: Moment) -> Self {
        let stage = pipeline.stage(&item.column).unwrap_or(&NOWHERE);
        Self { item, pipeline, policy, now, stage, signs: Signs::of(item, stage, policy) }
    }

    /// Looks at the issue as if it were in another stage.
    pub fn in_stage(self, stage: &'a Stage) -> Self {
        Self { stage, signs: Signs::of(self.item, stage, self.policy), ..self }
    }

    /// Returns whether a flag is there.
    pub fn has(&self, flag: Flag) -> bool {
        self.signs.has(flag)
    }

    /// Returns whether it is paused because a person was asked.
    pub fn is_awaiting_input(&self) -> bool {
        self.has(Flag::Paused) && self.has(Flag::AwaitingInput)
    }

    /// Returns the pull request, if it is open.
    pub fn open_pull(&self) -> Option<&'a LinkedPull> {
        let pull = self.item.pull.as_ref()?;
        (pull.state == crate::tracker::PullState::Open).then_some(pull)
    }

    /// Returns whether the pull request was merged.
    pub fn is_merged(&self) -> bool {
        self.item.pull.as_ref().is_some_and(LinkedPull::is_merged)
    }

    /// Returns the comments that nobody has acted on.
    pub fn new_comments(&self) -> impl Iterator<Item = &'a Comment> + use<'a> {
        let view = *self;
        view.item.comments.iter().filter(move |comment| is_new(comment, &view.item.memory, view.policy.names))
    }

    /// Returns the threads of reviews that are not settled and that nobody has acted on.
    pub fn new_threads(&self) -> impl Iterator<Item = &'a Thread> + use<'a> {
        let view = *self;
        let is_new = move |comment: &Comment| is_new(comment, &view.item.memory, view.policy.names);
        let threads = view.item.pull.iter().flat_map(|pull| &pull.threads);
        threads.filter(move |thread| !thread.is_resolved && thread.comments.iter().any(is_new))
    }

    /// Returns a comment that ends a pause: only people do, and only those who may write. What they said before the pause
    /// does not, if that was what led to it.
    pub fn resuming_comment(&self) -> Option<&'a Comment> {
        let unheard_before =
            self.item.memory.paused_by_engine.as_ref().and_then(|pause| pause.unheard_before);
        let is_heard = |comment: &&Comment| unheard_before.is_none_or(|before| comment.created_at > before);
        self.new_comments().filter(is_heard).find(|comment| !is_by_bot(comment))
    }

    /// Returns what people said about the plan of this stage.
    pub fn approval(&self) -> Option<&'a Approval> {
        self.item.approval.as_ref().filter(|approval| approval.stage == self.stage.name)
    }

    /// Returns the issues that come first and are open.
    pub fn open_blockers(&self) -> impl Iterator<Item = &'a super::item::Blocker> + use<'a> {
        self.item.blockers.iter().filter(|blocker| blocker.is_open)
    }

    /// Returns when a flag's label was put on, if that is known.
    pub fn flagged_at(&self, flag: Flag) -> Option<ServerTime> {
        let is_it = |label: &str| self.policy.names.is_flag(label, flag);
        let mut times = self.item.labelled_at.iter().filter(|_| self.has(flag));
        times.find(|(label, _)| is_it(label)).map(|(_, at)| *at)
    }

    /// Returns how long something has been waited for: since its label tells of it, or since the memory does, whichever is
    /// shorter. The memory counts where there is no label, or nobody knows when it was put on, or a pause came between.
    pub fn waited(&self, wait: Wait) -> Duration {
        let labelled = self.flagged_at(wait.flag).map(|at| self.now.server.since(at));
        let remembered =
            self.item.memory.waiting_since.get(wait.key).map(|since| self.now.store.since(*since));
        match (labelled, remembered) {
            (Some(labelled), Some(remembered)) => labelled.min(remembered),
            (one, other) => one.or(other).unwrap_or_default(),
        }
    }

    /// Returns how often a loop has gone round in this stage.
    pub fn cycles(&self, turn: super::memory::Loop) -> u32 {
        // There are few loops, and making a key to look one up would cost more than all of them.
        let mut cycles = self.item.memory.cycles.iter();
        cycles.find(|(key, _)| turn.is_key(key, &self.stage.name)).map_or(0, |(_, count)| *count)
    }

    /// Notes which of some labels are there.
    pub(super) fn note_flags(&self, notes: &mut Notes, flags: &[Flag]) {
        notes.fact("labels", || {
            let there =
                flags.iter().filter(|flag| self.has(**flag)).map(|flag| self.policy.names.flag(*flag));
            let there: Vec<_> = there.collect();
            if there.is_empty() { "none of them".to_owned() } else { there.join(", ") }
        });
    }
}
