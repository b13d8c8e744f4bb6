//! Lists of issues: of a repository by conditions, and of an issue by how it is linked to others.

use std::sync::Arc;

use apollo_compiler::response::{JsonMap, JsonValue};

use super::ask::{Ask, Input};
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, object, unknown};
use super::error::GraphError;
use super::issue::IssueNode;
use super::pull_request::PullRequestNode;
use crate::db::closing_links;
use crate::db::issue_query::{IssueQuery, Presence, SortBy};
use crate::db::issues::{self, Issue};
use crate::db::keyset::Range;
use crate::db::links::{self, ChildSummary, DependencySummary, Side};
use crate::http::call::Visit;
use crate::wire::parse_time;

const ISSUES: (&str, &str) = ("IssueConnection", "IssueEdge");

/// The issues of a repository that match what a field asks for and `query` besides.
pub(super) fn issues_like(
    context: &Context<'_>,
    ask: &Ask<'_>,
    visit: &Arc<Visit>,
    query: IssueQuery,
) -> Result<Connection<IssueNode>, GraphError> {
    let mut query =
        IssueQuery { repo_ids: vec![visit.repo.id], is_pull: Some(false), ascending: true, ..query };
    query.state = one_state(ask.strings("states"));
    query.labels_any = owned(ask.strings("labels"));
    if let Some(filters) = ask.object("filterBy") {
        let said = |name: &str| {
            filters.get(name).filter(|value| !value.is_null() || !ask.is_unsaid("filterBy", name))
        };
        filter(&mut query, filters, said)?;
    }
    if let Some(order) = ask.object("orderBy") {
        query.sort = match order.text("field") {
            Some("UPDATED_AT") => SortBy::Updated,
            Some("COMMENTS") => SortBy::Comments,
            _ => SortBy::Created,
        };
        query.ascending = order.text("direction") != Some("DESC");
    }
    let total = query.count(context.conn)?;
    let read = |range: &Range| query.within(context.conn, range);
    let page = Paging::of(ask)?.page(total, !query.ascending, read, |issue| query.sort.key(issue))?;
    Ok(Connection::keyed(ISSUES, total, page, |issue| IssueNode { visit: Arc::clone(visit), issue }))
}

fn owned(names: Option<Vec<&str>>) -> Vec<String> {
    names.unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// No state and both states are the same.
fn one_state(states: Option<Vec<&str>>) -> Option<&'static str> {
    let states = states?;
    match (states.contains(&"OPEN"), states.contains(&"CLOSED")) {
        (true, false) => Some("open"),
        (false, true) => Some("closed"),
        _ => None,
    }
}

/// A filter that is null asks for issues without any; a star for those with one.
fn presence<T>(
    value: &JsonValue,
    read: impl Fn(&str) -> Result<T, GraphError>,
) -> Result<Presence<T>, GraphError> {
    match value.as_str() {
        None => Ok(Presence::None),
        Some("*") => Ok(Presence::Any),
        Some(text) => read(text).map(Presence::Is),
    }
}

fn filter<'f>(
    query: &mut IssueQuery,
    filters: &'f JsonMap,
    said: impl Fn(&str) -> Option<&'f JsonValue>,
) -> Result<(), GraphError> {
    let number = |text: &str| {
        text.parse::<i64>()
            .map_err(|_| GraphError::unprocessable(format!("{text} is no number of a milestone")))
    };
    if let Some(value) = said("assignee") {
        query.assignee = Some(presence(value, |login| Ok(login.to_owned()))?);
    }
    if let Some(value) = said("milestoneNumber").or(said("milestone")) {
        query.milestone = Some(presence(value, number)?);
    }
    if let Some(login) = filters.text("createdBy") {
        query.author = Some(login.to_owned());
    }
    if let Some(login) = filters.text("mentioned") {
        query.mentions = Some(login.to_owned());
    }
    if let Some(time) = filters.text("since") {
        let at = parse_time(time);
        query.since = Some(at.ok_or_else(|| GraphError::unprocessable(format!("{time} is no time")))?);
    }
    if let Some(states) = filters.texts("states") {
        query.state = one_state(Some(states));
    }
    query.labels.extend(owned(filters.texts("labels")));
    Ok(())
}

