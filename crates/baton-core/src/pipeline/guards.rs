//! Whether an issue may be worked on: the guards, in order. The first one that says something decides.

use super::gates::approval_overdue;
use super::names::Flag;
use super::policy::Budget;
use super::stage::StageKind;
use super::step::{Hold, Pause, Rest, Step};
use super::trail::{Notes, Rule, Verdict};
use super::view::View;
use crate::slot::ItemMemory;

/// The guards, in order.
pub static GUARDS: [Rule; 19] = [
    Rule {
        id: "no-stage",
        asks: "Does the column belong to no stage, or to one where issues are only kept?",
        then: "Nothing is done.",
        check: no_stage,
    },
    Rule {
        id: "repository-not-ready",
        asks: "Can the repository not be worked on yet?",
        then: "Nothing is done until it can.",
        check: repository_not_ready,
    },
    Rule {
        id: "closed",
        asks: "Is the issue closed, neither in the cleanup stage, nor complete, nor merged?",
        then: "Nothing is done. No agent ever works on a closed issue.",
        check: closed,
    },
    Rule {
        id: "locked-by-another",
        asks: "Does somebody else hold the issue, by a lock label or a live claim?",
        then: "Nothing is done.",
        check: locked_by_another,
    },
    Rule {
        id: "held",
        asks: "Does a person keep agents away, from the issue or from its repository?",
        then: "Nothing is done.",
        check: held,
    },
    Rule {
        id: "running",
        asks: "Is an agent at work on it, or about to be?",
        then: "Nothing is done: one runner at a time.",
        check: running,
    },
    Rule {
        id: "editing",
        asks: "Does the label say that comments are being answered?",
        then: "Nothing is done.",
        check: editing,
    },
    Rule {
        id: "awaiting-input",
        asks: "Was a person asked?",
        then: "A comment by a person who may write resumes; until then, nothing is done.",
        check: awaiting_input,
    },
    Rule {
        id: "paused",
        asks: "Is the issue paused?",
        then: "A comment by a person who may write resumes; until then, nothing is done.",
        check: paused,
    },
    Rule {
        id: "dependencies",
        asks: "Do open issues come first?",
        then: "It is marked as blocked and waits.",
        check: dependencies,
    },
    Rule {
        id: "cleanup",
        asks: "Is this the cleanup stage?",
        then: "The work tree is removed, once.",
        check: cleanup,
    },
    Rule {
        id: "failure",
        asks: "Is there a trace of a failure or of an engine's pause, although nobody is paused any more?",
        then: "A person has looked: labels and counters of the failure go.",
        check: failure,
    },
    Rule {
        id: "new-comments",
        asks: "Are there comments that nobody has acted on?",
        then: "The agent answers them; too many rounds in a short time pause the issue.",
        check: new_comments,
    },
    Rule {
        id: "is-a-pull-request",
        asks: "Is the item itself a pull request?",
        then: "Nothing is done: on pull requests only comments are answered.",
        check: is_a_pull_request,
    },
    Rule {
        id: "approval-pending",
        asks: "Does a plan wait for approval?",
        then: "The gates decide where the stage asks for approval; elsewhere it is waited for, and no answer in time pauses.",
        check: approval_pending,
    },
    Rule {
        id: "complete",
        asks: "Is the stage complete, or waiting for checks, or the issue closed by the merge of its pull request?",
        then: "The gates decide. The stage is never run again.",
        check: complete,
    },
    Rule {
        id: "cooldown",
        asks: "Did the stage end without a word a moment ago?",
        then: "It rests until it is tried again.",
        check: cooldown,
    },
    Rule {
        id: "budget",
        asks: "Is a day's budget spent?",
        then: "The issue is paused with a comment.",
        check: budget,
    },
    Rule {
        id: "invoke",
        asks: "Is there anything left to ask?",
        then: "The agent works on the stage.",
        check: invoke,
    },
];

fn rest_if(is_so: bool, why: Rest) -> Verdict {
    if is_so { Verdict::Decide(Step::Rest(why)) } else { Verdict::Pass }
}

