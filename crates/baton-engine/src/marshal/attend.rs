//! One look at one issue: what keeps its runs is brought up to date, the next step is decided and committed, and the time of
//! the next look is set.

use std::time::Duration;

use baton_core::agent::Errand;
use baton_core::course::{self, Course, Origin};
use baton_core::pipeline::comments::{is_by_bot, is_new};
use baton_core::pipeline::step::{Hold, Rest, Step};
use baton_core::pipeline::{can_repair, enact, next_step, repairs};
use baton_core::slot::effect::{Deed, NewEffect, SettleAsk, Settled};
use baton_core::slot::{Context, EffectId, ItemKey, Run, RunStatus, Situation, finish};
use baton_core::time::{ServerTime, StoreTime};
use baton_core::tracker::{BoardRow, IssueKey};
use baton_core::workspace::Removal;
use baton_ports::store::{Lookup, Target};
use baton_ports::{Store as _, TrackerErrorKind, Workspaces as _};

use super::{Glance, Happened, LookError, Marshal, Parts, Rules};

/// How much sooner than its wait an issue is looked at again when somebody else holds it.
const FOREIGN_POLLS: u32 = 4;

/// After how many looks in vain an issue that is not found is taken for gone.
const GONE_AFTER: u32 = 3;

/// When an issue is to be looked at again without a nudge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// Not at all.
    Never,
    /// After so long.
    After(Duration),
}

impl<P: Parts> Marshal<P> {
    /// Looks at an issue, and decides. The first look after a start also puts right what a crash may have left.
    pub(super) async fn attend(&self, issue: &IssueKey, is_first: bool) -> Result<Again, LookError> {
        let rules = self.rules();
        if let Some(wait) = self.quiet_time(issue) {
            return Ok(Again::After(wait));
        }
        let situation = self.relay.situation(&ItemKey::issue(issue)).await?;
        if situation.has_pending_effects {
            // Whoever performs the last of them rings the bell; in a fleet, that may be another engine.
            return Ok(Again::After(rules.poll));
        }
        let glance = match self.glance_in(issue, situation).await {
            Err(error) if self.is_gone_for_good(issue, &error) => return self.forget(issue).await,
            glance => glance?,
        };
        self.note(&glance);
        self.drop_lost_lease(&glance).await?;
        self.keep_in_step(&glance, &rules).await?;
        if glance.item.runner.is_some() {
            self.is_under_way(issue);
            return Ok(Again::After(rules.poll * FOREIGN_POLLS));
        }
        self.is_at_rest(issue);
        let is_to_repair = self.desk().to_repair.contains(issue);
        if (is_first || is_to_repair)
            && let Some(again) = self.repair(&glance, &rules).await?
        {
            return Ok(again);
        }
        if self.ask_in_slack(&glance, &rules).await? {
            return Ok(Again::After(rules.poll));
        }
        let step = next_step(&glance.item, &rules.pipeline, &rules.policy, glance.now);
        (self.tell)(&Happened::Looked(&glance.item.issue, &step));
        let settlement = enact(&step, &glance.item, &rules.pipeline, &rules.policy, glance.now);
        let mut course = course::plot(settlement, &glance.item, Origin::Step(&step), glance.has_lease);
        self.add_upkeep(&mut course, &glance);
        if course.takes_lease && wakes(&course) && !self.takes_room(issue).await? {
            return Ok(Again::Never);
        }
        let is_decided = self.commit(&glance, &course).await?;
        // A crash, or a remote that did not answer, may have left the tree of an issue whose relay is over.
        let is_left = is_first && step == Step::Rest(Rest::CleanedUp) && glance.item.has_worktree;
        if course.removes_worktree || is_left {
            self.remove_tree(&glance.item.issue).await;
        }
        Ok(again(&step, &glance, &rules, is_decided))
    }

    /// Returns whether an issue was deleted or moved away: looks have not found it several times in a row. One answer is not
    /// enough, since an issue may be too new to be seen.
    fn is_gone_for_good(&self, issue: &IssueKey, error: &LookError) -> bool {
        let is_absent = error.of_tracker().is_some_and(|error| error.kind == TrackerErrorKind::NotFound);
        is_absent && self.desk().failures.get(issue).is_some_and(|failures| *failures >= GONE_AFTER)
    }