/// Answers a field about an issue's links; nothing for any other.
pub(super) fn field<'a>(node: &'a IssueNode, context: &'a Context<'a>, ask: &Ask<'a>) -> Option<Answer<'a>> {
    let id = node.issue.id;
    Some(match ask.name() {
        "parent" => parent(context, id),
        "subIssues" => links::children(context.conn, id)
            .map_err(GraphError::from)
            .and_then(|found| object(context, visible(context, ask, found)?)),
        "subIssuesSummary" => links::child_summary(context.conn, id)
            .map_err(GraphError::from)
            .and_then(|summary| object(context, SubIssuesSummary(summary))),
        "blockedBy" => dependencies(context, ask, id, Side::Blockers),
        "blocking" => dependencies(context, ask, id, Side::Blocked),
        "issueDependenciesSummary" => links::dependency_summary(context.conn, id)
            .map_err(GraphError::from)
            .and_then(|summary| object(context, DependenciesSummary(summary))),
        "closedByPullRequestsReferences" => closing(context, ask, id),
        _ => return None,
    })
}

fn parent<'a>(context: &'a Context<'a>, id: i64) -> Answer<'a> {
    let parent = links::parent_of(context.conn, id)?;
    let issue = parent.map(|id| issues::by_id(context.conn, id)).transpose()?.flatten();
    maybe_object(context, issue.map(|issue| issue_anywhere(context, issue)).transpose()?.flatten())
}

/// An issue of any repository, unless the viewer may not see it: a link does not make a private repository public.
pub(super) fn issue_anywhere(context: &Context<'_>, issue: Issue) -> Result<Option<IssueNode>, GraphError> {
    Ok(context.repo(issue.repo_id)?.map(|visit| IssueNode { visit, issue }))
}

fn visible(
    context: &Context<'_>,
    ask: &Ask<'_>,
    found: Vec<Issue>,
) -> Result<Connection<IssueNode>, GraphError> {
    let mut nodes = Vec::new();
    for issue in found {
        nodes.extend(issue_anywhere(context, issue)?);
    }
    Ok(Connection::whole(ISSUES, Paging::of(ask)?, nodes))
}

fn dependencies<'a>(context: &'a Context<'a>, ask: &Ask<'a>, id: i64, side: Side) -> Answer<'a> {
    let mut found = links::dependencies(context.conn, id, side)?;
    let order = ask.object("orderBy");
    if order.and_then(|order| order.text("field")) == Some("CREATED_AT") {
        found.sort_by_key(|issue| (issue.created_at, issue.id));
    }
    // When a link was made is not kept; the ids of the linked issues stand in for it.
    if order.and_then(|order| order.text("direction")) != Some("ASC") {
        found.reverse();
    }
    object(context, visible(context, ask, found)?)
}

/// The pull requests whose text says that they close an issue.
fn closing<'a>(context: &'a Context<'a>, ask: &Ask<'a>, id: i64) -> Answer<'a> {
    let with_closed = ask.bool("includeClosedPrs").unwrap_or(false);
    let mut nodes = Vec::new();
    for (issue, pull) in closing_links::pulls_of(context.conn, id)? {
        // A merged pull request stays: it is what closed the issue.
        if !issue.is_open() && pull.merged_at.is_none() && !with_closed {
            continue;
        }
        if let Some(visit) = context.repo(issue.repo_id)? {
            nodes.push(PullRequestNode { visit, issue, pull });
        }
    }
    let names = ("PullRequestConnection", "PullRequestEdge");
    object(context, Connection::whole(names, Paging::of(ask)?, nodes))
}

struct SubIssuesSummary(ChildSummary);

impl Entity for SubIssuesSummary {
    fn type_name(&self) -> &'static str {
        "SubIssuesSummary"
    }

    fn field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let ChildSummary { total, completed } = self.0;
        match ask.name() {
            "total" => leaf(total),
            "completed" => leaf(completed),
            "percentCompleted" => leaf(if total == 0 { 0 } else { completed * 100 / total }),
            _ => unknown("SubIssuesSummary", ask),
        }
    }
}

struct DependenciesSummary(DependencySummary);

impl Entity for DependenciesSummary {
    fn type_name(&self) -> &'static str {
        "IssueDependenciesSummary"
    }

    fn field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "blockedBy" => leaf(self.0.blocked_by),
            "blocking" => leaf(self.0.blocking),
            "totalBlockedBy" => leaf(self.0.total_blocked_by),
            "totalBlocking" => leaf(self.0.total_blocking),
            _ => unknown("IssueDependenciesSummary", ask),
        }
    }
}
