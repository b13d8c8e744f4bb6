//! What the forge answers, as far as the pages show it. Fields are named as GitHub documents them.

use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Account {
    pub(crate) login: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Label {
    pub(crate) name: String,
    pub(crate) color: String,
    pub(crate) description: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Repository {
    pub(crate) full_name: String,
    pub(crate) description: Option<String>,
    pub(crate) private: bool,
    pub(crate) open_issues_count: u64,
    /// Whether each way of merging is allowed; nothing in lists.
    pub(crate) allow_merge_commit: Option<bool>,
    pub(crate) allow_squash_merge: Option<bool>,
    pub(crate) allow_rebase_merge: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Issue {
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) state: String,
    pub(crate) state_reason: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) user: Option<Account>,
    pub(crate) created_at: String,
    pub(crate) labels: Vec<Label>,
    pub(crate) pull_request: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Comment {
    pub(crate) id: u64,
    pub(crate) user: Option<Account>,
    pub(crate) body: Option<String>,
    pub(crate) created_at: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Pull {
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) state: String,
    pub(crate) draft: Option<bool>,
    pub(crate) merged: bool,
    pub(crate) merged_by: Option<Account>,
    pub(crate) merged_at: Option<String>,
    pub(crate) merge_commit_sha: Option<String>,
    pub(crate) mergeable: Option<bool>,
    pub(crate) mergeable_state: String,
    pub(crate) body: Option<String>,
    pub(crate) user: Option<Account>,
    pub(crate) created_at: String,
    pub(crate) labels: Vec<Label>,
    pub(crate) head: End,
    pub(crate) base: End,
    pub(crate) commits: u64,
    pub(crate) additions: u64,
    pub(crate) deletions: u64,
    pub(crate) changed_files: u64,
    pub(crate) requested_reviewers: Option<Vec<Account>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct End {
    #[serde(rename = "ref")]
    pub(crate) name: String,
    pub(crate) sha: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Review {
    pub(crate) id: u64,
    pub(crate) user: Option<Account>,
    pub(crate) body: Option<String>,
    pub(crate) state: String,
    pub(crate) submitted_at: Option<String>,
    pub(crate) commit_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Commit {
    pub(crate) sha: String,
    pub(crate) commit: CommitText,
    pub(crate) author: Option<Account>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CommitText {
    pub(crate) message: String,
    pub(crate) author: Option<Signature>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Signature {
    pub(crate) name: Option<String>,
    pub(crate) date: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CheckRuns {
    pub(crate) check_runs: Vec<CheckRun>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CheckRun {
    pub(crate) name: String,
    pub(crate) status: String,
    pub(crate) conclusion: Option<String>,
    pub(crate) output: Option<CheckOutput>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CheckOutput {
    pub(crate) title: Option<String>,
    pub(crate) summary: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CombinedStatus {
    pub(crate) statuses: Vec<Status>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Status {
    pub(crate) context: String,
    pub(crate) state: String,
    pub(crate) description: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ChangedFile {
    pub(crate) filename: String,
    pub(crate) previous_filename: Option<String>,
    pub(crate) status: String,
    pub(crate) additions: u64,
    pub(crate) deletions: u64,
    /// Absent where the file is not text, or too large.
    pub(crate) patch: Option<String>,
}

/// A list in GraphQL.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Connection<T> {
    pub(crate) nodes: Vec<T>,
    pub(crate) total_count: Option<u64>,
    pub(crate) page_info: Option<PageInfo>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageInfo {
    pub(crate) has_next_page: bool,
    pub(crate) has_previous_page: bool,
    pub(crate) start_cursor: Option<String>,
    pub(crate) end_cursor: Option<String>,
}

/// An issue or a pull request in a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Listed {
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) state: String,
    pub(crate) created_at: String,
    pub(crate) author: Option<Account>,
    pub(crate) labels: Option<Connection<Label>>,
    pub(crate) comments: Connection<serde::de::IgnoredAny>,
    pub(crate) is_draft: Option<bool>,
    pub(crate) review_decision: Option<String>,
    pub(crate) head_ref_name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Thread {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) line: Option<u64>,
    pub(crate) original_line: Option<u64>,
    pub(crate) diff_side: String,
    pub(crate) is_resolved: bool,
    pub(crate) is_outdated: bool,
    pub(crate) resolved_by: Option<Account>,
    pub(crate) comments: Connection<ThreadComment>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadComment {
    pub(crate) database_id: Option<u64>,
    pub(crate) author: Option<Account>,
    pub(crate) body: String,
    pub(crate) created_at: String,
}
