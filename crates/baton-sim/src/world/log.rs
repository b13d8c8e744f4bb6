//! What can be seen in a world, line by line, with the time of each line; two lives of one seed must read the same.

use std::collections::BTreeMap;

/// The lines of one life, and what was counted.
#[derive(Debug, Default)]
pub struct EventLog {
    lines: Vec<String>,
    hash: u64,
    counts: BTreeMap<&'static str, u64>,
}

impl EventLog {
    /// Adds a line.
    pub fn tell(&mut self, at_ms: u64, what: &str) {
        let line = format!("{:>9}.{:03} {what}", at_ms / 1000, at_ms % 1000);
        self.hash = line.bytes().fold(self.hash ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        self.lines.push(line);
    }

    /// Counts something.
    pub fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// Returns what was counted.
    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    /// Returns all lines.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Returns a number that stands for all lines in their order.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the first place where two lives differ, with both lines.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.hash == other.hash && self.lines.len() == other.lines.len() {
            return None;
        }
        let at = self.lines.iter().zip(&other.lines).position(|(one, two)| one != two);
        let at = at.unwrap_or_else(|| self.lines.len().min(other.lines.len()));
        let line = |log: &Self| log.lines.get(at).cloned().unwrap_or_else(|| "(the end)".to_owned());
        Some(format!("line {at} is {:?} in the first life and {:?} in the second", line(self), line(other)))
    }
}
