//! Programs that are run for what they print, and ended with all their children when they take too long.
//!
//! They may not ask questions, since nobody may be there to answer. What is printed beyond a limit is read and thrown away.

use std::io::{self, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How much of what is printed is kept, in bytes.
const KEPT_BYTES_MAX: usize = 64 * 1024;
/// How often is looked whether a program has ended that has closed its output, or left it to somebody else.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How it went.
#[derive(Debug)]
pub(crate) enum Ran {
    /// It ended by itself.
    Ended { status: ExitStatus, out: Vec<u8>, err: Vec<u8> },
    /// It took too long, and was killed.
    TooLong,
    /// It could not be started.
    NotStarted(io::Error),
}

/// Runs a program to its end, or to the end of the time.
pub(crate) fn run(mut command: Command, within: Duration) -> Ran {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    match command.spawn() {
        Ok(child) => wait(child, within),
        Err(error) => Ran::NotStarted(error),
    }
}

fn wait(mut child: Child, within: Duration) -> Ran {
    let deadline = Instant::now() + within;
    let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::park_timeout(LOOK_EVERY),
            Ok(None) => {
                end(&mut child);
                return Ran::TooLong;
            }
            Err(error) => return Ran::NotStarted(error),
        }
    };
    // A child that it has left behind may keep the pipes open; what it would print is not waited for.
    let (out, err) = (out.kept(), err.kept());
    end(&mut child);
    Ran::Ended { status, out, err }
}

/// Ends the whole group; who has left it is not ours any more.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// What was printed so far, and a word when that is all.
struct Printed {
    text: Arc<Mutex<Vec<u8>>>,
    closed: Receiver<()>,
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> Printed {
    let (sender, closed) = channel();
    let text = Arc::<Mutex<Vec<u8>>>::default();
    if let Some(pipe) = pipe {
        let text = Arc::clone(&text);
        thread::spawn(move || {
            read(pipe, &text);
            // Nobody may listen any more.
            let _ = sender.send(());
        });
    }
    Printed { text, closed }
}

fn read(mut pipe: impl Read, text: &Mutex<Vec<u8>>) {
    let mut block = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut block) {
        let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
        let room = KEPT_BYTES_MAX - text.len();
        text.extend_from_slice(&block[..count.min(room)]);
    }
}

impl Printed {
    /// Returns what was printed, after a moment for what was on its way.
    fn kept(&self) -> Vec<u8> {
        let _ = self.closed.recv_timeout(10 * LOOK_EVERY);
        std::mem::take(&mut *self.text.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_program_prints_is_returned_with_its_end() {
        let Ran::Ended { status, out, err } =
            run(shell("echo out; echo err >&2; exit 3"), Duration::from_secs(60))
        else {
            panic!("it did not end");
        };
        assert_eq!((status.code(), out.as_slice(), err.as_slice()), (Some(3), &b"out\n"[..], &b"err\n"[..]));
    }

    #[test]
    fn a_program_that_takes_too_long_is_ended_with_its_children() {
        let began = Instant::now();
        let ran = run(shell("sleep 300 & sleep 300"), Duration::from_millis(100));
        assert!(matches!(ran, Ran::TooLong), "{ran:?}");
        assert!(began.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_child_that_keeps_the_output_open_is_not_waited_for() {
        let began = Instant::now();
        let ran = run(shell("sleep 300 & echo here"), Duration::from_secs(120));
        assert!(matches!(&ran, Ran::Ended { out, .. } if out == b"here\n"), "{ran:?}");
        assert!(began.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_program_that_prints_without_end_does_not_fill_the_memory() {
        let ran = run(shell("head -c 1000000 /dev/zero"), Duration::from_secs(60));
        assert!(
            matches!(&ran, Ran::Ended { out, .. } if out.len() == KEPT_BYTES_MAX),
            "it kept another size"
        );
        assert!(matches!(run(Command::new("/no/such/program"), Duration::ZERO), Ran::NotStarted(_)));
    }
}
