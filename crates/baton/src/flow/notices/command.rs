//! Tells people by a command of theirs: the notice is on its standard input, as one line of JSON.

use std::path::PathBuf;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

use super::Message;
use super::courier::{Failed, TRY_WITHIN};

/// How much of a complaint is kept.
const COMPLAINT_BYTES_MAX: u64 = 2_000;
/// Tokens that are not ours to hand on, beside everything that is called `BATON_…`.
const WITHHELD: [&str; 2] = ["GITHUB_TOKEN", "GH_TOKEN"];

/// A command of the shell.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) text: String,
    /// Where it is run.
    pub(super) directory: PathBuf,
}

impl Program {
    /// Runs it with a notice. What it starts ends with it when it takes too long.
    pub(super) async fn tell(&self, message: &Message) -> Result<(), Failed> {
        let mut child = self.start().map_err(|error| failed(format!("it cannot be run: {error}")))?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let line = serde_json::to_string(message).unwrap_or_default() + "\n";
        match tokio::time::timeout(TRY_WITHIN, run(&mut child, line)).await {
            Ok(end) => end,
            Err(_) => {
                if let Some(group) = group {
                    // One that has ended meanwhile is what was wanted.
                    let _ = kill_process_group(group, Signal::KILL);
                }
                let _ = child.wait().await;
                Err(failed(format!("it took longer than {} s and was ended", TRY_WITHIN.as_secs())))
            }
        }
    }

    fn start(&self) -> std::io::Result<Child> {
        let mut command = Command::new("sh");
        command.args(["-c", &self.text]).current_dir(&self.directory).process_group(0).kill_on_drop(true);
        for (name, _) in std::env::vars_os() {
            let is_ours =
                name.to_str().is_some_and(|name| name.starts_with("BATON_") || WITHHELD.contains(&name));
            if is_ours {
                command.env_remove(name);
            }
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
    }
}

async fn run(child: &mut Child, line: String) -> Result<(), Failed> {
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    let give = async {
        if let Some(mut stdin) = stdin {
            // A command that does not read is told by being run.
            let _ = stdin.write_all(line.as_bytes()).await;
        }
    };
    let hear = async {
        match stderr {
            Some(stderr) => complaint(stderr).await,
            None => Vec::new(),
        }
    };
    let ((), complaint) = tokio::join!(give, hear);
    match child.wait().await {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            let complaint = String::from_utf8_lossy(&complaint);
            Err(failed(format!("it ended with {status}: {}", complaint.trim())))
        }
        Err(error) => Err(failed(format!("it was lost: {error}"))),
    }
}

/// Keeps the beginning and reads the rest as well: a command that complains at length is not to be ended by that.
async fn complaint(mut stderr: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut kept = Vec::new();
    // What cannot be read is a complaint that is not told.
    let _ = (&mut stderr).take(COMPLAINT_BYTES_MAX).read_to_end(&mut kept).await;
    let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
    kept
}

fn failed(answer: String) -> Failed {
    Failed { answer, may_try_again: true }
}

#[cfg(test)]
mod tests {
    use baton_core::config::Notice;

    use super::*;

    async fn tell(text: &str) -> (Result<(), Failed>, tempfile::TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let program = Program { text: text.to_owned(), directory: directory.path().to_owned() };
        let message = Message {
            kind: Notice::Pause,
            issue: "acme/web#7".to_owned(),
            title: None,
            url: None,
            text: "look".to_owned(),
            when: "2026-05-01T00:00:00Z".to_owned(),
        };
        (program.tell(&message).await, directory)
    }

    #[tokio::test]
    async fn a_command_may_complain_at_length_and_is_told_nevertheless() {
        let (end, directory) = tell("head -c 300000 /dev/zero >&2 && cat > told").await;
        assert!(end.is_ok(), "{end:?}");
        let told = std::fs::read_to_string(directory.path().join("told")).unwrap();
        assert!(told.contains("acme/web#7"), "{told}");
    }

    #[tokio::test]
    async fn a_command_that_fails_is_quoted_with_the_beginning_of_its_complaint() {
        let (end, _directory) = tell("head -c 300000 /dev/zero | tr '\\0' x >&2; exit 3").await;
        let failed = end.unwrap_err();
        assert!(failed.answer.starts_with("it ended with exit status: 3: xxx"), "{}", &failed.answer[..60]);
        assert!(failed.answer.len() < 2_100 && failed.may_try_again, "{}", failed.answer.len());
    }
}
