//! A token that a command prints.
//!
//! Neither the command line nor what it prints on standard output is ever shown, because both may be secret.

use std::process::Stdio;
use std::time::Duration;

use http::HeaderValue;
use tokio::process::Command;
use tokio::sync::Mutex;

use super::bearer;
use crate::call::Failure;
use crate::secret::Secret;

/// Long enough for a person to confirm something, short enough to notice.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How much of a complaint is passed on.
const COMPLAINT_CHARS_MAX: usize = 200;

/// A command, and the token it has printed.
#[derive(Debug)]
pub(crate) struct TokenCommand {
    line: Secret,
    held: Mutex<Option<HeaderValue>>,
}

impl TokenCommand {
    pub(crate) fn new(line: &str) -> Self {
        Self { line: Secret::new(line), held: Mutex::default() }
    }

    pub(crate) async fn header(&self) -> Result<HeaderValue, Failure> {
        let mut held = self.held.lock().await;
        if let Some(header) = held.as_ref() {
            return Ok(header.clone());
        }
        let header = run(self.line.reveal()).await.map_err(|why| Failure::NoToken(explained(&why)))?;
        Ok(held.insert(header).clone())
    }

    /// Forgets a token that was refused, unless another call has already replaced it.
    pub(crate) async fn forget(&self, refused: &HeaderValue) {
        let mut held = self.held.lock().await;
        if held.as_ref() == Some(refused) {
            *held = None;
        }
    }
}

fn explained(why: &str) -> String {
    format!("the token command {why}")
}

async fn run(line: &str) -> Result<HeaderValue, String> {
    let mut command = Command::new("sh");
    command.args(["-c", line]).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(TIMEOUT, command.output()).await;
    let output = output
        .map_err(|_| format!("has not ended within {} s", TIMEOUT.as_secs()))?
        .map_err(|error| format!("could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("failed ({}): {}", output.status, complaint(&output.stderr)));
    }
    let token = Secret::new(String::from_utf8_lossy(&output.stdout));
    bearer(&token).map_err(|_| "printed something that is not one token".to_owned())
}

fn complaint(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or("it said nothing").chars().take(COMPLAINT_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_command_prints_is_the_token() {
        assert_eq!(run("echo abc").await.unwrap(), "Bearer abc");
        assert_eq!(run("printf abc; echo note >&2").await.unwrap(), "Bearer abc");
    }

    #[tokio::test]
    async fn a_command_that_gives_no_token_tells_why_and_shows_no_output() {
        let check = async |line: &str, expected: &str| {
            let why = run(line).await.unwrap_err();
            assert!(why.contains(expected) && !why.contains("hush"), "{why}");
        };
        check("echo hush; echo not logged in >&2; exit 1", "not logged in").await;
        check("exit 3", "exit status: 3").await;
        check("true", "not one token").await;
        check("echo hush hush", "not one token").await;
    }
}
