//! Asking the git of the repository that the hook runs in.
//!
//! Git tells its hooks by variables which repository is meant, and they are passed on.

use std::path::Path;
use std::process::{Command, Stdio};

/// Returns what git prints, or what it complains about.
pub(super) fn git(directory: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new("git")
        .current_dir(directory)
        // What is pushed are the commits themselves, and not what this machine shows in their place.
        .arg("--no-replace-objects")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("git cannot be run: {error}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => {
            let verb = arguments.first().copied().unwrap_or_default();
            let complaint = String::from_utf8_lossy(&output.stderr);
            Err(format!("git {verb} failed with {}: {}", output.status, complaint.trim()))
        }
    }
}

/// Returns what git prints as text, without the end of its last line.
pub(super) fn git_text(directory: &Path, arguments: &[&str]) -> Result<String, String> {
    Ok(String::from_utf8_lossy(&git(directory, arguments)?).trim_end_matches('\n').to_owned())
}

/// Returns whether this machine has a commit.
pub(super) fn has_commit(directory: &Path, oid: &str) -> bool {
    git(directory, &["cat-file", "-e", &format!("{oid}^{{commit}}")]).is_ok()
}
