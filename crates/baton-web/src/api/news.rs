//! Waiting for news: a question that is answered when there is something new, or when it was held long enough.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use baton_view::Lookout;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Answer;
use super::input::{Asked, NUMBER_MAX, within};
use crate::dashboard::Site;

/// Proxies give up on an answer after half a minute, so ours comes before.
const WAIT_S_MAX: u64 = 25;

/// What was seen, and how long to wait.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ChangesAsked {
    /// The version that the last answer told; 0 at first.
    #[param(minimum = 0, maximum = 9223372036854775807i64)]
    seen: u64,
    /// How many seconds to wait for something new; 25 if nothing is said.
    #[param(minimum = 0, maximum = 25)]
    wait_s: Option<u64>,
}

/// The version of what can be seen.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Changes {
    /// Ask with it the next time. It is the one that was seen when nothing is new; another says only that something may have
    /// changed.
    version: u64,
}

/// Waits until something may have changed.
#[utoipa::path(get, path = "/api/v1/changes", tag = "relay", operation_id = "changes", params(ChangesAsked),
    responses((status = 200, description = "Something may have changed, or the wait is over.", body = Changes)))]
pub(crate) async fn changes<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Asked(asked): Asked<ChangesAsked>,
) -> Answer<Changes> {
    let seen = within("seen", asked.seen, 0..=NUMBER_MAX)?;
    let wait_s = within("wait_s", asked.wait_s.unwrap_or(WAIT_S_MAX), 0..=WAIT_S_MAX)?;
    let waiting = tokio::time::timeout(Duration::from_secs(wait_s), site.lookout.changed(seen));
    Ok(Json(Changes { version: waiting.await.unwrap_or(seen) }))
}
