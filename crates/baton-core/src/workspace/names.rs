//! What branches, directories and refs of work trees are called.
//!
//! Every name that is made here is safe as an argument of git and as one part of a path, whatever it was made from.
//! Deliberately absent: where directories are, and whether a branch exists.

use std::fmt;
use std::str::FromStr;

use crate::RepoSlug;
use crate::config::PipelineDialect;
use crate::ref_name::is_branch_name;

/// The longest id of a feature.
pub const FEATURE_ID_CHARS_MAX: usize = 64;

/// Directories of a work tree that belong to the engine: git ignores them and nothing in them is ever committed.
pub const CONTEXT_DIRECTORIES: [&str; 2] = [".baton-context", ".fabrik-context"];

/// How much of an id of an object is in the name of a ref.
const OID_CHARS: usize = 12;

/// Returns the branch that an issue is worked on.
pub fn issue_branch(dialect: PipelineDialect, number: u64) -> String {
    match dialect {
        PipelineDialect::Baton => format!("baton/issue-{number}"),
        PipelineDialect::Fabrik => format!("fabrik/issue-{number}"),
    }
}

/// Returns the branch that a feature is worked on, the same in all its repositories.
pub fn feature_branch(feature: &FeatureId) -> String {
    format!("baton/feature-{feature}")
}

/// Returns the directory of a repository, for its mirror and for its work trees. Trackers fold case, and so do some file
/// systems; and where the owner has a dash of its own, a hash keeps `a-b/c` apart from `a/b-c`.
pub fn repo_directory(repo: &RepoSlug) -> String {
    let slug = repo.to_string().to_ascii_lowercase();
    let joined = slug.replacen('/', "-", 1);
    match repo.owner().contains('-') {
        true => format!("{joined}-{:08x}", fnv1a(slug.as_bytes())),
        false => joined,
    }
}

/// Reads the number of an issue from the branch that it is worked on.
pub fn issue_of_branch(dialect: PipelineDialect, branch: &str) -> Option<u64> {
    let number = branch.rsplit_once("/issue-")?.1.parse().ok()?;
    (issue_branch(dialect, number) == branch).then_some(number)
}

/// Returns the directory of an issue's work tree.
pub fn issue_directory(number: u64) -> String {
    format!("issue-{number}")
}

/// Returns the directory of a feature's work tree.
pub fn feature_directory(feature: &FeatureId) -> String {
    format!("feature-{feature}")
}

/// Reads the number of an issue from the directory of its work tree.
pub fn issue_of_directory(directory: &str) -> Option<u64> {
    let number = directory.strip_prefix("issue-")?.parse().ok()?;
    (issue_directory(number) == directory).then_some(number)
}

/// Returns the ref that keeps a commit which is nowhere else. Refs of one place sort by time, and two commits of the same
/// second differ.
pub fn rescue_ref(place: &str, at_s: u64, oid: &str) -> String {
    let oid: String = oid.chars().take(OID_CHARS).collect();
    format!("{}{at_s:012}-{oid}", rescue_prefix(place))
}

/// Returns what all refs of a place begin with that keep what is nowhere else.
pub fn rescue_prefix(place: &str) -> String {
    format!("refs/baton/rescue/{place}/")
}

/// The base branch that a label asks for is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    /// No branch can be called that.
    #[error("no branch can be called `{0}`")]
    Name(String),
    /// A branch cannot be merged into itself.
    #[error("`{0}` is the branch of the issue itself")]
    Itself(String),
}

/// Checks the base branch that a label asks for.
pub fn base_asked<'a>(asked: &'a str, branch: &str) -> Result<&'a str, BaseError> {
    match asked {
        _ if !is_branch_name(asked) => Err(BaseError::Name(asked.escape_debug().to_string())),
        _ if asked.eq_ignore_ascii_case(branch) => Err(BaseError::Itself(asked.to_owned())),
        _ => Ok(asked),
    }
}

/// The id of a feature that spans repositories. It is part of branches and paths.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeatureId(String);

/// The text is no id of a feature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` cannot be the id of a feature: use a-z, 0-9, `.`, `_` and `-`, at most 64, without `.` or `-` at the start, \
     `..`, or `.` and `.lock` at the end"
)]
pub struct FeatureIdError(pub String);

impl FeatureId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for FeatureId {
    type Err = FeatureIdError;

