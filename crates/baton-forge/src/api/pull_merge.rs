//! Merging a pull request on request.

use serde_json::json;

use crate::db::repos::Permission;
use crate::git::merge::MergeMethod;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::{ApiResult, Reply};
use crate::merging::carry_out::{self, MergeOrder};

pub(super) fn merge(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let method = fields.opt_str("merge_method")?.unwrap_or("merge");
    let method = MergeMethod::parse(method)
        .ok_or_else(|| ApiError::invalid("PullRequest", "merge_method", "invalid"))?;
    let text = |key: &str| Ok::<_, ApiError>(fields.opt_str(key)?.map(str::to_owned));
    let visit = call.visit()?;
    let order = MergeOrder {
        method,
        title: text("commit_title")?,
        message: text("commit_message")?,
        expected_head: text("sha")?,
        by: call.viewer()?.account.as_ref().clone(),
        may_bypass: visit.permission >= Permission::Admin,
        now: call.now,
    };
    let sha = carry_out::merge(&call.forge, &visit.repo, call.id_param("pull_number")?, &order)?;
    Reply::ok(&json!({ "sha": sha, "merged": true, "message": "Pull Request successfully merged" }))
}
