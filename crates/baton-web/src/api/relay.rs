//! The relay as a whole: its board, its fleet, and what was done in a period.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use baton_view::{Board, Fleet, Lookout, Period, Report};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Answer;
use super::input::{Asked, within};
use crate::dashboard::Site;

/// Which period is asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ReportAsked {
    /// How many days, today included; 14 if nothing is said.
    #[param(minimum = 1, maximum = 366)]
    days: Option<u32>,
}

/// The board: a column for each stage, a card for each issue.
#[utoipa::path(get, path = "/api/v1/board", tag = "relay", operation_id = "board",
    responses((status = 200, description = "The board now.", body = Board)))]
pub(crate) async fn board<L: Lookout>(State(site): State<Arc<Site<L>>>) -> Answer<Board> {
    Ok(Json(site.lookout.board().await?))
}

/// The fleet: workers, limits, runs, wakeups that wait, claims, the tracker's budget and webhooks.
#[utoipa::path(get, path = "/api/v1/fleet", tag = "relay", operation_id = "fleet",
    responses((status = 200, description = "The fleet now.", body = Fleet)))]
pub(crate) async fn fleet<L: Lookout>(State(site): State<Arc<Site<L>>>) -> Answer<Fleet> {
    Ok(Json(site.lookout.fleet().await?))
}

/// What was done in a period that ends now, how long it took and what it cost.
#[utoipa::path(get, path = "/api/v1/report", tag = "relay", operation_id = "report", params(ReportAsked),
    responses((status = 200, description = "The report.", body = Report)))]
pub(crate) async fn report<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Asked(asked): Asked<ReportAsked>,
) -> Answer<Report> {
    let period = asked.days.map_or_else(Period::default, |days| Period { days });
    within("days", period.days.into(), 1..=366)?;
    Ok(Json(site.lookout.report(period).await?))
}
