//! Issues and pull requests of the embedded forge, so that a person without an account elsewhere can do the whole round.
//!
//! Every page is read from the forge when it is asked for; nothing is kept here. Every order is a plain form that is posted
//! to the page it stands on: when the forge follows it, the visitor is sent back to the page; when it refuses, the page is
//! shown again with the forge's reason beside the form, and with what was typed.
//!
//! Deliberately absent: rules about who may do what. The forge has them.

mod client;
mod diff;
mod diff_table;
mod fields;
mod files;
mod issue;
mod listing;
mod listing_rows;
mod merge_box;
mod new_issue;
mod notice;
mod parts;
mod place;
mod pull;
mod pull_orders;
mod pull_parts;
mod pull_reading;
mod repos;
mod shell;
mod threads;
mod wire;

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use baton_view::Lookout;

use crate::dashboard::Site;
use client::ForgeClient;

/// How the forge is reached, and as whom.
#[derive(Clone)]
pub struct ForgeDoor {
    /// The address of its API.
    pub api_url: String,
    /// The token of the person who sits before the dashboard.
    pub token: String,
}

impl fmt::Debug for ForgeDoor {
    /// Leaves the token out, which has no business in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForgeDoor").field("api_url", &self.api_url).finish_non_exhaustive()
    }
}

pub(crate) fn routes<L: Lookout>(site: &Arc<Site<L>>) -> Router {
    let Some(door) = &site.forge else { return Router::new() };
    Router::new()
        .route("/forge", get(repos::show))
        .route("/forge/{owner}/{repo}", get(repos::enter))
        .route("/forge/{owner}/{repo}/issues", get(listing::issues))
        .route("/forge/{owner}/{repo}/issues/new", get(new_issue::show).post(new_issue::open))
        .route("/forge/{owner}/{repo}/issues/{number}", get(issue::show).post(issue::order))
        .route("/forge/{owner}/{repo}/pulls", get(listing::pulls))
        .route("/forge/{owner}/{repo}/pulls/{number}", get(pull::show).post(pull::order))
        .route("/forge/{owner}/{repo}/pulls/{number}/files", get(files::show).post(files::order))
        .with_state(ForgeClient::new(door))
}
