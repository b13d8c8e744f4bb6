//! The log of a run, read in parts of whole lines.

use baton_core::agent_lines::readable::{Kind, Readable, readable};
use baton_core::agent_lines::{Program, Reader};
use baton_core::slot::RunId;
use baton_ports::store::RunRow;
use baton_ports::{RunLogError, RunLogs};
use baton_view::{LogEntry, LogKind, LogPage, LookoutError, Numbers};

use super::runs::{is_to_come, without_log};
use super::{Answer, Watchtower};
use crate::marshal::Parts;

/// How much is read at one time.
const PART_BYTES: usize = 256 * 1024;
/// How much is read to count what a run has spent.
const COUNTED_BYTES_MAX: u64 = 64 * 1024 * 1024;

impl<P: Parts, L: RunLogs> Watchtower<P, L> {
    pub(super) async fn read_log(&self, run: i64, from: u64) -> Answer<LogPage> {
        // The status is read before the file: what a run that is over has printed is in it by then.
        let row = self.run_row(run).await?;
        let is_over = !row.run.status.is_active();
        let part = self.logs.read(RunId(run), from, PART_BYTES).await.map_err(unreadable)?;
        let part = here(part, &row, &self.host)?;
        let is_last = part.len() < PART_BYTES;
        let whole = whole_lines(&part, is_over && is_last);
        let next = from + u64::try_from(whole.len()).unwrap_or(0);
        Ok(LogPage { run, entries: entries(whole, from), from, next, is_over: is_over && is_last })
    }

    pub(super) async fn has_log(&self, run: RunId) -> Answer<bool> {
        Ok(self.logs.read(run, 0, 1).await.map_err(unreadable)?.is_some())
    }

    /// Counts what a run has spent from what it printed.
    pub(super) async fn numbers_of_log(&self, run: RunId) -> Answer<Option<Numbers>> {
        let (mut from, mut reader): (u64, Option<Reader>) = (0, None);
        while from < COUNTED_BYTES_MAX {
            let part = self.logs.read(run, from, PART_BYTES).await.map_err(unreadable)?.unwrap_or_default();
            let whole = whole_lines(&part, part.len() < PART_BYTES);
            if whole.is_empty() {
                break;
            }
            for line in whole.split_inclusive(|byte| *byte == b'\n') {
                if let Some(reader) = reader.get_or_insert_with_guess(line) {
                    reader.bytes(line);
                }
            }
            from += u64::try_from(whole.len()).unwrap_or(u64::MAX);
        }
        Ok(reader.map(|reader| {
            let numbers = reader.numbers();
            Numbers {
                turns: numbers.turns,
                turns_max: None,
                input_tokens: numbers.input_tokens,
                output_tokens: numbers.output_tokens,
                cost_micros: numbers.cost_micros,
                last_line: numbers.last_line,
            }
        }))
    }
}

/// Returns what there is of a log. One that is not here is no log of nothing, unless it may still begin.
fn here(part: Option<Vec<u8>>, row: &RunRow, host: &str) -> Answer<Vec<u8>> {
    let to_come = || is_to_come(row, host).then(Vec::new);
    let none = || {
        let why = without_log(row, host);
        LookoutError::NoSuch(format!("there is no log of run {} here: {why}", row.run.id))
    };
    part.or_else(to_come).ok_or_else(none)
}

/// A reader that is chosen by the first line that tells whose it is.
trait Guess {
    fn get_or_insert_with_guess(&mut self, line: &[u8]) -> Option<&mut Reader>;
}

impl Guess for Option<Reader> {
    fn get_or_insert_with_guess(&mut self, line: &[u8]) -> Option<&mut Reader> {
        if self.is_none() {
            *self = Program::guess(line).map(Reader::new);
        }
        self.as_mut()
    }
}

fn unreadable(error: RunLogError) -> LookoutError {
    LookoutError::OutOfReach(error.to_string())
}

