//! The pages of the dashboard: HTML that is drawn here, and kept up by events.
//!
//! Reading needs no script. A page whose values cannot be read says so; it is never empty instead.
//!
//! Deliberately absent: who may come in ([`crate::access`]), and where values come from (a [`Lookout`]).

pub(crate) mod assets;
pub(crate) mod board;
pub(crate) mod card;
mod chart;
mod fleet;
mod issue;
mod log;
pub(crate) mod moment;
pub(crate) mod prose;
mod report;
mod run;
pub(crate) mod shell;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use axum::routing::{get, post};
use baton_view::{Lookout, LookoutError};

use crate::dashboard::Site;
use crate::live;

pub use report::standalone_report;

pub(crate) fn routes<L: Lookout>(site: &Arc<Site<L>>) -> Router {
    Router::new()
        .route("/", get(board::show::<L>))
        .route("/issues/{owner}/{name}/{number}", get(issue::show::<L>))
        .route("/issues/{owner}/{name}/{number}/orders/{kind}", post(issue::give::<L>))
        .route("/runs", get(run::list::<L>))
        .route("/runs/{run}", get(run::show::<L>))
        .route("/runs/{run}/log", get(run::more::<L>))
        .route("/fleet", get(fleet::show::<L>))
        .route("/reports", get(report::show::<L>))
        .route("/events", get(live::events::<L>))
        .route("/assets/{name}", get(assets::answer))
        .fallback(nothing_here::<L>)
        .with_state(Arc::clone(site))
}

async fn nothing_here<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    uri: Uri,
    asking: shell::Asking,
) -> Response {
    let error = LookoutError::NoSuch(format!("there is no page {}", uri.path()));
    shell::answer(&site, &asking, Err(error))
}
