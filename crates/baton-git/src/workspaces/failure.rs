//! Failures of git and of the disk, in words that tell what to do.
//!
//! Deliberately absent: refusals of pushes, which are outcomes.

use std::io;
use std::path::Path;

use baton_ports::WorkspaceError;

use crate::error::GitError;

/// What git says when the disk is full, or the share of it that this user has.
const FULL: [&str; 3] = ["No space left on device", "Disk quota exceeded", "out of disk space"];

/// What git says when it is not let in, or there is nothing behind the address.
const SHUT: [&str; 9] = [
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "Permission denied",
    "Repository not found",
    "repository not found",
    "does not appear to be a git repository",
    "error: 403",
    "not allowed",
];

/// Something that git was asked for and did not do.
pub(crate) fn of_git(tried: &str, said: &str, place: &Path, is_network: bool) -> WorkspaceError {
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let (is_transient, advice) = match () {
        () if has(&FULL) => (false, free_space(place)),
        () if is_network && has(&SHUT) => {
            (false, "check `git.remote`, the token, and that it may write to the repository".to_owned())
        }
        () if is_network => (true, "it is tried again; check the network if it stays so".to_owned()),
        () if said.contains(".lock") && said.contains("File exists") => {
            (true, format!("another git is at work in {}, or was killed there", place.display()))
        }
        () => (false, format!("look at {} with git", place.display())),
    };
    WorkspaceError { is_transient, tried: tried.to_owned(), answer: said.trim().to_owned(), advice }
}

/// Git that did not start, or did not end in time.
pub(crate) fn of_call(tried: &str, error: &GitError, place: &Path, is_network: bool) -> WorkspaceError {
    let answer = match error {
        GitError::TooLate { .. } => "git took too long and was ended".to_owned(),
        GitError::Program(error) => format!("git cannot be run: {error}"),
        GitError::Failed { said, .. } => return of_git(tried, said, place, is_network),
        other => other.to_string(),
    };
    let (is_transient, advice) = match error {
        GitError::Program(_) => (false, "install git 2.39 or later".to_owned()),
        GitError::Input(_) => (false, format!("look at {} with git", place.display())),
        _ => (true, "it is tried again; check the network and the disk if it stays so".to_owned()),
    };
    WorkspaceError { is_transient, tried: tried.to_owned(), answer, advice }
}

/// A file or directory that could not be read or written.
pub(crate) fn of_disk(tried: &str, path: &Path, error: &io::Error) -> WorkspaceError {
    let is_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    let advice = match is_full {
        true => free_space(path),
        false => "check who owns it and whether it may be written".to_owned(),
    };
    WorkspaceError {
        is_transient: false,
        tried: tried.to_owned(),
        answer: format!("{}: {error}", path.display()),
        advice,
    }
}

/// Something that is not as it must be.
pub(crate) fn of_state(tried: &str, answer: String, advice: String) -> WorkspaceError {
    WorkspaceError { is_transient: false, tried: tried.to_owned(), answer, advice }
}

fn free_space(path: &Path) -> String {
    format!("free space under {}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_meant_is_not_tried_again() {
        let error = GitError::Input("there is no commit".to_owned());
        assert!(!of_call("pushing", &error, Path::new("/m"), true).is_transient);
        assert!(
            of_call("pushing", &GitError::TooLate { tried: "the push" }, Path::new("/m"), true).is_transient
        );
    }

    #[test]
    fn a_full_disk_and_a_shut_door_are_for_people_and_a_bad_network_is_for_time() {
        let check = |said: &str, is_network: bool, is_transient: bool, advice: &str| {
            let error = of_git("fetching", said, Path::new("/m"), is_network);
            assert_eq!(error.is_transient, is_transient, "{said}");
            assert!(error.advice.contains(advice), "{error}");
        };
        check("fatal: write error: No space left on device", true, false, "free space under /m");
        check("fatal: Authentication failed for 'https://h/'", true, false, "the token");
        check("remote: Repository not found.", true, false, "git.remote");
        check("fatal: unable to access 'https://h/': Could not resolve host: h", true, true, "network");
        check("fatal: Unable to create '/m/index.lock': File exists.", false, true, "another git");
        check("fatal: bad object HEAD", false, false, "look at /m");
    }
}
