//! The lines of an agent, read while they come: numbers for the engine, and a report at the end.

use baton_core::agent::RunNumbers;
use baton_core::agent_lines::{LineEvent, Program, Reader, Report};
use memchr::memchr;

/// What is known of an agent by its lines.
#[derive(Debug)]
pub(super) struct Reading {
    reader: Reader,
    /// The session that the agent works in, as far as it was told.
    pub(super) session: Option<String>,
    pub(super) passed_over_lines: u64,
}

impl Reading {
    pub(super) fn new(program: Program) -> Self {
        Self { reader: Reader::new(program), session: None, passed_over_lines: 0 }
    }

    /// Reads whole lines, from which secrets have been taken. The last one may be without its end.
    pub(super) fn take(&mut self, block: &[u8]) {
        let mut rest = block;
        while let Some(end) = memchr(b'\n', rest) {
            self.line(&rest[..end]);
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            self.line(rest);
        }
    }

    fn line(&mut self, line: &[u8]) {
        for event in self.reader.bytes(line) {
            if let LineEvent::Session(id) = event {
                self.session = Some(id);
            }
        }
    }

    pub(super) fn numbers(&self, output_bytes: u64) -> RunNumbers {
        RunNumbers { output_bytes, ..self.reader.numbers() }
    }

    /// Ends the reading. Whatever comes after it is not read.
    pub(super) fn finish(&mut self) -> Report {
        std::mem::replace(&mut self.reader, Reader::new(Program::Plain)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = r#"{"type":"system","subtype":"init","session_id":"s1"}
{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"first\nsecond\n"}]}}
{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1,"session_id":"s1","total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":4}}
"#;

    #[test]
    fn numbers_sessions_and_the_report_come_from_the_lines() {
        let mut reading = Reading::new(Program::Claude);
        reading.take(LINES.as_bytes());
        let numbers = reading.numbers(7);
        assert_eq!((numbers.turns, numbers.cost_micros, numbers.output_bytes), (1, 500_000, 7));
        assert_eq!((numbers.last_line.as_str(), numbers.output_tokens), ("second", 4));
        let report = reading.finish();
        assert!(report.is_success() && report.text.as_deref() == Some("done"), "{report:?}");
        assert_eq!(reading.session.as_deref(), Some("s1"));
    }

    #[test]
    fn bytes_that_are_no_text_break_only_their_own_line() {
        let mut reading = Reading::new(Program::Claude);
        reading.take(&[b"\xff\xfe\n", LINES.as_bytes()].concat());
        let report = reading.finish();
        assert_eq!((report.is_success(), report.broken_lines), (true, 1));
    }

    #[test]
    fn plain_text_is_what_was_said() {
        let mut reading = Reading::new(Program::Plain);
        reading.take(b"one\ntwo\n");
        reading.take(b"three");
        assert_eq!(reading.numbers(0).last_line, "three");
        assert_eq!(reading.finish().text.as_deref(), Some("one\ntwo\nthree\n"));
    }
}