fn no_stage(view: &View<'_>, notes: &mut Notes) -> Verdict {
    notes.fact("column", || view.item.column.clone());
    let is_kept = matches!(view.stage.kind, StageKind::Unmanaged | StageKind::Holding);
    rest_if(is_kept, Rest::NoStage)
}

fn repository_not_ready(view: &View<'_>, notes: &mut Notes) -> Verdict {
    let super::item::Repository::NotReady(why) = &view.item.repository else { return Verdict::Pass };
    notes.fact("repository", || why.clone());
    Verdict::Decide(Step::Rest(Rest::RepoNotReady))
}

fn closed(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if !view.item.is_closed {
        return Verdict::Pass;
    }
    notes.fact("complete", || view.signs.is_complete);
    notes.fact("merged", || view.is_merged());
    let goes_on = view.stage.kind == StageKind::Cleanup || view.signs.is_complete || view.is_merged();
    rest_if(!goes_on, Rest::Closed)
}

fn locked_by_another(view: &View<'_>, notes: &mut Notes) -> Verdict {
    let holder = view.signs.foreign_lock.or(view.item.foreign_claim.as_deref());
    let Some(holder) = holder else { return Verdict::Pass };
    notes.fact("holder", || holder);
    Verdict::Decide(Step::Rest(Rest::LockedByOther))
}

fn held(view: &View<'_>, notes: &mut Notes) -> Verdict {
    let paused_repository = match &view.item.repository {
        super::item::Repository::Paused(by) => Some(by.as_str()),
        _ => None,
    };
    let Some(by) = view.signs.held_by.or(paused_repository) else { return Verdict::Pass };
    notes.fact("by", || by);
    Verdict::Decide(Step::Rest(Rest::Held))
}

fn running(view: &View<'_>, notes: &mut Notes) -> Verdict {
    let Some(runner) = &view.item.runner else { return Verdict::Pass };
    notes.fact("runner", || runner.clone());
    Verdict::Decide(Step::Rest(Rest::Running))
}

fn editing(view: &View<'_>, notes: &mut Notes) -> Verdict {
    view.note_flags(notes, &[Flag::Editing]);
    rest_if(view.has(Flag::Editing), Rest::Editing)
}

fn awaiting_input(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if !view.is_awaiting_input() {
        return Verdict::Pass;
    }
    resumed(view, notes, Rest::AwaitingInput)
}

fn paused(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if !view.has(Flag::Paused) {
        return Verdict::Pass;
    }
    notes.fact("by the engine", || view.item.memory.paused_by_engine.as_ref().map_or("no", |_| "yes"));
    resumed(view, notes, Rest::Paused)
}

/// A person's comment resumes where an agent can answer it: not on a closed issue, not at the end of the relay, and not
/// before what comes first; then it resumes when that is done.
fn resumed(view: &View<'_>, notes: &mut Notes, otherwise: Rest) -> Verdict {
    let can_answer = !view.item.is_closed && view.stage.is_working() && view.open_blockers().next().is_none();
    let comment = view.resuming_comment().filter(|_| can_answer);
    notes.fact("new comment by a person", || {
        comment.map_or_else(|| "none".to_owned(), |comment| format!("{} by {}", comment.id, comment.author))
    });
    match comment {
        Some(_) => Verdict::Decide(Step::ProcessComments { resumes: true }),
        None => Verdict::Decide(Step::Rest(otherwise)),
    }
}

pub(super) fn dependencies(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if view.item.is_closed {
        return Verdict::Pass;
    }
    notes.fact("open blockers", || {
        let blockers: Vec<_> = view.open_blockers().map(|blocker| blocker.issue.to_string()).collect();
        if blockers.is_empty() { "none".to_owned() } else { blockers.join(", ") }
    });
    match view.open_blockers().next() {
        Some(_) => Verdict::Decide(Step::HoldAtGate(Hold::Dependencies)),
        None => Verdict::Pass,
    }
}

fn cleanup(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if view.stage.kind != StageKind::Cleanup {
        return Verdict::Pass;
    }
    notes.fact("work tree", || view.item.has_worktree);
    notes.fact("complete", || view.signs.is_complete);
    Verdict::Decide(match (view.signs.is_complete, view.item.has_worktree) {
        (true, _) => Step::Rest(Rest::CleanedUp),
        (false, true) => Step::CleanUp,
        (false, false) => Step::Rest(Rest::NothingToClean),
    })
}

