//! What the scripted agent prints: lines as Claude Code prints them, with the fields that are read.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::ending::Ending;

/// What a turn costs, in millionths of a US dollar.
const TURN_COST_MICROS: u64 = 10_000;
/// Tokens that a turn reads and writes.
const TURN_TOKENS: (u64, u64) = (1_000, 100);
/// How long the lines of a flood are.
const FLOOD_LINE_BYTES: u64 = 8 * 1024;

/// Prints, and counts.
pub(super) struct Printer<'a> {
    out: &'a mut dyn Write,
    session: String,
    turns: u32,
    turns_max: Option<u32>,
    tools: u32,
    said: Vec<String>,
    denied: Vec<String>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(out: &'a mut dyn Write, session: &str, turns_max: Option<u32>) -> Self {
        let (said, denied) = (Vec::new(), Vec::new());
        Self { out, session: session.to_owned(), turns: 0, turns_max, tools: 0, said, denied }
    }

    pub(super) fn init(&mut self, cwd: &Path) -> io::Result<()> {
        let cwd = cwd.display().to_string();
        self.line(
            "system",
            json!({ "subtype": "init", "cwd": cwd, "session_id": self.session, "model": "script" }),
        )
    }

    /// Begins another turn; nothing when there are no more.
    pub(super) fn turn(&mut self) -> Option<()> {
        (self.turns_max.is_none_or(|max| self.turns < max)).then(|| self.turns += 1)
    }

    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.said.push(text.to_owned());
        self.message(&json!({ "type": "text", "text": text }))
    }

    /// Tells of a tool and of what came of it.
    pub(super) fn tool(&mut self, name: &str, input: &Value, result: Result<&str, &str>) -> io::Result<()> {
        self.tools += 1;
        let id = format!("toolu_{:04}", self.tools);
        self.message(&json!({ "type": "tool_use", "id": id, "name": name, "input": input }))?;
        let (content, is_error) = (result.unwrap_or_else(|error| error), result.is_err());
        self.tool_result(&json!({
            "tool_use_id": id, "type": "tool_result", "content": content, "is_error": is_error,
        }))
    }

    pub(super) fn denied(&mut self, tool: &str) -> io::Result<()> {
        self.denied.push(tool.to_owned());
        let line = json!({ "subtype": "permission_denied", "tool_name": tool, "session_id": self.session });
        self.line("system", line)
    }

    /// Prints at least this many bytes that mean nothing.
    pub(super) fn flood(&mut self, bytes: u64) -> io::Result<()> {
        for _ in 0..bytes.div_ceil(FLOOD_LINE_BYTES) {
            let length = FLOOD_LINE_BYTES.min(bytes);
            let content = "x".repeat(usize::try_from(length).unwrap_or_default());
            self.tool_result(&json!({ "tool_use_id": "flood", "type": "tool_result", "content": content }))?;
        }
        Ok(())
    }

    /// What this invocation has cost.
    pub(super) fn cost_micros(&self) -> u64 {
        u64::from(self.turns) * TURN_COST_MICROS
    }

    /// Prints the result; the cost is that of the whole session.
    pub(super) fn result(&mut self, ending: &Ending, cost_micros: u64) -> io::Result<()> {
        self.before_the_result(ending)?;
        let turns = u64::from(self.turns);
        let denials: Vec<_> = self.denied.iter().map(|tool| json!({ "tool_name": tool })).collect();
        let mut line = json!({
            "subtype": "success",
            "is_error": *ending != Ending::Success,
            "num_turns": turns + u64::from(*ending == Ending::TurnLimit),
            "session_id": self.session,
            "total_cost_usd": cost_micros as f64 / 1e6,
            "usage": { "input_tokens": turns * TURN_TOKENS.0, "output_tokens": turns * TURN_TOKENS.1 },
            "permission_denials": denials,
        });
        self.how_it_ended(ending, &mut line);
        self.line("result", line)
    }

    fn before_the_result(&mut self, ending: &Ending) -> io::Result<()> {
        match ending {
            Ending::Api { status } => {
                let retry = json!({
                    "subtype": "api_retry", "attempt": 1, "max_retries": 1, "retry_delay_ms": 0, "error_status": status,
                });
                self.line("system", retry)
            }
            Ending::Limit { resets_at } => {
                let info = json!({ "status": "rejected", "resetsAt": resets_at });
                self.line("rate_limit_event", json!({ "rate_limit_info": info }))
            }
            _ => Ok(()),
        }
    }

    fn how_it_ended(&self, ending: &Ending, line: &mut Value) {
        let during =
            |errors: String| [("subtype", json!("error_during_execution")), ("errors", json!([errors]))];
        let fields: Vec<(&str, Value)> = match ending {
            Ending::Success => vec![("result", json!(self.said.join("\n")))],
            Ending::Failed(why) => during(why.clone()).to_vec(),
            Ending::TurnLimit => vec![("subtype", json!("error_max_turns"))],
            Ending::Api { status } => vec![
                ("terminal_reason", json!("api_error")),
                ("api_error_status", json!(status)),
                ("result", json!("API Error")),
            ],
            Ending::Limit { .. } => vec![("terminal_reason", json!("blocking_limit"))],
            Ending::SessionUnknown => {
                during(format!("No conversation found with session ID: {}", self.session)).to_vec()
            }
        };
        fields.into_iter().for_each(|(key, value)| line[key] = value);
    }

    /// The first thing that is said or done begins the first turn.
    fn message(&mut self, block: &Value) -> io::Result<()> {
        self.turns = self.turns.max(1);
        let id = format!("msg_{:04}", self.turns);
        let message = json!({ "id": id, "role": "assistant", "model": "script", "content": [block] });
        let session = self.session.clone();
        self.line(
            "assistant",
            json!({ "message": message, "parent_tool_use_id": null, "session_id": session }),
        )
    }

    fn tool_result(&mut self, block: &Value) -> io::Result<()> {
        let message = json!({ "role": "user", "content": [block] });
        let session = self.session.clone();
        self.line("user", json!({ "message": message, "parent_tool_use_id": null, "session_id": session }))
    }

    /// Prints a line whose kind comes first, as with the real program.
    fn line(&mut self, kind: &str, fields: Value) -> io::Result<()> {
        let fields = fields.to_string();
        writeln!(self.out, "{{\"type\":\"{kind}\",{}", &fields[1..])?;
        self.out.flush()
    }
}
