//! Boards and their items.

use serde_json::{Value, json};

use super::{PayloadError, Stage, Written, body, changes, to_value};
use crate::db::project_items::{self, Item};
use crate::db::{projects, pulls};
use crate::wire::{NodeId, Time};

impl Stage<'_> {
    pub(super) fn project(&self, id: i64, action: &str, detail: &Value) -> Written {
        let project = projects::even_deleted(self.conn, id)?.ok_or(PayloadError::Gone("project"))?;
        let mut shown = to_value(&self.render.project(project)?)?;
        shown["deleted_by"] =
            if action == "deleted" { self.account(self.news.actor_id)? } else { Value::Null };
        let mut parts = body([("projects_v2", shown)]);
        if action == "edited" {
            parts.insert("changes".to_owned(), changes(detail));
        }
        Ok(parts)
    }

    pub(super) fn project_item(&self, id: i64, action: &str, detail: &Value) -> Written {
        let shown = match project_items::by_id(self.conn, id)? {
            Some(item) => self.item(&item)?,
            None => self.gone_item(id, detail)?,
        };
        let mut parts = body([("projects_v2_item", shown)]);
        if matches!(action, "edited" | "archived" | "restored" | "reordered" | "converted") {
            parts.insert("changes".to_owned(), changes(detail));
        }
        Ok(parts)
    }

    fn item(&self, item: &Item) -> Result<Value, PayloadError> {
        let (kind, content) = self.content(item)?;
        Ok(json!({
            "id": item.id,
            "node_id": NodeId("PVTI", item.id),
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
    fn content(&self, item: &Item) -> Result<(&'static str, NodeId), PayloadError> {
        Ok(match &item.issue {
            None => ("DraftIssue", NodeId("DI", item.id)),
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
