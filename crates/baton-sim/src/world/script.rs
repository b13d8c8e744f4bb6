//! What a scripted agent does: how long it takes, what it leaves in its work tree, and what it says.

use std::sync::Arc;
use std::time::Duration;

use baton_core::agent::{AgentExit, AgentOrder, Limit};
use baton_core::agent_lines::{AgentError, Report};
use baton_core::slot::ItemKey;
use baton_ports::ProgramEnd;

use super::dice::Dice;
use super::programs::{Life, wall_time_ms};
use super::scene::Scene;

/// An agent's part in the play.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) takes: Duration,
    pub(crate) kind: Kind,
    session: String,
    commits: bool,
    leaves_changes: bool,
}

/// How it ends, if it gets that far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Completes,
    SaysNothing,
    Asks,
    Crashes,
    CannotReachModel,
    UsesUpTurns,
    TakesTooLong,
    TakesApart,
}

/// Draws the part of an invocation.
pub(crate) fn part_of(order: &AgentOrder, job: &str, dice: &Dice, scene: &Scene) -> Part {
    let luck = scene.knobs.agents;
    let may_take_apart = job == "stage" && matches!(order.stage.as_deref(), Some("Research" | "Plan"));
    let kinds = [
        (luck.silent, Kind::SaysNothing),
        (luck.blocked, Kind::Asks),
        (luck.crash, Kind::Crashes),
        (luck.api, Kind::CannotReachModel),
        (luck.turns, Kind::UsesUpTurns),
        (luck.time_out, Kind::TakesTooLong),
        (if may_take_apart { luck.decompose } else { 0 }, Kind::TakesApart),
    ];
    let is_drawn = |(chance, _): &&(u64, Kind)| scene.are_faults_on() && dice.per_mille(*chance);
    let kind = kinds.iter().find(is_drawn).map_or(Kind::Completes, |(_, kind)| *kind);
    let takes = match kind {
        Kind::TakesTooLong => Duration::from_millis(wall_time_ms(order)),
        _ => dice.millis(2_000, luck.longest_ms),
    };
    Part {
        takes,
        kind,
        session: format!("s{}", dice.below(1_000_000_000)),
        commits: !order.is_read_only && (kind == Kind::Completes || dice.per_mille(500)),
        leaves_changes: dice.per_mille(200),
    }
}

impl Part {
    /// Plays it to its end.
    pub(crate) fn played(&self, life: &Arc<Life>) -> ProgramEnd {
        self.work(life);
        let (text, error, saw_result, exit) = match self.kind {
            Kind::Completes => (says("Done.\n\nBATON_STAGE_COMPLETE"), None, true, AgentExit::Exited(0)),
            Kind::SaysNothing => (says("I looked around."), None, true, AgentExit::Exited(0)),
            Kind::Asks => (says(QUESTION), None, true, AgentExit::Exited(0)),
            Kind::TakesApart => (says(PARTS), None, true, AgentExit::Exited(0)),
            Kind::Crashes => (None, None, false, AgentExit::Exited(1)),
            Kind::CannotReachModel => {
                (None, Some(AgentError::ApiError { status: Some(529) }), true, AgentExit::Exited(1))
            }
            Kind::UsesUpTurns => (None, Some(AgentError::MaxTurns), true, AgentExit::Exited(1)),
            Kind::TakesTooLong => (None, None, false, AgentExit::TimedOut(Limit::WallTime)),
        };
        let assistant_text = text.clone().unwrap_or_else(|| "I am at it.".to_owned());
        let report = Report {
            session: Some(self.session.clone()),
            turns: self.takes.as_secs() / 60 + 1,
            text,
            assistant_text,
            error,
            saw_result,
            ..Report::default()
        };
        ProgramEnd { report, exit, last_error: String::new() }
    }

    /// Returns what is left of an agent that was killed.
    pub(crate) fn cut_off(exit: AgentExit, part: &Self) -> ProgramEnd {
        let report = Report { session: Some(part.session.clone()), ..Report::default() };
        ProgramEnd { report, exit, last_error: String::new() }
    }

    fn work(&self, life: &Arc<Life>) {
        let ItemKey::Issue(issue) = &life.order.item else { return };
        let hub = &life.machine.hub;
        let Some(place) = life.machine.disk().places.get(issue).cloned() else { return };
        let base = hub.branch(&issue.repo, "main").filter(|_| life.job == "rebase");
        let head = match base {
            Some(base) => hub.merge_on(&place.head, &base),
            None if self.commits => hub.commit_on(&place.head, "work"),
            None => place.head.clone(),
        };
        if let Some(place) = life.machine.disk().places.get_mut(issue) {
            place.head = head;
            place.is_dirty = self.leaves_changes && !life.order.is_read_only;
        }
    }
}

fn says(text: &str) -> Option<String> {
    Some(text.to_owned())
}

const QUESTION: &str = "BATON_SUMMARY_BEGIN\nWhich colour?\nBATON_SUMMARY_END\n\nBATON_BLOCKED_ON_INPUT";

const PARTS: &str = "BATON_SUB_ISSUE_BEGIN\nTITLE: The one half\n\nOf it.\nBATON_SUB_ISSUE_END\n\
    BATON_SUB_ISSUE_BEGIN\nTITLE: The other half\n\nOf it.\nBATON_SUB_ISSUE_END\n\nBATON_DECOMPOSED";
