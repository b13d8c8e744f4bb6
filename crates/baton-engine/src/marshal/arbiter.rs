//! What the outbox leaves to the marshal: the ends of runs are settled here, from the issue as it is then.

use baton_core::course::{self, Origin};
use baton_core::pipeline::approval::{self, Terms};
use baton_core::pipeline::effect::{Job, Wake};
use baton_core::pipeline::names::Flag;
use baton_core::pipeline::outcome::{Effort, End, Outcome};
use baton_core::pipeline::stage::ApprovalWay;
use baton_core::pipeline::{next_step, settle};
use baton_core::slot::effect::{Settled, StageEnd, Tried};
use baton_core::slot::wake::{WakeAsk, WakeOutcome};
use baton_core::slot::{
    AgentName, Asker, EffectId, Gates, Item, ItemKey, ItemMemory, Reason, RunId, SlackMessage, Source,
};
use baton_core::tracker::IssueKey;
use baton_ports::{Board as _, Tracker as _};

use super::{LookError, Marshal, Parts};
use crate::claims::ClaimError;
use crate::leases::Taken;
use crate::outbox::Arbiter;

impl<P: Parts> Marshal<P> {
    /// Decides what the end of a run comes to, and commits it.
    async fn settle_end(&self, item: &Item, effect: EffectId, end: &StageEnd) -> Result<Tried, LookError> {
        let ItemKey::Issue(issue) = &item.key else {
            return Ok(Tried::Never(format!("{} is no issue, so there is nothing to settle", item.key)));
        };
        let rules = self.rules();
        let mut glance = self.glance(issue).await?;
        // What waits in the slot behind the run that is over says nothing about the run.
        glance.item.runner = None;
        let (pipeline, policy) = (&rules.pipeline, &rules.policy);
        let settlement = settle(&glance.item, &end.stage, &end.outcome, pipeline, policy, glance.now);
        self.drop_lost_lease(&glance).await?;
        let course = course::plot(settlement, &glance.item, Origin::Certain, glance.has_lease);
        let settled = self.settle_with(&glance, &course, Some(effect)).await?;
        Ok(match settled {
            Settled::Decided(_) => Tried::Done,
            // Who was faster may have settled this end, and then the effect is over. It may have decided something else.
            Settled::Stale(_) => {
                Tried::Later("somebody has decided since the issue was read".to_owned(), None)
            }
            Settled::EffectsPending => Tried::Later("other effects come first".to_owned(), None),
        })
    }

    /// What the decision itself has changed in the memory does not count: it would look as if it were carried out.
    async fn look_again(
        &self,
        item: &Item,
        step: &str,
        column: &str,
        before: Option<&ItemMemory>,
    ) -> Result<bool, LookError> {
        let ItemKey::Issue(issue) = &item.key else { return Ok(false) };
        let rules = self.rules();
        let mut glance = match before {
            Some(before) => self.glance_with(issue, before.clone()).await?,
            None => self.glance(issue).await?,
        };
        // Where the lease itself is told of by our lock, the lock that was put on a moment ago says nothing of the issue.
        glance.item.labels.retain(|label| !label.eq_ignore_ascii_case(&rules.policy.own_lock));
        let next = next_step(&glance.item, &rules.pipeline, &rules.policy, glance.now);
        Ok(glance.item.column == column && next.key() == step)
    }

    async fn wake_agent(&self, item: &Item, effect: EffectId, wake: &Wake) -> Result<Tried, LookError> {
        let rules = self.rules();
        let agent = wake.agent.as_deref().map(AgentName::from).or_else(|| rules.usual_agent.clone());
        let Some(agent) = agent else {
            return self.came_to_nothing(item, effect, wake).await;
        };
        let context = match baton_core::agent::Errand::context(wake) {
            Ok(context) => context,
            Err(_) => return self.came_to_nothing(item, effect, wake).await,
        };
        // What was decided to run may run: the labels that shut the gates are gone with the same decision.
        self.relay.set_gates(&item.key, &Gates::default()).await?;
        let ask = WakeAsk {
            agent,
            source: Source::Engine,
            reason: reason(wake.job),
            context,
            asked_by: Asker { who: "baton".to_owned(), is_person: wake.job == Job::Comments, run: None },
            key: Some(format!("effect-{effect}")),
        };
        match self.relay.wake(&item.key, &ask).await? {
            WakeOutcome::Skipped { .. } | WakeOutcome::Refused(_) => {
                self.came_to_nothing(item, effect, wake).await
            }
            WakeOutcome::Queued { .. }
            | WakeOutcome::Coalesced { .. }
            | WakeOutcome::OwnDoing { .. }
            | WakeOutcome::Deferred { .. }
            | WakeOutcome::Duplicate { .. } => Ok(Tried::Done),
        }
    }

