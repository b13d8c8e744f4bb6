//! GitHub's JSON, as far as it is read: unknown fields are passed over, absent people are `ghost`, and words that are
//! not known yet do no harm.
//!
//! Nothing here judges; it only fills in the relay's own types.

use baton_core::time::ServerTime;
use baton_core::tracker::{Author, Comment, Commit, Issue, LabelDefinition, LabelEvent, Pull, PullState};
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer};

/// What GitHub calls an account that is gone.
const GHOST: &str = "ghost";

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ServerTime, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// A text that may be null.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[derive(Debug, Deserialize)]
pub(crate) struct UserWire {
    login: Option<String>,
}

fn login(user: Option<UserWire>) -> String {
    user.and_then(|user| user.login).unwrap_or_else(|| GHOST.to_owned())
}

#[derive(Debug, Deserialize)]
pub(crate) struct ViewerWire {
    pub(crate) login: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct AppWire {
    pub(crate) slug: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PermissionWire {
    pub(crate) permission: Option<String>,
    pub(crate) role_name: Option<String>,
}

/// A label is an object, or in old answers a name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum LabelWire {
    Object { name: Option<String> },
    Name(String),
}

impl LabelWire {
    fn name(self) -> Option<String> {
        match self {
            Self::Object { name } => name,
            Self::Name(name) => Some(name),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct IssueWire {
    number: u64,
    #[serde(default, deserialize_with = "text")]
    title: String,
    #[serde(default, deserialize_with = "text")]
    body: String,
    #[serde(default, deserialize_with = "text")]
    html_url: String,
    state: String,
    #[serde(default)]
    labels: Vec<LabelWire>,
    #[serde(default)]
    comments: u64,
    user: Option<UserWire>,
    #[serde(deserialize_with = "time")]
    created_at: ServerTime,
    pull_request: Option<IgnoredAny>,
}

impl From<IssueWire> for Issue {
    fn from(wire: IssueWire) -> Self {
        Self {
            number: wire.number,
            title: wire.title,
            body: wire.body,
            url: wire.html_url,
            is_open: wire.state == "open",
            is_pull: wire.pull_request.is_some(),
            labels: wire.labels.into_iter().filter_map(LabelWire::name).collect(),
            comments: wire.comments,
            author: login(wire.user),
            created_at: wire.created_at,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct NumberWire {
    pub(crate) number: u64,
}

#[derive(Debug, Deserialize)]
struct ViaWire {
    id: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CommentWire {
    id: u64,
    user: Option<UserWire>,
    performed_via_github_app: Option<ViaWire>,
    #[serde(deserialize_with = "time")]
    created_at: ServerTime,
    #[serde(deserialize_with = "time")]
    updated_at: ServerTime,
    #[serde(default, deserialize_with = "text")]
    body: String,
}

impl From<CommentWire> for Comment {
    fn from(wire: CommentWire) -> Self {
        let app_id = wire.performed_via_github_app.and_then(|via| via.id);
        Self {
            id: wire.id,
            author: Author { login: login(wire.user), app_id },
            created_at: wire.created_at,
            updated_at: wire.updated_at,
            body: wire.body,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct EventWire {
    event: Option<String>,
    actor: Option<UserWire>,
    label: Option<LabelWire>,
    created_at: Option<String>,
}

impl EventWire {
    /// Returns what happened to a label, if that is what happened.
    pub(crate) fn label_event(self) -> Option<LabelEvent> {
        let was_added = match self.event.as_deref() {
            Some("labeled") => true,
            Some("unlabeled") => false,
            _ => return None,
        };
        let (label, at) = (self.label?.name()?, self.created_at?.parse().ok()?);
        Some(LabelEvent { label, was_added, at, actor: login(self.actor) })
    }
}

/// The names of what an issue carries.
#[derive(Debug, Deserialize)]
pub(crate) struct LabelsWire(Vec<LabelWire>);

impl LabelsWire {
    pub(crate) fn names(self) -> Vec<String> {
        self.0.into_iter().filter_map(LabelWire::name).collect()
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct LabelDefinitionWire {
    name: String,
    #[serde(default, deserialize_with = "text")]
    color: String,
    #[serde(default, deserialize_with = "text")]
    description: String,
}

impl From<LabelDefinitionWire> for LabelDefinition {
    fn from(wire: LabelDefinitionWire) -> Self {
        Self { name: wire.name, color: wire.color.to_ascii_lowercase(), description: wire.description }
    }
}

#[derive(Debug, Deserialize)]
struct PullEndWire {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
    /// Absent when the repository is gone, as forks often are.
    repo: Option<FullNameWire>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct FullNameWire {
    full_name: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RepoWire {
    pub(crate) default_branch: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct PullWire {
    number: u64,
    #[serde(default, deserialize_with = "text")]
    title: String,
    #[serde(default, deserialize_with = "text")]
    body: String,
    state: String,
    merged: Option<bool>,
    merged_at: Option<String>,
    user: Option<UserWire>,
    head: PullEndWire,
    base: PullEndWire,
    #[serde(default, deserialize_with = "text")]
    html_url: String,
    #[serde(default, deserialize_with = "text")]
    pub(crate) merge_commit_sha: String,
}

impl PullWire {
    /// Returns whether it comes from a branch of the repository it is in. Both ends are compared as the server names
    /// them, because a repository that was renamed is asked for by its old name.
    pub(crate) fn is_from_own_branch(&self) -> bool {
        self.head.repo.is_some() && self.head.repo == self.base.repo
    }
}

impl From<PullWire> for Pull {
    fn from(wire: PullWire) -> Self {
        let state = match wire.state.as_str() {
            _ if wire.merged == Some(true) || wire.merged_at.is_some() => PullState::Merged,
            "open" => PullState::Open,
            _ => PullState::Closed,
        };
        Self {
            number: wire.number,
            title: wire.title,
            body: wire.body,
            state,
            author: login(wire.user),
            head_branch: wire.head.branch,
            head_sha: wire.head.sha,
            base_branch: wire.base.branch,
            url: wire.html_url,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct MergeWire {
    pub(crate) sha: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ShaWire {
    pub(crate) sha: String,
}

#[derive(Debug, Deserialize)]
struct SignatureWire {
    #[serde(deserialize_with = "time")]
    date: ServerTime,
}

/// A commit as git's endpoints give it.
#[derive(Debug, Deserialize)]
pub(crate) struct GitCommitWire {
    sha: String,
    #[serde(default)]
    parents: Vec<ShaWire>,
    #[serde(default, deserialize_with = "text")]
    message: String,
    committer: SignatureWire,
}

impl From<GitCommitWire> for Commit {
    fn from(wire: GitCommitWire) -> Self {
        Self {
            oid: wire.sha,
            parents: wire.parents.into_iter().map(|parent| parent.sha).collect(),
            message: wire.message,
            committed_at: wire.committer.date,
        }
    }
}

#[derive(Debug, Deserialize)]
struct InnerCommitWire {
    #[serde(default, deserialize_with = "text")]
    message: String,
    committer: SignatureWire,
    tree: Option<ShaWire>,
}

/// A commit as the repository's endpoints give it.
#[derive(Debug, Deserialize)]
pub(crate) struct CommitWire {
    sha: String,
    #[serde(default)]
    parents: Vec<ShaWire>,
    commit: InnerCommitWire,
}

impl CommitWire {
    pub(crate) fn tree(self) -> Option<String> {
        self.commit.tree.map(|tree| tree.sha)
    }
}

impl From<CommitWire> for Commit {
    fn from(wire: CommitWire) -> Self {
        Self {
            oid: wire.sha,
            parents: wire.parents.into_iter().map(|parent| parent.sha).collect(),
            message: wire.commit.message,
            committed_at: wire.commit.committer.date,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct RefWire {
    #[serde(rename = "ref")]
    pub(crate) name: String,
    pub(crate) object: ShaWire,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn issue(extra: serde_json::Value) -> Issue {
        let mut value = json!({ "number": 7, "state": "open", "created_at": "2026-05-01T19:42:33Z" });
        value.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        serde_json::from_value::<IssueWire>(value).unwrap().into()
    }

    #[test]
    fn an_issue_is_read_with_whatever_else_is_there() {
        let full = issue(json!({
            "title": "t", "labels": [{ "name": "a", "color": "x" }, "b", { "name": null }], "comments": 3,
            "user": { "login": "ann", "new": {} }, "pull_request": null, "type": { "name": "Bug" },
        }));
        assert_eq!(
            (full.labels, full.author.as_str(), full.is_pull),
            (vec!["a".into(), "b".into()], "ann", false)
        );
        assert!(issue(json!({ "pull_request": { "url": "x" } })).is_pull);
        assert_eq!(issue(json!({ "user": null })).author, "ghost");
        assert!(!issue(json!({ "state": "frozen" })).is_open, "a state that is not known is not open");
    }

    #[test]
    fn only_label_events_are_taken_from_a_list() {
        let list = json!([
            { "event": "labeled", "label": { "name": "a" }, "created_at": "2026-05-01T19:42:33Z", "actor": { "login": "ann" } },
            { "event": "unlabeled", "label": { "name": "a" }, "created_at": "2026-05-01T19:42:34Z", "actor": null },
            { "event": "reforested", "label": 7, "trees": true },
            { "event": "closed", "created_at": "2026-05-01T19:42:34Z" },
            {},
        ]);
        let events = list.as_array().unwrap().iter();
        let read: Vec<_> = events
            .filter_map(|event| serde_json::from_value::<EventWire>(event.clone()).ok())
            .filter_map(EventWire::label_event)
            .map(|event| (event.was_added, event.actor))
            .collect();
        assert_eq!(read, [(true, "ann".into()), (false, "ghost".into())]);
    }

    #[test]
    fn a_pull_request_is_open_closed_or_merged() {
        let check = |state: &str, merged_at: Option<&str>, expected: PullState| {
            let end = json!({ "ref": "b", "sha": "1", "repo": null });
            let value = json!({ "number": 1, "state": state, "merged_at": merged_at, "head": end, "base": end, "body": null });
            let pull: Pull = serde_json::from_value::<PullWire>(value).unwrap().into();
            assert_eq!((pull.state, pull.body.as_str(), pull.author.as_str()), (expected, "", "ghost"));
        };
        check("open", None, PullState::Open);
        check("closed", None, PullState::Closed);
        check("closed", Some("2026-05-01T19:42:33Z"), PullState::Merged);
    }

    #[test]
    fn a_comment_tells_the_app_it_came_through() {
        let value = json!({
            "id": 9, "user": { "login": "relay[bot]" }, "performed_via_github_app": { "id": 12, "slug": "relay" },
            "created_at": "2026-05-01T19:42:33Z", "updated_at": "2026-05-01T19:42:35Z", "body": null,
        });
        let comment: Comment = serde_json::from_value::<CommentWire>(value).unwrap().into();
        assert_eq!((comment.author.app_id, comment.author.login.as_str()), (Some(12), "relay[bot]"));
        assert_eq!((comment.updated_at.seconds_since(comment.created_at), comment.body.as_str()), (2, ""));
    }
}
