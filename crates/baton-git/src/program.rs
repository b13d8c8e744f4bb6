//! Running git: without a shell, without questions, in English, and no longer than there is time.
//!
//! What git says is returned without secrets. Deliberately absent: what it means.

use std::fs::File;
use std::io::Write as _;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::checkout::Checkout;
use crate::error::GitError;
use crate::token::{self, Token, without_users};

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
    let shown = |text: &str| shown(text, checkout.token);
    Ok(Said { code: said.code, stdout: shown(&said.stdout), stderr: shown(&said.stderr) })
}

/// Takes passwords and the token out of a text.
pub(crate) fn shown(text: &str, token: Option<&Token>) -> String {
    let text = without_users(text);
    token.map_or(text.clone(), |token| token.hide_in(&text))
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
    let input = input.map_or(Input::Nothing, |input| Input::Text(input.as_bytes()));
    let mut command = command(checkout.token);
    command.args(checkout.settings.iter().flat_map(|setting| ["-c", setting]));
    if checkout.is_bare {
        command.env("GIT_DIR", checkout.repository);
    }
    command.arg("-C").arg(checkout.repository).args(arguments);
    let output = perform(command, tried, &input, time_left(checkout))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Said { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) })
}

/// What git finds on its standard input.
pub(crate) enum Input<'a> {
    Nothing,
    Text(&'a [u8]),
    /// A file that is not read, but held open for as long as git runs.
    Held(&'a File),
}

/// Runs a command that was made by [`command`] to its end.
pub(crate) fn perform(
    mut command: Command,
    tried: &'static str,
    input: &Input<'_>,
    left: Option<Duration>,
) -> Result<Output, GitError> {
    command.stdin(match input {
        Input::Nothing => Stdio::null(),
        Input::Text(_) => Stdio::piped(),
        Input::Held(file) => Stdio::from(file.try_clone().map_err(GitError::Program)?),
    });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(GitError::Program)?;
    let writer = match (child.stdin.take(), input) {
        // Git may print before it has read everything, so it is written beside the reading.
        (Some(mut stdin), Input::Text(text)) => {
            let text = text.to_vec();
            // If git does not read it, its exit code tells why.
            Some(thread::spawn(move || drop(stdin.write_all(&text))))
        }
        _ => None,
    };
    let output = wait(child, left).ok_or(GitError::TooLate { tried })?.map_err(GitError::Program)?;
    if let Some(writer) = writer {
        let _ = writer.join();
    }
    Ok(output)
}

/// Returns whether git must have ended already.
pub(crate) fn is_time_up(checkout: &Checkout<'_>) -> bool {
    time_left(checkout).is_some_and(|left| left.is_zero())
}

fn time_left(checkout: &Checkout<'_>) -> Option<Duration> {
    checkout.stop_at.map(|stop_at| stop_at.saturating_duration_since(Instant::now()))
}

/// Makes a command of git that asks nobody and speaks English.
pub(crate) fn command(token: Option<&Token>) -> Command {
    let mut command = Command::new("git");
    for place in PLACES {
        command.env_remove(place);
    }
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").env("GIT_NO_REPLACE_OBJECTS", "1");
    command.env_remove("GIT_DEFAULT_REF_FORMAT");
    command.env("GIT_AUTHOR_NAME", NAME).env("GIT_AUTHOR_EMAIL", EMAIL).env_remove("GIT_AUTHOR_DATE");
    command
        .env("GIT_COMMITTER_NAME", NAME)
        .env("GIT_COMMITTER_EMAIL", EMAIL)
        .env_remove("GIT_COMMITTER_DATE");
    if let Some(token) = token {
        command.arg(token.argument()).env(token::VARIABLE, token.header());
    }
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
