//! The log of an agent: its output in whole lines, without secrets, up to a size.
//!
//! What does not fit is read all the same and thrown away, so that the agent never waits for a reader. A log that
//! cannot be written is told at the end and stops nothing.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use super::redactor::Redactor;

/// How much of the last line is told. A final result is longer than a line that people read.
const LAST_LINE_BYTES_MAX: usize = 64 * 1024;

/// A log that is being written.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    redactor: Redactor,
    cap: u64,
    left: u64,
    is_full: bool,
    last_lines: BTreeMap<Stream, String>,
    pub(super) trouble: Option<String>,
}

/// Where an agent prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stream {
    Output,
    Error,
}

/// The beginning of a line of one stream, until its end comes.
#[derive(Debug)]
pub(super) struct Line {
    stream: Stream,
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Log {
    /// Opens a log for its owner alone, and makes the directories above it.
    pub(super) fn open(path: &Path, cap: u64, redactor: Redactor) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        }
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        // It may have been there before, with other permissions.
        file.set_permissions(Permissions::from_mode(0o600))?;
        let (left, last_lines) = (cap, BTreeMap::new());
        Ok(Self { file, redactor, cap, left, is_full: false, last_lines, trouble: None })
    }

    /// Returns the last line of a stream that was not empty.
    pub(super) fn last_line(&self, stream: Stream) -> String {
        self.last_lines.get(&stream).cloned().unwrap_or_default()
    }

    /// Takes a piece of output that continues `line`.
    pub(super) fn take(&mut self, line: &mut Line, piece: &[u8]) {
        let mut ready = Vec::new();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let (text, is_whole) = part.strip_suffix(b"\n").map_or((part, false), |text| (text, true));
            line.push(text, self.line_bytes_max());
            if is_whole {
                let next = Line::new(line.stream);
                self.finish(std::mem::replace(line, next), &mut ready);
            }
        }
        self.write(&ready);
    }

    /// Takes what a stream ended with, without an end of line.
    pub(super) fn end(&mut self, line: Line) {
        let mut ready = Vec::new();
        if !line.bytes.is_empty() {
            self.finish(line, &mut ready);
        }
        self.write(&ready);
    }

    fn line_bytes_max(&self) -> usize {
        usize::try_from(self.left).unwrap_or(usize::MAX).max(LAST_LINE_BYTES_MAX)
    }

    fn finish(&mut self, mut line: Line, ready: &mut Vec<u8>) {
        if line.is_cut {
            line.bytes.truncate(line.bytes.len().saturating_sub(self.redactor.unsafe_tail()));
        }
        let mut text = self.redactor.redact(&line.bytes);
        self.remember(line.stream, &text);
        text.push(b'\n');
        if line.is_cut || text.len() as u64 > self.left {
            self.fill(ready);
        } else {
            self.left -= text.len() as u64;
            ready.extend(text);
        }
    }

    fn remember(&mut self, stream: Stream, text: &[u8]) {
        let text = text.trim_ascii();
        if !text.is_empty() {
            let kept = &text[..text.len().min(LAST_LINE_BYTES_MAX)];
            self.last_lines.insert(stream, String::from_utf8_lossy(kept).into_owned());
        }
    }

    /// Says once that there is no more room.
    fn fill(&mut self, ready: &mut Vec<u8>) {
        self.left = 0;
        if !std::mem::replace(&mut self.is_full, true) {
            let notice = format!("[baton: this log has its {} bytes; what follows is not kept]\n", self.cap);
            ready.extend(notice.into_bytes());
        }
    }

    fn write(&mut self, ready: &[u8]) {
        if self.trouble.is_none() && !ready.is_empty() {
            self.trouble = self.file.write_all(ready).err().map(|error| error.to_string());
        }
    }
}