    /// Leaves an issue alone that is gone: what runs for it ends. A survey that shows it again brings it back.
    async fn forget(&self, issue: &IssueKey) -> Result<Again, LookError> {
        self.relay.set_open(&ItemKey::issue(issue), false).await?;
        let freed = {
            let mut desk = self.desk();
            desk.deaths.remove(issue);
            desk.watch.missed(issue)
        };
        freed.worth_a_look().for_each(|issue| self.bell.ring(issue.clone()));
        self.is_gone(issue);
        (self.tell)(&Happened::Gone(issue));
        Ok(Again::Never)
    }

    /// Notes what a look has shown, so that news of the same are none: for whom the issue waits, and what is on it.
    fn note(&self, glance: &Glance) {
        let open = glance.item.blockers.iter().filter(|blocker| blocker.is_open);
        let blockers: Vec<_> = open.map(|blocker| super::folded(&blocker.issue)).collect();
        let mut desk = self.desk();
        desk.watch.waits_for(&glance.item.issue, &blockers);
        if let Some(pull) = &glance.item.pull {
            desk.watch.has_pull(&glance.item.issue, pull.number);
        }
        let item = &glance.item;
        let freed = desk.watch.saw(&BoardRow {
            issue: item.issue.clone(),
            node_id: String::new(),
            title: item.title.clone(),
            column: Some(item.column.clone()),
            is_closed: item.is_closed,
            labels: item.labels.clone(),
            // When the issue changed last is the board's to say.
            updated_at: ServerTime(0),
        });
        freed.worth_a_look().for_each(|issue| self.bell.ring(issue.clone()));
    }

    /// A lease that the tracker does not show any more binds nothing; named further, it would bind effects to nobody.
    pub(super) async fn drop_lost_lease(&self, glance: &Glance) -> Result<(), LookError> {
        let Some(token) = &glance.lost_lease else { return Ok(()) };
        let rule = |situation: &Situation| finish::forget_lease(situation, token, None);
        let target = Target::Key(glance.situation.item.key.clone());
        self.relay.store.decide(&target, &Lookup::default(), rule).await?;
        Ok(())
    }

    /// Lets the slot know what people did: closed issues and shut gates end what runs, open ones let it go on, and a person's
    /// word ends a backoff.
    async fn keep_in_step(&self, glance: &Glance, rules: &Rules) -> Result<(), LookError> {
        let stored = &glance.situation.item;
        if stored.is_open == glance.item.is_closed {
            self.relay.set_open(&stored.key, !glance.item.is_closed).await?;
        }
        let runs = glance.item.runner.is_some();
        let gates = if runs { course::gates(&glance.item, &rules.policy) } else { Default::default() };
        if stored.gates != gates {
            self.relay.set_gates(&stored.key, &gates).await?;
        }
        let owner = glance.situation.owner.as_ref();
        if !gates.are_open() && owner.is_some_and(is_held_back) {
            // What waits behind a shut gate would keep the issue claimed, and a person's word from being heard. The pipeline
            // wakes it again when it may go on.
            self.relay.release(&stored.key).await?;
            return Ok(());
        }
        let Some(waiting) = owner.filter(|run| run.status == RunStatus::ScheduledRetry) else {
            return Ok(());
        };
        let news = glance.item.comments.iter().filter(|comment| {
            is_new(comment, &glance.item.memory, rules.policy.names)
                && !is_by_bot(comment)
                && !waiting.context.comment_ids().contains(&comment.id)
        });
        let ids: Vec<_> = news.map(|comment| comment.id).collect();
        if !ids.is_empty() {
            self.relay.hurry(&stored.key, waiting.id, &Context::of_comments(ids)).await?;
        }
        Ok(())
    }

    async fn repair(&self, glance: &Glance, rules: &Rules) -> Result<Option<Again>, LookError> {
        if !can_repair(&glance.item, &rules.pipeline, &rules.policy, glance.now) {
            // What is left is put right once the issue is nobody else's.
            self.desk().to_repair.insert(glance.item.issue.clone());
            return Ok(None);
        }
        let settlement = repairs(&glance.item, &rules.pipeline, &rules.policy, glance.now);
        let course = course::plot(settlement, &glance.item, Origin::Certain, glance.has_lease);
        if course.is_empty() || self.commit(glance, &course).await? {
            self.desk().to_repair.remove(&glance.item.issue);
        }
        Ok((!course.is_empty()).then_some(Again::After(rules.poll)))
    }

