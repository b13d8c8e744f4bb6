//! What is asked for: a feature, its title, and its parts in the order in which they are to be merged.

use std::str::FromStr;

use crate::RepoSlug;
use crate::ref_name::is_branch_name;
use crate::workspace::names::{FeatureId, feature_branch};

/// The longest title that trackers take.
pub const TITLE_CHARS_MAX: usize = 256;
/// The most parts of a chain. Every body lists all of them.
pub const PARTS_MAX: usize = 50;

/// A chain that is asked for. [`ChainRequest::checked`] tells whether it makes sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainRequest {
    /// The feature.
    pub feature: FeatureId,
    /// The title of every pull request that has none of its own.
    pub title: String,
    /// What every pull request says that has no text of its own.
    pub body: String,
    /// Whether they are opened as drafts.
    pub is_draft: bool,
    /// The parts.
    pub parts: Vec<PartRequest>,
}

/// One repository's part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRequest {
    /// The repository.
    pub repo: RepoSlug,
    /// The branch with the work; by default the feature's.
    pub head: Option<String>,
    /// The branch that it goes to; by default the repository's own choice.
    pub base: Option<String>,
    /// Its own title.
    pub title: Option<String>,
    /// Its own text.
    pub body: Option<String>,
    /// Repositories whose parts are merged before.
    pub depends_on: Vec<RepoSlug>,
}

/// Why a chain cannot be meant as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// There is nothing in it.
    #[error("a chain needs at least one part: name it with --part OWNER/REPO, or in a file with --file")]
    NoParts,
    /// There is too much in it.
    #[error("a chain has at most {PARTS_MAX} parts, not {0}")]
    TooManyParts(usize),
    /// A repository is named twice.
    #[error("{0} is named twice: a chain has one pull request in each repository")]
    Twice(RepoSlug),
    /// A title is missing, or is none.
    #[error("`{0}` is not a title: write one line of 1 to {TITLE_CHARS_MAX} characters (--title)")]
    Title(String),
    /// A branch's name is none.
    #[error("{repo}: `{branch}` is not the name of a branch")]
    Branch {
        /// The part.
        repo: RepoSlug,
        /// What was given.
        branch: String,
    },
    /// Both branches are the same.
    #[error("{repo}: a pull request from `{branch}` to itself has nothing in it; name another base")]
    SameBranch {
        /// The part.
        repo: RepoSlug,
        /// What was given.
        branch: String,
    },
    /// A dependency names no part.
    #[error("{repo} depends on {on}, which is not a part of the chain")]
    Stranger {
        /// The part.
        repo: RepoSlug,
        /// What it names.
        on: RepoSlug,
    },
    /// Dependencies go round.
    #[error("these depend on each other, so there is no order to merge them in: {0}")]
    Circle(String),
    /// A part with an open pull request was left out.
    #[error("{0} has an open pull request of this chain: name it too, or close that first")]
    LeftOut(String),
    /// The text is no part.
    #[error(
        "`{text}` is not a part: write OWNER/REPO, OWNER/REPO:BRANCH or \"OWNER/REPO:BRANCH=>BASE\" ({why})"
    )]
    Part {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The file is no chain.
    #[error("this is not a chain: {0}")]
    File(String),
}

/// Returns whether two names mean the same repository: trackers do not tell case apart.
pub(super) fn is_same(one: &RepoSlug, other: &RepoSlug) -> bool {
    one.to_string().eq_ignore_ascii_case(&other.to_string())
}

impl FromStr for PartRequest {
    type Err = ChainError;

    /// Reads `OWNER/REPO[:BRANCH][=>BASE]`.
    fn from_str(text: &str) -> Result<Self, ChainError> {
        let wrong = |why: String| ChainError::Part { text: text.to_owned(), why };
        let (from, base) = match text.split_once("=>") {
            Some((from, base)) => (from, Some(base.to_owned())),
            None => (text, None),
        };
        let (repo, head) = match from.split_once(':') {
            Some((repo, head)) => (repo, Some(head.to_owned())),
            None => (from, None),
        };
        let repo = repo.parse::<RepoSlug>().map_err(|error| wrong(error.to_string()))?;
        for branch in [&head, &base].into_iter().flatten() {
            if !is_branch_name(branch) {
                return Err(wrong(format!("`{branch}` is not the name of a branch")));
            }
        }
        Ok(Self { repo, head, base, title: None, body: None, depends_on: Vec::new() })
    }
}

impl ChainRequest {
    /// Returns the request with its parts in the order in which they can be merged, or what is wrong with it.
    pub fn checked(mut self) -> Result<Self, ChainError> {
        match self.parts.len() {
            0 => return Err(ChainError::NoParts),
            count if count > PARTS_MAX => return Err(ChainError::TooManyParts(count)),
            _ => {}
        }
        check_title(&self.title)?;
        for (at, part) in self.parts.iter().enumerate() {
            if self.parts[..at].iter().any(|other| is_same(&other.repo, &part.repo)) {
                return Err(ChainError::Twice(part.repo.clone()));
            }
            self.check_part(part)?;
        }
        self.parts = in_order(self.parts)?;
        Ok(self)
    }

