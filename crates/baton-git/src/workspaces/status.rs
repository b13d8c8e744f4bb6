//! How a work tree stands: what is checked out, and what is changed and not committed.
//!
//! Submodules are not looked into, because git would run another git there, by a configuration that an agent may have
//! written. Files that git ignores do not count. Nothing that an agent can do hides a change: files that it has told git not
//! to look at are looked at, and what cannot be read is told. Deliberately absent: what is done about it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use baton_core::workspace::names::CONTEXT_DIRECTORIES;
use baton_ports::WorkspaceError;

use super::disk;
use super::place::Place;
use super::repository::{Answer, Repository};
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
    /// What is changed and cannot be read: files and directories of others. No commit can have them.
    pub(crate) unreadable: Vec<String>,
    /// What has taken the place of a file and is none, such as a pipe. There is nothing in it that could be kept.
    pub(crate) odd: Vec<String>,
    /// Whether somebody has told git about files in the engine's own directories.
    pub(crate) has_staged_context: bool,
}

impl Status {
    pub(crate) fn is_dirty(&self) -> bool {
        self.has_changes()
            || [&self.nested, &self.unreadable, &self.odd].iter().any(|names| !names.is_empty())
    }

    /// Returns whether there is anything that a commit could be made of.
    pub(crate) fn has_changes(&self) -> bool {
        !self.changed.is_empty() || !self.deleted.is_empty()
    }
}

/// Reads how a work tree stands, in which nobody is at work. What hides changes is undone: marks of files that git shall not
/// look at, and modes that keep their owner out.
pub(crate) fn read(repository: &Repository<'_>, place: &Place) -> Result<Status, WorkspaceError> {
    let root = repository.shared.path(place);
    if disk::open_file(&repository.admin(place).join("index")).is_none() {
        // Without an index every file would be both gone and new. Before the first commit there is nothing to read.
        repository.git_in(place).ask("reading the index", &["read-tree", "HEAD"])?;
    }
    unmark(repository, place, &root)?;
    let mut answer = ask(repository, place)?;
    if complaints(&answer).next().is_some() {
        disk::unlock_directories(&root);
        answer = ask(repository, place)?;
    }
    let mut status = parse(&answer.stdout);
    status.unreadable.extend(complaints(&answer).map(str::to_owned));
    status.set_unreadable_apart(&root);
    Ok(status)
}

/// Reads how a work tree stands and changes nothing there: somebody may be at work.
pub(crate) fn glance(repository: &Repository<'_>, place: &Place) -> Result<Status, WorkspaceError> {
    let answer = ask(repository, place)?;
    let mut status = parse(&answer.stdout);
    status.unreadable.extend(complaints(&answer).map(str::to_owned));
    Ok(status)
}

fn ask(repository: &Repository<'_>, place: &Place) -> Result<Answer, WorkspaceError> {
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
        true => Ok(answer),
        false => Err(git.failed(tried, &answer, false)),
    }
}

/// What git could not look into; it goes on without it.
fn complaints(answer: &Answer) -> impl Iterator<Item = &str> {
    answer.stderr.lines().map(str::trim).filter(|line| line.ends_with("Permission denied"))
}

/// Makes git look at the files that it was told not to look at. Those that are not there stay as they are: git is not asked
/// to have them.
fn unmark(repository: &Repository<'_>, place: &Place, root: &Path) -> Result<(), WorkspaceError> {
    let (git, tried) = (repository.git_in(place).patiently(), "looking for hidden changes");
    let listed = git.ask(tried, &["ls-files", "-v", "-z"])?;
    if !listed.is_success() {
        return Err(git.failed(tried, &listed, false));
    }
    let (unchanged, skipped) = marked(&listed.stdout);
    for (paths, option) in [(unchanged, "--no-assume-unchanged"), (skipped, "--no-skip-worktree")] {
        let is_there = |path: &Vec<u8>| root.join(OsStr::from_bytes(path)).symlink_metadata().is_ok();
        let paths: Vec<Vec<u8>> = paths.into_iter().filter(is_there).collect();
        if !paths.is_empty() {
            git.feed(tried, &["update-index", option, "-z", "--stdin"], &as_input(&paths))?;
        }
    }
    Ok(())
}

/// Files that are to be taken for unchanged, and files that are to be taken for left out on purpose.
fn marked(listed: &[u8]) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (mut unchanged, mut skipped) = (Vec::new(), Vec::new());
    for entry in listed.split(|byte| *byte == 0) {
        let [tag, b' ', path @ ..] = entry else { continue };
        if tag.is_ascii_lowercase() {
            unchanged.push(path.to_vec());
        }
        if tag.eq_ignore_ascii_case(&b's') {
            skipped.push(path.to_vec());
        }
    }
    (unchanged, skipped)
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

    /// Takes those files out of the changed ones that cannot be read: one of them would keep git from reading any.
    fn set_unreadable_apart(&mut self, root: &Path) {
        let (unreadable, odd) = (&mut self.unreadable, &mut self.odd);
        self.changed.retain(|name| {
            let path = root.join(OsStr::from_bytes(name));
            let Ok(found) = path.symlink_metadata() else { return true };
            if found.is_symlink() || found.is_dir() {
                return true;
            }
            disk::permit(&path, 0o400);
            let is_readable = disk::open_file(&path).is_some();
            if !is_readable {
                let names = if found.is_file() { &mut *unreadable } else { &mut *odd };
                names.push(String::from_utf8_lossy(name).into_owned());
            }
            is_readable
        });
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
    fn marks_are_found_in_what_git_lists() {
        let (unchanged, skipped) = marked(b"H a\0h b\0S c d\0s e\0? S f\0");
        assert_eq!(unchanged, [b"b".to_vec(), b"e".to_vec()]);
        assert_eq!(skipped, [b"c d".to_vec(), b"e".to_vec()]);
    }

    #[test]
    fn a_tree_without_changes_is_clean_whatever_is_in_the_engines_own_directory() {
        let text = format!("# branch.oid {OID}\0? .baton-context/a\0? .fabrik-context/b\0");
        assert!(!parse(text.as_bytes()).is_dirty());
        assert_eq!(parse(b"# branch.oid (initial)\0").head, None);
    }
}