/// Returns the lines that are complete; what is left at the end of a log is one too.
fn whole_lines(part: &[u8], is_end: bool) -> &[u8] {
    match part.iter().rposition(|byte| *byte == b'\n') {
        _ if is_end => part,
        Some(at) => &part[..=at],
        // A line that fills a whole part would never be complete.
        None if part.len() >= PART_BYTES => part,
        None => &[],
    }
}

fn entries(lines: &[u8], from: u64) -> Vec<LogEntry> {
    let mut entries: Vec<LogEntry> = Vec::new();
    let mut at = from;
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        for (step, told) in (0..).zip(readable(&String::from_utf8_lossy(line))) {
            add(&mut entries, at + step, told);
        }
        at += u64::try_from(line.len()).unwrap_or(0);
    }
    entries
}

/// Plain lines that follow each other are one thing.
fn add(entries: &mut Vec<LogEntry>, at: u64, told: Readable) {
    let kind = kind(told.kind);
    if let Some(last) = entries.last_mut().filter(|last| kind == LogKind::Line && last.kind == LogKind::Line)
    {
        last.text.push('\n');
        last.text.push_str(&told.text);
        last.is_cut |= told.is_cut;
        return;
    }
    entries.push(LogEntry { at, kind, head: told.head, text: told.text, is_cut: told.is_cut });
}

fn kind(kind: Kind) -> LogKind {
    match kind {
        Kind::Session => LogKind::Session,
        Kind::Said => LogKind::Said,
        Kind::Thought => LogKind::Thought,
        Kind::Tool => LogKind::Tool,
        Kind::Answer => LogKind::Answer,
        Kind::Trouble => LogKind::Trouble,
        Kind::End => LogKind::End,
        Kind::Line => LogKind::Line,
    }
}

#[cfg(test)]
mod tests {
    use baton_core::slot::RunStatus;

    use super::super::rows;
    use super::*;

    #[test]
    fn a_log_that_is_missing_is_not_an_empty_one() {
        use RunStatus::{Cancelled, Queued, Running, Succeeded};
        for (status, host, expected) in [
            (Running, Some("here"), Ok(Vec::<u8>::new())),
            (Queued, None, Ok(Vec::new())),
            (Running, Some("elsewhere"), Err("on elsewhere")),
            (Succeeded, Some("here"), Err("was removed")),
            (Succeeded, Some("elsewhere"), Err("on elsewhere")),
            (Cancelled, None, Err("before it started")),
        ] {
            let mut row = rows::run(&"acme/web#1".parse().unwrap(), None, 0, 1);
            row.run.status = status;
            row.host = host.map(str::to_owned);
            match (here(None, &row, "here"), expected) {
                (Ok(part), Ok(expected)) => assert_eq!(part, expected),
                (Err(LookoutError::NoSuch(words)), Err(expected)) => {
                    assert!(words.contains(expected), "{words}");
                }
                (found, _) => panic!("{status} on {host:?}: {found:?}"),
            }
            assert_eq!(here(Some(b"x".to_vec()), &row, "here"), Ok(b"x".to_vec()));
        }
    }

    #[test]
    fn a_line_that_is_not_complete_waits_for_its_end() {
        assert_eq!(whole_lines(b"one\ntw", false), b"one\n");
        assert_eq!(whole_lines(b"one\ntw", true), b"one\ntw");
        assert_eq!(whole_lines(b"on", false), b"");
    }

    #[test]
    fn plain_lines_that_follow_each_other_are_one_entry() {
        let told = entries(
            b"one\ntwo\n{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}\nthree\n",
            10,
        );
        let told: Vec<_> = told.iter().map(|it| (it.at, it.kind, it.text.as_str())).collect();
        assert_eq!(
            told,
            [(10, LogKind::Line, "one\ntwo"), (18, LogKind::Session, "s"), (70, LogKind::Line, "three")]
        );
    }
}
