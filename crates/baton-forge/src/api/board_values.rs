//! What the fields of a board say about an item.

use serde_json::{Value, json, to_value};

use crate::boards::values::whole;
use crate::db::closing_links;
use crate::db::issues::{self, Issue};
use crate::db::labels;
use crate::db::project_fields::{Field, FieldKind};
use crate::db::project_items::Item;
use crate::db::project_shown::{self, Reviewer};
use crate::db::project_values::{self, Content};
use crate::db::repos::{self, Repo};
use crate::db::{links, pulls};
use crate::http::error::ApiError;
use crate::wire::Render;
use crate::wire::account::AccountView;
use crate::wire::label::label_views;
use crate::wire::project::{both, choice_json, field_with_value};
use crate::wire::repo::RepoView;

/// The values of some fields of an item. `repo` is that of its issue; a draft has none.
pub(super) fn show(
    render: &Render<'_>,
    repo: Option<&Repo>,
    item: &Item,
    fields: &[Field],
) -> Result<Vec<Value>, ApiError> {
    let shown = |field: &Field| -> Result<Value, ApiError> {
        let value = match field.kind {
            kind if kind.is_own() => written(render, item, field)?,
            FieldKind::Title => title(render, repo, item)?,
            kind => match (&item.issue, repo) {
                (Some(issue), Some(repo)) => of_issue(render, repo, issue, kind)?,
                _ => Value::Null,
            },
        };
        Ok(field_with_value(field, value))
    };
    fields.iter().map(shown).collect()
}

fn written(render: &Render<'_>, item: &Item, field: &Field) -> Result<Value, ApiError> {
    let Some(value) = project_values::get(render.conn, item.id, field.id)? else { return Ok(Value::Null) };
    Ok(match &value.content {
        Content::Text(text) => both(text),
        Content::Number(number) => whole(*number).map_or_else(|| json!(number), |whole| json!(whole)),
        Content::Date(date) => json!(date),
        Content::Option(id) => field.option(id).map_or(Value::Null, choice_json),
    })
}

fn title(render: &Render<'_>, repo: Option<&Repo>, item: &Item) -> Result<Value, ApiError> {
    let (Some(issue), Some(repo)) = (&item.issue, repo) else {
        return Ok(both(item.draft_title.as_deref().unwrap_or_default()));
    };
    let pull = if issue.is_pull { pulls::of_issue(render.conn, issue.id)? } else { None };
    let kind = if issue.is_pull { "pull" } else { "issues" };
    let mut value = both(&issue.title);
    value["number"] = json!(issue.number);
    value["url"] = json!(format!("{}/{}/{kind}/{}", render.links.web, repo.full_name(), issue.number));
    value["issue_id"] = json!(issue.id);
    value["state"] = json!(issue.state);
    value["state_reason"] = json!(issue.state_reason);
    value["is_draft"] = json!(pull.is_some_and(|pull| pull.draft));
    Ok(value)
}

fn of_issue(render: &Render<'_>, repo: &Repo, issue: &Issue, kind: FieldKind) -> Result<Value, ApiError> {
    let (conn, links) = (render.conn, render.links);
    Ok(match kind {
        FieldKind::Assignees => {
            let accounts = render.accounts(&issues::assignees(conn, issue.id)?)?;
            let views = accounts.iter().map(|account| AccountView { links, account });
            to_value(views.collect::<Vec<_>>())?
        }
        FieldKind::Labels => to_value(label_views(links, repo, &labels::of_issue(conn, issue.id)?))?,
        FieldKind::Milestone => match issue.milestone_id {
            Some(id) => to_value(render.milestone(repo, render.milestone_by_id(id)?)?)?,
            None => Value::Null,
        },
        FieldKind::Repository => to_value(RepoView { links, repo, permission: None })?,
        FieldKind::LinkedPullRequests => linked_pulls(render, issue)?,
        FieldKind::Reviewers => reviewers(render, issue)?,
        FieldKind::ParentIssue => parent(render, issue)?,
        FieldKind::SubIssuesProgress => {
            let summary = links::child_summary(conn, issue.id)?;
            let percent = if summary.total > 0 { 100 * summary.completed / summary.total } else { 0 };
            json!({ "total": summary.total, "completed": summary.completed, "percent_completed": percent })
        }
        _ => Value::Null,
    })
}

fn linked_pulls(render: &Render<'_>, issue: &Issue) -> Result<Value, ApiError> {
    let mut found = Vec::new();
    for (issue, pull) in closing_links::pulls_of(render.conn, issue.id)? {
        let Some(repo) = repos::by_id(render.conn, issue.repo_id)? else { continue };
        if render.may_see(&repo)? {
            found.push(to_value(render.pull(&repo, issue, pull, None)?)?);
        }
    }
    Ok(found.into())
}

fn reviewers(render: &Render<'_>, issue: &Issue) -> Result<Value, ApiError> {
    let Some(pull) = pulls::of_issue(render.conn, issue.id)? else { return Ok(json!([])) };
    let mut found = Vec::new();
    for reviewer in project_shown::reviewers(render.conn, &pull, issue.author_id)? {
        found.push(match reviewer {
            Reviewer::Account(id) => {
                to_value(AccountView { links: render.links, account: &*render.account(id)? })?
            }
            Reviewer::Team(team) => json!({ "id": team.id, "name": team.name, "slug": team.slug }),
        });
    }
    Ok(found.into())
}

fn parent(render: &Render<'_>, issue: &Issue) -> Result<Value, ApiError> {
    let parent = links::parent_of(render.conn, issue.id)?.map(|id| issues::by_id(render.conn, id));
    let Some(parent) = parent.transpose()?.flatten() else { return Ok(Value::Null) };
    let Some(repo) = repos::by_id(render.conn, parent.repo_id)? else { return Ok(Value::Null) };
    Ok(match render.may_see(&repo)? {
        true => to_value(render.issue(&repo, parent)?)?,
        false => Value::Null,
    })
}
