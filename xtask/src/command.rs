//! Starting other programs, and saying which one failed and how.
//!
//! Nothing here decides what to run, retries, or captures the output of a long step: what a step prints is for the
//! person who waits for it.

use std::env;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

/// Starts describing a call of the cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command with the terminal of this process and fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("`{shown}` could not be started"))?;
    judge(&shown, status)
}

/// Fails unless a command that was shown to people has succeeded.
pub(crate) fn judge(shown: &str, status: ExitStatus) -> Result<()> {
    ensure!(status.success(), "`{shown}` ended with {status}; its own message is above");
    Ok(())
}

/// Runs a command quietly and returns what it wrote to standard output.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("`{shown}` could not be started"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let complaint = Some(complaint.trim()).filter(|text| !text.is_empty());
        bail!("`{shown}` ended with {}: {}", output.status, complaint.unwrap_or("it gave no reason"));
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` wrote text that is not UTF-8"))
}

/// Renders a command as a person would type it, with the directory of the program left out.
pub(crate) fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["nextest", "run", "-E", "test(a b)", "it's"]);
        assert_eq!(shown(&command), r"cargo nextest run -E 'test(a b)' 'it'\''s'");
    }

    #[test]
    fn a_program_that_does_not_exist_is_named() {
        let error = run(&mut Command::new("no-such-program-anywhere")).unwrap_err();
        assert!(error.to_string().contains("`no-such-program-anywhere` could not be started"), "{error}");
    }

    #[test]
    fn a_failing_program_is_reported_with_its_complaint() {
        let error = read(Command::new("git").arg("no-such-verb")).unwrap_err().to_string();
        assert!(error.contains("`git no-such-verb` ended with exit status: 1"), "{error}");
        assert!(error.contains("not a git command"), "{error}");
    }

    #[test]
    fn a_program_that_fails_in_silence_is_reported_as_such() {
        let error = read(&mut Command::new("false")).unwrap_err();
        assert_eq!(error.to_string(), "`false` ended with exit status: 1: it gave no reason");
    }
}
