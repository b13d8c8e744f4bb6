//! A log that is followed: read in parts from where the last one ended.

use baton_view::{LogEntry, LogPage, LookoutError, Stamp};

use super::{Answer, Ask};
use crate::draw::Wrapped;

/// How many entries are kept, and how many bytes of text; the oldest go first.
const ENTRIES_MAX: usize = 4_000;
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// A log that is followed.
#[derive(Debug, Clone)]
pub struct Follow {
    /// The run.
    pub run: i64,
    /// What was read, oldest first.
    pub entries: Vec<LogEntry>,
    /// How many entries were dropped at the beginning.
    pub dropped: usize,
    /// Whether nothing more will come.
    pub is_over: bool,
    /// Why the last read failed, when it did.
    pub failure: Option<String>,
    /// Whether anything was read.
    pub is_read: bool,
    /// Whether what tools were given and answered is shown in full.
    pub is_unfolded: bool,
    /// The first line that is shown, unless the end is followed.
    pub scroll: usize,
    /// Whether the end is kept in sight.
    pub is_at_end: bool,
    /// What was read as lines, as far as it was shown.
    pub(crate) wrapped: Wrapped,
    bytes: usize,
    next: u64,
    is_asked: bool,
}

impl Follow {
    /// Follows a log from its beginning.
    pub fn new(run: i64) -> Self {
        Self {
            run,
            entries: Vec::new(),
            dropped: 0,
            is_over: false,
            failure: None,
            is_read: false,
            is_unfolded: false,
            scroll: 0,
            is_at_end: true,
            wrapped: Wrapped::default(),
            bytes: 0,
            next: 0,
            is_asked: false,
        }
    }

    /// Returns what to ask, unless an answer is on the way or nothing more will come.
    pub(super) fn ask(&mut self, _: Stamp) -> Option<Ask> {
        let is_wanted = !self.is_asked && !self.is_over;
        self.is_asked |= is_wanted;
        is_wanted.then_some(Ask::Log { run: self.run, from: self.next })
    }

    /// Takes a part, and returns what to ask when there may be more of it already.
    pub(super) fn take(&mut self, now: Stamp, answer: Answer<LogPage>) -> Option<Ask> {
        self.is_asked = false;
        let page = match answer {
            Ok(page) => page,
            Err(error) => {
                // What is not there will not come, while a server may.
                self.is_over |= matches!(error, LookoutError::NoSuch(_));
                self.failure = Some(error.to_string());
                return None;
            }
        };
        self.failure = None;
        self.is_read = true;
        let is_more = page.next > self.next;
        self.next = page.next.max(self.next);
        self.is_over = page.is_over && !is_more;
        self.add(page.entries);
        is_more.then(|| self.ask(now)).flatten()
    }

    fn add(&mut self, entries: Vec<LogEntry>) {
        let last = self.entries.last().map(|entry| entry.at);
        let before = self.entries.len();
        self.entries.extend(entries.into_iter().filter(|entry| last.is_none_or(|last| entry.at > last)));
        self.bytes += self.entries[before..].iter().map(bytes_of).sum::<usize>();
        let excess = self.excess();
        self.entries.drain(..excess);
        self.dropped += excess;
    }

    /// Returns how many entries are too many. The newest stays, however long it is.
    fn excess(&mut self) -> usize {
        let last = self.entries.len().saturating_sub(1);
        let mut excess = 0;
        while excess < last && (self.entries.len() - excess > ENTRIES_MAX || self.bytes > BYTES_MAX) {
            self.bytes -= bytes_of(&self.entries[excess]);
            excess += 1;
        }
        excess
    }

    /// Takes a part, for tests of what is drawn of it.
    #[cfg(test)]
    pub(crate) fn read_for_test(&mut self, page: LogPage) {
        let _ = self.take(Stamp(0), Ok(page));
    }
}

fn bytes_of(entry: &LogEntry) -> usize {
    entry.head.len() + entry.text.len()
}

#[cfg(test)]
mod tests {
    use baton_view::LogKind;

    use super::*;

    #[test]
    fn a_log_of_long_texts_takes_no_more_room_than_one_of_short_ones() {
        let mut log = Follow::new(1);
        for at in 1..=40 {
            let text = "x".repeat(1024 * 1024);
            let entry = LogEntry { at, kind: LogKind::Line, head: String::new(), text, is_cut: false };
            log.read_for_test(LogPage {
                run: 1,
                entries: vec![entry],
                from: at,
                next: at + 1,
                is_over: false,
            });
        }
        assert_eq!((log.entries.len(), log.dropped), (8, 32));
        assert_eq!(log.entries.last().map(|entry| entry.at), Some(40));
    }
}
