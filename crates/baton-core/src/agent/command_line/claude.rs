//! Claude Code: `claude -p` with lines of JSON.
//!
//! What is not allowed by name is refused without a question (`dontAsk`), since nobody is there to answer. An agent that may
//! do whatever it wants still gets no tools that wait or that schedule work for later: its run would be over by then.

use std::path::Path;

use super::{AgentOrder, Places, max_turns, plain_model, push, session, shown};
use crate::config::Sandbox;

/// Tools that wait, or that schedule work for a time at which the run is over.
const FOR_LATER: [&str; 4] = ["ScheduleWakeup", "Workflow", "Monitor", "CronCreate"];

/// Tools that change files.
const WRITING: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// The usual tools, besides commands.
const TOOLS: [&str; 8] = ["Read", "Edit", "Write", "Glob", "Grep", "TodoWrite", "Skill", "Task"];

/// The usual commands.
const COMMANDS: [&str; 20] = [
    "git", "gh", "go", "npm", "npx", "yarn", "pnpm", "make", "cargo", "python", "pip", "uv", "pytest", "ls",
    "cat", "rm", "cp", "mv", "mkdir", "find",
];

/// The usual tools of a stage that changes nothing.
const READING: [&str; 10] = [
    "Read",
    "Glob",
    "Grep",
    "TodoWrite",
    "Skill",
    "Task",
    "WebSearch",
    "WebFetch",
    "Bash(git log:*)",
    "Bash(git diff:*)",
];

/// Options that take any number of values come last, so that none of them takes what is meant for another.
pub(super) fn arguments(order: &AgentOrder, places: &Places) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["-p", "--output-format", "stream-json", "--verbose"].map(str::to_owned).to_vec();
    match order.is_unrestricted {
        true => arguments.push("--dangerously-skip-permissions".to_owned()),
        false => push(&mut arguments, "--permission-mode", Some("dontAsk")),
    }
    let plugin_dir = order.agent.plugin_dir.as_ref().map(|path| shown(&places.directory.join(path)));
    let model = plain_model(order.agent.model.as_deref()).or_else(|| plain_model(order.model.as_deref()));
    push(&mut arguments, "--plugin-dir", plugin_dir.as_deref());
    push(&mut arguments, "--resume", session(order));
    push(&mut arguments, "--model", model);
    push(&mut arguments, "--max-turns", max_turns(order).as_deref());
    arguments.extend(order.agent.args.iter().cloned());
    for tool in denied(order) {
        push(&mut arguments, "--disallowedTools", Some(tool));
    }
    for tool in allowed(order) {
        push(&mut arguments, "--allowedTools", Some(&tool));
    }
    arguments
}

/// The program refuses to skip permissions as root unless it is told that it is in a sandbox, so it is told so where that is
/// true. Elsewhere that is a decision of whoever names the variable in `env`.
pub(super) fn variables(order: &AgentOrder) -> Vec<(String, String)> {
    let effort =
        order.effort.or(order.agent.effort).map(|effort| ("CLAUDE_CODE_EFFORT_LEVEL", effort.as_str()));
    let thinking = order.disable_adaptive_thinking.then_some(("CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING", "1"));
    let is_inside = order.is_unrestricted && order.agent.sandbox == Sandbox::Bubblewrap;
    let sandbox = is_inside.then_some(("IS_SANDBOX", "1"));
    let all = [effort, thinking, sandbox].into_iter().flatten();
    all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn denied(order: &AgentOrder) -> impl Iterator<Item = &'static str> {
    let writing = WRITING.into_iter().filter(|_| order.is_read_only);
    FOR_LATER.into_iter().chain(writing)
}

/// The tools that are allowed: those of the stage, else those of the agent, else the usual ones. They mean nothing to an agent
/// that may do whatever it wants.
fn allowed(order: &AgentOrder) -> Vec<String> {
    if order.is_unrestricted {
        return Vec::new();
    }
    let own = order.allowed_tools.as_ref().or(order.agent.allowed_tools.as_ref());
    let tools = own.cloned().unwrap_or_else(|| usual(order.is_read_only));
    let is_unfit = |tool: &str| tool.starts_with('-') || (order.is_read_only && is_writing(tool));
    tools.into_iter().filter(|tool| !is_unfit(tool)).map(|tool| within(tool, &order.cwd)).collect()
}

fn usual(is_read_only: bool) -> Vec<String> {
    if is_read_only {
        return READING.map(str::to_owned).to_vec();
    }
    let commands = COMMANDS.iter().map(|command| format!("Bash({command}:*)"));
    TOOLS.iter().map(|tool| (*tool).to_owned()).chain(commands).collect()
}

fn is_writing(tool: &str) -> bool {
    WRITING.contains(&tool.split('(').next().unwrap_or(tool).trim())
}

/// A tool that changes files is allowed within the work tree alone, unless its rule says where. The program reads two slashes
/// as the root of the file system, and one as that of its settings.
fn within(tool: String, cwd: &Path) -> String {
    match WRITING.contains(&tool.as_str()) {
        true => format!("{tool}(/{}/**)", shown(cwd)),
        false => tool,
    }
}
