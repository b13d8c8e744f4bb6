//! Running git: without a shell, without questions, in English, and no longer than there is time.
//!
//! What git says is returned without secrets. Deliberately absent: what it means.

use std::io::Write as _;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::checkout::Checkout;
use crate::error::GitError;
use crate::token::{self, without_users};

/// How long git has to end its own children before it is killed.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// Where another git, whose hook we may be called from, has put its own things.
const PLACES: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
];

/// Who makes the heartbeats, whatever the machine's configuration says.
const NAME: &str = "baton";
const EMAIL: &str = "baton@noreply.invalid";

/// What git said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    pub(crate) fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// What git printed, if it succeeded.
    pub(crate) fn or_failed(self, tried: &'static str) -> Result<String, GitError> {
        match self.is_success() {
            true => Ok(self.stdout.trim().to_owned()),
            false => Err(GitError::Failed { tried, said: self.complaint() }),
        }
    }

    /// What git complained about.
    pub(crate) fn complaint(&self) -> String {
        let said = self.stderr.trim();
        if said.is_empty() {
            format!("git ended with {:?} and said nothing", self.code)
        } else {
            said.to_owned()
        }
    }
}

/// Runs git in a checkout; what it says is returned without secrets.
pub(crate) fn run(
    checkout: &Checkout<'_>,
    tried: &'static str,
    arguments: &[&str],
    input: Option<&str>,
) -> Result<Said, GitError> {
    let said = run_unredacted(checkout, tried, arguments, input)?;
    let shown = |text: &str| {
        let text = without_users(text);
        checkout.token.map_or(text.clone(), |token| token.hide_in(&text))
    };
    Ok(Said { code: said.code, stdout: shown(&said.stdout), stderr: shown(&said.stderr) })
}

/// Runs git in a checkout; what it says may contain the password of an address.
pub(crate) fn run_unredacted(
    checkout: &Checkout<'_>,
    tried: &'static str,
    arguments: &[&str],
    input: Option<&str>,
) -> Result<Said, GitError> {
    if is_time_up(checkout) {
        return Err(GitError::TooLate { tried });
    }
    let left = time_left(checkout);
    let mut child = command(checkout, arguments, input.is_some()).spawn().map_err(GitError::Program)?;
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // If git does not read it, its exit code tells why.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = wait(child, left).ok_or(GitError::TooLate { tried })?.map_err(GitError::Program)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Said { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) })
}

/// Returns whether git must have ended already.
pub(crate) fn is_time_up(checkout: &Checkout<'_>) -> bool {
    time_left(checkout).is_some_and(|left| left.is_zero())
}

fn time_left(checkout: &Checkout<'_>) -> Option<Duration> {
    checkout.stop_at.map(|stop_at| stop_at.saturating_duration_since(Instant::now()))
}

fn command(checkout: &Checkout<'_>, arguments: &[&str], has_input: bool) -> Command {
    let mut command = Command::new("git");
    for place in PLACES {
        command.env_remove(place);
    }
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").env("GIT_NO_REPLACE_OBJECTS", "1");
    command.env("GIT_AUTHOR_NAME", NAME).env("GIT_AUTHOR_EMAIL", EMAIL).env_remove("GIT_AUTHOR_DATE");
    command
        .env("GIT_COMMITTER_NAME", NAME)
        .env("GIT_COMMITTER_EMAIL", EMAIL)
        .env_remove("GIT_COMMITTER_DATE");
    if let Some(token) = checkout.token {
        command.arg(token.argument()).env(token::VARIABLE, token.header());
    }
    command.arg("-C").arg(checkout.repository).args(arguments);
    command.stdin(if has_input { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits for the end of a process; nothing if it had to be ended.
fn wait(child: Child, left: Option<Duration>) -> Option<std::io::Result<Output>> {
    let pid = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let Some(left) = left else { return receiver.recv().ok() };
    if let Ok(output) = receiver.recv_timeout(left) {
        return Some(output);
    }
    // Asked to stop, git ends its helpers too; killed, it would leave them running.
    let _ = kill_process(pid, Signal::TERM);
    if receiver.recv_timeout(STOP_GRACE).is_err() {
        let _ = kill_process(pid, Signal::KILL);
    }
    None
}
