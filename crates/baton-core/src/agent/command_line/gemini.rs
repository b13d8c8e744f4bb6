//! Gemini: `gemini --output-format stream-json`.
//!
//! It has no option for turns or effort, and no tool for commands unless everything is approved or the tool is named in
//! `allowed_tools` of the agent, in Gemini's own words: those of stages are Claude's.

use super::{AgentOrder, foreign_model, push, session};

pub(super) fn arguments(order: &AgentOrder) -> Vec<String> {
    // Nobody can answer whether the work tree is trusted, and without an answer the program ends.
    let mut arguments = ["--output-format", "stream-json", "--skip-trust"].map(str::to_owned).to_vec();
    push(&mut arguments, "--approval-mode", Some(approval_mode(order)));
    push(&mut arguments, "-m", foreign_model(order));
    push(&mut arguments, "--resume", session(order));
    arguments.extend(order.agent.args.iter().cloned());
    let tools = order.agent.allowed_tools.iter().flatten().filter(|_| !order.is_read_only);
    for tool in tools.filter(|tool| !tool.starts_with('-')) {
        push(&mut arguments, "--allowed-tools", Some(tool));
    }
    arguments
}

fn approval_mode(order: &AgentOrder) -> &'static str {
    match (order.is_read_only, order.is_unrestricted) {
        (true, _) => "plan",
        (false, true) => "yolo",
        (false, false) => "auto_edit",
    }
}
