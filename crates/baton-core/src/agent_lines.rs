//! What coding agents print: one line in, events out, and a report at the end.
//!
//! Claude Code, Codex and Gemini print a JSON object in each line; any other program prints plain text. A [`Reader`] knows
//! one of them. Lines that it does not know are passed over, because new versions bring new ones; what is no JSON is
//! counted, unless it begins like a line of a kind that tells nothing: such lines are most of the output, and are not parsed.
//! How a run ended is taken from the fields of the result alone, never from prose.
//!
//! Deliberately absent: pipes and processes, the exit code, which says less than the result, and the markers in the text
//! ([`crate::pipeline::markers`]).

mod claude;
mod codex;
mod fields;
mod gemini;
mod lean;
pub mod readable;
mod report;
mod tally;

pub use report::{AgentError, Report, Scope, Usage, spent_since};

use fields::Fields;
use lean::Lean;
use tally::Tally;

use crate::agent::RunNumbers;

/// The most that is kept of what an agent said: its end, where the markers are.
pub const TEXT_BYTES_MAX: usize = 1024 * 1024;

/// The most that is told of the last thing that was said.
const LAST_LINE_CHARS_MAX: usize = 200;

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

impl Program {
    /// Returns whose line it is, if only one of the programs begins a run with such a line.
    pub fn guess(line: &[u8]) -> Option<Self> {
        match lean::kind(line.trim_ascii())? {
            b"system" => Some(Self::Claude),
            b"thread.started" => Some(Self::Codex),
            b"init" => Some(Self::Gemini),
            _ => None,
        }
    }
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
#[derive(Debug, Clone)]
pub struct Reader {
    grammar: Grammar,
    tally: Tally,
}

#[derive(Debug, Clone)]
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
        self.bytes(line.as_bytes())
    }

    /// Reads a line that may not be text. Of what tells nothing, it is not looked at whether it is text, or JSON at all.
    pub fn bytes(&mut self, line: &[u8]) -> Vec<LineEvent> {
        match self.grammar {
            Grammar::Plain => {
                let line = String::from_utf8_lossy(line);
                self.tally.say_line(line.trim_end_matches(['\n', '\r']));
            }
            _ => self.json(line.trim_ascii()),
        }
        self.tally.take_events()
    }

    fn json(&mut self, line: &[u8]) {
        if line.is_empty() || lean::kind(line).is_some_and(|kind| !self.is_telling(kind)) {
            return;
        }
        match serde_json::from_slice(line) {
            Ok(Lean::Object(object)) => self.object(Fields(&object)),
            // The same objects in one list are what some formats print.
            Ok(Lean::List(items)) => items.iter().for_each(|item| {
                if let Lean::Object(object) = item {
                    self.object(Fields(object));
                }
            }),
            Ok(_) | Err(_) => self.tally.broken_lines += 1,
        }
    }

    /// Returns whether lines of a kind tell anything.
    fn is_telling(&self, kind: &[u8]) -> bool {
        let kinds: &[&str] = match self.grammar {
            Grammar::Claude(_) => &claude::KINDS,
            Grammar::Codex(_) => &codex::KINDS,
            Grammar::Gemini(_) => &gemini::KINDS,
            Grammar::Plain => &[],
        };
        kinds.iter().any(|known| known.as_bytes() == kind)
    }

    fn object(&mut self, fields: Fields<'_>) {
        match &mut self.grammar {
            Grammar::Claude(claude) => claude.read(fields, &mut self.tally),
            Grammar::Codex(codex) => codex.read(fields, &mut self.tally),
            Grammar::Gemini(gemini) => gemini.read(fields, &mut self.tally),
            Grammar::Plain => {}
        }
    }

    /// Returns the numbers of the run so far, and its last words. Before the result, tokens are those of the messages so far. How
    /// much it printed is not known here.
    pub fn numbers(&self) -> RunNumbers {
        let Tally { turns, usage, usage_so_far, cost_micros, saw_result, said, .. } = &self.tally;
        let usage = if *saw_result { usage } else { usage_so_far };
        RunNumbers {
            turns: *turns,
            input_tokens: usage.input,
            output_tokens: usage.output,
            cost_micros: cost_micros.unwrap_or_default(),
            last_line: said.last_line(LAST_LINE_CHARS_MAX),
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
