//! The command before it is the command: it waits for a word and then becomes it.
//!
//! Its process group exists and is known to everybody who must be able to end it before anything of the command runs. It
//! is told what it becomes, and then the word. Without it, because the supervisor is gone, there is no command.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use super::pipes;
use crate::wire::CommandTerms;

/// What a shell says of a command that cannot be found.
pub const EXIT_NOT_RUN: u8 = 127;

/// What is written when the process group is there.
pub(super) const READY: u8 = b'+';

/// A command that waits for its word.
#[derive(Debug)]
pub struct Guarded {
    /// The number of the pipe that the word comes over.
    pub go: i32,
    /// The number of the pipe that is told when the group is there, and why the command could not be run.
    pub news: i32,
    /// Whether the command gets a session of its own; otherwise it has a process group already.
    pub in_session: bool,
}

impl Guarded {
    /// Waits and becomes the command. Returns only if there is none, with the reason.
    pub fn run(&self) -> io::Error {
        match self.wait() {
            Ok(terms) => self.become_command(&terms),
            Err(error) => error,
        }
    }

    fn wait(&self) -> io::Result<CommandTerms> {
        if self.in_session {
            rustix::process::setsid()?;
        }
        pipes::inherited_to_write(self.news)?.write_all(&[READY])?;
        let mut go = BufReader::new(pipes::inherited_to_read(self.go)?);
        let mut terms = String::new();
        go.read_line(&mut terms)?;
        // What is not all there was broken off by the end of whoever says it.
        let terms =
            serde_json::from_str(&terms).map_err(|_| io::Error::from(io::ErrorKind::UnexpectedEof))?;
        go.read_exact(&mut [0])?;
        Ok(terms)
    }

    fn become_command(&self, terms: &CommandTerms) -> io::Error {
        let Some((program, arguments)) = terms.argv.split_first() else {
            return io::Error::new(io::ErrorKind::InvalidInput, "there is no command");
        };
        let mut command = Command::new(program);
        command.args(arguments);
        if let Some(place) = &terms.place {
            let env = place.env.iter().map(|(name, value)| (name, value));
            command.current_dir(&place.cwd).env_clear().envs(env);
        }
        let error = command.exec();
        let why = format!("`{}` cannot be run: {error}", program.to_string_lossy());
        if let Ok(mut news) = pipes::inherited_to_write(self.news) {
            let _ = news.write_all(why.as_bytes());
        }
        io::Error::new(error.kind(), why)
    }
}
