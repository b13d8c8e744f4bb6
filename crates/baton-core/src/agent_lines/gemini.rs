//! The lines of Gemini.
//!
//! Messages come in parts. There are no lines for turns: one begins with the first thing that the model says or does after
//! it was told something. While the program retries it prints nothing here.

use std::collections::BTreeMap;

use super::LineEvent;
use super::fields::Fields;
use super::report::{AgentError, Scope, Usage};
use super::tally::{Tail, Tally};

/// Kinds of errors by which a tool is refused: it is not among those that this mode allows.
const DENIED: [&str; 2] = ["tool_not_registered", "policy_violation"];
/// Tools that are used at one time are few; of more, only what was used first is known by name.
const OPEN_TOOLS_MAX: usize = 1000;

/// The kinds of lines that tell something.
pub(super) const KINDS: [&str; 6] = ["init", "message", "tool_use", "tool_result", "error", "result"];

/// What must be remembered from line to line.
#[derive(Debug, Clone, Default)]
pub(super) struct Gemini {
    is_in_turn: bool,
    /// What was said since a tool was used last, which is the answer.
    answer: Tail,
    /// The tools in use, by the id of their use.
    tools: BTreeMap<String, String>,
}

impl Gemini {
    pub(super) fn read(&mut self, line: Fields<'_>, tally: &mut Tally) {
        match line.text("type") {
            Some("init") => tally.session(line.text("session_id")),
            Some("message") => self.message(line, tally),
            Some("tool_use") => self.tool_use(line, tally),
            Some("tool_result") => self.tool_result(line, tally),
            Some("error") => {
                let words = line.text("message").unwrap_or("something went wrong");
                tally.tell(LineEvent::Warning(words.to_owned()));
            }
            Some("result") => self.result(line, tally),
            _ => {}
        }
    }

    fn message(&mut self, line: Fields<'_>, tally: &mut Tally) {
        if line.text("role") != Some("assistant") {
            self.is_in_turn = false;
            return;
        }
        self.heard(tally);
        let text = line.text("content").unwrap_or_default();
        if line.flag("delta") == Some(true) {
            self.answer.push(text);
            tally.say_part(text);
        } else {
            self.answer.clear();
            self.answer.push(text);
            tally.say_line(text);
        }
    }

    fn heard(&mut self, tally: &mut Tally) {
        if !self.is_in_turn {
            self.is_in_turn = true;
            tally.next_turn();
        }
    }

    fn tool_use(&mut self, line: Fields<'_>, tally: &mut Tally) {
        self.heard(tally);
        // What comes after a tool is another message.
        if !self.answer.is_empty() {
            self.answer.clear();
            tally.said.end_line();
        }
        let name = line.text("tool_name").unwrap_or("tool");
        if let Some(id) = line.text("tool_id").filter(|_| self.tools.len() < OPEN_TOOLS_MAX) {
            self.tools.insert(id.to_owned(), name.to_owned());
        }
        tally.tool(name);
    }

    fn tool_result(&mut self, line: Fields<'_>, tally: &mut Tally) {
        self.is_in_turn = false;
        let name = line.text("tool_id").and_then(|id| self.tools.remove(id));
        let kind = line.object("error").and_then(|error| error.text("type"));
        if kind.is_some_and(|kind| DENIED.contains(&kind)) {
            tally.denied(name.as_deref().unwrap_or("tool"));
        }
    }

    fn result(&mut self, line: Fields<'_>, tally: &mut Tally) {
        tally.usage = line.object("stats").map(usage).unwrap_or(tally.usage);
        tally.usage_scope = Scope::Run;
        let error = (line.text("status") != Some("success")).then(|| error(line.object("error")));
        let answer = std::mem::take(&mut self.answer).into_text();
        tally.end(Some(answer.as_str()).filter(|answer| !answer.is_empty()), error);
    }
}

fn error(error: Option<Fields<'_>>) -> AgentError {
    let kind = error.and_then(|error| error.text("type")).unwrap_or("error");
    let words = error.and_then(|error| error.text("message"));
    match kind {
        "FatalTurnLimitedError" => AgentError::MaxTurns,
        _ => AgentError::Other(words.map_or(kind.to_owned(), |words| format!("{kind}: {words}"))),
    }
}

/// Here, what came from the cache is part of the input.
fn usage(fields: Fields<'_>) -> Usage {
    let number = |key| fields.number(key).unwrap_or_default();
    Usage { input: number("input_tokens"), output: number("output_tokens"), cached: number("cached") }
}
