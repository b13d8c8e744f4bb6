//! Changes refs by compare and swap, with git's own transactions.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use super::git_command;

/// One ref in a transaction. Ids are full hexadecimal object ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RefEdit {
    /// The ref must not exist.
    Create { name: String, to: String },
    /// The ref must point at `from`.
    Update { name: String, to: String, from: String },
    /// The ref must point at `from`.
    Delete { name: String, from: String },
    /// The ref takes this value whatever it had; only for refs that the forge alone writes.
    Set { name: String, to: String },
}

impl RefEdit {
    fn name(&self) -> &str {
        match self {
            Self::Create { name, .. }
            | Self::Update { name, .. }
            | Self::Delete { name, .. }
            | Self::Set { name, .. } => name,
        }
    }
}

/// How a transaction ended. Either all edits were made or none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RefOutcome {
    Done,
    /// A ref was not as expected, or its name collides with another's.
    Refused(String),
}

pub(crate) fn apply(repository: &Path, edits: &[RefEdit]) -> std::io::Result<RefOutcome> {
    // The script is separated by NUL, so a name that has one could say more than a name.
    if edits.iter().any(|edit| edit.name().contains('\0')) {
        return Ok(RefOutcome::Refused("a ref's name has no NUL".to_owned()));
    }
    let mut child =
        git_command(repository).args(["update-ref", "--stdin", "-z"]).stdin(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A git that ends early closes the pipe; its exit status says why.
        drop(stdin.write_all(&script(edits)));
    }
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(RefOutcome::Done);
    }
    let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Ok(RefOutcome::Refused(complaint))
}

/// Writes edits in update-ref's NUL-separated form.
fn script(edits: &[RefEdit]) -> Vec<u8> {
    let mut script = String::new();
    for edit in edits {
        script.push_str(&match edit {
            RefEdit::Create { name, to } => format!("create {name}\0{to}\0"),
            RefEdit::Update { name, to, from } => format!("update {name}\0{to}\0{from}\0"),
            RefEdit::Delete { name, from } => format!("delete {name}\0{from}\0"),
            RefEdit::Set { name, to } => format!("update {name}\0{to}\0\0"),
        });
    }
    script.into_bytes()
}
