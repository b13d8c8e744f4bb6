//! How an order becomes a command: the program, its arguments and its variables, for each adapter.
//!
//! Everything that an issue says reaches a program on its standard input. Arguments come from the configuration, from stages
//! and from ids that programs gave us, and an id that could be taken for an option is left out.
//!
//! Deliberately absent: the rest of the environment, which holds for all adapters ([`super::environment`]), and sandboxes,
//! which wrap a command whatever it is.

mod claude;
mod codex;
mod gemini;

use std::path::{Path, PathBuf};

use super::order::AgentOrder;
use crate::agent_lines::Program;
use crate::config::Adapter;

/// A command, ready to be started in the directory of its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// The program and its arguments; at least the program.
    pub argv: Vec<String>,
    /// Variables that the program is set by, besides those of the order.
    pub variables: Vec<(String, String)>,
    /// Whose lines it prints.
    pub program: Program,
    /// Whether it reads the prompt on its standard input.
    pub reads_prompt_on_stdin: bool,
}

/// Where this machine has what a command may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The program `baton` itself.
    pub baton: PathBuf,
    /// The directory of `baton.yaml`, where relative paths of the configuration start.
    pub directory: PathBuf,
}

/// Returns the command for an order.
pub fn command_line(order: &AgentOrder, places: &Places) -> CommandLine {
    let argv = match order.agent.adapter {
        Adapter::Claude => claude::arguments(order, places),
        Adapter::Codex => codex::arguments(order),
        Adapter::Gemini => gemini::arguments(order),
        Adapter::Command => Vec::new(),
        Adapter::Script => script(order, places),
    };
    let variables = match order.agent.adapter {
        Adapter::Claude => claude::variables(order),
        Adapter::Codex | Adapter::Gemini | Adapter::Command | Adapter::Script => Vec::new(),
    };
    CommandLine {
        argv: program(order, places).into_iter().chain(argv).collect(),
        variables,
        program: lines_of(order.agent.adapter),
        reads_prompt_on_stdin: true,
    }
}

/// Returns whose lines an adapter's program prints. A scripted agent prints like Claude Code.
pub fn lines_of(adapter: Adapter) -> Program {
    match adapter {
        Adapter::Claude | Adapter::Script => Program::Claude,
        Adapter::Codex => Program::Codex,
        Adapter::Gemini => Program::Gemini,
        Adapter::Command => Program::Plain,
    }
}

/// The program and what always comes right after it.
fn program(order: &AgentOrder, places: &Places) -> Vec<String> {
    let agent = &order.agent;
    match (agent.command.split_first(), agent.adapter) {
        (_, Adapter::Script) => vec![shown(&places.baton), "__script".to_owned()],
        (Some((program, arguments)), _) => {
            let program = resolved(program, &places.directory);
            [program].into_iter().chain(arguments.iter().cloned()).collect()
        }
        (None, adapter) => vec![adapter.to_string()],
    }
}

/// A name is looked for in `PATH`; a path starts at the directory of `baton.yaml`, since the work tree is another one.
fn resolved(program: &str, directory: &Path) -> String {
    if program.contains('/') { shown(&directory.join(program)) } else { program.to_owned() }
}

fn script(order: &AgentOrder, places: &Places) -> Vec<String> {
    let file = order.agent.script.clone().unwrap_or_default();
    let mut arguments = vec!["--file".to_owned(), shown(&places.directory.join(file))];
    push(&mut arguments, "--resume", session(order));
    push(&mut arguments, "--max-turns", max_turns(order).as_deref());
    arguments
}

fn push(arguments: &mut Vec<String>, option: &str, value: Option<&str>) {
    arguments.extend(value.into_iter().flat_map(|value| [option.to_owned(), value.to_owned()]));
}

/// The session to go on with. Programs told it to us, so it is plain; what is not would be an argument of somebody else's.
fn session(order: &AgentOrder) -> Option<&str> {
    let is_plain = |id: &&str| {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        !id.is_empty() && !id.starts_with('-') && id.chars().all(is_allowed)
    };
    order.session.as_deref().filter(is_plain)
}

/// The model: a name that looks like an option is none.
fn plain_model(model: Option<&str>) -> Option<&str> {
    model.map(str::trim).filter(|model| !model.is_empty() && !model.starts_with('-'))
}

/// The model of a program other than Claude Code. Stages and labels name Claude's models as a rule, which others refuse.
fn foreign_model(order: &AgentOrder) -> Option<&str> {
    const CLAUDE_MODELS: [&str; 5] = ["opus", "sonnet", "haiku", "fable", "opusplan"];
    let is_foreign = |model: &&str| !CLAUDE_MODELS.contains(model) && !model.starts_with("claude");
    plain_model(order.agent.model.as_deref())
        .or_else(|| plain_model(order.model.as_deref()).filter(is_foreign))
}

fn max_turns(order: &AgentOrder) -> Option<String> {
    order.max_turns.or(order.agent.max_turns).map(|turns| turns.to_string())
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
