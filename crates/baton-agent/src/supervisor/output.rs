//! The standard streams of an agent: its prompt goes in, and what it prints goes to the log and to the reader of its lines,
//! as fast as the disk takes it.
//!
//! The supervisor drains them and not the engine, so that an agent does not come to a stand when its engine does. Blocks of
//! whole lines go from the pipe to the disk and to the reader; hardly anything is queued, so an agent that prints faster waits.

use std::io::{Read, Write as _};
use std::process::{Child, ChildStdin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_core::agent::RunNumbers;
use baton_core::agent_lines::Report;
use baton_core::time::BootTime;
use baton_ports::Clock;

use super::events::Event;
use super::line_buffer::{Block, LineBuffer};
use super::log::{Log, Stream};
use super::pipes;
use super::reading::Reading;
use crate::redactor::Redactor;

/// How long the rest of the output is waited for when the group is gone and nothing more comes. Only a process that has left
/// the group can hold a stream open longer, and it may do so for ever.
const SILENT_WITHIN: Duration = Duration::from_secs(1);
/// How often that is done over, because something came.
const DRAINS_MAX: usize = 10;

/// How many blocks may wait to be read as lines while others are written to the log.
const BLOCKS_MAX: usize = 2;

/// What an agent prints.
#[derive(Debug)]
pub(super) struct Output {
    heard: Arc<Heard>,
    /// Disconnected when both streams have ended.
    draining: Receiver<()>,
}

/// What is known of the output.
#[derive(Debug)]
struct Heard {
    last_at_ms: AtomicU64,
    bytes: AtomicU64,
    log: Mutex<Log>,
    reading: Mutex<Reading>,
    redactor: Redactor,
}

impl Output {
    /// Feeds the prompt to an agent and drains what it prints, in threads of their own.
    pub(super) fn start<C: Clock + Clone + 'static>(
        child: &mut Child,
        prompt: Vec<u8>,
        (log, reading, redactor): (Log, Reading, Redactor),
        events: &Sender<Event>,
        clock: &C,
    ) -> Self {
        let (sender, draining) = mpsc::channel();
        let heard = Arc::new(Heard {
            last_at_ms: AtomicU64::new(clock.boot_now().ms),
            bytes: AtomicU64::new(0),
            log: Mutex::new(log),
            reading: Mutex::new(reading),
            redactor,
        });
        let drain = |stream| Drain {
            stream,
            heard: Arc::clone(&heard),
            clock: clock.clone(),
            events: events.clone(),
            lines: (stream == Stream::Output).then(|| Lines::start(Arc::clone(&heard), sender.clone())),
            _open: sender.clone(),
        };
        if let Some(stdin) = child.stdin.take() {
            std::thread::spawn(move || feed(stdin, &prompt));
        }
        if let Some(stdout) = child.stdout.take() {
            pipes::widen(&stdout);
            let drain = drain(Stream::Output);
            std::thread::spawn(move || drain.run(stdout));
        }
        if let Some(stderr) = child.stderr.take() {
            let drain = drain(Stream::Error);
            std::thread::spawn(move || drain.run(stderr));
        }
        drop(sender);
        Self { heard, draining }
    }

    /// Returns when the agent has last printed something, or when it was started.
    pub(super) fn last_at(&self) -> BootTime {
        BootTime { ms: self.heard.last_at_ms.load(Ordering::Acquire) }
    }

    /// Returns how much it has printed.
    pub(super) fn bytes(&self) -> u64 {
        self.heard.bytes.load(Ordering::Acquire)
    }

    /// Returns how far the agent is, and the session that it works in, if it is not this one.
    pub(super) fn look(&self, session: Option<&str>) -> (RunNumbers, Option<String>) {
        let reading = locked(&self.heard.reading);
        let other = reading.session.clone().filter(|own| session != Some(own));
        (reading.numbers(self.bytes()), other)
    }

    /// Waits for what is still in the streams, not for ever.
    pub(super) fn drain(&self) {
        for _ in 0..DRAINS_MAX {
            let before = self.bytes();
            let has_ended = self.draining.recv_timeout(SILENT_WITHIN) != Err(RecvTimeoutError::Timeout);
            if has_ended || self.bytes() == before {
                return;
            }
        }
    }

    /// Returns the log when nobody writes to it, which takes as long as the disk takes.
    pub(super) fn log(&self) -> MutexGuard<'_, Log> {
        locked(&self.heard.log)
    }

    /// Returns what the lines come to, and how many were passed over.
    pub(super) fn report(&self) -> (Report, u64) {
        let mut reading = locked(&self.heard.reading);
        (reading.finish(), reading.passed_over_lines)
    }
}

/// What it takes to drain a stream.
struct Drain<C> {
    stream: Stream,
    heard: Arc<Heard>,
    clock: C,
    events: Sender<Event>,
    lines: Option<Lines>,
    _open: Sender<()>,
}

/// A thread that reads lines, and the blocks that go to it and come back to be used again.
struct Lines {
    full: SyncSender<Vec<u8>>,
    empty: Receiver<Vec<u8>>,
}

impl Lines {
    fn start(heard: Arc<Heard>, open: Sender<()>) -> Self {
        let (full, blocks) = mpsc::sync_channel::<Vec<u8>>(BLOCKS_MAX);
        let (used, empty) = mpsc::channel();
        std::thread::spawn(move || {
            for block in blocks {
                locked(&heard.reading).take(&block);
                let _ = used.send(block);
            }
            drop(open);
        });
        Self { full, empty }
    }

    /// Waits while too many blocks are on their way.
    fn take(&self, block: &[u8]) {
        let mut copy = self.empty.try_recv().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(block);
        let _ = self.full.send(copy);
    }
}

impl<C: Clock> Drain<C> {
    fn run(self, mut pipe: impl Read) {
        let mut buffer = LineBuffer::new();
        while let Ok(bytes @ 1..) = buffer.read(&mut pipe) {
            self.heard.last_at_ms.fetch_max(self.clock.boot_now().ms, Ordering::AcqRel);
            let before = self.heard.bytes.fetch_add(bytes as u64, Ordering::AcqRel);
            while let Some(block) = buffer.next() {
                self.take(&block);
            }
            if before == 0 {
                let _ = self.events.send(Event::FirstOutput);
            }
        }
        let rest = buffer.rest();
        if !rest.is_empty() {
            self.lines(&[rest, b"\n"].concat());
        }
    }

    fn take(&self, block: &Block<'_>) {
        match block {
            Block::Lines(lines) => self.lines(lines),
            Block::Cut(line) => self.cut(line),
        }
    }

    fn lines(&self, lines: &[u8]) {
        let clean = self.heard.redactor.redact(lines);
        // Reading goes on in its own thread while the log is written.
        self.lines.iter().for_each(|lines| lines.take(&clean));
        locked(&self.heard.log).take(self.stream, &clean);
    }

    /// Keeps the beginning of a line that is too long, which may end in half a secret, and does not read it.
    fn cut(&self, line: &[u8]) {
        let certain = &line[..line.len().saturating_sub(self.heard.redactor.unsafe_tail())];
        let mut clean = self.heard.redactor.redact(certain).into_owned();
        clean.push(b'\n');
        let mut log = locked(&self.heard.log);
        log.take(self.stream, &clean);
        log.note_cut();
        drop(log);
        if self.stream == Stream::Output {
            locked(&self.heard.reading).passed_over_lines += 1;
        }
    }
}

fn feed(mut stdin: ChildStdin, prompt: &[u8]) {
    // An agent need not read its prompt to the end.
    let _ = stdin.write_all(prompt);
}

/// A thread that panicked has left at worst a line unwritten.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
