//! Codex: `codex exec --json`.
//!
//! It has a sandbox of its own, no limit of turns, and no lists of tools.

use super::{AgentOrder, foreign_model, push, session, shown};
use crate::pipeline::stage::Effort;

/// The options of `exec` come before `resume`, which has few of its own; `-` is the standard input.
pub(super) fn arguments(order: &AgentOrder) -> Vec<String> {
    let mut arguments = vec!["exec".to_owned(), "--json".to_owned()];
    sandbox(order, &mut arguments);
    push(&mut arguments, "-m", foreign_model(order));
    push(&mut arguments, "-c", effort(order));
    if order.git_dir.is_none() {
        arguments.push("--skip-git-repo-check".to_owned());
    }
    arguments.extend(order.agent.args.iter().cloned());
    push(&mut arguments, "resume", session(order));
    arguments.push("-".to_owned());
    arguments
}

fn sandbox(order: &AgentOrder, arguments: &mut Vec<String>) {
    match (order.is_unrestricted, order.is_read_only) {
        (_, true) => push(arguments, "--sandbox", Some("read-only")),
        (true, false) => arguments.push("--dangerously-bypass-approvals-and-sandbox".to_owned()),
        (false, false) => {
            push(arguments, "--sandbox", Some("workspace-write"));
            for directory in writable(order) {
                push(arguments, "--add-dir", Some(&directory));
            }
        }
    }
}

/// What git writes to in order to commit lies outside of the work tree. Without the logs of refs, it does not commit.
fn writable(order: &AgentOrder) -> Vec<String> {
    let Some(own) = &order.git_dir else { return Vec::new() };
    let worktrees = own.parent().filter(|parent| parent.ends_with("worktrees"));
    let mirror = worktrees.and_then(|worktrees| worktrees.parent());
    let shared =
        mirror.into_iter().flat_map(|mirror| ["objects", "refs", "logs"].map(|name| mirror.join(name)));
    [own.clone()].into_iter().chain(shared).map(|path| shown(&path)).collect()
}

/// Not every model knows a level above `high`, and one that does not refuses to work.
fn effort(order: &AgentOrder) -> Option<&'static str> {
    order.effort.or(order.agent.effort).map(|effort| match effort {
        Effort::Low => "model_reasoning_effort=\"low\"",
        Effort::Medium => "model_reasoning_effort=\"medium\"",
        Effort::High | Effort::Max => "model_reasoning_effort=\"high\"",
    })
}
