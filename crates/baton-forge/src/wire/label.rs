//! Labels and milestones.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::account::AccountView;
use super::{Links, NodeId, Render, Time, entries, path};
use crate::db::accounts::Account;
use crate::db::labels::Label;
use crate::db::milestones::Milestone;
use crate::db::repos::Repo;

pub(crate) struct LabelView<'a> {
    pub(crate) links: &'a Links,
    pub(crate) repo: &'a Repo,
    pub(crate) label: &'a Label,
}

impl Serialize for LabelView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let label = self.label;
        let at =
            [&self.links.api, "/repos/", &self.repo.owner.login, "/", &self.repo.name, "/labels/"].concat();
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "id" => label.id,
            "node_id" => NodeId("LA", label.id),
            "url" => format_args!("{at}{}", path(&label.name)),
            "name" => label.name,
            "color" => label.color,
            "default" => label.is_default,
            "description" => label.description,
            // Newer clients insist on these; nothing archives a label here.
            "archived_at" => (),
            "archived_by" => (),
        );
        map.end()
    }
}

/// Wraps labels for a list.
pub(crate) fn label_views<'a>(links: &'a Links, repo: &'a Repo, labels: &'a [Label]) -> Vec<LabelView<'a>> {
    labels.iter().map(|label| LabelView { links, repo, label }).collect()
}

pub(crate) struct MilestoneView<'a> {
    links: &'a Links,
    repo: &'a Repo,
    milestone: Milestone,
    creator: Arc<Account>,
}

impl<'a> Render<'a> {
    pub(crate) fn milestone(
        &self,
        repo: &'a Repo,
        milestone: Milestone,
    ) -> rusqlite::Result<MilestoneView<'a>> {
        let creator = self.account(milestone.creator_id)?;
        Ok(MilestoneView { links: self.links, repo, milestone, creator })
    }
}

impl Serialize for MilestoneView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Links { api, web } = self.links;
        let milestone = &self.milestone;
        let (owner, name, number) = (&self.repo.owner.login, &self.repo.name, milestone.number);
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "url" => format_args!("{api}/repos/{owner}/{name}/milestones/{number}"),
            "html_url" => format_args!("{web}/{owner}/{name}/milestone/{number}"),
            "labels_url" => format_args!("{api}/repos/{owner}/{name}/milestones/{number}/labels"),
            "id" => milestone.id,
            "node_id" => NodeId("MI", milestone.id),
            "number" => number,
            "title" => milestone.title,
            "description" => milestone.description,
            "creator" => AccountView { links: self.links, account: &self.creator },
            "open_issues" => milestone.open_issues,
            "closed_issues" => milestone.closed_issues,
            "state" => milestone.state,
            "created_at" => Time(milestone.created_at),
            "updated_at" => Time(milestone.updated_at),
            "due_on" => milestone.due_on.map(Time),
            "closed_at" => milestone.closed_at.map(Time),
        );
        map.end()
    }
}
