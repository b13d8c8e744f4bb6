//! Boards, their fields and their items.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::account::AccountView;
use super::{Links, NodeId, Render, Time, entries};
use crate::boards::items::content_type;
use crate::db::accounts::{Account, AccountKind};
use crate::db::project_fields::{Choice, Field, FieldKind};
use crate::db::project_items::Item;
use crate::db::projects::Project;

/// The address of a board.
pub(crate) fn project_url(links: &Links, owner: &Account, number: i64) -> String {
    let kind = if owner.kind == AccountKind::Organization { "orgs" } else { "users" };
    format!("{}/{kind}/{}/projectsV2/{number}", links.api, owner.login)
}

/// GitHub's `projects-v2`.
pub(crate) struct ProjectView<'a> {
    links: &'a Links,
    project: Project,
    owner: Arc<Account>,
    creator: Arc<Account>,
}

impl<'a> Render<'a> {
    pub(crate) fn project(&self, project: Project) -> rusqlite::Result<ProjectView<'a>> {
        let (owner, creator) = (self.account(project.owner_id)?, self.account(project.creator_id)?);
        Ok(ProjectView { links: self.links, project, owner, creator })
    }
}

impl Serialize for ProjectView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (links, project) = (self.links, &self.project);
        let account = |account| AccountView { links, account };
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "id" => project.id,
            "node_id" => NodeId("PVT", project.id),
            "owner" => account(&self.owner),
            "creator" => account(&self.creator),
            "title" => project.title,
            "description" => project.readme,
            "public" => project.public,
            "closed_at" => project.closed_at.map(Time),
            "created_at" => Time(project.created_at),
            "updated_at" => Time(project.updated_at),
            "number" => project.number,
            "short_description" => project.short_description,
            "deleted_at" => project.deleted_at.map(Time),
            // Only a board that is there is shown.
            "deleted_by" => (),
            "state" => if project.closed_at.is_some() { "closed" } else { "open" },
            "latest_status_update" => (),
            "is_template" => project.template,
        );
        map.end()
    }
}

/// GitHub's `projects-v2-field`.
pub(crate) struct FieldView<'a> {
    pub(crate) project_url: &'a str,
    pub(crate) field: &'a Field,
}

/// A text as GitHub gives it where pages show it.
pub(crate) fn both(text: &str) -> Value {
    let html = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    json!({ "raw": text, "html": html })
}

pub(crate) fn choice_json(choice: &Choice) -> Value {
    json!({
        "id": choice.id,
        "name": both(&choice.name),
        "color": choice.color,
        "description": both(&choice.description),
    })
}

impl Serialize for FieldView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let field = self.field;
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "id" => field.id,
            "node_id" => NodeId(field.kind.prefix(), field.id),
            "project_url" => self.project_url,
            "name" => field.name,
            "data_type" => field.kind.as_str().to_ascii_lowercase(),
            "created_at" => Time(field.created_at),
            "updated_at" => Time(field.updated_at),
        );
        if field.kind == FieldKind::SingleSelect {
            entries!(map; "options" => field.options.iter().map(choice_json).collect::<Vec<_>>());
        }
        map.end()
    }
}

/// GitHub's `projects-v2-draft-issue`.
pub(crate) struct DraftView<'a> {
    pub(crate) links: &'a Links,
    pub(crate) item: Item,
    pub(crate) creator: Arc<Account>,
}

impl Serialize for DraftView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let item = &self.item;
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "id" => item.id,
            "node_id" => NodeId("DI", item.id),
            "title" => item.draft_title,
            "body" => item.draft_body,
            "user" => AccountView { links: self.links, account: &self.creator },
            "created_at" => Time(item.created_at),
            "updated_at" => Time(item.updated_at),
        );
        map.end()
    }
}

/// An item: GitHub's `projects-v2-item-simple`, and `projects-v2-item-with-content` where it has fields.
pub(crate) struct ItemView<'a> {
    pub(crate) links: &'a Links,
    pub(crate) project_url: &'a str,
    pub(crate) item: Item,
    pub(crate) creator: Arc<Account>,
    /// What it shows, written already: nothing where the reader may not see it.
    pub(crate) content: Option<Box<RawValue>>,
    /// Fields with their values, where they are shown.
    pub(crate) fields: Option<Vec<Value>>,
}

impl Serialize for ItemView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let item = &self.item;
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "id" => item.id,
            "node_id" => NodeId("PVTI", item.id),
            "content_type" => content_type(item),
            "creator" => AccountView { links: self.links, account: &self.creator },
            "created_at" => Time(item.created_at),
            "updated_at" => Time(item.updated_at),
            "archived_at" => item.archived_at.map(Time),
            "project_url" => self.project_url,
            "item_url" => format_args!("{}/items/{}", self.project_url, item.id),
        );
        match &self.fields {
            Some(fields) => entries!(map; "content" => self.content, "fields" => fields),
            // GitHub describes this as exactly one of an issue, a pull request and a draft, and every issue also fits the
            // description of a draft: where there are no fields, only a draft can be shown.
            None if item.issue.is_none() => entries!(map; "content" => self.content),
            None => {}
        }
        map.end()
    }
}

/// A field with an item's value, as lists of items show it.
pub(crate) fn field_with_value(field: &Field, value: Value) -> Value {
    json!({
        "id": field.id,
        "name": field.name,
        "data_type": field.kind.as_str().to_ascii_lowercase(),
        "value": value,
    })
}
