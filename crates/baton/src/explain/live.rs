//! The explanation of an issue as it is now, and what stands beside it in the store: its lease, its run, and what was decided
//! and not yet performed. Nothing is left behind.

use baton_core::pipeline::Explanation;
use baton_core::pipeline::budget::Spending;
use baton_core::slot::effect::{Effect, EffectStatus};
use baton_core::slot::{ItemKey, Run};
use baton_core::tracker::IssueKey;
use baton_engine::marshal::{Glance, LookError};
use baton_engine::spending;
use baton_ports::{Store as _, TrackerErrorKind};
use serde_json::{Value, json};

use crate::command_error::CommandError;
use crate::flow::context::Desk;
use crate::flow::onlooker::Onlooker;
use crate::flow::shapes;

/// What becomes of runs whose agent has spent a budget.
pub(crate) const UNTIL_TOMORROW: &str = "; its runs wait until midnight, UTC";

/// What the store says beside the explanation.
struct Beside {
    /// The budgets of the agent that works on it, or would.
    of_agent: Vec<Spending>,
    effects: Vec<Effect>,
    lease: Option<String>,
    is_held: bool,
    run: Option<Run>,
}

/// An issue as it was looked at.
pub(crate) struct Looked {
    onlooker: Onlooker,
    glance: Glance,
    beside: Beside,
}

impl Looked {
    /// Looks at an issue as the engine does.
    pub(crate) fn at(desk: Desk, issue: &IssueKey) -> Result<Self, CommandError> {
        let onlooker = Onlooker::open(desk, Some(&ItemKey::issue(issue)))?;
        let (glance, beside) = onlooker.flow.block_on(look(&onlooker, issue))?;
        Ok(Self { onlooker, glance, beside })
    }

    /// Returns what was seen as text for one screen.
    pub(crate) fn screen(&self, is_coloured: bool) -> String {
        self.explained(|explanation| explanation.screen(is_coloured)) + &text(&self.beside)
    }

    /// Returns what was seen for programs.
    pub(crate) fn shape(&self) -> Value {
        let mut value = self.explained(|explanation| explanation.shape());
        value["beside"] = shape(&self.beside);
        value
    }

    fn explained<T>(&self, tell: impl FnOnce(&Explanation<'_>) -> T) -> T {
        let rules = self.onlooker.marshal.rules();
        tell(&Explanation::of(&self.glance.item, &rules.pipeline, &rules.policy, self.glance.now))
    }
}

async fn look(onlooker: &Onlooker, issue: &IssueKey) -> Result<(Glance, Beside), CommandError> {
    let glance = onlooker.marshal.glance(issue).await.map_err(|error| match &error {
        LookError::Tracker(told) if told.kind == TrackerErrorKind::NotFound => CommandError::No(format!(
            "there is no issue {issue} that this account may see; check its name and the token"
        )),
        error => CommandError::out_of_reach(error),
    })?;
    let effects = match onlooker.is_known {
        true => onlooker.flow.relay.store.effects(&ItemKey::issue(issue)).await?,
        false => Vec::new(),
    };
    let agent = spending::agent_of(&glance.item, &onlooker.marshal.rules());
    let of_agents = spending::of_agents(&onlooker.flow.relay.store, glance.now.store).await?;
    let beside = Beside {
        of_agent: spending::of_one(of_agents, agent.as_ref()),
        effects: effects.into_iter().filter(|effect| effect.status != EffectStatus::Done).collect(),
        lease: glance.situation.item.lease.clone(),
        is_held: glance.has_lease,
        run: glance.situation.owner.clone(),
    };
    Ok((glance, beside))
}

fn text(beside: &Beside) -> String {
    let mut text = String::new();
    if let Some(run) = &beside.run {
        text.push_str(&format!(
            "\nrun {} of {}: {} (`baton logs {}`)\n",
            run.id, run.agent, run.status, run.id
        ));
    }
    if !beside.of_agent.is_empty() {
        text.push_str("\nBudgets of the agent\n");
    }
    for spending in &beside.of_agent {
        let until = if spending.is_spent() { UNTIL_TOMORROW } else { "" };
        text.push_str(&format!("  {}{until}\n", spending.words()));
    }
    match (&beside.lease, beside.is_held) {
        (Some(_), true) => text.push_str("\nthe engine holds the issue on the tracker\n"),
        (Some(_), false) => {
            text.push_str("\nthe store names a claim that the tracker does not show any more\n")
        }
        (None, _) => {}
    }
    for (status, head) in [
        (EffectStatus::Sending, "being performed"),
        (EffectStatus::Pending, "decided, and not yet performed"),
        (EffectStatus::Dead, "decided, and never performed"),
    ] {
        let of_status: Vec<_> = beside.effects.iter().filter(|effect| effect.status == status).collect();
        if of_status.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{head}\n"));
        for effect in of_status {
            let why = effect.error.as_deref().map_or_else(String::new, |why| format!("  {why}"));
            text.push_str(&format!("  {} {}{why}\n", effect.id, shapes::deed(&effect.deed)));
        }
    }
    text
}

fn shape(beside: &Beside) -> Value {
    let effect = |effect: &Effect| {
        json!({
            "effect": effect.id,
            "status": effect.status.as_str(),
            "deed": effect.deed,
            "attempts": effect.attempts,
            "error": effect.error,
        })
    };
    json!({
        "run": beside.run.as_ref().map(|run| json!({
            "run": run.id, "agent": run.agent, "status": run.status.as_str(),
        })),
        "agent_budgets": beside.of_agent,
        "holds_lease": beside.is_held,
        "lost_lease": beside.lease.is_some() && !beside.is_held,
        "effects": beside.effects.iter().map(effect).collect::<Vec<_>>(),
    })
}
