//! What coding agents print: one line in, events out, and a report at the end.
//!
//! Claude Code, Codex and Gemini print a JSON object in each line; any other program prints plain text. A [`Reader`] knows
//! one of them. Lines that it does not know are passed over, because new versions bring new ones; what is no JSON is counted.
//! How a run ended is taken from the fields of the result alone, never from prose.
//!
//! Deliberately absent: pipes and processes, the exit code, which says less than the result, and the markers in the text
//! ([`crate::pipeline::markers`]).

mod claude;
mod codex;
mod fields;
mod gemini;
mod report;
mod tally;

pub use report::{AgentError, Report, Scope, Usage, spent_since};

use fields::Fields;
use tally::Tally;

use crate::agent::RunNumbers;

/// The most that is kept of what an agent said: its end, where the markers are.
pub const TEXT_BYTES_MAX: usize = 1024 * 1024;

/// Whose lines are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Program {
    /// Claude Code with `--output-format stream-json`.
    Claude,
    /// Codex with `exec --json`.
    Codex,
    /// Gemini with `--output-format stream-json`.
    Gemini,
    /// Any program that prints text.
    Plain,
}

/// What a line told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineEvent {
    /// The session goes by this id.
    Session(String),
    /// This turn begins, counted from 1.
    Turn(u64),
    /// The agent said something; a part of it where the program prints parts.
    Text(String),
    /// The agent uses a tool.
    ToolCall {
        /// The tool.
        name: String,
    },
    /// The agent wanted to use a tool that it may not use.
    ToolDenied {
        /// The tool.
        name: String,
    },
    /// The program could not reach its model and tries again.
    ApiRetry {
        /// Which try comes next, from 1.
        attempt: u64,
        /// The tries there will be; 0 when it was not told.
        attempts_max: u64,
        /// How long it waits before, in milliseconds.
        delay_ms: u64,
        /// The status of HTTP that it got, if any.
        status: Option<u16>,
    },
    /// The program warns of something and goes on.
    Warning(String),
    /// The result: nothing more is expected.
    Ended,
}

/// Reads the lines of one run.
#[derive(Debug)]
pub struct Reader {
    grammar: Grammar,
    tally: Tally,
}

#[derive(Debug)]
enum Grammar {
    Claude(claude::Claude),
    Codex(codex::Codex),
    Gemini(gemini::Gemini),
    Plain,
}

impl Reader {
    /// A reader for a run of this program.
    pub fn new(program: Program) -> Self {
        let grammar = match program {
            Program::Claude => Grammar::Claude(claude::Claude::default()),
            Program::Codex => Grammar::Codex(codex::Codex::default()),
            Program::Gemini => Grammar::Gemini(gemini::Gemini::default()),
            Program::Plain => Grammar::Plain,
        };
        Self { grammar, tally: Tally::default() }
    }

    /// Reads a line, with or without its end.
    pub fn line(&mut self, line: &str) -> Vec<LineEvent> {
        let line = line.trim_end_matches(['\n', '\r']);
        match self.grammar {
            Grammar::Plain => self.tally.say_line(line),
            _ => self.json(line.trim()),
        }
        self.tally.take_events()
    }

    fn json(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        match serde_json::from_str(line) {
            Ok(serde_json::Value::Object(object)) => self.object(Fields(&object)),
            // The same objects in one list are what some formats print.
            Ok(serde_json::Value::Array(items)) => {
                items
                    .iter()
                    .filter_map(|item| item.as_object())
                    .for_each(|object| self.object(Fields(object)));
            }
            Ok(_) | Err(_) => self.tally.broken_lines += 1,
        }
    }

    fn object(&mut self, fields: Fields<'_>) {
        match &mut self.grammar {
            Grammar::Claude(claude) => claude.read(fields, &mut self.tally),
            Grammar::Codex(codex) => codex.read(fields, &mut self.tally),
            Grammar::Gemini(gemini) => gemini.read(fields, &mut self.tally),
            Grammar::Plain => {}
        }
    }

    /// Returns the numbers of the run so far. What is not in the lines, its bytes and its last words, is left empty.
    pub fn numbers(&self) -> RunNumbers {
        RunNumbers {
            turns: self.tally.turns,
            input_tokens: self.tally.usage.input,
            output_tokens: self.tally.usage.output,
            cost_micros: self.tally.cost_micros.unwrap_or_default(),
            ..RunNumbers::default()
        }
    }

    /// Ends the reading, whether or not there was a result.
    pub fn finish(self) -> Report {
        let Self { grammar, mut tally } = self;
        match grammar {
            Grammar::Claude(claude) => claude.finish(&mut tally),
            Grammar::Codex(_) | Grammar::Gemini(_) => {}
            Grammar::Plain => tally.text = Some(tally.said.clone().into_text()),
        }
        tally.into_report()
    }
}
