//! Reading an issue: everything that a decision about it needs, from the tracker, the store, the claims and this machine.

use baton_core::pipeline::StageKind;
use baton_core::pipeline::item::{Approval, Item, Moment, Repository, Usage};
use baton_core::pipeline::names::Said;
use baton_core::slot::{ItemKey, ItemMemory, RunStatus, Situation};
use baton_core::time::ServerTime;
use baton_core::tracker::{Dated, IssueKey, Sighting};
use baton_ports::store::RunFilter;
use baton_ports::{Board as _, Store as _, Tracker as _, Workspaces as _};

use super::freshness::unseen;
use super::{LookError, Marshal, Parts, Rules, folded};
use crate::spending;

/// How many runs of a day are counted at most: more than machines can have in one.
const RUNS_MAX: u32 = 100_000;

/// An issue as it was read.
#[derive(Debug, Clone)]
pub struct Glance {
    /// What the pipeline is shown.
    pub item: Item,
    /// When.
    pub now: Moment,
    /// What the store knew of it.
    pub situation: Situation,
    /// Whether the installation holds it on the tracker.
    pub has_lease: bool,
    /// The token of a lease that the store names and the tracker does not show as held.
    pub lost_lease: Option<String>,
    /// The token of the claim that somebody else seems to have.
    claim: Option<String>,
    /// Locks of other engines behind which there is no claim any more.
    pub stale_locks: Vec<String>,
}

impl<P: Parts> Marshal<P> {
    /// Reads an issue. What cannot be read is an error, and never taken for absent.
    pub async fn glance(&self, issue: &IssueKey) -> Result<Glance, LookError> {
        let situation = self.relay.situation(&ItemKey::issue(issue)).await?;
        self.glance_in(issue, situation).await
    }

    /// Reads an issue as if only this were remembered of it.
    pub(super) async fn glance_with(
        &self,
        issue: &IssueKey,
        memory: ItemMemory,
    ) -> Result<Glance, LookError> {
        let situation = self.relay.situation(&ItemKey::issue(issue)).await?;
        self.fresh(self.peek_with(issue, situation, memory).await?).await
    }

    pub(super) async fn glance_in(
        &self,
        issue: &IssueKey,
        situation: Situation,
    ) -> Result<Glance, LookError> {
        self.fresh(self.peek_in(issue, situation).await?).await
    }

    /// Returns what was read, unless the tracker does not show yet what was just written.
    async fn fresh(&self, glance: Glance) -> Result<Glance, LookError> {
        let effects = self.relay.store.effects(&glance.situation.item.key).await?;
        let within = self.visible_within();
        let claim = glance.claim.as_deref();
        match unseen(&glance.item, claim, &effects, glance.now.store, within) {
            Some(what) => Err(LookError::Stale(what)),
            None => Ok(glance),
        }
    }

    /// Reads an issue for people, who would rather see what the tracker shows than wait for what was just written.
    pub async fn peek(&self, issue: &IssueKey) -> Result<Glance, LookError> {
        let situation = self.relay.situation(&ItemKey::issue(issue)).await?;
        self.peek_in(issue, situation).await
    }

    async fn peek_in(&self, issue: &IssueKey, situation: Situation) -> Result<Glance, LookError> {
        let memory = self.relay.store.memory(situation.item.id).await?;
        self.peek_with(issue, situation, memory).await
    }

    async fn peek_with(
        &self,
        issue: &IssueKey,
        situation: Situation,
        memory: ItemMemory,
    ) -> Result<Glance, LookError> {
        let issue = &folded(issue);
        let rules = self.rules();
        let Dated { value: seen, date, .. } = self.tracker.sight(issue, &self.branch_of(issue)).await?;
        // A list of claims may be older than the installation's own; so that one is asked for by its token first.
        let has_lease = match &situation.item.lease {
            Some(token) => self.leases.is_held(issue, token).await?,
            None => false,
        };
        let foreign_claim = match has_lease {
            true => None,
            false => self.leases.live_claim(issue).await?,
        };
        let column = self.board.column_of(&seen).unwrap_or_default();
        let approval = self.approval(issue, &seen, &column, &rules, &memory).await;
        let mut glance = Glance {
            item: item(issue, seen, column, approval, memory),
            now: Moment { server: date, store: situation.now },
            lost_lease: situation.item.lease.clone().filter(|_| !has_lease),
            has_lease,
            stale_locks: Vec::new(),
            claim: None,
            situation,
        };
        glance.claim = foreign_claim.as_ref().and_then(|claim| claim.nonce).map(|nonce| nonce.to_string());
        glance.item.foreign_claim = foreign_claim.map(|claim| claim.holder);
        self.add_surroundings(&mut glance, &rules).await?;
        self.leave_out_stale_locks(&mut glance, &rules, date);
        Ok(glance)
    }

