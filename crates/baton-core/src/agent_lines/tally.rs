//! What was learned from the lines so far, in the same terms for all programs.

use super::report::{AgentError, Report, Scope, Usage};
use super::{LineEvent, TEXT_BYTES_MAX};

/// The sum so far, and the events of the line that is being read.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    events: Vec<LineEvent>,
    pub(super) session: Option<String>,
    pub(super) turns: u64,
    pub(super) text: Option<String>,
    pub(super) said: Tail,
    pub(super) usage: Usage,
    /// What messages told of their own usage, until the result tells of all.
    pub(super) usage_so_far: Usage,
    pub(super) usage_scope: Scope,
    pub(super) cost_micros: Option<u64>,
    denied_tools: Vec<String>,
    pub(super) error: Option<AgentError>,
    pub(super) saw_result: bool,
    pub(super) broken_lines: u64,
}

impl Tally {
    pub(super) fn take_events(&mut self) -> Vec<LineEvent> {
        std::mem::take(&mut self.events)
    }

    pub(super) fn tell(&mut self, event: LineEvent) {
        self.events.push(event);
    }

    /// Notes the session; it is told once.
    pub(super) fn session(&mut self, id: Option<&str>) {
        let Some(id) = id.filter(|id| self.session.as_deref() != Some(*id)) else { return };
        self.session = Some(id.to_owned());
        self.tell(LineEvent::Session(id.to_owned()));
    }

    pub(super) fn next_turn(&mut self) {
        self.turns += 1;
        self.tell(LineEvent::Turn(self.turns));
    }

    /// Notes a whole message.
    pub(super) fn say_line(&mut self, text: &str) {
        self.said.begin_line();
        self.say_part(text);
        self.said.end_line();
    }

    /// Notes a part of a message.
    pub(super) fn say_part(&mut self, text: &str) {
        self.said.push(text);
        self.tell(LineEvent::Text(text.to_owned()));
    }

    pub(super) fn tool(&mut self, name: &str) {
        self.tell(LineEvent::ToolCall { name: name.to_owned() });
    }

    pub(super) fn denied(&mut self, name: &str) {
        self.note_denied(name);
        self.tell(LineEvent::ToolDenied { name: name.to_owned() });
    }

    /// Notes a tool that was denied, without an event.
    pub(super) fn note_denied(&mut self, name: &str) {
        if !self.denied_tools.iter().any(|own| own == name) && self.denied_tools.len() < DENIED_MAX {
            self.denied_tools.push(name.to_owned());
        }
    }

    /// Notes how it ended; a later result counts more than an earlier one.
    pub(super) fn end(&mut self, text: Option<&str>, error: Option<AgentError>) {
        self.saw_result = true;
        self.text = text.map(str::to_owned);
        self.error = error;
        self.tell(LineEvent::Ended);
    }

    pub(super) fn into_report(self) -> Report {
        let is_text_cut = self.said.is_cut();
        Report {
            session: self.session,
            turns: self.turns,
            text: self.text,
            assistant_text: self.said.into_text(),
            is_text_cut,
            usage: self.usage,
            usage_scope: self.usage_scope,
            cost_micros: self.cost_micros,
            denied_tools: self.denied_tools,
            error: self.error,
            saw_result: self.saw_result,
            broken_lines: self.broken_lines,
        }
    }
}

/// No program has more tools than this that matter.
const DENIED_MAX: usize = 100;

/// The end of a long text.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail {
    text: String,
    was_cut: bool,
}

impl Tail {
    /// Adds to the text. It is cut only when it is twice too long, so that every byte is moved once at most.
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() > 2 * TEXT_BYTES_MAX {
            self.cut();
        }
    }

    fn begin_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    pub(super) fn end_line(&mut self) {
        self.text.push('\n');
    }

    /// The last line with something on it, or its beginning.
    pub(super) fn last_line(&self, chars_max: usize) -> String {
        let last = self.text.lines().rev().map(str::trim).find(|line| !line.is_empty());
        last.unwrap_or_default().chars().take(chars_max).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
    }

    fn is_cut(&self) -> bool {
        self.was_cut || self.text.len() > TEXT_BYTES_MAX
    }

    /// Cuts at the end of a line, if there is one: half a line could look like a marker.
    fn cut(&mut self) {
        let from = self.text.ceil_char_boundary(self.text.len().saturating_sub(TEXT_BYTES_MAX));
        let line = self.text[from..].find('\n').map_or(from, |at| from + at + 1);
        self.text.drain(..line);
        self.was_cut = true;
    }

    pub(super) fn into_text(mut self) -> String {
        if self.text.len() > TEXT_BYTES_MAX {
            self.cut();
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_text_is_kept_from_the_start_of_a_line() {
        let mut tail = Tail::default();
        for number in 0..400_000 {
            tail.push(&format!("line {number}\n"));
        }
        assert!(tail.is_cut());
        let text = tail.into_text();
        assert!(text.len() <= TEXT_BYTES_MAX && text.len() > TEXT_BYTES_MAX - 20);
        assert!(text.starts_with("line ") && text.ends_with("line 399999\n"));
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let mut tail = Tail::default();
        tail.push(&"é".repeat(2 * TEXT_BYTES_MAX));
        assert!(tail.is_cut());
        assert!(tail.into_text().chars().all(|letter| letter == 'é'));
    }

    #[test]
    fn a_short_text_stays_as_it_is() {
        let mut tail = Tail::default();
        tail.push("short");
        assert!(!tail.is_cut());
        assert_eq!(tail.into_text(), "short");
    }
}
