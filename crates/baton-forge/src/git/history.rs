//! Walks of commits: logs, and what lies between two of them.

use git2::{Commit, Oid, Repository, Sort};

use super::objects::CommitInfo;

/// Commits looked at in one request at most. Longer histories answer with what was found up to there.
const WALK_MAX: usize = 100_000;

/// Which commits of a log are asked for.
#[derive(Debug, Default)]
pub(crate) struct LogQuery {
    pub(crate) path: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) since: Option<i64>,
    pub(crate) until: Option<i64>,
}

impl LogQuery {
    fn takes(&self, repository: &Repository, commit: &Commit<'_>) -> Result<bool, git2::Error> {
        let at = commit.committer().when().seconds();
        let in_time =
            self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at <= until);
        let by_author = self.author.as_deref().is_none_or(|author| is_by(commit, author));
        if !in_time || !by_author {
            return Ok(false);
        }
        self.path.as_deref().map_or(Ok(true), |path| touches(repository, commit, path))
    }
}

fn is_by(commit: &Commit<'_>, author: &str) -> bool {
    let signature = commit.author();
    let same = |bytes: &[u8]| String::from_utf8_lossy(bytes).eq_ignore_ascii_case(author);
    same(signature.name_bytes()) || same(signature.email_bytes())
}

/// Returns whether a commit's version of a path differs from that of each of its parents.
fn touches(repository: &Repository, commit: &Commit<'_>, path: &str) -> Result<bool, git2::Error> {
    let at = |commit: &Commit<'_>| -> Result<Option<Oid>, git2::Error> {
        Ok(commit.tree()?.get_path(std::path::Path::new(path)).ok().map(|entry| entry.id()))
    };
    let own = at(commit)?;
    let mut parents = 0;
    for parent in commit.parent_ids() {
        parents += 1;
        if at(&repository.find_commit(parent)?)? == own {
            return Ok(false);
        }
    }
    Ok(parents > 0 || own.is_some())
}

/// Lists the ids of a log, newest first.
pub(crate) fn log(repository: &Repository, from: Oid, query: &LogQuery) -> Result<Vec<Oid>, git2::Error> {
    let mut walk = repository.revwalk()?;
    walk.set_sorting(Sort::TOPOLOGICAL | Sort::TIME)?;
    walk.push(from)?;
    let mut found = Vec::new();
    for oid in walk.take(WALK_MAX) {
        let oid = oid?;
        if query.takes(repository, &repository.find_commit(oid)?)? {
            found.push(oid);
        }
    }
    Ok(found)
}

/// Lists the commits that `to` has and `from` has not, oldest first.
pub(crate) fn between(repository: &Repository, from: Oid, to: Oid) -> Result<Vec<CommitInfo>, git2::Error> {
    let mut walk = repository.revwalk()?;
    walk.set_sorting(Sort::TOPOLOGICAL | Sort::TIME | Sort::REVERSE)?;
    walk.push(to)?;
    walk.hide(from)?;
    walk.take(WALK_MAX).map(|oid| Ok(CommitInfo::of(&repository.find_commit(oid?)?))).collect()
}

/// Returns whether `descendant` is `ancestor` or has it in its history.
pub(crate) fn contains(repository: &Repository, descendant: Oid, ancestor: Oid) -> bool {
    descendant == ancestor || repository.graph_descendant_of(descendant, ancestor).unwrap_or(false)
}
