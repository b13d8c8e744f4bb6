//! What a sight shows of the issue itself.

use baton_core::time::ServerTime;
use serde::Deserialize;

use super::comment::CommentWire;
use super::page::{ActorWire, Connection, PageInfo, page, time};
use super::pull::{PullWire, ShortPullWire};

/// The answer of a sight.
#[derive(Debug, Deserialize)]
pub(crate) struct SightWire {
    pub(crate) viewer: ViewerWire,
    pub(crate) repository: Option<SightedWire>,
}

/// Whose token it is.
#[derive(Debug, Deserialize)]
pub(crate) struct ViewerWire {
    pub(crate) login: String,
}

/// The issue and the pull requests of its branch.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SightedWire {
    pub(crate) viewer_permission: Option<String>,
    pub(crate) subject: Option<SubjectWire>,
    pub(crate) open: Connection<PullWire>,
    pub(crate) all: Connection<ShortPullWire>,
}

/// An issue, or a pull request seen as one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubjectWire {
    #[serde(rename = "__typename")]
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) url: String,
    pub(crate) closed: bool,
    #[serde(deserialize_with = "time")]
    pub(crate) created_at: ServerTime,
    pub(crate) author: Option<ActorWire>,
    #[serde(default, deserialize_with = "page")]
    pub(crate) labels: Connection<NameWire>,
    /// Absent for pull requests.
    pub(crate) comments: Option<Connection<CommentWire>>,
    /// Absent for pull requests.
    pub(crate) labelled: Option<LabelledWire>,
    #[serde(default, deserialize_with = "page")]
    pub(crate) blocked_by: Connection<BlockerWire>,
    #[serde(default, deserialize_with = "page")]
    pub(crate) project_items: Connection<PlacementWire>,
}

/// Something with a name.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct NameWire {
    pub(crate) name: String,
}

/// When labels were put on, the newest last.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LabelledWire {
    pub(crate) page_info: PageInfo,
    pub(crate) nodes: Vec<Option<LabelledAtWire>>,
}

/// A label was put on.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LabelledAtWire {
    pub(crate) created_at: Option<String>,
    pub(crate) label: Option<NameWire>,
}

/// An earlier page of them.
#[derive(Debug, Deserialize)]
pub(crate) struct EarlierLabelsWire {
    pub(crate) node: Option<EarlierWire>,
}

/// What an issue holds of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct EarlierWire {
    pub(crate) labelled: LabelledWire,
}

/// An issue that comes first.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct BlockerWire {
    pub(crate) number: u64,
    pub(crate) state: String,
    pub(crate) repository: RepositoryWire,
}

/// A repository.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepositoryWire {
    pub(crate) name_with_owner: String,
}

/// Where an issue is on a project.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlacementWire {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) is_archived: bool,
    pub(crate) project: ProjectNameWire,
    #[serde(default, deserialize_with = "page")]
    pub(crate) field_values: Connection<ValueWire>,
}

/// A project, as people name it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ProjectNameWire {
    pub(crate) number: u64,
    pub(crate) owner: ProjectOwnerWire,
}

/// Who has a project.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ProjectOwnerWire {
    pub(crate) login: String,
}

/// Something with an id.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct IdWire {
    pub(crate) id: String,
}

/// The value of a field; other kinds than a choice are empty.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ValueWire {
    pub(crate) name: Option<String>,
    pub(crate) field: FieldNameWire,
}

/// The name of a field, if it is one of choices.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FieldNameWire {
    pub(crate) name: Option<String>,
}
