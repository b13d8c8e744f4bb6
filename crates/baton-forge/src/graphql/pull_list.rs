//! The pull requests of a repository, filtered and ordered.

use std::sync::Arc;

use super::ask::{Ask, Input};
use super::connection::{Connection, Paging};
use super::context::Context;
use super::error::GraphError;
use super::pull_request::PullRequestNode;
use crate::db::issue_query::SortBy;
use crate::db::keyset::Range;
use crate::db::pull_query::PullFilter;
use crate::http::call::Visit;

pub(crate) const PULLS: (&str, &str) = ("PullRequestConnection", "PullRequestEdge");

pub(crate) fn list(
    context: &Context<'_>,
    ask: &Ask<'_>,
    visit: &Arc<Visit>,
) -> Result<Connection<PullRequestNode>, GraphError> {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    let order = ask.object("orderBy");
    let sort = match order.and_then(|order| order.text("field")) {
        Some("UPDATED_AT") => SortBy::Updated,
        Some("COMMENTS") => SortBy::Comments,
        _ => SortBy::Created,
    };
    let descending = order.and_then(|order| order.text("direction")) == Some("DESC");
    let filter = PullFilter {
        repo_id: visit.repo.id,
        states: ask.strings("states").map(owned).unwrap_or_default(),
        head_ref: ask.str("headRefName").map(str::to_owned),
        base_ref: ask.str("baseRefName").map(str::to_owned),
        labels: ask.strings("labels").map(owned).unwrap_or_default(),
        sort,
    };
    let total = filter.count(context.conn)?;
    let read = |range: &Range| filter.within(context.conn, range);
    let page = Paging::of(ask)?.page(total, descending, read, |(issue, _)| sort.key(issue))?;
    let node = |(issue, pull)| PullRequestNode { visit: Arc::clone(visit), issue, pull };
    Ok(Connection::keyed(PULLS, total, page, node))
}
