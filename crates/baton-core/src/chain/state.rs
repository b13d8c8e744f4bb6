//! What is known of a chain, as it is kept in a file: its parts, and what has become of each.

use serde::{Deserialize, Serialize};

use super::request::is_same;
use super::{ChainError, ChainRequest, PartRequest};
use crate::RepoSlug;
use crate::time::ServerTime;
use crate::tracker::{Pull, PullState};
use crate::workspace::names::{FeatureId, feature_branch};

/// The version of the file that is written. Files of other versions are not read.
pub const STATE_VERSION: u32 = 1;

/// A chain with what has become of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainState {
    /// The version of the file.
    pub version: u32,
    /// The tracker's address, because numbers mean something else on another one.
    pub tracker: String,
    /// The feature.
    #[serde(serialize_with = "write_feature", deserialize_with = "read_feature")]
    pub feature: FeatureId,
    /// The title of pull requests without one of their own.
    pub title: String,
    /// The text of pull requests without one of their own.
    pub body: String,
    /// Whether pull requests are opened as drafts.
    #[serde(rename = "draft")]
    pub is_draft: bool,
    /// The parts, in the order in which they are to be merged.
    pub parts: Vec<PartState>,
}

/// One part with what has become of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartState {
    /// The repository.
    pub repo: RepoSlug,
    /// The branch with the work.
    pub head: String,
    /// The branch that it goes to; nothing while that is the repository's own choice and nobody has asked it yet.
    pub base: Option<String>,
    /// Its own title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its own text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Repositories whose parts are merged before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<RepoSlug>,
    /// What has become of it.
    pub status: PartStatus,
}

/// What has become of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase", deny_unknown_fields)]
pub enum PartStatus {
    /// Nothing yet.
    Pending,
    /// Its pull request is open.
    Open {
        /// Its number.
        number: u64,
        /// Its address for people.
        url: String,
    },
    /// There is no pull request, because it could not be opened.
    Failed {
        /// What came back, and what to do.
        why: String,
        /// When, by this machine's clock.
        at: ServerTime,
    },
    /// Its pull request was merged.
    Merged {
        /// Its number.
        number: u64,
        /// Its address for people.
        url: String,
    },
    /// Its pull request was closed without a merge.
    Closed {
        /// Its number.
        number: u64,
        /// Its address for people.
        url: String,
    },
}

impl PartStatus {
    /// What a pull request says about its part.
    pub fn of(pull: &Pull) -> Self {
        let (number, url) = (pull.number, pull.url.clone());
        match pull.state {
            PullState::Open => Self::Open { number, url },
            PullState::Merged => Self::Merged { number, url },
            PullState::Closed => Self::Closed { number, url },
        }
    }

    /// The number of the pull request, if there is one.
    pub fn number(&self) -> Option<u64> {
        self.pull().map(|(number, _)| number)
    }

    /// The pull request's number and address, if there is one.
    pub fn pull(&self) -> Option<(u64, &str)> {
        match self {
            Self::Pending | Self::Failed { .. } => None,
            Self::Open { number, url } | Self::Merged { number, url } | Self::Closed { number, url } => {
                Some((*number, url))
            }
        }
    }

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Open { .. } => "open",
            Self::Failed { .. } => "failed",
            Self::Merged { .. } => "merged",
            Self::Closed { .. } => "closed",
        }
    }
}

fn write_feature<S: serde::Serializer>(feature: &FeatureId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(feature)
}

fn read_feature<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<FeatureId, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

impl ChainState {
    /// A chain of which nothing was done yet.
    pub fn begin(request: ChainRequest, tracker: &str) -> Result<Self, ChainError> {
        let ChainRequest { feature, title, body, is_draft, parts } = request.checked()?;
        let parts = parts.into_iter().map(|part| PartState::pending(part, &feature)).collect();
        Ok(Self {
            version: STATE_VERSION,
            tracker: tracker.to_owned(),
            feature,
            title,
            body,
            is_draft,
            parts,
        })
    }

