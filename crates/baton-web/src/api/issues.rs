//! One issue: how it is with it, and orders about it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use baton_view::{IssueView, Lookout, Order, Reply};

use super::input::{Given, Issue, IssueAsked};
use super::{Answer, Problem};
use crate::access::Visitor;
use crate::dashboard::Site;

/// An issue from near: why it moves or not, what happened, its pull request, and what may be ordered.
#[utoipa::path(get, path = "/api/v1/issues/{owner}/{name}/{number}", tag = "issues", operation_id = "issue", params(IssueAsked),
    responses((status = 200, description = "The issue now.", body = IssueView)))]
pub(crate) async fn issue<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Issue(issue): Issue,
) -> Answer<IssueView> {
    Ok(Json(site.lookout.issue(&issue).await?))
}

/// Gives an order about an issue.
#[utoipa::path(post, path = "/api/v1/issues/{owner}/{name}/{number}/orders", tag = "issues", operation_id = "order",
    params(IssueAsked), request_body = Order,
    responses(
        (status = 200, description = "It was done, or was so already.", body = Reply),
        (status = 409, description = "It was not done: as things are, it cannot be.", content(
            (Reply = "application/json"), (Problem = "application/problem+json"))),
    ))]
pub(crate) async fn order<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Extension(visitor): Extension<Visitor>,
    Issue(issue): Issue,
    Given(order): Given<Order>,
) -> Result<(StatusCode, Json<Reply>), Problem> {
    let reply = site.lookout.order(&issue, &order, &visitor.name).await?;
    let status = if reply.is_done { StatusCode::OK } else { StatusCode::CONFLICT };
    Ok((status, Json(reply)))
}
