//! What the outbox leaves to whoever decides: what the end of a run comes to, whether a decision still holds once its lease
//! was taken, waking agents, and the board.

use std::future::Future;
use std::sync::Arc;

use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::effect::Wake;
use baton_core::pipeline::names::{Flag, Names};
use baton_core::slot::effect::{StageEnd, Tried};
use baton_core::slot::{EffectId, Item, ItemMemory, SlackMessage};
use baton_core::tracker::IssueKey;

/// Who decides.
pub trait Arbiter: Send + Sync {
    /// Decides what the end of a run comes to, and commits it together with the end of the effect that asks for it.
    fn settle(&self, item: &Item, effect: EffectId, end: &StageEnd) -> impl Future<Output = Tried> + Send;

    /// Returns whether a step is still the next one for an issue in this column, with the memory from before it was decided.
    fn still_wants(
        &self,
        item: &Item,
        step: &str,
        column: &str,
        before: Option<&ItemMemory>,
    ) -> impl Future<Output = Result<bool, Tried>> + Send;

    /// Takes a lease under a token. An earlier try may have taken it.
    fn take_lease(
        &self,
        issue: &IssueKey,
        token: &str,
        is_unclear: bool,
    ) -> impl Future<Output = Result<(), Tried>> + Send;

    /// Makes a lease last longer.
    fn renew_lease(&self, issue: &IssueKey, token: &str) -> impl Future<Output = Result<(), Tried>> + Send;

    /// Wakes an agent, once for each effect.
    fn wake(&self, item: &Item, effect: EffectId, wake: &Wake) -> impl Future<Output = Tried> + Send;

    /// Puts an issue into a column, if it is still in the one that it was in; nothing stands for wherever it is.
    fn move_to(
        &self,
        issue: &IssueKey,
        from: Option<&str>,
        to: &str,
    ) -> impl Future<Output = Result<(), Tried>> + Send;

    /// Returns the branch of an issue's pull request.
    fn branch(&self, issue: &IssueKey) -> String;

    /// Returns the column in which new issues begin.
    fn first_column(&self) -> Option<String>;

    /// Returns the label of issues that another one was taken apart into.
    fn part_label(&self) -> String;

    /// Returns the comment that asks for approval of a stage's plan.
    fn approval_request(&self, stage: &str, plan: &str) -> String;

    /// Puts what became of a question in Slack in its place, if that can be done.
    fn tell_on_slack(&self, message: &SlackMessage, said: &str) -> impl Future<Output = ()> + Send;
}

impl<A: Arbiter> Arbiter for Arc<A> {
    async fn settle(&self, item: &Item, effect: EffectId, end: &StageEnd) -> Tried {
        A::settle(self, item, effect, end).await
    }

    async fn still_wants(
        &self,
        item: &Item,
        step: &str,
        column: &str,
        before: Option<&ItemMemory>,
    ) -> Result<bool, Tried> {
        A::still_wants(self, item, step, column, before).await
    }

    async fn take_lease(&self, issue: &IssueKey, token: &str, is_unclear: bool) -> Result<(), Tried> {
        A::take_lease(self, issue, token, is_unclear).await
    }

    async fn renew_lease(&self, issue: &IssueKey, token: &str) -> Result<(), Tried> {
        A::renew_lease(self, issue, token).await
    }

    async fn wake(&self, item: &Item, effect: EffectId, wake: &Wake) -> Tried {
        A::wake(self, item, effect, wake).await
    }

    async fn move_to(&self, issue: &IssueKey, from: Option<&str>, to: &str) -> Result<(), Tried> {
        A::move_to(self, issue, from, to).await
    }

    fn branch(&self, issue: &IssueKey) -> String {
        A::branch(self, issue)
    }

    fn first_column(&self) -> Option<String> {
        A::first_column(self)
    }

    fn part_label(&self) -> String {
        A::part_label(self)
    }

    fn approval_request(&self, stage: &str, plan: &str) -> String {
        A::approval_request(self, stage, plan)
    }

    async fn tell_on_slack(&self, message: &SlackMessage, said: &str) {
        A::tell_on_slack(self, message, said).await;
    }
}

/// For an outbox that only writes to the tracker: nobody decides.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Nobody {
    fn never() -> Tried {
        Tried::Never("nobody decides here: this outbox only writes to the tracker".to_owned())
    }
}

impl Arbiter for Nobody {
    async fn settle(&self, _: &Item, _: EffectId, _: &StageEnd) -> Tried {
        Self::never()
    }

    async fn still_wants(&self, _: &Item, _: &str, _: &str, _: Option<&ItemMemory>) -> Result<bool, Tried> {
        Err(Self::never())
    }

    async fn take_lease(&self, _: &IssueKey, _: &str, _: bool) -> Result<(), Tried> {
        Err(Self::never())
    }

    async fn renew_lease(&self, _: &IssueKey, _: &str) -> Result<(), Tried> {
        Err(Self::never())
    }

    async fn wake(&self, _: &Item, _: EffectId, _: &Wake) -> Tried {
        Self::never()
    }

    async fn move_to(&self, _: &IssueKey, _: Option<&str>, _: &str) -> Result<(), Tried> {
        Err(Self::never())
    }

    fn branch(&self, issue: &IssueKey) -> String {
        format!("baton/issue-{}", issue.number)
    }

    fn first_column(&self) -> Option<String> {
        None
    }

    fn part_label(&self) -> String {
        Names::of(Dialect::Baton).flag(Flag::SubIssue)
    }

    fn approval_request(&self, stage: &str, plan: &str) -> String {
        format!("The plan {plan} of {stage} waits for approval.")
    }

    async fn tell_on_slack(&self, _: &SlackMessage, _: &str) {}
}