fn failure(view: &View<'_>, notes: &mut Notes) -> Verdict {
    let pause = &view.item.memory.paused_by_engine;
    notes.fact("failed label", || view.signs.has_failed);
    notes.fact("engine's pause", || pause.as_ref().map_or("none", |pause| pause.cause.as_str()).to_owned());
    let is_traced = view.signs.has_failed || pause.is_some() || view.has(Flag::AwaitingInput);
    if is_traced && !view.item.is_closed { Verdict::Decide(Step::ClearFailure) } else { Verdict::Pass }
}

fn new_comments(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if view.item.is_closed {
        return Verdict::Pass;
    }
    notes.fact("new comments", || view.new_comments().count());
    if view.new_comments().next().is_none() {
        return Verdict::Pass;
    }
    let runs = lately_answered(&view.item.memory, view);
    notes.fact("rounds lately", || format!("{runs} of {}", view.policy.max_comment_cycles));
    if runs >= view.policy.max_comment_cycles as usize {
        return Verdict::Decide(Step::Pause(Pause::CommentCycles));
    }
    Verdict::Decide(within_budget(view, notes, Step::ProcessComments { resumes: false }))
}

fn lately_answered(memory: &ItemMemory, view: &View<'_>) -> usize {
    let start = view.now.store.minus(view.policy.comment_cycle_window);
    memory.comment_runs.iter().filter(|run| **run > start).count()
}

/// Returns the step, unless a budget is spent that it would go beyond.
pub(super) fn within_budget(view: &View<'_>, notes: &mut Notes, step: Step) -> Step {
    spent(view, notes).unwrap_or(step)
}

fn spent(view: &View<'_>, notes: &mut Notes) -> Option<Step> {
    let of_agent = || Budget::spent_by_agent(&view.item.agent_spending);
    let budget = view.policy.limits.spent(view.item.usage).or_else(of_agent)?;
    notes.fact("spent", || budget);
    Some(Step::Pause(Pause::BudgetSpent(budget)))
}

fn is_a_pull_request(view: &View<'_>, _: &mut Notes) -> Verdict {
    rest_if(view.item.is_pull, Rest::IsPull)
}

fn approval_pending(view: &View<'_>, notes: &mut Notes) -> Verdict {
    notes.fact("pending", || view.signs.is_plan_pending);
    match (view.signs.is_plan_pending, view.stage.approval) {
        (false, _) => Verdict::Pass,
        (true, Some(_)) => Verdict::Gates,
        (true, None) => {
            let waits = Step::Rest(Rest::ApprovalPending);
            Verdict::Decide(approval_overdue(view, notes).unwrap_or(waits))
        }
    }
}

fn complete(view: &View<'_>, notes: &mut Notes) -> Verdict {
    let awaits_checks = view.stage.wait_for_ci && view.has(Flag::AwaitingCi);
    let is_landed = view.item.is_closed && view.is_merged();
    notes.fact("complete", || view.signs.is_complete);
    notes.fact("waiting for checks", || awaits_checks);
    if view.signs.is_complete || awaits_checks || is_landed { Verdict::Gates } else { Verdict::Pass }
}

fn cooldown(view: &View<'_>, notes: &mut Notes) -> Verdict {
    let until = view.item.memory.cooldowns.get(&view.stage.name);
    notes.fact("until", || until.map_or_else(|| "not at all".to_owned(), ToString::to_string));
    rest_if(until.is_some_and(|until| *until > view.now.store), Rest::Cooldown)
}

fn budget(view: &View<'_>, notes: &mut Notes) -> Verdict {
    spent(view, notes).map_or(Verdict::Pass, Verdict::Decide)
}

fn invoke(view: &View<'_>, notes: &mut Notes) -> Verdict {
    let memory = &view.item.memory;
    let tried = memory.attempts.get(&view.stage.name).copied().unwrap_or(0);
    let sliced = memory.slices.get(&view.stage.name).copied().unwrap_or(0);
    notes.fact("tried before", || tried + sliced);
    Verdict::Decide(Step::Invoke { resume: tried + sliced > 0 })
}
