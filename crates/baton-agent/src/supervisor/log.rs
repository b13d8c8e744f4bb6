//! The log of an agent: its output in whole lines, without secrets, up to a size.
//!
//! What does not fit is read all the same and thrown away, so that the agent never waits for a reader. A log that
//! cannot be written is told at the end and stops nothing.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use memchr::memrchr;

/// How much of the last line is told. A final result is longer than a line that people read.
const LAST_LINE_BYTES_MAX: usize = 64 * 1024;

/// A log that is being written.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    cap: u64,
    left: u64,
    is_full: bool,
    last_output: Vec<u8>,
    last_error: Vec<u8>,
    pub(super) trouble: Option<String>,
}

/// Where an agent prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Output,
    Error,
}

impl Log {
    /// Opens a log for its owner alone, and makes the directories above it.
    pub(super) fn open(path: &Path, cap: u64) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        }
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        // It may have been there before, with other permissions.
        file.set_permissions(Permissions::from_mode(0o600))?;
        let (last_output, last_error) = (Vec::new(), Vec::new());
        // What earlier invocations of the same run have printed counts too.
        let left = cap.saturating_sub(file.metadata()?.len());
        Ok(Self { file, cap, left, is_full: false, last_output, last_error, trouble: None })
    }

    /// Returns the last line of a stream that was not empty.
    pub(super) fn last_line(&self, stream: Stream) -> String {
        let line = match stream {
            Stream::Output => &self.last_output,
            Stream::Error => &self.last_error,
        };
        String::from_utf8_lossy(line).into_owned()
    }

    /// Takes whole lines of a stream, from which secrets have been taken.
    pub(super) fn take(&mut self, stream: Stream, block: &[u8]) {
        self.remember(stream, block);
        let fitting = self.fitting(block);
        self.write(&block[..fitting]);
        if fitting < block.len() {
            self.fill();
        }
    }

    /// Says that a line is not all there, after what there is of it.
    pub(super) fn note_cut(&mut self) {
        self.take_note("[baton: this line is too long; the rest of it is not kept]\n");
    }

    /// Returns how much of a block there is room for, in whole lines.
    fn fitting(&self, block: &[u8]) -> usize {
        match usize::try_from(self.left) {
            Ok(left) if left < block.len() => memrchr(b'\n', &block[..left]).map_or(0, |end| end + 1),
            _ => block.len(),
        }
    }

    fn remember(&mut self, stream: Stream, block: &[u8]) {
        let text = block.trim_ascii_end();
        let from = memrchr(b'\n', text).map_or(0, |end| end + 1);
        let line = text[from..].trim_ascii_start();
        if !line.is_empty() {
            let kept = match stream {
                Stream::Output => &mut self.last_output,
                Stream::Error => &mut self.last_error,
            };
            kept.clear();
            kept.extend_from_slice(&line[..line.len().min(LAST_LINE_BYTES_MAX)]);
        }
    }

    /// Says once that there is no more room.
    fn fill(&mut self) {
        self.left = 0;
        if !std::mem::replace(&mut self.is_full, true) {
            let notice = format!("[baton: this log has its {} bytes; what follows is not kept]\n", self.cap);
            self.put(notice.as_bytes());
        }
    }

    fn take_note(&mut self, note: &str) {
        if !self.is_full {
            self.put(note.as_bytes());
        }
    }

    fn write(&mut self, lines: &[u8]) {
        self.left -= lines.len() as u64;
        self.put(lines);
    }

    fn put(&mut self, bytes: &[u8]) {
        if self.trouble.is_none() && !bytes.is_empty() {
            self.trouble = self.file.write_all(bytes).err().map(|error| error.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(directory: &tempfile::TempDir, cap: u64) -> (Log, std::path::PathBuf) {
        let path = directory.path().join("runs/7/agent.log");
        (Log::open(&path, cap).unwrap(), path)
    }

    #[track_caller]
    fn check(cap: u64, blocks: &[&str], expected: &str, last_line: &str) {
        let directory = tempfile::tempdir().unwrap();
        let (mut log, path) = open(&directory, cap);
        blocks.iter().for_each(|block| log.take(Stream::Output, block.as_bytes()));
        assert_eq!(log.trouble, None);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        assert_eq!(log.last_line(Stream::Output), last_line);
    }

    const FULL: &str = "[baton: this log has its 8 bytes; what follows is not kept]\n";

    #[test]
    fn lines_are_written_as_they_come() {
        check(1000, &["one\n", "two\n\n", "three"], "one\ntwo\n\nthree", "three");
        check(1000, &["one\n  two  \n\n \n"], "one\n  two  \n\n \n", "two");
        check(1000, &["one\n", "\n\n"], "one\n\n\n", "one");
    }

    #[test]
    fn what_does_not_fit_is_said_once_and_the_last_line_is_known_all_the_same() {
        check(8, &["one\n", "three three\n", "x\n", "last\n"], &format!("one\n{FULL}"), "last");
        check(8, &["one\nthree three\nx\nlast\n"], &format!("one\n{FULL}"), "last");
        check(8, &["123456789\n"], FULL, "123456789");
    }

    #[test]
    fn a_log_that_is_exactly_full_says_nothing() {
        check(8, &["one\ntwo\n"], "one\ntwo\n", "two");
        check(u64::MAX, &["one\n"], "one\n", "one");
    }

    #[test]
    fn a_cut_line_is_told_while_there_is_room() {
        let directory = tempfile::tempdir().unwrap();
        let (mut log, path) = open(&directory, 8);
        log.take(Stream::Output, b"half\n");
        log.note_cut();
        log.take(Stream::Output, b"too much\n");
        log.note_cut();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().filter(|line| line.contains("too long")).count(), 1, "{text}");
    }

    #[test]
    fn each_stream_has_its_last_line() {
        let directory = tempfile::tempdir().unwrap();
        let (mut log, _) = open(&directory, 100);
        log.take(Stream::Error, b"warning\n");
        log.take(Stream::Output, b"result\n\n");
        assert_eq!(log.last_line(Stream::Output), "result");
        assert_eq!(log.last_line(Stream::Error), "warning");
    }

    #[test]
    fn a_log_goes_on_where_it_was_and_becomes_private() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        std::fs::write(&path, "old\n").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        Log::open(&path, 100).unwrap().take(Stream::Output, b"new\n");
        assert_eq!(std::fs::read(&path).unwrap(), b"old\nnew\n");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
