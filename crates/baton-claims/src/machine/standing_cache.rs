//! What the tracker has said lately about standing: who may write in a repository, and which protocol it has.
//!
//! Every claim asks for both, and both change rarely. An answer is believed for a lifetime, by the wall clock; one from
//! the future, because the clock was set back, is not believed at all. Someone whose right to write was taken away may
//! therefore still be believed for that long.
//!
//! Deliberately absent: asking the tracker. The caller asks and tells the answer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::time::ServerTime;
use baton_core::tracker::Permission;
use serde::{Deserialize, Serialize};

use super::state_file::{StateFile, StateFileError};

/// Answers of one tracker, kept in a file.
#[derive(Debug, Clone)]
pub struct StandingCache {
    file: StateFile<Answers>,
    tracker: String,
    lifetime: Duration,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Answers {
    permissions: BTreeMap<String, Answer>,
    protocols: BTreeMap<String, Answer>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Answer {
    value: String,
    at_s: i64,
}

impl StandingCache {
    /// How long an answer is believed, unless the caller says otherwise.
    pub const LIFETIME: Duration = Duration::from_secs(600);

    /// Names the file, which need not exist, and the tracker's address: two trackers may have repositories of the same
    /// name.
    pub fn new(path: impl Into<PathBuf>, tracker: &str) -> Self {
        Self { file: StateFile::new(path), tracker: tracker.to_owned(), lifetime: Self::LIFETIME }
    }

    /// Returns the same cache with another lifetime.
    pub fn with_lifetime(self, lifetime: Duration) -> Self {
        Self { lifetime, ..self }
    }

    /// Returns what someone may do in a repository, if the tracker has said so lately.
    pub fn permission(
        &self,
        repo: &RepoSlug,
        login: &str,
        now: ServerTime,
    ) -> Result<Option<Permission>, StateFileError> {
        let answers = self.file.read_cache()?.permissions;
        Ok(self.fresh(answers.get(&self.key(repo, login)), now).and_then(permission))
    }

    /// Keeps the tracker's answer about someone.
    pub fn keep_permission(
        &self,
        repo: &RepoSlug,
        login: &str,
        permission: Permission,
        now: ServerTime,
    ) -> Result<(), StateFileError> {
        let answer = Answer { value: text(permission).to_owned(), at_s: now.0 };
        self.keep(|answers| answers.permissions.insert(self.key(repo, login), answer), now)
    }

    /// Returns a repository's protocol, as it was written down, if the tracker has said so lately.
    pub fn protocol(&self, repo: &RepoSlug, now: ServerTime) -> Result<Option<String>, StateFileError> {
        let answers = self.file.read_cache()?.protocols;
        Ok(self.fresh(answers.get(&self.key(repo, "")), now).map(str::to_owned))
    }

    /// Keeps the tracker's answer about a repository's protocol.
    pub fn keep_protocol(
        &self,
        repo: &RepoSlug,
        protocol: &str,
        now: ServerTime,
    ) -> Result<(), StateFileError> {
        let answer = Answer { value: protocol.to_owned(), at_s: now.0 };
        self.keep(|answers| answers.protocols.insert(self.key(repo, ""), answer), now)
    }

    /// Forgets a repository's protocol, for whoever has just changed it.
    pub fn forget_protocol(&self, repo: &RepoSlug) -> Result<(), StateFileError> {
        self.file.update_cache(|answers| drop(answers.protocols.remove(&self.key(repo, ""))))
    }

    fn keep(
        &self,
        insert: impl FnOnce(&mut Answers) -> Option<Answer>,
        now: ServerTime,
    ) -> Result<(), StateFileError> {
        self.file.update_cache(|answers| {
            answers.permissions.retain(|_, answer| self.fresh(Some(answer), now).is_some());
            answers.protocols.retain(|_, answer| self.fresh(Some(answer), now).is_some());
            insert(answers);
        })
    }

    fn fresh<'a>(&self, answer: Option<&'a Answer>, now: ServerTime) -> Option<&'a str> {
        let answer = answer?;
        let age_s = u64::try_from(now.0.checked_sub(answer.at_s)?).ok()?;
        (age_s < self.lifetime.as_secs()).then_some(answer.value.as_str())
    }

