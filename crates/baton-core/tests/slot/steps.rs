//! The rules as steps of a world, and what must hold of their answers.

use std::time::Duration;

use baton_core::slot::effect::{EffectStatus, NewEffect, SettleAsk, Settled, survives_its_run};
use baton_core::slot::finish::{Baton, Fenced, FinishAsk};
use baton_core::slot::heal::Healed;
use baton_core::slot::ids::{RunId, WorkerId};
use baton_core::slot::item::Gates;
use baton_core::slot::start::{NotYours, StartOutcome};
use baton_core::slot::steer::{self, Steered};
use baton_core::slot::wake::{WakeAsk, WakeOutcome};
use baton_core::slot::{
    AgentName, Asker, Context, Reason, RunEnd, RunStatus, Source, WakeupStatus, effect, finish, heal, start,
    wake,
};

use crate::slot::world::{Lookup, TTL, World};

/// Returns a request by the tracker's webhook, as an agent or a bot causes it.
pub(crate) fn ask(agent: &str, context: Context) -> WakeAsk {
    WakeAsk {
        agent: AgentName::from(agent),
        source: Source::Webhook,
        reason: Reason::IssueCommented,
        context,
        asked_by: Asker { who: "ci-bot".to_owned(), is_person: false, run: None },
        key: None,
    }
}

/// Steps that the tests of single rules take.
impl World {
    /// A program wakes an agent, with a new comment.
    pub(crate) fn wake(&mut self, agent: &str) -> WakeOutcome {
        let ask = self.comment(agent);
        self.wake_by(&ask)
    }

    /// A person wakes an agent, with a new comment.
    pub(crate) fn person_wakes(&mut self, agent: &str) -> WakeOutcome {
        let mut ask = self.comment(agent);
        ask.asked_by = Asker { who: "Ada Lovelace".to_owned(), is_person: true, run: None };
        self.wake_by(&ask)
    }

    /// A run wakes an agent by what it does.
    pub(crate) fn run_wakes(&mut self, run: RunId, agent: &str) -> WakeOutcome {
        let mut ask = self.comment(agent);
        ask.asked_by.run = Some(run);
        self.wake_by(&ask)
    }

    pub(crate) fn comment(&mut self, agent: &str) -> WakeAsk {
        self.comments += 1;
        ask(agent, Context::of_comments([self.comments]))
    }

    pub(crate) fn wake_by(&mut self, ask: &WakeAsk) -> WakeOutcome {
        let key = ask.key.clone().map(|key| (ask.agent.key().0, key));
        let lookup = Lookup { key, run: ask.asked_by.run, worker: None };
        let outcome = self.decide(&lookup, |s, policy| wake::wake(s, ask, policy));
        let doer = ask.asked_by.run.and_then(|run| self.runs.get(&run));
        let is_own = doer.is_some_and(|run| run.agent.key() == ask.agent.key() && run.item == self.item.id);
        let woke = matches!(
            outcome,
            WakeOutcome::Queued { .. } | WakeOutcome::Coalesced { .. } | WakeOutcome::Deferred { .. }
        );
        if is_own && woke {
            self.note(vec!["an agent woke itself".to_owned()], ask);
        }
        outcome
    }

    /// The first worker starts what owns the slot.
    pub(crate) fn start(&mut self) -> StartOutcome {
        self.start_on(WorkerId(1))
    }

    pub(crate) fn start_on(&mut self, worker: WorkerId) -> StartOutcome {
        let lookup = Lookup { worker: Some(worker), ..Lookup::default() };
        let had_effects = self.effects.iter().any(|effect| effect.status == EffectStatus::Pending);
        let outcome = self.decide(&lookup, |s, policy| start::start(s, worker, policy));
        if had_effects && matches!(outcome, StartOutcome::Started(_)) {
            self.note(vec!["started before the effects were performed".to_owned()], &worker);
        }
        outcome
    }

    /// Starts, and returns what the worker has got.
    #[track_caller]
    pub(crate) fn started(&mut self) -> Baton {
        self.beat(WorkerId(1));
        let outcome = self.start();
        let StartOutcome::Started(started) = outcome else { panic!("{outcome:?}") };
        Baton { run: started.run.id, worker: WorkerId(1), fence: started.run.fence }
    }

    pub(crate) fn not_yours(&mut self) -> NotYours {
        match self.start() {
            StartOutcome::NotYours(why) => why,
            StartOutcome::Started(started) => panic!("{started:?}"),
        }
    }

