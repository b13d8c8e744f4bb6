//! What changed between two trees, file by file.

use git2::{Delta, Diff, DiffFindOptions, DiffOptions, Patch, Repository, Tree};

/// GitHub's limit of files in one answer.
const FILES_MAX: usize = 300;
/// Patches of larger files are left out, as on GitHub.
const PATCH_BYTES_MAX: usize = 1_000_000;

#[derive(Debug)]
pub(crate) struct FileChange {
    pub(crate) path: String,
    pub(crate) previous_path: Option<String>,
    pub(crate) oid: String,
    pub(crate) status: &'static str,
    pub(crate) additions: usize,
    pub(crate) deletions: usize,
    pub(crate) patch: Option<String>,
}

fn diff<'r>(
    repository: &'r Repository,
    from: Option<&Tree<'_>>,
    to: Option<&Tree<'_>>,
) -> Result<Diff<'r>, git2::Error> {
    let mut options = DiffOptions::new();
    // Larger files are compared by id only, like binary ones.
    options.max_size(10 * 1024 * 1024);
    let mut diff = repository.diff_tree_to_tree(from, to, Some(&mut options))?;
    diff.find_similar(Some(DiffFindOptions::new().renames(true)))?;
    Ok(diff)
}

pub(crate) fn changes(
    repository: &Repository,
    from: Option<&Tree<'_>>,
    to: Option<&Tree<'_>>,
) -> Result<Vec<FileChange>, git2::Error> {
    changes_up_to(repository, from, to, FILES_MAX)
}

/// The same with another limit of files.
pub(crate) fn changes_up_to(
    repository: &Repository,
    from: Option<&Tree<'_>>,
    to: Option<&Tree<'_>>,
    files_max: usize,
) -> Result<Vec<FileChange>, git2::Error> {
    let diff = diff(repository, from, to)?;
    (0..diff.deltas().len().min(files_max)).map(|at| change(&diff, at)).collect()
}

/// What happened to the file that has this path afterwards, or had it and is gone.
pub(crate) fn change_of(
    repository: &Repository,
    from: Option<&Tree<'_>>,
    to: Option<&Tree<'_>>,
    path: &str,
) -> Result<Option<FileChange>, git2::Error> {
    let diff = diff(repository, from, to)?;
    let is_it = |delta: &git2::DiffDelta<'_>| {
        let file = if delta.status() == Delta::Deleted { delta.old_file() } else { delta.new_file() };
        file.path_bytes() == Some(path.as_bytes())
    };
    let at = diff.deltas().position(|delta| is_it(&delta));
    at.map(|at| change(&diff, at)).transpose()
}

/// The whole difference as `git diff` prints it.
pub(crate) fn text(
    repository: &Repository,
    from: Option<&Tree<'_>>,
    to: Option<&Tree<'_>>,
) -> Result<Vec<u8>, git2::Error> {
    let mut text = Vec::new();
    diff(repository, from, to)?.print(git2::DiffFormat::Patch, |_, _, line| {
        if matches!(line.origin(), '+' | '-' | ' ') {
            text.push(u8::try_from(line.origin()).unwrap_or(b' '));
        }
        text.extend_from_slice(line.content());
        true
    })?;
    Ok(text)
}

fn change(diff: &Diff<'_>, at: usize) -> Result<FileChange, git2::Error> {
    let patch = Patch::from_diff(diff, at)?;
    let (additions, deletions) = match &patch {
        Some(patch) => patch.line_stats().map(|(_, additions, deletions)| (additions, deletions))?,
        None => (0, 0),
    };
    let text = patch.map(|mut patch| patch.to_buf().map(|text| hunks(&text))).transpose()?.flatten();
    let delta = diff.get_delta(at).ok_or_else(|| git2::Error::from_str("a difference lost a file"))?;
    let (old, new) = (delta.old_file(), delta.new_file());
    let path_of =
        |file: &git2::DiffFile<'_>| file.path_bytes().map(|path| String::from_utf8_lossy(path).into_owned());
    let side = if delta.status() == Delta::Deleted { &old } else { &new };
    let previous_path = (delta.status() == Delta::Renamed).then(|| path_of(&old)).flatten();
    Ok(FileChange {
        path: path_of(side).unwrap_or_default(),
        previous_path,
        oid: side.id().to_string(),
        status: status_word(delta.status()),
        additions,
        deletions,
        patch: text,
    })
}

fn status_word(delta: Delta) -> &'static str {
    match delta {
        Delta::Added => "added",
        Delta::Deleted => "removed",
        Delta::Renamed => "renamed",
        Delta::Copied => "copied",
        Delta::Typechange => "changed",
        _ => "modified",
    }
}

/// The hunks of a patch without its file header; nothing for binary files and for very large patches.
fn hunks(patch: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(patch);
    let start = if text.starts_with("@@") { 0 } else { text.find("\n@@")? + 1 };
    (text.len() <= PATCH_BYTES_MAX).then(|| text[start..].trim_end_matches('\n').to_owned())
}
