//! The git program without anything that this machine is configured with.

use std::path::Path;
use std::process::Command;

use base64::Engine as _;

use crate::CommandOutput;

/// What makes Ada, who has no configuration, of whoever runs git.
pub const VARIABLES: [(&str, &str); 7] = [
    ("GIT_AUTHOR_NAME", "Ada"),
    ("GIT_AUTHOR_EMAIL", "ada@example.org"),
    ("GIT_COMMITTER_NAME", "Ada"),
    ("GIT_COMMITTER_EMAIL", "ada@example.org"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Returns a call of git in a directory, as Ada, who has no configuration.
pub fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.current_dir(directory).args(arguments).envs(VARIABLES);
    git
}

/// Runs git in a directory.
pub fn run(directory: &Path, arguments: &[&str]) -> CommandOutput {
    command(directory, arguments).output().unwrap().into()
}

/// Runs git in a directory, insists that it succeeds, and returns what it printed.
#[track_caller]
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    let ran = run(directory, arguments);
    assert_eq!(ran.code, 0, "git {arguments:?}: {}", ran.err);
    ran.out
}

/// Returns the options with which git shows a token to a forge.
pub fn login(token: &str) -> [String; 2] {
    let basic = base64::engine::general_purpose::STANDARD.encode(format!("admin:{token}"));
    ["-c".to_owned(), format!("http.extraHeader=Authorization: Basic {basic}")]
}
