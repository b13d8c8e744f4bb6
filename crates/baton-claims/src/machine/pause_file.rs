//! The repositories in which nobody of this installation may claim: `paused-repos.json`.
//!
//! The file is `{"paused": ["acme/web", "tools"]}`, sorted. An entry `owner/name` pauses that repository; an entry
//! `name` pauses every owner's repository of that name; case does not count. A missing file pauses nothing. A file that
//! cannot be understood is an error for readers and writers alike and is never changed: to read it as "none paused"
//! would start agents that a person has stopped.
//!
//! Deliberately absent: pauses that other installations see. Those are issues on the tracker.

use std::collections::BTreeMap;
use std::path::PathBuf;

use baton_core::RepoSlug;
use baton_core::repo_slug::{NameError, is_repo_name};
use serde::{Deserialize, Serialize};

use super::state_file::{StateFile, StateFileError};

/// Why pauses could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum PauseFileError {
    /// The file could not be read, understood or written.
    #[error("cannot tell which repositories are paused, so nothing is claimed")]
    File(#[from] StateFileError),
    /// Nothing of this name can be paused.
    #[error("cannot pause")]
    Name(#[source] NameError),
}

/// The list of paused repositories.
#[derive(Debug, Clone)]
pub struct PauseFile {
    file: StateFile<Paused>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Paused {
    paused: Vec<String>,
    /// What another program or a person has put beside the list; it is kept.
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

impl PauseFile {
    /// Names the file. It need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { file: StateFile::new(path) }
    }

    /// Returns whether nobody here may claim in `repo`, given as `owner/name` or as a bare name.
    pub fn is_paused(&self, repo: &str) -> Result<bool, PauseFileError> {
        Ok(self.paused_by(repo)?.is_some())
    }

    /// Returns the entry that pauses `repo`.
    pub fn paused_by(&self, repo: &str) -> Result<Option<String>, PauseFileError> {
        Ok(self.file.read()?.paused.into_iter().find(|entry| pauses(entry, repo)))
    }

    /// Returns all entries, sorted.
    pub fn list(&self) -> Result<Vec<String>, PauseFileError> {
        Ok(sorted(self.file.read()?.paused))
    }

    /// Adds an entry or takes it away, and returns all entries then.
    ///
    /// To take `acme/web` away leaves an entry `web`, which still pauses it: [`Self::paused_by`] tells.
    pub fn set(&self, repo: &str, is_paused: bool) -> Result<Vec<String>, PauseFileError> {
        if is_paused {
            check_name(repo).map_err(PauseFileError::Name)?;
        }
        Ok(self.file.update(|value| {
            value.paused.retain(|entry| !entry.eq_ignore_ascii_case(repo));
            value.paused.extend(is_paused.then(|| repo.to_owned()));
            value.paused = sorted(std::mem::take(&mut value.paused));
            value.paused.clone()
        })?)
    }
}

/// Returns whether an entry of the file pauses a repository.
fn pauses(entry: &str, repo: &str) -> bool {
    let name = repo.rsplit_once('/').map_or(repo, |(_, name)| name);
    entry.eq_ignore_ascii_case(repo) || entry.eq_ignore_ascii_case(name)
}

fn check_name(repo: &str) -> Result<(), NameError> {
    match is_repo_name(repo) {
        true => Ok(()),
        false => repo.parse::<RepoSlug>().map(drop),
    }
}

fn sorted(mut entries: Vec<String>) -> Vec<String> {
    entries.sort();
    entries.dedup();
    entries
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::super::test_child::TestChild;
    use super::*;

    fn pause_file(directory: &tempfile::TempDir) -> PauseFile {
        PauseFile::new(directory.path().join("paused-repos.json"))
    }

    #[test]
    fn an_entry_pauses_what_it_names() {
        let table = [
            ("acme/web", "acme/web", true),
            ("acme/web", "Acme/WEB", true),
            ("acme/web", "other/web", false),
            ("acme/web", "acme/web2", false),
            // A bare name could be anyone's, and only its own entry pauses it.
            ("acme/web", "web", false),
            ("web", "acme/web", true),
            ("Web", "other/web", true),
            ("web", "web", true),
            ("web", "acme/webs", false),
            ("web", "web/acme", false),
            ("", "acme/web", false),
        ];
        for (entry, repo, expected) in table {
            assert_eq!(pauses(entry, repo), expected, "{entry:?} and {repo:?}");
        }
    }

    #[test]
    fn a_missing_file_pauses_nothing() {
        let directory = tempfile::tempdir().unwrap();
        assert!(!pause_file(&directory).is_paused("acme/web").unwrap());
        assert!(pause_file(&directory).list().unwrap().is_empty());
    }

    #[test]
    fn the_file_is_sorted_json_with_an_indent_of_two() {
        let directory = tempfile::tempdir().unwrap();
        let file = pause_file(&directory);
        file.set("b/b", true).unwrap();
        assert_eq!(file.set("a", true).unwrap(), ["a", "b/b"]);
        let text = std::fs::read_to_string(directory.path().join("paused-repos.json")).unwrap();
        assert_eq!(text, "{\n  \"paused\": [\n    \"a\",\n    \"b/b\"\n  ]\n}\n");
    }

    #[test]
    fn to_pause_twice_is_to_pause_once_and_to_resume_ends_it() {
        let directory = tempfile::tempdir().unwrap();
        let file = pause_file(&directory);
        file.set("acme/web", true).unwrap();
        assert_eq!(file.set("Acme/Web", true).unwrap(), ["Acme/Web"]);
        assert!(file.set("ACME/web", false).unwrap().is_empty());
        assert!(file.set("acme/web", false).unwrap().is_empty());
        assert!(!file.is_paused("acme/web").unwrap());
    }

    #[test]
    fn the_entry_that_still_pauses_can_be_told() {
        let directory = tempfile::tempdir().unwrap();
        let file = pause_file(&directory);
        file.set("web", true).unwrap();
        file.set("acme/web", false).unwrap();
        assert_eq!(file.paused_by("acme/web").unwrap().as_deref(), Some("web"));
    }

    #[test]
    fn what_names_no_repository_cannot_be_paused_but_can_be_taken_away() {
        let directory = tempfile::tempdir().unwrap();
        let file = pause_file(&directory);
        for name in ["", "a/b/c", "a b", "..", "/x", "x/"] {
            assert!(file.set(name, true).is_err(), "{name:?} was accepted");
        }
        std::fs::write(directory.path().join("paused-repos.json"), r#"{"paused": ["a b"]}"#).unwrap();
        assert!(file.set("a b", false).unwrap().is_empty());
    }

    #[test]
    fn a_corrupt_file_is_an_error_that_says_what_to_do_and_loses_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("paused-repos.json");
        let file = pause_file(&directory);
        for text in ["", "{}", "[]", "{\"paused\": \"web\"}", "{\"paused\": [\"web\"", "{\"paused\": [1]}"] {
            std::fs::write(&path, text).unwrap();
            let errors = [
                file.is_paused("web").unwrap_err(),
                file.list().unwrap_err(),
                file.set("web", true).unwrap_err(),
                file.set("web", false).unwrap_err(),
            ];
            for error in errors {
                let cause = error.source().unwrap().to_string();
                assert!(cause.contains("paused-repos.json") && cause.contains("repair it"), "{cause}");
            }
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn what_else_the_file_says_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("paused-repos.json");
        std::fs::write(&path, r#"{"paused": ["b"], "why": {"b": "release"}}"#).unwrap();
        pause_file(&directory).set("a", true).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().contains("release"));
    }

    /// The other side of [`a_writer_killed_at_any_moment_leaves_a_whole_file`]: pauses and resumes for ever.
    #[test]
    fn a_child_writes_when_asked() {
        let Some(directory) = TestChild::directory() else { return };
        let file = PauseFile::new(directory.join("paused-repos.json"));
        for round in 0_u64.. {
            file.set("acme/flicker", round.is_multiple_of(2)).unwrap();
            TestChild::report("written");
        }
    }

    #[test]
    fn a_writer_killed_at_any_moment_leaves_a_whole_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = pause_file(&directory);
        file.set("acme/stays", true).unwrap();
        for writes in 1..12 {
            let mut child =
                TestChild::start("machine::pause_file::tests::a_child_writes_when_asked", directory.path());
            (0..writes).for_each(|_| assert_eq!(child.line(), "written"));
            child.kill();
            assert!(file.is_paused("acme/stays").unwrap());
            // The dead writer's lock is gone with it.
            file.set("acme/flicker", true).unwrap();
        }
    }
}
