//! The HTTP API under `/api/v1`: what the dashboard shows and does, for programs.
//!
//! The document that describes it is generated from the same functions that answer. Whatever goes wrong is answered with a
//! [`Problem`].
//!
//! Deliberately absent: a stream of events; a program waits for news with `changes`.

mod document;
mod input;
mod issues;
mod news;
mod problem;
mod relay;
mod runs;

use std::sync::Arc;

use axum::http::{Method, StatusCode, Uri};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use baton_view::Lookout;

pub use document::openapi;
pub(crate) use problem::Problem;

use crate::dashboard::Site;

/// What is promised.
pub(crate) type Answer<T> = Result<Json<T>, Problem>;

pub(crate) fn routes<L: Lookout>(site: &Arc<Site<L>>) -> Router {
    Router::new()
        .route("/api/v1/board", get(relay::board))
        .route("/api/v1/fleet", get(relay::fleet))
        .route("/api/v1/report", get(relay::report))
        .route("/api/v1/changes", get(news::changes))
        .route("/api/v1/issues/{owner}/{name}/{number}", get(issues::issue))
        .route("/api/v1/issues/{owner}/{name}/{number}/orders", post(issues::order))
        .route("/api/v1/runs", get(runs::runs))
        .route("/api/v1/runs/{run}", get(runs::run))
        .route("/api/v1/runs/{run}/log", get(runs::log))
        .route("/api/v1/openapi.json", get(document::answer))
        .method_not_allowed_fallback(wrong_method)
        .route("/api", any(unknown))
        .route("/api/", any(unknown))
        .route("/api/{*rest}", any(unknown))
        .with_state(Arc::clone(site))
}

async fn unknown(uri: Uri) -> Problem {
    let words = format!("there is no {}: /api/v1/openapi.json lists what there is", uri.path());
    Problem::new(StatusCode::NOT_FOUND, words)
}

async fn wrong_method(method: Method, uri: Uri) -> Problem {
    let words = format!("{} cannot be asked for with {method}: the header Allow says with what", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, words)
}
