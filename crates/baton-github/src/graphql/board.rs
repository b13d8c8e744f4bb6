//! What surveys of boards show.

use baton_core::time::ServerTime;
use serde::Deserialize;

use super::issue::{IdWire, NameWire, RepositoryWire};
use super::page::{Connection, list, page, time};

/// Issues of a repository, in pages.
#[derive(Debug, Deserialize)]
pub(crate) struct IssuesWire {
    pub(crate) issues: Connection<RowWire>,
}

/// An issue as boards need it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RowWire {
    pub(crate) id: String,
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) closed: bool,
    #[serde(deserialize_with = "time")]
    pub(crate) updated_at: ServerTime,
    #[serde(default, deserialize_with = "page")]
    pub(crate) labels: Connection<NameWire>,
}

/// A project with its field of columns.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GateWire {
    pub(crate) repository_owner: Option<OwnerWire>,
}

/// Who has projects.
#[derive(Debug, Deserialize)]
pub(crate) struct OwnerWire {
    #[serde(rename = "projectV2")]
    pub(crate) project: Option<ProjectWire>,
}

/// A project.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProjectWire {
    pub(crate) id: String,
    pub(crate) updated_at: String,
    pub(crate) field: Option<FieldWire>,
}

/// A field; with options if it is one of choices.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct FieldWire {
    pub(crate) id: Option<String>,
    #[serde(default, deserialize_with = "list")]
    pub(crate) options: Vec<OptionWire>,
}

/// An option of a field.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct OptionWire {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// An item of a project.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ItemWire {
    #[serde(default)]
    pub(crate) is_archived: bool,
    #[serde(deserialize_with = "time")]
    pub(crate) updated_at: ServerTime,
    pub(crate) field_value_by_name: Option<ChoiceWire>,
    pub(crate) content: Option<ContentWire>,
}

/// What was chosen.
#[derive(Debug, Deserialize)]
pub(crate) struct ChoiceWire {
    pub(crate) name: Option<String>,
}

/// What an item stands for; a draft has nothing of this.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContentWire {
    pub(crate) id: Option<String>,
    pub(crate) number: Option<u64>,
    #[serde(default)]
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) closed: bool,
    pub(crate) updated_at: Option<String>,
    pub(crate) repository: Option<RepositoryWire>,
    #[serde(default, deserialize_with = "page")]
    pub(crate) labels: Connection<NameWire>,
}

/// The tracker's own name of an issue or a pull request.
#[derive(Debug, Deserialize)]
pub(crate) struct SubjectIdWire {
    pub(crate) subject: Option<IdWire>,
}

/// The answer of an addition to a project.
#[derive(Debug, Deserialize)]
pub(crate) struct AddedWire {
    #[serde(rename = "addProjectV2ItemById")]
    pub(crate) added: Option<AddedItemWire>,
}

/// What was added.
#[derive(Debug, Deserialize)]
pub(crate) struct AddedItemWire {
    pub(crate) item: Option<IdWire>,
}
