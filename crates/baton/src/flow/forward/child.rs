//! One forwarding process, in a group of its own that does not outlive this process.

use std::io;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStderr, ChildStdin, Command};

/// How much of what it says is kept, in bytes: the end.
const WORDS_BYTES_MAX: usize = 2_048;

/// A shell runs the program, and ends it when its standard input ends: that happens even if this process is killed, and it is
/// the only thing that does.
const LEASH: &str = r#"exec 3<&0
"$@" </dev/null &
program=$!
{ read -r _ <&3; kill "$program"; } 2>/dev/null &
leash=$!
exec 3<&-
wait "$program"
code=$?
kill "$leash" 2>/dev/null
exit "$code""#;

/// A running process.
pub(super) struct Child {
    shell: tokio::process::Child,
    words: ChildStderr,
    /// Its end is the end of the program.
    leash: ChildStdin,
    group: Group,
}

/// How a process ended.
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) last_words: String,
}

impl Ended {
    pub(super) fn words(&self) -> String {
        let how = self.code.map_or_else(|| "was killed".to_owned(), |code| format!("ended with {code}"));
        match self.last_words.trim() {
            "" => how,
            words => format!("{how}, saying `{words}`"),
        }
    }
}

/// A process group that is killed when it is dropped.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may be over already, in whole or in part.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Child {
    pub(super) fn start(program: &str, arguments: &[String]) -> io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", LEASH, "sh", program]).args(arguments).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut shell = command.spawn()?;
        let group = Group(shell.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw));
        let gone = || io::Error::other("the process has no pipes");
        let words = shell.stderr.take().ok_or_else(gone)?;
        let leash = shell.stdin.take().ok_or_else(gone)?;
        Ok(Self { shell, words, leash, group })
    }

    /// Lets go of the leash alone.
    #[cfg(test)]
    pub(super) fn let_go(self) -> impl Sized {
        let Self { shell, words, leash, group } = self;
        drop(leash);
        (shell, words, group)
    }

    /// Waits for the end.
    pub(super) async fn ended(self) -> Ended {
        let Self { mut shell, mut words, leash, group } = self;
        let ending = async move {
            let status = shell.wait().await;
            // What it may have started is ended, too: it may still hold the pipe that is read to its end.
            drop((leash, group));
            status
        };
        let (status, last_words) = tokio::join!(ending, last_words(&mut words));
        Ended { code: status.ok().and_then(|status| status.code()), last_words }
    }
}

/// Reads to the end, and keeps the last of it.
async fn last_words(source: &mut (impl AsyncRead + Unpin)) -> String {
    let mut kept = Vec::new();
    let mut chunk = [0; 1_024];
    while let Ok(length @ 1..) = source.read(&mut chunk).await {
        kept.extend_from_slice(&chunk[..length]);
        let surplus = kept.len().saturating_sub(WORDS_BYTES_MAX);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