    fn check_part(&self, part: &PartRequest) -> Result<(), ChainError> {
        let repo = || part.repo.clone();
        part.title.as_deref().map_or(Ok(()), check_title)?;
        let head = part.head.clone().unwrap_or_else(|| feature_branch(&self.feature));
        for branch in [Some(&head), part.base.as_ref()].into_iter().flatten() {
            if !is_branch_name(branch) {
                return Err(ChainError::Branch { repo: repo(), branch: branch.clone() });
            }
        }
        if part.base.as_ref() == Some(&head) {
            return Err(ChainError::SameBranch { repo: repo(), branch: head });
        }
        let is_part = |on: &&RepoSlug| self.parts.iter().any(|other| is_same(&other.repo, on));
        match part.depends_on.iter().find(|on| !is_part(on)) {
            Some(on) => Err(ChainError::Stranger { repo: repo(), on: on.clone() }),
            None => Ok(()),
        }
    }
}

fn check_title(title: &str) -> Result<(), ChainError> {
    let is_title = !title.trim().is_empty()
        && title.chars().count() <= TITLE_CHARS_MAX
        && !title.chars().any(char::is_control);
    if is_title { Ok(()) } else { Err(ChainError::Title(title.to_owned())) }
}

/// Puts every part after those it depends on, and otherwise keeps the order in which they were named.
fn in_order(mut left: Vec<PartRequest>) -> Result<Vec<PartRequest>, ChainError> {
    let mut done: Vec<PartRequest> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_ready = |part: &PartRequest| {
            part.depends_on.iter().all(|on| done.iter().any(|other| is_same(&other.repo, on)))
        };
        let Some(next) = left.iter().position(is_ready) else {
            let names: Vec<_> = left.iter().map(|part| part.repo.to_string()).collect();
            return Err(ChainError::Circle(names.join(", ")));
        };
        done.push(left.remove(next));
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slug(text: &str) -> RepoSlug {
        text.parse().unwrap()
    }

    fn request(parts: &[&str]) -> ChainRequest {
        let parts = parts.iter().map(|text| text.parse().unwrap()).collect();
        let feature = "login".parse().unwrap();
        ChainRequest { feature, title: "Log in".into(), body: String::new(), is_draft: false, parts }
    }

    #[test]
    fn a_part_names_its_repository_and_perhaps_its_branches() {
        let check = |text: &str, head: Option<&str>, base: Option<&str>| {
            let part: PartRequest = text.parse().unwrap();
            assert_eq!(
                (part.repo, part.head.as_deref(), part.base.as_deref()),
                (slug("a/b"), head, base),
                "{text}"
            );
        };
        check("a/b", None, None);
        check("a/b:topic/x", Some("topic/x"), None);
        check("a/b=>release", None, Some("release"));
        check("a/b:topic=>release/1.0", Some("topic"), Some("release/1.0"));
    }

    #[test]
    fn what_is_no_part_is_refused_with_its_text() {
        for text in [
            "",
            "a",
            "a/b/c",
            "a/..",
            "a/b:",
            "a/b=>",
            "a/b:-x",
            "a/b:x y",
            "a/b:x=>../y",
            "a/b:x:y",
            ":x",
            "a/b:HEAD",
        ] {
            let error = text.parse::<PartRequest>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        assert_eq!(request(&[]).checked(), Err(ChainError::NoParts));
        assert_eq!(request(&["a/b", "A/B:x"]).checked(), Err(ChainError::Twice(slug("A/B"))));
        let same = ChainError::SameBranch { repo: slug("a/b"), branch: "baton/feature-login".into() };
        assert_eq!(request(&["a/b=>baton/feature-login"]).checked(), Err(same));
        let many: Vec<String> = (0..=PARTS_MAX).map(|number| format!("a/b{number}")).collect();
        let many = request(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(many.checked(), Err(ChainError::TooManyParts(51)));
        for title in ["", "  ", "two\nlines", &"x".repeat(257)] {
            let wrong = ChainRequest { title: title.into(), ..request(&["a/b"]) };
            assert_eq!(wrong.checked(), Err(ChainError::Title(title.into())));
        }
        let mut stranger = request(&["a/b"]);
        stranger.parts[0].depends_on = vec![slug("a/c")];
        assert_eq!(stranger.checked(), Err(ChainError::Stranger { repo: slug("a/b"), on: slug("a/c") }));
    }

    #[test]
    fn a_circle_has_no_order() {
        let mut circle = request(&["a/x", "a/b", "a/c"]);
        circle.parts[1].depends_on = vec![slug("a/c")];
        circle.parts[2].depends_on = vec![slug("a/b")];
        assert_eq!(circle.checked(), Err(ChainError::Circle("a/b, a/c".into())));
        let mut itself = request(&["a/b"]);
        itself.parts[0].depends_on = vec![slug("a/b")];
        assert_eq!(itself.checked(), Err(ChainError::Circle("a/b".into())));
    }

    proptest! {
        #[test]
        fn parts_come_after_what_they_depend_on(edges in prop::collection::vec((0_usize..8, 0_usize..8), 0..16)) {
            let names: Vec<String> = (0..8).map(|number| format!("a/b{number}")).collect();
            let mut request = request(&names.iter().map(String::as_str).collect::<Vec<_>>());
            for (from, to) in edges {
                // An edge from the greater to the smaller can make no circle; the list is turned round to make work.
                let (later, earlier) = (from.max(to), from.min(to));
                if later != earlier {
                    let on = request.parts[earlier].repo.clone();
                    request.parts[later].depends_on.push(on);
                }
            }
            request.parts.reverse();
            let ordered = request.checked().unwrap().parts;
            prop_assert_eq!(ordered.len(), 8);
            for (at, part) in ordered.iter().enumerate() {
                for on in &part.depends_on {
                    prop_assert!(ordered[..at].iter().any(|before| before.repo == *on));
                }
            }
        }
    }
}
