//! The lines of an agent, read while they come: numbers for the engine, and a report at the end.

use std::sync::mpsc::Sender;

use baton_core::agent::RunNumbers;
use baton_core::agent_lines::{LineEvent, Program, Reader, Report};
use memchr::memchr;

use super::events::Event;

/// The most that is told of the last thing an agent said.
const LAST_WORDS_CHARS_MAX: usize = 200;

/// What is known of an agent by its lines.
#[derive(Debug)]
pub(super) struct Reading {
    reader: Reader,
    last_line: String,
    events: Sender<Event>,
    pub(super) passed_over_lines: u64,
}

impl Reading {
    pub(super) fn new(program: Program, events: Sender<Event>) -> Self {
        Self { reader: Reader::new(program), last_line: String::new(), events, passed_over_lines: 0 }
    }

    /// Reads whole lines, from which secrets have been taken.
    pub(super) fn take(&mut self, block: &[u8]) {
        match std::str::from_utf8(block) {
            Ok(text) => self.take_text(text),
            // Only what is broken is copied and repaired.
            Err(_) => block.split_inclusive(|byte| *byte == b'\n').for_each(|line| {
                self.line(&String::from_utf8_lossy(line));
            }),
        }
    }

    fn take_text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(end) = memchr(b'\n', rest.as_bytes()) {
            self.line(&rest[..end]);
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            self.line(rest);
        }
    }

    fn line(&mut self, line: &str) {
        for event in self.reader.line(line) {
            match event {
                LineEvent::Session(id) => drop(self.events.send(Event::Session(id))),
                LineEvent::Text(text) => self.remember(&text),
                _ => {}
            }
        }
    }

    fn remember(&mut self, text: &str) {
        let said = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
        if let Some(said) = said {
            self.last_line.clear();
            self.last_line.extend(said.chars().take(LAST_WORDS_CHARS_MAX));
        }
    }

    pub(super) fn numbers(&self, output_bytes: u64) -> RunNumbers {
        RunNumbers { output_bytes, last_line: self.last_line.clone(), ..self.reader.numbers() }
    }

    /// Ends the reading. Whatever comes after it is not read.
    pub(super) fn finish(&mut self) -> Report {
        std::mem::replace(&mut self.reader, Reader::new(Program::Plain)).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const LINES: &str = r#"{"type":"system","subtype":"init","session_id":"s1"}
{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"first\nsecond\n"}]}}
{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1,"session_id":"s1","total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":4}}
"#;

    #[test]
    fn numbers_sessions_and_the_report_come_from_the_lines() {
        let (sender, events) = mpsc::channel();
        let mut reading = Reading::new(Program::Claude, sender);
        reading.take(LINES.as_bytes());
        let numbers = reading.numbers(7);
        assert_eq!((numbers.turns, numbers.cost_micros, numbers.output_bytes), (1, 500_000, 7));
        assert_eq!((numbers.last_line.as_str(), numbers.output_tokens), ("second", 4));
        let report = reading.finish();
        assert!(report.is_success() && report.text.as_deref() == Some("done"), "{report:?}");
        assert_eq!(events.try_iter().collect::<Vec<_>>(), [Event::Session("s1".to_owned())]);
    }

    #[test]
    fn bytes_that_are_no_text_break_only_their_own_line() {
        let (sender, _events) = mpsc::channel();
        let mut reading = Reading::new(Program::Claude, sender);
        reading.take(&[b"\xff\xfe\n", LINES.as_bytes()].concat());
        let report = reading.finish();
        assert_eq!((report.is_success(), report.broken_lines), (true, 1));
    }

    #[test]
    fn plain_text_is_what_was_said() {
        let (sender, _events) = mpsc::channel();
        let mut reading = Reading::new(Program::Plain, sender);
        reading.take(b"one\ntwo\n");
        reading.take(b"three");
        assert_eq!(reading.numbers(0).last_line, "three");
        assert_eq!(reading.finish().text.as_deref(), Some("one\ntwo\nthree\n"));
    }
}