    /// Trackers do not tell names apart by case.
    fn key(&self, repo: &RepoSlug, login: &str) -> String {
        format!("{} {} {}", self.tracker, repo, login).trim_end().to_ascii_lowercase()
    }
}

fn text(permission: Permission) -> &'static str {
    match permission {
        Permission::None => "none",
        Permission::Read => "read",
        Permission::Write => "write",
    }
}

fn permission(text: &str) -> Option<Permission> {
    [Permission::None, Permission::Read, Permission::Write]
        .into_iter()
        .find(|known| self::text(*known) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(directory: &tempfile::TempDir, tracker: &str) -> StandingCache {
        StandingCache::new(directory.path().join("standing.json"), tracker)
    }

    fn repo(text: &str) -> RepoSlug {
        text.parse().unwrap()
    }

    #[test]
    fn an_answer_is_believed_for_its_lifetime() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(&directory, "t");
        cache.keep_permission(&repo("acme/web"), "Ann", Permission::Write, ServerTime(1000)).unwrap();
        let ask = |at_s| cache.permission(&repo("Acme/web"), "ann", ServerTime(at_s)).unwrap();
        assert_eq!(ask(1000), Some(Permission::Write));
        assert_eq!(ask(1599), Some(Permission::Write));
        assert_eq!(ask(1600), None);
        assert_eq!(ask(999), None, "an answer from the future was believed");
        let short = cache.clone().with_lifetime(Duration::from_secs(1));
        assert_eq!(short.permission(&repo("acme/web"), "ann", ServerTime(1001)).unwrap(), None);
    }

    #[test]
    fn every_permission_is_kept_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(&directory, "t");
        for wanted in [Permission::None, Permission::Read, Permission::Write] {
            cache.keep_permission(&repo("a/b"), "c", wanted, ServerTime(0)).unwrap();
            assert_eq!(cache.permission(&repo("a/b"), "c", ServerTime(0)).unwrap(), Some(wanted));
        }
    }

    #[test]
    fn people_repositories_and_trackers_are_told_apart() {
        let directory = tempfile::tempdir().unwrap();
        cache(&directory, "t").keep_permission(&repo("a/b"), "c", Permission::Write, ServerTime(0)).unwrap();
        for (tracker, slug, login) in [("u", "a/b", "c"), ("t", "a/x", "c"), ("t", "a/b", "x")] {
            let answer = cache(&directory, tracker).permission(&repo(slug), login, ServerTime(0)).unwrap();
            assert_eq!(answer, None, "{tracker} {slug} {login}");
        }
    }

    #[test]
    fn a_protocol_is_kept_until_it_is_old_or_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(&directory, "t");
        cache.keep_protocol(&repo("a/b"), "ref", ServerTime(0)).unwrap();
        assert_eq!(cache.protocol(&repo("a/b"), ServerTime(9)).unwrap().as_deref(), Some("ref"));
        assert_eq!(cache.protocol(&repo("a/b"), ServerTime(600)).unwrap(), None);
        cache.forget_protocol(&repo("a/b")).unwrap();
        assert_eq!(cache.protocol(&repo("a/b"), ServerTime(9)).unwrap(), None);
    }

    #[test]
    fn what_is_too_old_leaves_the_file_with_the_next_answer() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(&directory, "t");
        cache.keep_protocol(&repo("a/b"), "ref", ServerTime(0)).unwrap();
        cache.keep_permission(&repo("a/b"), "c", Permission::Read, ServerTime(5000)).unwrap();
        assert!(cache.file.read().unwrap().protocols.is_empty());
    }

    #[test]
    fn a_corrupt_file_holds_no_answers_and_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(&directory, "t");
        std::fs::write(cache.file.path(), "[1, 2").unwrap();
        assert_eq!(cache.protocol(&repo("a/b"), ServerTime(0)).unwrap(), None);
        cache.keep_protocol(&repo("a/b"), "ref", ServerTime(0)).unwrap();
        assert!(cache.protocol(&repo("a/b"), ServerTime(0)).unwrap().is_some());
    }
}
