//! Long commands in a log: what they compile is counted instead of listed, and every few seconds one line says how
//! far they are.
//!
//! On a terminal cargo draws its own bar, and nothing here gets in its way. What is no news of a crate passes as it
//! is. Nothing here ends a command that takes too long.

use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::command;

const EVERY: Duration = Duration::from_secs(15);

/// Runs a command as [`command::run`] does, with lines of progress where there is no terminal.
pub(crate) fn run(title: &str, command: &mut Command) -> Result<()> {
    if io::stderr().is_terminal() { command::run(command) } else { watch(title, command) }
}

/// Runs a command with lines of progress, also on a terminal: several may run at once and share it.
pub(crate) fn watch(title: &str, command: &mut Command) -> Result<()> {
    let shown = command::shown(command);
    let spawned = command.stderr(Stdio::piped()).spawn();
    let mut child = spawned.with_context(|| format!("`{shown}` could not be started"))?;
    let said = child.stderr.take().context("the command has no standard error")?;
    let (sender, lines) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || forward(said, &sender));
        tell(title, &lines);
    });
    let status = child.wait().with_context(|| format!("waiting for `{shown}`"))?;
    command::judge(&shown, status)
}

fn forward(said: impl Read, lines: &Sender<String>) {
    for line in BufReader::new(said).split(b'\n').map_while(Result::ok) {
        if lines.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
            return;
        }
    }
}

/// Shows lines until there are no more.
fn tell(title: &str, lines: &Receiver<String>) {
    let started = Instant::now();
    let mut due = started + EVERY;
    let mut progress = Progress::default();
    loop {
        match lines.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(line) if progress.counts(&line) => {}
            Ok(line) => eprintln!("{line}"),
            Err(RecvTimeoutError::Timeout) => {
                eprintln!("    ... {title}: {}", progress.sentence(started.elapsed()));
                due += EVERY;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// What cargo has said about crates so far.
#[derive(Default)]
struct Progress {
    crates: usize,
    last: String,
}

impl Progress {
    /// Takes note of a line that only says which crate is next, and tells whether it was one.
    fn counts(&mut self, line: &str) -> bool {
        let line = without_colors(line);
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("Compiling" | "Checking"), Some(name), Some(version)) if version.starts_with('v') => {
                self.crates += 1;
                name.clone_into(&mut self.last);
                true
            }
            (Some("Downloaded"), Some(_), Some(version)) => version.starts_with('v'),
            _ => false,
        }
    }

    fn sentence(&self, elapsed: Duration) -> String {
        let seconds = elapsed.as_secs();
        match self.crates {
            0 => format!("{seconds} s"),
            crates => format!("{seconds} s, {crates} crates so far, now {}", self.last),
        }
    }
}

/// Removes what CARGO_TERM_COLOR=always puts around words.
fn without_colors(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_counted_and_everything_else_is_shown() {
        let table = [
            ("   Compiling serde v1.0.229", true),
            ("    Checking baton-core v0.1.0 (/w/crates/baton-core)", true),
            ("\u{1b}[1m\u{1b}[92m   Compiling\u{1b}[0m xtask v0.1.0 (/w/xtask)", true),
            ("  Downloaded serde v1.0.229", true),
            ("    Blocking waiting for file lock on package cache", false),
            ("warning: unused variable: `x`", false),
            ("Compiling is slow today", false),
            ("error[E0277]: `T` cannot be shared", false),
            ("", false),
        ];
        let mut progress = Progress::default();
        for (line, wanted) in table {
            assert_eq!(progress.counts(line), wanted, "{line:?}");
        }
        assert_eq!(progress.sentence(Duration::from_millis(75_400)), "75 s, 3 crates so far, now xtask");
    }

    #[test]
    fn a_command_that_compiles_nothing_still_says_how_long_it_has_taken() {
        assert_eq!(Progress::default().sentence(Duration::from_secs(15)), "15 s");
    }

    #[test]
    fn a_watched_command_fails_as_any_other_does() {
        let error = watch("nothing", Command::new("sh").args(["-c", "echo said >&2; exit 3"])).unwrap_err();
        assert!(error.to_string().contains("ended with exit status: 3"), "{error}");
        watch("nothing", &mut Command::new("true")).unwrap();
    }
}