    fn from_str(text: &str) -> Result<Self, FeatureIdError> {
        let is_meant = (1..=FEATURE_ID_CHARS_MAX).contains(&text.len())
            && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-'))
            && !text.starts_with(['.', '-'])
            && !text.contains("..")
            && !text.ends_with('.')
            && !text.ends_with(".lock");
        match is_meant {
            true => Ok(Self(text.to_owned())),
            false => Err(FeatureIdError(text.escape_debug().to_string())),
        }
    }
}

impl fmt::Display for FeatureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// FNV-1a: names must not differ between versions, so the hash is written out here.
fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ref_name::is_full_ref_name;

    fn directory(slug: &str) -> String {
        repo_directory(&slug.parse().unwrap())
    }

    #[test]
    fn an_issue_has_a_branch_in_the_words_of_its_dialect() {
        assert_eq!(issue_branch(PipelineDialect::Baton, 7), "baton/issue-7");
        assert_eq!(issue_branch(PipelineDialect::Fabrik, 7), "fabrik/issue-7");
        assert!(is_branch_name(&issue_branch(PipelineDialect::Baton, u64::MAX)));
    }

    #[test]
    fn no_two_repositories_share_a_directory() {
        assert_eq!(directory("acme/web"), "acme-web");
        assert_eq!(directory("a/b-c"), "a-b-c");
        assert_eq!(directory("a-b/c"), "a-b-c-508f0545");
        assert_ne!(directory("a-b/c-d"), directory("a-b-c/d"));
    }

    #[test]
    fn case_does_not_make_another_repository() {
        assert_eq!(directory("Acme/Web"), directory("acme/web"));
        assert_eq!(directory("A-B/c"), directory("a-b/C"));
    }

    #[test]
    fn a_branch_leads_back_to_its_issue() {
        use PipelineDialect::{Baton, Fabrik};
        assert_eq!(issue_of_branch(Baton, &issue_branch(Baton, 42)), Some(42));
        assert_eq!(issue_of_branch(Fabrik, &issue_branch(Fabrik, u64::MAX)), Some(u64::MAX));
        for other in [
            "fabrik/issue-42",
            "baton/issue-042",
            "baton/issue-+4",
            "x/baton/issue-42",
            "main",
            "baton/issue-",
        ] {
            assert_eq!(issue_of_branch(Baton, other), None, "{other}");
        }
    }

    #[test]
    fn a_directory_leads_back_to_its_issue() {
        assert_eq!(issue_of_directory(&issue_directory(42)), Some(42));
        for other in
            ["issue-042", "issue-+42", "issue-", "issue-x", "feature-42", ".new-issue-42", "issue-4 2"]
        {
            assert_eq!(issue_of_directory(other), None, "{other}");
        }
    }

    #[test]
    fn rescue_refs_are_refs_and_sort_by_time() {
        let oid = "2eb978ea6541483ca86101ca57484f0e1e74376c";
        let [early, late] = [999_999_999, 1_000_000_000].map(|at| rescue_ref("7", at, oid));
        assert_eq!(early, "refs/baton/rescue/7/000999999999-2eb978ea6541");
        assert!(early < late && is_full_ref_name(&early));
    }

    #[test]
    fn a_base_is_a_branch_and_not_the_issues_own() {
        assert_eq!(base_asked("release/1.0", "baton/issue-7"), Ok("release/1.0"));
        for hostile in
            ["--upload-pack=touch x", "-x", "..", "a..b", "a\nb", "a b", "", "HEAD", "a:b", "@{-1}", "a.lock"]
        {
            assert!(matches!(base_asked(hostile, "b"), Err(BaseError::Name(_))), "{hostile:?}");
        }
        assert!(matches!(base_asked("baton/issue-7", "baton/issue-7"), Err(BaseError::Itself(_))));
    }

    #[test]
    fn ids_of_features_are_safe_in_paths_and_branches() {
        for text in ["checkout-v2", "a", "0.1_x", &"a".repeat(FEATURE_ID_CHARS_MAX)] {
            let feature: FeatureId = text.parse().unwrap();
            assert!(is_branch_name(&feature_branch(&feature)), "{text}");
            assert_eq!(feature_directory(&feature), format!("feature-{text}"));
        }
        let long = "a".repeat(FEATURE_ID_CHARS_MAX + 1);
        for text in ["", ".a", "-a", "a..b", "a.", "a.lock", "A", "a/b", "a b", "ä", "a\n", &long] {
            assert!(text.parse::<FeatureId>().is_err(), "{text:?}");
        }
    }
}
