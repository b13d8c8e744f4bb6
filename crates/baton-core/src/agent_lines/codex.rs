//! The lines of Codex.
//!
//! An item of the kind `error` is a mere warning, and so is a line `error`: only `turn.failed` is a failure. Its words are
//! prose, so they are passed on and not read. There are no costs, and the usage covers the whole session.

use super::LineEvent;
use super::fields::Fields;
use super::report::{AgentError, Scope, Usage};
use super::tally::Tally;

const TOOLS: [&str; 4] = ["command_execution", "file_change", "mcp_tool_call", "web_search"];

/// The kinds of lines that tell something.
pub(super) const KINDS: [&str; 7] = [
    "thread.started",
    "turn.started",
    "item.started",
    "item.completed",
    "error",
    "turn.completed",
    "turn.failed",
];

/// What must be remembered from line to line.
#[derive(Debug, Clone, Default)]
pub(super) struct Codex {
    /// The last message of the turn, which is its answer.
    answer: Option<String>,
    /// The item that was begun last; some come only when they are complete.
    begun: Option<String>,
}

impl Codex {
    pub(super) fn read(&mut self, line: Fields<'_>, tally: &mut Tally) {
        match line.text("type") {
            Some("thread.started") => tally.session(line.text("thread_id")),
            Some("turn.started") => {
                self.answer = None;
                tally.next_turn();
            }
            Some("item.started") => self.item_started(line, tally),
            Some("item.completed") => self.item_completed(line, tally),
            Some("error") => warn(line, tally),
            Some("turn.completed") => self.completed(line, tally),
            Some("turn.failed") => {
                let words = line.object("error").and_then(|error| error.text("message"));
                let error = AgentError::Other(words.unwrap_or("the turn failed").to_owned());
                tally.end(None, Some(error));
            }
            _ => {}
        }
    }

    fn item_started(&mut self, line: Fields<'_>, tally: &mut Tally) {
        let Some(item) = line.object("item") else { return };
        if let Some(name) = tool(item) {
            self.begun = item.text("id").map(str::to_owned);
            tally.tool(name);
        }
    }

    fn item_completed(&mut self, line: Fields<'_>, tally: &mut Tally) {
        let Some(item) = line.object("item") else { return };
        match item.text("type") {
            Some("agent_message") => {
                let text = item.text("text").unwrap_or_default();
                self.answer = Some(text.to_owned());
                tally.say_line(text);
            }
            Some("error") => warn(item, tally),
            _ => {
                let is_begun = self.begun.is_some() && self.begun.as_deref() == item.text("id");
                tool(item).filter(|_| !is_begun).into_iter().for_each(|name| tally.tool(name));
            }
        }
    }

    fn completed(&mut self, line: Fields<'_>, tally: &mut Tally) {
        tally.usage = line.object("usage").map(usage).unwrap_or(tally.usage);
        tally.usage_scope = Scope::Session;
        tally.end(self.answer.as_deref(), None);
    }
}

/// The name of the tool that an item uses, if it is one.
fn tool(item: Fields<'_>) -> Option<&str> {
    let kind = item.text("type").filter(|kind| TOOLS.contains(kind))?;
    item.text("tool").or(Some(kind))
}

fn warn(fields: Fields<'_>, tally: &mut Tally) {
    let words = fields.text("message").unwrap_or("something went wrong");
    tally.tell(LineEvent::Warning(words.to_owned()));
}

/// Here, what came from the cache is part of the input.
fn usage(fields: Fields<'_>) -> Usage {
    let number = |key| fields.number(key).unwrap_or_default();
    Usage {
        input: number("input_tokens"),
        output: number("output_tokens"),
        cached: number("cached_input_tokens"),
    }
}
