//! The standard streams of an agent: its prompt goes in, and what it prints goes to the log as fast as the disk takes it.
//!
//! The supervisor drains them and not the engine, so that an agent does not come to a stand when its engine does.

use std::io::{Read, Write as _};
use std::process::{Child, ChildStdin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_core::time::BootTime;
use baton_ports::Clock;

use super::log::{Line, Log, Stream};

/// How long the rest of the output is waited for when the group is gone. Only a process that has left the group can
/// hold a stream open longer, and it may do so for ever.
const DRAIN_WITHIN: Duration = Duration::from_secs(1);

const PIECE_BYTES: usize = 64 * 1024;

/// What is known of the output without waiting for the disk.
#[derive(Debug)]
struct Heard {
    last_at_ms: AtomicU64,
    bytes: AtomicU64,
}

/// What an agent prints.
#[derive(Debug)]
pub(super) struct Output {
    log: Arc<Mutex<Log>>,
    heard: Arc<Heard>,
    /// Disconnected when both streams have ended.
    draining: Receiver<()>,
}

impl Output {
    /// Feeds the prompt to an agent and drains what it prints, in threads of their own.
    pub(super) fn start<C: Clock + Clone + 'static>(
        child: &mut Child,
        prompt: Vec<u8>,
        log: Log,
        clock: &C,
    ) -> Self {
        let (sender, draining) = mpsc::channel();
        let last_at_ms = AtomicU64::new(clock.boot_now().ms);
        let heard = Arc::new(Heard { last_at_ms, bytes: AtomicU64::new(0) });
        let drain = Drain { log: Arc::new(Mutex::new(log)), heard, clock: clock.clone(), _open: sender };
        let (log, heard) = (Arc::clone(&drain.log), Arc::clone(&drain.heard));
        if let Some(stdin) = child.stdin.take() {
            std::thread::spawn(move || feed(stdin, &prompt));
        }
        if let Some(stdout) = child.stdout.take() {
            let drain = drain.clone();
            std::thread::spawn(move || drain.run(Stream::Output, stdout));
        }
        if let Some(stderr) = child.stderr.take() {
            std::thread::spawn(move || drain.run(Stream::Error, stderr));
        }
        Self { log, heard, draining }
    }

    /// Returns when the agent has last printed something, or when it was started.
    pub(super) fn last_at(&self) -> BootTime {
        BootTime { ms: self.heard.last_at_ms.load(Ordering::Acquire) }
    }

    /// Returns how much it has printed.
    pub(super) fn bytes(&self) -> u64 {
        self.heard.bytes.load(Ordering::Acquire)
    }

    /// Waits for what is still in the streams, not for ever.
    pub(super) fn drain(&self) {
        let _ = self.draining.recv_timeout(DRAIN_WITHIN);
    }

    /// Returns the log when nobody writes to it, which takes as long as the disk takes.
    pub(super) fn log(&self) -> MutexGuard<'_, Log> {
        locked(&self.log)
    }
}

/// What it takes to drain a stream.
#[derive(Clone)]
struct Drain<C> {
    log: Arc<Mutex<Log>>,
    heard: Arc<Heard>,
    clock: C,
    _open: Sender<()>,
}

impl<C: Clock> Drain<C> {
    fn run(self, stream: Stream, mut pipe: impl Read) {
        let mut piece = vec![0; PIECE_BYTES];
        let mut line = Line::new(stream);
        while let Some(bytes @ 1..) = read(&mut pipe, &mut piece) {
            self.heard.last_at_ms.fetch_max(self.clock.boot_now().ms, Ordering::AcqRel);
            self.heard.bytes.fetch_add(bytes as u64, Ordering::AcqRel);
            locked(&self.log).take(&mut line, &piece[..bytes]);
        }
        locked(&self.log).end(line);
    }
}

fn read(pipe: &mut impl Read, piece: &mut [u8]) -> Option<usize> {
    loop {
        match pipe.read(piece) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            read => return read.ok(),
        }
    }
}

fn feed(mut stdin: ChildStdin, prompt: &[u8]) {
    // An agent need not read its prompt to the end.
    let _ = stdin.write_all(prompt);
}

/// A thread that panicked has left at worst a line unwritten.
fn locked(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}