    /// The chain as it is asked for now, with what has become of the parts it had before.
    pub fn changed(&self, request: ChainRequest) -> Result<Self, ChainError> {
        let mut chain = Self::begin(request, &self.tracker)?;
        for old in &self.parts {
            let named = chain.parts.iter_mut().find(|part| is_same(&part.repo, &old.repo));
            match named {
                Some(part) if part.head == old.head => part.go_on_from(old),
                _ => old.may_be_left_out()?,
            }
        }
        Ok(chain)
    }

    /// The title of a part.
    pub fn title_of<'a>(&'a self, part: &'a PartState) -> &'a str {
        part.title.as_deref().unwrap_or(&self.title)
    }

    /// What a part's pull request says when it is opened, apart from what is ours in it.
    pub fn words_of<'a>(&'a self, part: &'a PartState) -> &'a str {
        part.body.as_deref().unwrap_or(&self.body)
    }
}

impl PartState {
    fn pending(part: PartRequest, feature: &FeatureId) -> Self {
        let PartRequest { repo, head, base, title, body, depends_on } = part;
        let head = head.unwrap_or_else(|| feature_branch(feature));
        Self { repo, head, base, title, body, depends_on, status: PartStatus::Pending }
    }

    fn go_on_from(&mut self, old: &Self) {
        self.status = old.status.clone();
        if self.base.is_none() {
            self.base.clone_from(&old.base);
        }
    }

    fn may_be_left_out(&self) -> Result<(), ChainError> {
        match &self.status {
            PartStatus::Open { number, .. } => Err(ChainError::LeftOut(format!("{}#{number}", self.repo))),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(parts: &[&str]) -> ChainRequest {
        let parts = parts.iter().map(|text| text.parse().unwrap()).collect();
        let feature = "login".parse().unwrap();
        ChainRequest { feature, title: "Log in".into(), body: "Why.".into(), is_draft: false, parts }
    }

    fn open(number: u64) -> PartStatus {
        PartStatus::Open { number, url: format!("https://x.example/{number}") }
    }

    #[test]
    fn a_file_is_read_as_it_was_written_and_its_shape_is_kept() {
        let mut chain = ChainState::begin(request(&["a/b", "a/c:topic=>next"]), "https://x.example").unwrap();
        chain.parts[0].status = open(7);
        chain.parts[1].status = PartStatus::Failed { why: "no".into(), at: ServerTime(0) };
        let text = serde_json::to_string(&chain).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"version":1,"tracker":"https://x.example","feature":"login","title":"Log in","body":"Why.","draft":false,"#,
                r#""parts":[{"repo":"a/b","head":"baton/feature-login","base":null,"#,
                r#""status":{"is":"open","number":7,"url":"https://x.example/7"}},"#,
                r#"{"repo":"a/c","head":"topic","base":"next","#,
                r#""status":{"is":"failed","why":"no","at":"1970-01-01T00:00:00Z"}}]}"#
            )
        );
        assert_eq!(serde_json::from_str::<ChainState>(&text).unwrap(), chain);
    }

    #[test]
    fn what_has_become_of_a_part_stays_with_its_branch() {
        let mut old = ChainState::begin(request(&["a/b", "a/c"]), "t").unwrap();
        (old.parts[0].status, old.parts[0].base) = (open(7), Some("main".into()));
        let new = old.changed(request(&["a/d", "A/b"])).unwrap();
        assert_eq!(new.parts[0].status, PartStatus::Pending);
        assert_eq!((&new.parts[1].status, new.parts[1].base.as_deref()), (&open(7), Some("main")));
        let left_out = Err(ChainError::LeftOut("a/b#7".into()));
        assert_eq!(old.changed(request(&["a/c"])), left_out);
        assert_eq!(old.changed(request(&["a/b:other"])), left_out, "another branch is another part");
    }
}
