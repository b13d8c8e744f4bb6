//! The start of a command in two steps: first its process group, then, when everybody knows that, the command.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::fs::{OFlags, fcntl_setfl};

use super::group::Group;
use super::guarded::READY;
use super::pipes::{bequeath, pipe};
use crate::wire::CommandTerms;

/// The most that is read of why a command could not be run.
const NEWS_BYTES_MAX: u64 = 4096;

/// How a waiting process is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has a session of its own, and its standard streams are pipes.
    Agent,
    /// It has a group of its own, and shares the standard streams and the directory of this process.
    Held,
}

/// A command that waits for its word. Without it, because this is dropped, it never runs.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) child: Child,
    pub(super) group: Group,
    go: File,
    news: File,
}

/// Why a command could not be run, if it could not.
#[derive(Debug)]
pub(super) struct News(File);

impl Waiting {
    /// Starts a process that will wait; it is not there yet.
    pub(super) fn start(kind: Kind) -> io::Result<Self> {
        let (go_read, go_write) = pipe()?;
        let (news_read, news_write) = pipe()?;
        let child = spawn(kind, &go_read, &news_write)?;
        let group = i32::try_from(child.id()).ok().and_then(Group::from_raw);
        let group = group.ok_or_else(|| io::Error::other("the command has no process group"))?;
        Ok(Self { child, group, go: File::from(go_write), news: File::from(news_read) })
    }

    /// Waits until its process group is there.
    pub(super) fn until_ready(&mut self) -> io::Result<()> {
        let mut ready = [0];
        self.news.read_exact(&mut ready)?;
        if ready == [READY] {
            Ok(())
        } else {
            Err(io::Error::other("the command's process did not get ready"))
        }
    }

    /// Tells what it will become. It gets ready for that, and goes on waiting.
    pub(super) fn tell(&mut self, terms: &CommandTerms) -> io::Result<()> {
        let mut line = serde_json::to_vec(terms).map_err(io::Error::other)?;
        line.push(b'\n');
        self.go.write_all(&line)
    }

    /// Says the word.
    pub(super) fn go(mut self) -> io::Result<(Child, News)> {
        // From here on the command has the other end too and may keep it open, so this end must not wait for its end.
        fcntl_setfl(&self.news, OFlags::NONBLOCK)?;
        self.go.write_all(b"\n")?;
        Ok((self.child, News(self.news)))
    }
}

impl News {
    /// Returns why there was no command, once its process has ended.
    pub(super) fn why_not_run(self) -> Option<String> {
        let mut why = Vec::new();
        // It ends with an error if the other end is still open somewhere; what was read by then counts.
        let _ = self.0.take(NEWS_BYTES_MAX).read_to_end(&mut why);
        (!why.is_empty()).then(|| String::from_utf8_lossy(&why).into_owned())
    }
}

fn spawn(kind: Kind, go: &OwnedFd, news: &OwnedFd) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("__guarded").args(["--go", &bequeath(go)?, "--news", &bequeath(news)?]);
    match kind {
        Kind::Agent => {
            command.arg("--in-session");
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        Kind::Held => {
            command.process_group(0);
        }
    }
    command.spawn()
}
