//! How a work tree stands: what is checked out, and what is changed and not committed.
//!
//! Submodules are not looked into, because git would run another git there, by a configuration that an agent may have
//! written. Files that git ignores do not count. Deliberately absent: what is done about it.

use baton_core::workspace::names::CONTEXT_DIRECTORIES;
use baton_ports::WorkspaceError;

use super::place::Place;
use super::repository::Repository;
use crate::oid::Oid;

/// How a work tree stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Status {
    /// The commit that is checked out; nothing before the first one of a branch.
    pub(crate) head: Option<Oid>,
    /// Files that are changed or new and not committed, as git names them.
    pub(crate) changed: Vec<Vec<u8>>,
    /// Files that are gone and not committed as such.
    pub(crate) deleted: Vec<Vec<u8>>,
    /// Directories that are repositories of their own and no submodules.
    pub(crate) nested: Vec<String>,
    /// Whether somebody has told git about files in the engine's own directories.
    pub(crate) has_staged_context: bool,
}

impl Status {
    pub(crate) fn is_dirty(&self) -> bool {
        self.has_changes() || !self.nested.is_empty()
    }

    /// Returns whether there is anything that a commit could be made of.
    pub(crate) fn has_changes(&self) -> bool {
        !self.changed.is_empty() || !self.deleted.is_empty()
    }
}

/// Reads how a work tree stands.
pub(crate) fn read(repository: &Repository<'_>, place: &Place) -> Result<Status, WorkspaceError> {
    let tried = "reading the state of a work tree";
    // Without optional locks: an agent may be at work there.
    let arguments = [
        "--no-optional-locks",
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=all",
    ];
    let git = repository.git_in(place).patiently();
    let answer = git.ask(tried, &arguments)?;
    match answer.is_success() {
        true => Ok(parse(&answer.stdout)),
        false => Err(git.failed(tried, &answer, false)),
    }
}

fn parse(bytes: &[u8]) -> Status {
    let mut status = Status::default();
    for entry in bytes.split(|byte| *byte == 0) {
        match entry.first() {
            Some(b'#') => status.head = status.head.or_else(|| head_of(entry)),
            Some(b'1') => status.note_tracked(field(entry, 5), field(entry, 8)),
            Some(b'u') => status.note_tracked(field(entry, 6), field(entry, 10)),
            Some(b'?') => status.note(field(entry, 1)),
            _ => {}
        }
    }
    status
}

impl Status {
    /// Notes a file that git knows. The mode tells whether it is there.
    fn note_tracked(&mut self, mode: Option<&[u8]>, path: Option<&[u8]>) {
        self.has_staged_context |= path.is_some_and(is_context);
        match (mode.is_some_and(|mode| mode.starts_with(b"000000")), path) {
            (true, Some(path)) if !is_context(path) => self.deleted.push(path.to_vec()),
            _ => self.note(path),
        }
    }

    fn note(&mut self, path: Option<&[u8]>) {
        let Some(path) = path.filter(|path| !is_context(path)) else { return };
        match path.strip_suffix(b"/") {
            Some(directory) => self.nested.push(String::from_utf8_lossy(directory).into_owned()),
            None => self.changed.push(path.to_vec()),
        }
    }
}

/// Paths as git reads them from its input.
pub(crate) fn as_input(paths: &[Vec<u8>]) -> Vec<u8> {
    paths.iter().flat_map(|path| path.iter().copied().chain([0])).collect()
}

/// What comes after so many spaces.
fn field(entry: &[u8], spaces: usize) -> Option<&[u8]> {
    entry.splitn(spaces + 1, |byte| *byte == b' ').nth(spaces)
}

fn head_of(entry: &[u8]) -> Option<Oid> {
    std::str::from_utf8(entry.strip_prefix(b"# branch.oid ")?).ok()?.parse().ok()
}

fn is_context(path: &[u8]) -> bool {
    CONTEXT_DIRECTORIES.iter().any(|directory| {
        path.strip_prefix(directory.as_bytes()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "2eb978ea6541483ca86101ca57484f0e1e74376c";

    #[test]
    fn every_kind_of_change_is_found_by_its_path() {
        let text = format!(
            "# branch.oid {OID}\0# branch.head baton/issue-1\0\
             1 .M N... 100644 100644 100644 {OID} {OID} a b\0\
             1 D. N... 100644 000000 000000 {OID} {OID} gone\nby night\0\
             u UU N... 100644 100644 100644 100644 {OID} {OID} {OID} both\0\
             ? new\0? nested/\0? .baton-context/issue.md\0? .baton-contexts\0! ignored\0"
        );
        let status = parse(text.as_bytes());
        assert_eq!(status.head.as_ref().map(Oid::as_str), Some(OID));
        let changed: Vec<_> = status.changed.iter().map(|path| String::from_utf8_lossy(path)).collect();
        assert_eq!(changed, ["a b", "both", "new", ".baton-contexts"]);
        assert_eq!(
            (status.deleted, status.nested),
            (vec![b"gone\nby night".to_vec()], vec!["nested".to_owned()])
        );
    }

    #[test]
    fn a_tree_without_changes_is_clean_whatever_is_in_the_engines_own_directory() {
        let text = format!("# branch.oid {OID}\0? .baton-context/a\0? .fabrik-context/b\0");
        assert!(!parse(text.as_bytes()).is_dirty());
        assert_eq!(parse(b"# branch.oid (initial)\0").head, None);
    }
}