    /// Locks without a claim behind them go, and a lease that is kept between two tries is renewed in time.
    fn add_upkeep(&self, course: &mut Course, glance: &Glance) {
        for label in &glance.stale_locks {
            course.effects.insert(0, NewEffect::free(Deed::RemoveLabel { label: label.clone() }));
        }
        if course.effects.is_empty() && glance.has_lease && self.leases.is_due(&glance.item.issue) {
            course.effects.push(NewEffect::leased(Deed::RenewLease));
        }
    }

    /// Commits a decision, unless somebody else has decided since the issue was read. Returns whether it stands.
    pub(super) async fn commit(&self, glance: &Glance, course: &Course) -> Result<bool, LookError> {
        if course.is_empty() {
            return Ok(false);
        }
        let settled = self.settle_with(glance, course, None).await?;
        Ok(matches!(settled, Settled::Decided(_)))
    }

    pub(super) async fn settle_with(
        &self,
        glance: &Glance,
        course: &Course,
        settles: Option<EffectId>,
    ) -> Result<Settled, LookError> {
        let ask = SettleAsk {
            seen: glance.situation.item.version,
            effects: course.effects.clone(),
            memory: course.memory.clone(),
            lease: course.takes_lease.then(|| self.leases.fresh_token()),
            settles,
        };
        let settled = self.relay.settle(&glance.situation.item.key, &ask).await?;
        if matches!(settled, Settled::Decided(_)) {
            let deeds = course.effects.iter().map(|effect| &effect.deed).collect();
            (self.tell)(&Happened::Decided(&glance.item.issue, deeds));
        }
        Ok(settled)
    }

    async fn remove_tree(&self, issue: &IssueKey) {
        let kept = match self.workspaces.remove(issue).await {
            Ok(Removal::Removed { .. } | Removal::Absent) => return,
            Ok(Removal::Kept(why)) => why,
            Err(error) => error.to_string(),
        };
        (self.tell)(&Happened::TreeKept(issue, kept));
    }
}

/// Returns whether the pipeline asked for a run, and no agent is at it.
fn is_held_back(run: &Run) -> bool {
    let is_ours = |errand: Errand| errand.is_settled && errand.stage.is_some();
    run.status != RunStatus::Running
        && run.status.is_active()
        && Errand::read(&run.context).is_ok_and(is_ours)
}

/// Returns whether a decision wakes an agent.
fn wakes(course: &Course) -> bool {
    course.effects.iter().any(|effect| matches!(effect.deed, Deed::Wake(_)))
}

/// Returns when an issue is to be looked at again. What was decided is looked at when it was performed; a gate that waits
/// for the tracker or the clock is looked at on every poll; a cooldown ends at its time; the rest waits for news.
fn again(step: &Step, glance: &Glance, rules: &Rules, is_decided: bool) -> Again {
    let poll = rules.poll;
    let until = |time: StoreTime| Again::After(time.since(glance.now.store).max(Duration::from_millis(1)));
    match step {
        _ if is_decided => Again::After(poll),
        Step::Rest(Rest::Cooldown) => {
            let ends = glance.item.memory.cooldowns.get(&glance.item.column).copied();
            ends.map_or(Again::After(poll), until)
        }
        Step::Rest(Rest::LockedByOther | Rest::Running) => Again::After(poll * FOREIGN_POLLS),
        // Whatever it rests for, its labels are put right only when nobody else has it any more.
        Step::Rest(_) if glance.item.foreign_claim.is_some() => Again::After(poll * FOREIGN_POLLS),
        Step::Rest(Rest::ApprovalPending | Rest::Editing) => Again::After(poll),
        Step::HoldAtGate(Hold::Dependencies) => Again::After(poll * FOREIGN_POLLS),
        Step::Rest(_) if glance.has_lease => Again::After(poll),
        Step::Rest(_) => Again::Never,
        _ => Again::After(poll),
    }
}
