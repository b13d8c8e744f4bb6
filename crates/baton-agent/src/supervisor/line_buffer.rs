//! Cuts what an agent prints into blocks of whole lines, in a buffer that stays small.
//!
//! A line that is too long for the buffer is handed out cut, and the rest of it is thrown away.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

/// The longest line that is kept whole. What models say in one message is a fraction of it.
pub(super) const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How much is read at once.
const PIECE_BYTES: usize = 256 * 1024;

/// The output of one stream, from the last end of line on.
#[derive(Debug)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    /// Where what was read ends.
    filled: usize,
    /// Where the lines end that have been handed out.
    taken: usize,
    /// Up to where no end of line is that was not handed out.
    searched: usize,
    /// Whether the line was handed out cut, so that the rest of it is nobody's.
    is_skipping: bool,
}

/// What can be handed out after a read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block<'a> {
    /// Whole lines, each with its end but for the last of a stream.
    Lines(&'a [u8]),
    /// The beginning of a line that is too long.
    Cut(&'a [u8]),
}

impl LineBuffer {
    pub(super) fn new() -> Self {
        Self { bytes: vec![0; PIECE_BYTES], filled: 0, taken: 0, searched: 0, is_skipping: false }
    }

    /// Reads once and returns how many bytes came; none at the end of the stream.
    pub(super) fn read(&mut self, pipe: &mut impl Read) -> io::Result<usize> {
        self.make_room();
        loop {
            match pipe.read(&mut self.bytes[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    let count = read?;
                    self.filled += count;
                    return Ok(count);
                }
            }
        }
    }

    /// Returns the next lines to be handed out, if there are any.
    pub(super) fn next(&mut self) -> Option<Block<'_>> {
        self.skip();
        let from = self.taken;
        let searched = std::mem::replace(&mut self.searched, self.filled).max(from);
        if let Some(end) = memrchr(b'\n', &self.bytes[searched..self.filled]) {
            self.taken = searched + end + 1;
            return Some(Block::Lines(&self.bytes[from..self.taken]));
        }
        if self.filled - from < LINE_BYTES_MAX {
            return None;
        }
        (self.taken, self.is_skipping) = (self.filled, true);
        Some(Block::Cut(&self.bytes[from..self.filled]))
    }

    /// Returns what a stream ended with, without an end of line.
    pub(super) fn rest(&mut self) -> &[u8] {
        self.skip();
        &self.bytes[self.taken..self.filled]
    }

    /// Passes over the rest of a line that was handed out cut.
    fn skip(&mut self) {
        if self.is_skipping {
            let end = memchr(b'\n', &self.bytes[self.taken..self.filled]);
            self.taken = end.map_or(self.filled, |end| self.taken + end + 1);
            self.is_skipping = end.is_none();
        }
    }

    /// Moves the beginning of a line to the front, and grows only for a line that needs it.
    fn make_room(&mut self) {
        if self.taken > 0 {
            self.bytes.copy_within(self.taken..self.filled, 0);
            self.searched = self.searched.saturating_sub(self.taken);
            (self.filled, self.taken) = (self.filled - self.taken, 0);
        }
        if self.filled == self.bytes.len() {
            self.bytes.resize((2 * self.filled).min(LINE_BYTES_MAX), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Hands out at most so many bytes at a time.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(into.len());
            self.0.read(&mut into[..count])
        }
    }

    fn collect(text: &[u8], piece: usize) -> (Vec<u8>, usize) {
        let (mut pipe, mut buffer) = (Pieces(text, piece), LineBuffer::new());
        let (mut all, mut cuts) = (Vec::new(), 0);
        while buffer.read(&mut pipe).unwrap() > 0 {
            while let Some(block) = buffer.next() {
                match block {
                    Block::Lines(lines) => {
                        assert!(lines.ends_with(b"\n"));
                        all.extend_from_slice(lines);
                    }
                    Block::Cut(cut) => {
                        assert_eq!(cut.len(), LINE_BYTES_MAX);
                        cuts += 1;
                    }
                }
            }
            assert!(buffer.bytes.len() <= LINE_BYTES_MAX);
        }
        all.extend_from_slice(buffer.rest());
        (all, cuts)
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_once_and_the_next_one_is_whole() {
        let long = [b"first\n".to_vec(), vec![b'x'; 3 * LINE_BYTES_MAX], b"\nnext\nlast".to_vec()].concat();
        for piece in [1000, 1 << 20] {
            assert_eq!(collect(&long, piece), (b"first\nnext\nlast".to_vec(), 1));
        }
    }

    #[test]
    fn a_line_without_an_end_leaves_nothing_behind_its_cut() {
        assert_eq!(collect(&vec![0; 2 * LINE_BYTES_MAX + 7], 1 << 20), (Vec::new(), 1));
    }

    proptest! {
        #[test]
        fn lines_come_out_as_they_went_in(text in "[a\\n]{0,300}", piece in 1usize..50) {
            prop_assert_eq!(collect(text.as_bytes(), piece), (text.into_bytes(), 0));
        }
    }
}
