//! Boards and their items.

use rusqlite::{OptionalExtension, Row};
use serde_json::{Value, json};

use super::{PayloadError, Stage, Written, body, changes};
use crate::db::{issues, pulls};
use crate::wire::{NodeId, Time};

/// A row of `project_items`.
struct Item {
    project_id: i64,
    issue_id: Option<i64>,
    creator_id: i64,
    archived_at: Option<i64>,
    created_at: i64,
    updated_at: i64,
}

fn item_from(row: &Row<'_>) -> rusqlite::Result<Item> {
    Ok(Item {
        project_id: row.get(0)?,
        issue_id: row.get(1)?,
        creator_id: row.get(2)?,
        archived_at: row.get(3)?,
        created_at: row.get(4)?,
        updated_at: row.get(5)?,
    })
}

impl Stage<'_> {
    pub(super) fn project(&self, id: i64, action: &str, detail: &Value) -> Written {
        let sql = "SELECT owner_id, creator_id, number, title, short_description, readme, public, created_at, updated_at,
                   closed_at, deleted_at FROM projects WHERE id = ?1";
        let view = |row: &Row<'_>| {
            let time = |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(Time));
            let shown = json!({
                "id": id,
                "node_id": NodeId("PVT", id),
                "number": row.get::<_, i64>(2)?,
                "title": row.get::<_, String>(3)?,
                "short_description": row.get::<_, Option<String>>(4)?,
                "description": row.get::<_, Option<String>>(5)?,
                "public": row.get::<_, bool>(6)?,
                "created_at": time(7)?,
                "updated_at": time(8)?,
                "closed_at": time(9)?,
                "deleted_at": time(10)?,
                "state": if time(9)?.is_some() { "closed" } else { "open" },
            });
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, shown))
        };
        let found = self.conn.prepare_cached(sql)?.query_row([id], view).optional()?;
        let (owner_id, creator_id, mut shown) = found.ok_or(PayloadError::Gone("project"))?;
        shown["owner"] = self.account(owner_id)?;
        shown["creator"] = self.account(creator_id)?;
        shown["deleted_by"] =
            if action == "deleted" { self.account(self.news.actor_id)? } else { Value::Null };
        let mut parts = body([("projects_v2", shown)]);
        if action == "edited" {
            parts.insert("changes".to_owned(), changes(detail));
        }
        Ok(parts)
    }

    pub(super) fn project_item(&self, id: i64, action: &str, detail: &Value) -> Written {
        let sql =
            "SELECT project_id, issue_id, creator_id, archived_at, created_at, updated_at FROM project_items
                   WHERE id = ?1";
        let shown = match self.conn.prepare_cached(sql)?.query_row([id], item_from).optional()? {
            Some(item) => self.item(id, &item)?,
            None => self.gone_item(id, detail)?,
        };
        let mut parts = body([("projects_v2_item", shown)]);
        if matches!(action, "edited" | "archived" | "restored" | "reordered" | "converted") {
            parts.insert("changes".to_owned(), changes(detail));
        }
        Ok(parts)
    }

    fn item(&self, id: i64, item: &Item) -> Result<Value, PayloadError> {
        let (kind, content) = self.content(id, item.issue_id)?;
        Ok(json!({
            "id": id,
            "node_id": NodeId("PVTI", id),
            "project_node_id": NodeId("PVT", item.project_id),
            "content_node_id": content,
            "content_type": kind,
            "creator": self.account(item.creator_id)?,
            "created_at": Time(item.created_at),
            "updated_at": Time(item.updated_at),
            "archived_at": item.archived_at.map(Time),
        }))
    }

    /// What an item shows. A draft has no row of its own, so it goes by its item's id.
    fn content(&self, id: i64, issue_id: Option<i64>) -> Result<(&'static str, NodeId), PayloadError> {
        let issue = issue_id.map(|id| issues::by_id(self.conn, id)).transpose()?.flatten();
        Ok(match issue {
            None => ("DraftIssue", NodeId("DI", id)),
            Some(issue) if issue.is_pull => {
                let pull = pulls::of_issue(self.conn, issue.id)?.ok_or(PayloadError::Gone("pull request"))?;
                ("PullRequest", NodeId("PR", pull.id))
            }
            Some(issue) => ("Issue", NodeId("I", issue.id)),
        })
    }

    /// An item that is gone already is shown by what its news brought along.
    fn gone_item(&self, id: i64, detail: &Value) -> Result<Value, PayloadError> {
        let project_id = detail["project_id"].as_i64().ok_or(PayloadError::Gone("project item"))?;
        let creator = detail["creator_id"].as_i64().map(|id| self.account(id)).transpose()?;
        let kept = |key: &str| detail.get(key).cloned().unwrap_or_default();
        Ok(json!({
            "id": id,
            "node_id": NodeId("PVTI", id),
            "project_node_id": NodeId("PVT", project_id),
            "content_node_id": kept("content_node_id"),
            "content_type": kept("content_type"),
            "creator": creator,
            "created_at": kept("created_at"),
            "updated_at": kept("updated_at"),
            "archived_at": kept("archived_at"),
        }))
    }
}