    async fn add_surroundings(&self, glance: &mut Glance, rules: &Rules) -> Result<(), LookError> {
        let issue = glance.item.issue.clone();
        let owner = glance.situation.owner.as_ref().filter(|run| run.status.is_active());
        glance.item.runner = owner.map(|run| run.agent.to_string());
        if let Some(by) = self.leases.claims.paused_by(&issue.repo).await? {
            glance.item.repository = Repository::Paused(by);
        }
        let stage = rules.pipeline.stage(&glance.item.column);
        if stage.is_some_and(|stage| stage.kind == StageKind::Cleanup) {
            glance.item.has_worktree = self.workspaces.has_place(&issue).await;
        }
        if rules.policy.limits != baton_core::pipeline::policy::Limits::default() {
            glance.item.usage = self.usage(&issue, glance.now).await?;
        }
        let agent = spending::next_agent(&glance.item, rules);
        if let Some(agent) = agent.filter(|agent| self.relay.policy.budgeted.contains(agent)) {
            glance.item.agent_spending =
                spending::to_come(&self.relay.store, &agent, glance.now.store).await?;
        }
        Ok(())
    }

    /// What was spent today, on the issue and in its repository.
    async fn usage(&self, issue: &IssueKey, now: Moment) -> Result<Usage, LookError> {
        let over =
            RunFilter { finished_since: Some(now.store.midnight()), limit: RUNS_MAX, ..RunFilter::default() };
        let going_on =
            RunFilter { statuses: vec![RunStatus::Running], limit: RUNS_MAX, ..RunFilter::default() };
        let mut rows = self.relay.store.runs(&over).await?;
        rows.extend(self.relay.store.runs(&going_on).await?);
        let today = now.store.day();
        let mut usage = Usage::default();
        for row in rows {
            let began = row.run.started_at.filter(|began| began.day() == today);
            if began.is_none() || row.item.repo() != Some(&issue.repo) {
                continue;
            }
            let cost = u64::try_from(row.run.cost_micros).unwrap_or(0);
            usage.repo_runs += 1;
            usage.repo_cost_micros += cost;
            if row.item == ItemKey::issue(issue) {
                usage.issue_runs += 1;
                usage.issue_cost_micros += cost;
            }
        }
        Ok(usage)
    }

    /// A lock of another engine means nothing once no claim has been behind it for a while: its engine is gone. A claim is
    /// made before the lock, so a lock that is new is believed.
    fn leave_out_stale_locks(&self, glance: &mut Glance, rules: &Rules, now: ServerTime) {
        if self.settings.dialect != baton_core::config::PipelineDialect::Baton
            || glance.item.foreign_claim.is_some()
        {
            return;
        }
        let grace = i64::try_from(self.settings.lock_grace.as_secs()).unwrap_or(i64::MAX);
        let Item { labels, labelled_at, .. } = &mut glance.item;
        let is_stale = |label: &String| {
            let is_foreign = matches!(rules.policy.names.read(label), Some(Said::Locked(_)))
                && !label.eq_ignore_ascii_case(&rules.policy.own_lock);
            is_foreign && labelled_at.get(label).is_some_and(|at| now.seconds_since(*at) > grace)
        };
        let (stale, kept) = std::mem::take(labels).into_iter().partition(is_stale);
        *labels = kept;
        glance.stale_locks = stale;
    }
}

fn item(
    issue: &IssueKey,
    seen: Sighting,
    column: String,
    approval: Option<Approval>,
    memory: ItemMemory,
) -> Item {
    Item {
        issue: issue.clone(),
        title: seen.issue.title,
        url: seen.issue.url,
        column,
        is_closed: !seen.issue.is_open,
        is_pull: seen.issue.is_pull,
        labels: seen.issue.labels,
        labelled_at: seen.labelled_at,
        comments: seen.comments,
        blockers: seen.blockers,
        pull: seen.pull,
        approval,
        foreign_claim: None,
        runner: None,
        repository: Repository::Ready,
        has_worktree: false,
        usage: Usage::default(),
        agent_spending: Vec::new(),
        memory,
    }
}