    /// A wake that comes to nothing is settled like a run that could not begin.
    async fn came_to_nothing(&self, item: &Item, effect: EffectId, wake: &Wake) -> Result<Tried, LookError> {
        let outcome = Outcome {
            job: wake.job,
            end: End::NotStarted,
            text: String::new(),
            comments: Vec::new(),
            threads: Vec::new(),
            thread_comments: Vec::new(),
            workplace: None,
            effort: Effort::default(),
        };
        let end = StageEnd { run: RunId(0), stage: wake.stage.clone(), outcome };
        self.settle_end(item, effect, &end).await
    }

    async fn move_if_there(&self, issue: &IssueKey, from: Option<&str>, to: &str) -> Result<(), LookError> {
        if let Some(from) = from {
            let seen = self.tracker.sight(issue, &self.branch_of(issue)).await?.value;
            let column = self.board.column_of(&seen).unwrap_or_default();
            let is_in = |name: &str| column.eq_ignore_ascii_case(name);
            // A person, or another engine, has moved it since; their word counts. One that is there already may have been
            // moved by half: a board of labels shows the new column before the old one is gone.
            if !is_in(from) && !is_in(to) {
                return Ok(());
            }
        }
        Ok(self.board.move_to(issue, to).await?)
    }
}

impl<P: Parts> Arbiter for Marshal<P> {
    async fn settle(&self, item: &Item, effect: EffectId, end: &StageEnd) -> Tried {
        self.settle_end(item, effect, end).await.unwrap_or_else(|error| later(&error))
    }

    async fn still_wants(
        &self,
        item: &Item,
        step: &str,
        column: &str,
        before: Option<&ItemMemory>,
    ) -> Result<bool, Tried> {
        self.look_again(item, step, column, before).await.map_err(|error| later(&error))
    }

    async fn take_lease(&self, issue: &IssueKey, token: &str, is_unclear: bool) -> Result<(), Tried> {
        of_lease(self.leases.take(issue, token, is_unclear).await)
    }

    async fn renew_lease(&self, issue: &IssueKey, token: &str) -> Result<(), Tried> {
        of_lease(self.leases.renew(issue, token).await)
    }

    async fn wake(&self, item: &Item, effect: EffectId, wake: &Wake) -> Tried {
        self.wake_agent(item, effect, wake).await.unwrap_or_else(|error| later(&error))
    }

    async fn move_to(&self, issue: &IssueKey, from: Option<&str>, to: &str) -> Result<(), Tried> {
        self.move_if_there(issue, from, to).await.map_err(|error| match &error {
            LookError::Tracker(error) => crate::outbox::of_write(error),
            _ => later(&error),
        })
    }

    fn branch(&self, issue: &IssueKey) -> String {
        self.branch_of(issue)
    }

    fn first_column(&self) -> Option<String> {
        let rules = self.rules();
        let first = rules.pipeline.stages().iter().find(|stage| stage.is_working());
        first.map(|stage| stage.name.clone())
    }

    fn part_label(&self) -> String {
        self.rules().policy.names.flag(Flag::SubIssue)
    }

    fn approval_request(&self, stage: &str, plan: &str) -> String {
        let rules = self.rules();
        let way =
            rules.pipeline.stage(stage).and_then(|stage| stage.approval).unwrap_or(ApprovalWay::Tracker);
        let (names, approvers) = (rules.policy.names, &rules.policy.approvers);
        approval::question(Terms { names, stage, way, approvers }, plan)
    }

    async fn tell_on_slack(&self, message: &SlackMessage, said: &str) {
        self.tell_slack(message, said).await;
    }
}

fn of_lease(taken: Taken) -> Result<(), Tried> {
    match taken {
        Taken::Won => Ok(()),
        Taken::Lost(why) => Err(Tried::Moot(why)),
        Taken::Refused(why) => Err(Tried::Never(why)),
        Taken::Failed(why) => Err(Tried::Unclear(why)),
    }
}

/// Reading may work later; an issue that is gone for good never comes back.
fn later(error: &LookError) -> Tried {
    match error {
        LookError::Tracker(error) | LookError::Claim(ClaimError::Tracker(error)) => {
            crate::outbox::of_read(error)
        }
        LookError::Store(_) | LookError::Stale(_) | LookError::Claim(ClaimError::Machine(_)) => {
            Tried::Later(error.to_string(), None)
        }
    }
}

fn reason(job: Job) -> Reason {
    match job {
        Job::Stage => Reason::StageReady,
        Job::Comments => Reason::IssueCommented,
        Job::Review => Reason::ReviewFeedback,
        Job::CiFix => Reason::CiFailed,
        Job::Rebase => Reason::MergeConflict,
    }
}