    /// The run that runs ends.
    pub(crate) fn finish(&mut self, end: RunEnd) -> Fenced<RunStatus> {
        let run = self.owner().unwrap();
        let baton = Baton { run: run.id, worker: run.worker.unwrap(), fence: run.fence };
        self.finish_as(baton, end, Vec::new())
    }

    pub(crate) fn fail(&mut self) -> Fenced<RunStatus> {
        self.finish(RunEnd::Failed("exit code 1".to_owned()))
    }

    pub(crate) fn finish_as(
        &mut self,
        baton: Baton,
        end: RunEnd,
        effects: Vec<NewEffect>,
    ) -> Fenced<RunStatus> {
        let holds = self.owner().is_some_and(|run| {
            run.status == RunStatus::Running
                && (run.id, run.worker, run.fence) == (baton.run, Some(baton.worker), baton.fence)
        });
        let ask = FinishAsk { baton, end, cost_micros: 1000, effects, outcome: None };
        let outcome = self.decide(&Lookup::default(), |s, policy| finish::finish(s, &ask, policy));
        if !holds && outcome != Fenced::LostSlot {
            self.note(vec!["a run was ended by somebody who does not hold it".to_owned()], &ask);
        }
        outcome
    }

    pub(crate) fn heal(&mut self) -> Healed {
        let healed = self.decide(&Lookup::default(), heal::heal);
        let grace = self.policy.stop_grace;
        let is_ill = self.owner().is_some_and(|run| {
            let lease = run.worker.and_then(|worker| self.leases.get(&worker));
            let is_lost = lease.is_none_or(|lease| lease.is_lost(self.now, grace));
            !run.status.is_active() || run.status == RunStatus::Running && is_lost
        });
        if is_ill {
            self.note(vec!["an owner that is lost or over keeps the slot".to_owned()], &healed);
        }
        healed
    }

    pub(crate) fn cancel(&mut self, run: RunId, keep_queue: bool) -> Steered {
        let lookup = Lookup { run: Some(run), ..Lookup::default() };
        self.decide(&lookup, |s, policy| steer::cancel(s, run, keep_queue, policy))
    }

    pub(crate) fn release(&mut self) -> Steered {
        self.decide(&Lookup::default(), steer::release)
    }

    pub(crate) fn reassign(&mut self, to: Option<&str>) -> Steered {
        let to = to.map(AgentName::from);
        self.decide(&Lookup::default(), |s, policy| steer::reassign(s, to.as_ref(), policy))
    }

    pub(crate) fn set_open(&mut self, is_open: bool) -> Steered {
        self.decide(&Lookup::default(), |s, policy| steer::set_open(s, is_open, policy))
    }

    pub(crate) fn set_gates(&mut self, gates: &Gates) -> Steered {
        self.decide(&Lookup::default(), |s, policy| steer::set_gates(s, gates, policy))
    }

    pub(crate) fn settle(&mut self, ask: &SettleAsk) -> Settled {
        self.decide(&Lookup::default(), |s, policy| effect::settle(s, ask, policy))
    }

    /// Performs the first effect, if there is one.
    pub(crate) fn perform(&mut self) {
        let (now, fence, safeguards) = (self.now, self.item.fence, self.policy.safeguards);
        let first = self.effects.iter_mut().find(|effect| effect.status == EffectStatus::Pending);
        let Some(effect) = first else { return };
        effect.finished_at = Some(now);
        effect.status = EffectStatus::Done;
        if !survives_its_run(effect, fence, safeguards) {
            effect.status = EffectStatus::Dead;
            self.note(vec!["a committed effect was dropped".to_owned()], &fence);
        }
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, seconds: u64) {
        self.now = self.now.plus(Duration::from_secs(seconds));
    }

    /// A worker renews its lease, if it still can.
    pub(crate) fn beat(&mut self, worker: WorkerId) {
        let now = self.now;
        if let Some(lease) = self.leases.get_mut(&worker).filter(|lease| lease.is_live(now)) {
            lease.until = now.plus(TTL);
        }
    }

    /// Lets so much time pass that a worker that is silent is lost.
    pub(crate) fn lose_workers(&mut self) {
        self.pass(56);
    }

    /// Returns what became of an agent's wakeups, oldest first.
    pub(crate) fn became(&self, agent: &str) -> Vec<WakeupStatus> {
        let key = AgentName::from(agent).key();
        let of_agent = self.wakeups.values().filter(|wakeup| wakeup.agent.key() == key);
        of_agent.map(|wakeup| wakeup.status).collect()
    }
}
