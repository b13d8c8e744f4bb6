//! Runs of agents, and what they have printed.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use baton_core::tracker::IssueKey;
use baton_view::{LogPage, Lookout, RunLine, RunQuery, RunView};
use serde::Deserialize;
use utoipa::IntoParams;

use super::input::{Asked, NUMBER_MAX, Place, within};
use super::{Answer, Problem};
use crate::dashboard::Site;

/// Which runs are asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RunsAsked {
    /// Only those of this issue: `owner/name#42`.
    #[param(pattern = "^[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}#[1-9][0-9]{0,17}$")]
    issue: Option<String>,
    /// Only those that are not over.
    active: bool,
    /// At most so many, the newest; 100 if nothing is said.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// Which run is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct RunAsked {
    /// The number of the run.
    #[param(minimum = 1, maximum = 9223372036854775807i64)]
    run: i64,
}

/// From where on a log is asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LogAsked {
    /// A place in the log, in bytes: 0 at first, then what the last answer told as `next`.
    #[param(minimum = 0, maximum = 9223372036854775807i64)]
    from: u64,
}

/// Runs, the newest first.
#[utoipa::path(get, path = "/api/v1/runs", tag = "runs", operation_id = "runs", params(RunsAsked),
    responses((status = 200, description = "The runs.", body = Vec<RunLine>)))]
pub(crate) async fn runs<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Asked(asked): Asked<RunsAsked>,
) -> Answer<Vec<RunLine>> {
    let limit = asked.limit.unwrap_or(100);
    within("limit", limit.into(), 1..=500)?;
    let issue = asked.issue.map(|issue| issue.parse::<IssueKey>()).transpose();
    let issue = issue.map_err(|error| Problem::bad_request(error.to_string()))?;
    let query =
        RunQuery { issue: issue.map(|issue| issue.to_string()), active: asked.active, limit: Some(limit) };
    Ok(Json(site.lookout.runs(&query).await?))
}

/// A run from near.
#[utoipa::path(get, path = "/api/v1/runs/{run}", tag = "runs", operation_id = "run", params(RunAsked),
    responses((status = 200, description = "The run now.", body = RunView)))]
pub(crate) async fn run<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Place(asked): Place<RunAsked>,
) -> Answer<RunView> {
    Ok(Json(site.lookout.run(numbered(&asked)?).await?))
}

/// What the agent of a run has printed from a place of its log on.
#[utoipa::path(get, path = "/api/v1/runs/{run}/log", tag = "runs", operation_id = "log", params(RunAsked, LogAsked),
    responses((status = 200, description = "A part of the log.", body = LogPage)))]
pub(crate) async fn log<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Place(place): Place<RunAsked>,
    Asked(asked): Asked<LogAsked>,
) -> Answer<LogPage> {
    let run = numbered(&place)?;
    within("from", asked.from, 0..=NUMBER_MAX)?;
    Ok(Json(site.lookout.log(run, asked.from).await?))
}

fn numbered(asked: &RunAsked) -> Result<i64, Problem> {
    within("run", u64::try_from(asked.run).unwrap_or(0), 1..=NUMBER_MAX)?;
    Ok(asked.run)
}