impl Line {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, bytes: Vec::new(), is_cut: false }
    }

    fn push(&mut self, text: &[u8], bytes_max: usize) {
        let room = bytes_max.saturating_sub(self.bytes.len());
        self.is_cut |= text.len() > room;
        self.bytes.extend_from_slice(&text[..text.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Written {
        text: String,
        last_line: String,
    }

    fn write(cap: u64, secrets: &[&str], pieces: &[&[u8]]) -> Written {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("runs/7/agent.log");
        let secrets: Vec<_> = secrets.iter().map(|secret| (*secret).to_owned()).collect();
        let mut log = Log::open(&path, cap, Redactor::new(&secrets)).unwrap();
        let mut line = Line::new(Stream::Output);
        pieces.iter().for_each(|piece| log.take(&mut line, piece));
        log.end(line);
        assert_eq!(log.trouble, None);
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
        Written { text, last_line: log.last_line(Stream::Output) }
    }

    #[test]
    fn lines_are_written_whole_however_they_come() {
        let written = write(1000, &[], &[b"on", b"e\ntwo\n\nth", b"ree"]);
        assert_eq!(written.text, "one\ntwo\n\nthree\n");
        assert_eq!(written.last_line, "three");
    }

    #[test]
    fn a_line_is_not_written_before_its_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("agent.log");
        let mut log = Log::open(&path, 1000, Redactor::default()).unwrap();
        let mut line = Line::new(Stream::Output);
        log.take(&mut line, b"one\ntw");
        assert_eq!(std::fs::read(&path).unwrap(), b"one\n");
    }

    #[test]
    fn what_does_not_fit_is_said_once_and_the_last_line_is_known_all_the_same() {
        let written = write(8, &[], &[b"one\n", b"three three\n", b"x\n", b"last\n"]);
        assert_eq!(written.text, "one\n[baton: this log has its 8 bytes; what follows is not kept]\n");
        assert_eq!(written.last_line, "last");
    }

    #[test]
    fn a_log_that_is_exactly_full_says_nothing() {
        assert_eq!(write(8, &[], &[b"one\ntwo\n"]).text, "one\ntwo\n");
    }

    #[test]
    fn a_line_without_end_takes_no_more_memory_than_the_cap() {
        let directory = tempfile::tempdir().unwrap();
        let mut log = Log::open(&directory.path().join("log"), 10, Redactor::default()).unwrap();
        let mut line = Line::new(Stream::Output);
        for _ in 0..100 {
            log.take(&mut line, &[b'x'; 10_000]);
        }
        assert_eq!(line.bytes.len(), LAST_LINE_BYTES_MAX);
    }

    #[test]
    fn a_line_that_was_cut_does_not_end_in_half_a_secret() {
        let half = [&[b'x'; LAST_LINE_BYTES_MAX - 4][..], b"hunter2\n"].concat();
        let written = write(10, &["hunter2"], &[&half]);
        assert!(!written.last_line.contains("hunt"), "{}", &written.last_line[LAST_LINE_BYTES_MAX - 20..]);
    }

    #[test]
    fn the_streams_do_not_mix_within_a_line_and_each_has_its_last_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let mut log = Log::open(&path, 100, Redactor::default()).unwrap();
        let (mut output, mut error) = (Line::new(Stream::Output), Line::new(Stream::Error));
        log.take(&mut output, b"resu");
        log.take(&mut error, b"warning\n");
        log.take(&mut output, b"lt\n\n");
        assert_eq!(std::fs::read(&path).unwrap(), b"warning\nresult\n\n");
        assert_eq!(log.last_line(Stream::Output), "result");
        assert_eq!(log.last_line(Stream::Error), "warning");
    }

    #[test]
    fn a_log_goes_on_where_it_was_and_becomes_private() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        std::fs::write(&path, "old\n").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        Log::open(&path, 100, Redactor::default()).unwrap().take(&mut Line::new(Stream::Output), b"new\n");
        assert_eq!(std::fs::read(&path).unwrap(), b"old\nnew\n");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    proptest! {
        #[test]
        fn a_secret_is_masked_however_the_output_is_split(
            before in "[a-y\\n]{0,20}",
            after in "[a-y\\n]{0,20}",
            cuts in proptest::collection::vec(0usize..60, 0..6),
        ) {
            let text = format!("{before}Zsecretz{after}");
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|cut| &text.as_bytes()[cut[0]..cut[1]]).collect();
            let written = write(10_000, &["Zsecretz"], &pieces);
            let expected = format!("{before}***{after}");
            prop_assert_eq!(written.text.trim_end_matches('\n'), expected.trim_end_matches('\n'));
        }
    }
}
