//! What a sight shows of a pull request.

use baton_core::time::ServerTime;
use serde::Deserialize;

use super::comment::CommentWire;
use super::page::{ActorWire, Connection, page, time};

/// The pull requests of a branch, as far as it takes to choose one.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShortPullWire {
    pub(crate) number: u64,
    pub(crate) state: String,
    pub(crate) is_cross_repository: bool,
}

/// A further page of them.
#[derive(Debug, Deserialize)]
pub(crate) struct PullsOfBranchWire {
    pub(crate) all: Connection<ShortPullWire>,
}

/// A pull request by its number.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OnePullWire<T> {
    pub(crate) pull_request: Option<T>,
}

/// Whether a pull request is a draft.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DraftStateWire {
    pub(crate) id: String,
    pub(crate) is_draft: bool,
}

/// A pull request with everything about it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PullWire {
    pub(crate) id: String,
    pub(crate) number: u64,
    pub(crate) state: String,
    pub(crate) is_draft: bool,
    #[serde(deserialize_with = "time")]
    pub(crate) created_at: ServerTime,
    pub(crate) head_ref_oid: String,
    #[serde(default)]
    pub(crate) base_ref_name: String,
    pub(crate) mergeable: Option<String>,
    pub(crate) merge_state_status: Option<String>,
    pub(crate) review_decision: Option<String>,
    pub(crate) author: Option<ActorWire>,
    #[serde(default, deserialize_with = "page")]
    pub(crate) commits: Connection<PullCommitWire>,
    #[serde(default, deserialize_with = "page")]
    pub(crate) comments: Connection<CommentWire>,
    #[serde(default, deserialize_with = "page")]
    pub(crate) reviews: Connection<ReviewWire>,
    #[serde(default, deserialize_with = "page")]
    pub(crate) review_requests: Connection<RequestWire>,
    #[serde(default, deserialize_with = "page")]
    pub(crate) review_threads: Connection<ThreadWire>,
    pub(crate) status_check_rollup: Option<RollupWire>,
    pub(crate) base_ref: Option<BaseRefWire>,
}

/// A commit of a pull request.
#[derive(Debug, Deserialize)]
pub(crate) struct PullCommitWire {
    pub(crate) commit: CommittedWire,
}

/// When a commit was made.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommittedWire {
    pub(crate) oid: String,
    #[serde(deserialize_with = "time")]
    pub(crate) committed_date: ServerTime,
}

/// A review.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ReviewWire {
    pub(crate) state: String,
    pub(crate) author: Option<ActorWire>,
}

/// A request for a review: of a person, a program, or a team, of which only that is told. Whom the token may not see is
/// null.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestWire {
    pub(crate) requested_reviewer: Option<ActorWire>,
}

/// A thread of a review.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadWire {
    pub(crate) id: String,
    pub(crate) is_resolved: bool,
    #[serde(default)]
    pub(crate) path: String,
    pub(crate) line: Option<u64>,
    #[serde(default, deserialize_with = "page")]
    pub(crate) comments: Connection<CommentWire>,
}

/// Everything that was said of a commit.
#[derive(Debug, Deserialize)]
pub(crate) struct RollupWire {
    pub(crate) id: String,
    pub(crate) contexts: Connection<ContextWire>,
}

/// A check run or a status; which of them, its kind says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ContextWire {
    #[serde(rename = "__typename")]
    pub(crate) kind: String,
    pub(crate) database_id: Option<u64>,
    pub(crate) name: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) conclusion: Option<String>,
    pub(crate) started_at: Option<String>,
    pub(crate) completed_at: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) created_at: Option<String>,
}

/// The branch that a pull request goes to.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BaseRefWire {
    pub(crate) ref_update_rule: Option<RuleWire>,
    pub(crate) target: Option<BaseTargetWire>,
}

/// What the branch's protection asks for.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RuleWire {
    pub(crate) required_status_check_contexts: Option<Vec<Option<String>>>,
}

/// The commit at the branch's head.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BaseTargetWire {
    pub(crate) status_check_rollup: Option<RollupWire>,
}
