//! What a pull request contains and what it closes, as fields of it: commits, files, linked issues, its two refs.

use std::sync::Arc;

use super::ask::{Ask, Input};
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, unknown};
use super::error::GraphError;
use super::git_object::{self, CommitNode, Located};
use super::git_ref;
use super::ids::{self, named_id};
use super::issue::IssueNode;
use super::pull_request::{self, PullRequestNode, shown};
use crate::api::pull_files::commits_of;
use crate::db::closing_links;
use crate::git::merge::{self, MergeMethod};
use crate::git::objects::{CommitInfo, Person, person_of};
use crate::git::pull_diff::{PullDiff, base_tip};
use crate::git::tree_diff::FileChange;
use crate::wire::commit::totals;

const COMMITS: (&str, &str) = ("PullRequestCommitConnection", "PullRequestCommitEdge");
const FILES: (&str, &str) = ("PullRequestChangedFileConnection", "PullRequestChangedFileEdge");
const ISSUES: (&str, &str) = ("IssueConnection", "IssueEdge");

/// Answers a field about a pull request's contents; nothing for any other.
pub(super) fn field<'a>(
    node: &'a PullRequestNode,
    context: &'a Context<'a>,
    ask: &Ask<'a>,
) -> Option<Answer<'a>> {
    Some(match ask.name() {
        "additions" | "deletions" | "changedFiles" => count(node, context, ask),
        "files" => shown(context, files(node, context, ask)),
        "commits" => shown(context, commits(node, context, ask)),
        "closingIssuesReferences" => shown(context, closing(node, context, ask)),
        "mergeCommit" => match &node.pull.merge_oid {
            Some(oid) => commit(node, context, oid),
            None => null(),
        },
        "potentialMergeCommit" => potential(node, context),
        "headRef" => branch(node, context, node.pull.head_repo_id, &node.pull.head_ref),
        "baseRef" => branch(node, context, node.issue.repo_id, &node.pull.base_ref),
        _ => return None,
    })
}

fn changes(node: &PullRequestNode, context: &Context<'_>) -> Result<Vec<FileChange>, GraphError> {
    let repository = context.call.forge.git.open(node.issue.repo_id)?;
    match PullDiff::of(&repository, &node.pull) {
        Some(diff) => Ok(diff.files()?),
        None => Ok(Vec::new()),
    }
}

fn count<'a>(node: &PullRequestNode, context: &Context<'_>, ask: &Ask<'a>) -> Answer<'a> {
    let found = changes(node, context)?;
    let (additions, deletions) = totals(&found);
    leaf(match ask.name() {
        "additions" => additions,
        "deletions" => deletions,
        _ => found.len(),
    })
}

struct ChangedFile(FileChange);

impl Entity for ChangedFile {
    fn type_name(&self) -> &'static str {
        "PullRequestChangedFile"
    }

    fn field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "path" => leaf(self.0.path.as_str()),
            "additions" => leaf(self.0.additions),
            "deletions" => leaf(self.0.deletions),
            "changeType" => leaf(match self.0.status {
                "removed" => "DELETED".to_owned(),
                status => status.to_ascii_uppercase(),
            }),
            _ => unknown("PullRequestChangedFile", ask),
        }
    }
}

fn files(
    node: &PullRequestNode,
    context: &Context<'_>,
    ask: &Ask<'_>,
) -> Result<Connection<ChangedFile>, GraphError> {
    let found = changes(node, context)?.into_iter().map(ChangedFile).collect();
    Ok(Connection::whole(FILES, Paging::of(ask)?, found))
}

/// A commit as a part of a pull request.
pub(crate) struct PullCommit {
    commit: CommitNode,
    pull_id: i64,
    number: i64,
}

impl Entity for PullCommit {
    fn type_name(&self) -> &'static str {
        "PullRequestCommit"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let Located { visit, oid } = &self.commit.at;
        let page = || format!("{}/pull/{}/commits/{oid}", visit.repo.full_name(), self.number);
        match ask.name() {
            "id" => leaf(named_id("PURC", self.pull_id, oid)),
            "commit" => {
                let (at, info) = (self.commit.at.clone(), self.commit.info.clone());
                object(context, CommitNode { at, info })
            }
            "pullRequest" => object(context, pull_request::by_row(context, visit, self.pull_id)?),
            "resourcePath" => leaf(format!("/{}", page())),
            "url" => leaf(context.web(&page())),
            _ => unknown("PullRequestCommit", ask),
        }
    }
}

fn pull_commit(node: &PullRequestNode, info: CommitInfo) -> PullCommit {
    let at = Located { visit: Arc::clone(&node.visit), oid: info.oid.clone() };
    PullCommit { commit: CommitNode { at, info }, pull_id: node.pull.id, number: node.issue.number }
}

fn commits(
    node: &PullRequestNode,
    context: &Context<'_>,
    ask: &Ask<'_>,
) -> Result<Connection<PullCommit>, GraphError> {
    let repository = context.call.forge.git.open(node.issue.repo_id)?;
    let found = commits_of(&repository, &node.pull)?;
    let nodes = found.into_iter().map(|info| pull_commit(node, info)).collect();
    Ok(Connection::whole(COMMITS, Paging::of(ask)?, nodes))
}

/// The commit of a pull request with that id.
pub(crate) fn commit_by_node(context: &Context<'_>, id: &str) -> Result<PullCommit, GraphError> {
    let missing = || ids::unresolvable(id);
    let (pull_id, oid) = ids::name_in_repo(id, "PURC")?;
    let (issue, pull) = crate::db::pulls::by_id(context.conn, pull_id)?.ok_or_else(missing)?;
    let node = PullRequestNode { visit: context.visit_for(issue.repo_id, id)?, issue, pull };
    let repository = context.call.forge.git.open(node.issue.repo_id)?;
    let found = commits_of(&repository, &node.pull)?.into_iter().find(|info| info.oid == oid);
    found.map(|info| pull_commit(&node, info)).ok_or_else(missing)
}

/// The issues that it closes, as far as the viewer may see them.
fn closing(
    node: &PullRequestNode,
    context: &Context<'_>,
    ask: &Ask<'_>,
) -> Result<Connection<IssueNode>, GraphError> {
    let mut nodes = Vec::new();
    // Every link comes from the text here, and none was made by hand.
    if ask.bool("userLinkedOnly") != Some(true) {
        for issue in closing_links::issues_of(context.conn, node.pull.id)? {
            nodes.extend(context.repo(issue.repo_id)?.map(|visit| IssueNode { visit, issue }));
        }
    }
    if let Some(order) = ask.object("orderBy") {
        match order.text("field") {
            Some("UPDATED_AT") => nodes.sort_by_key(|node| node.issue.updated_at),
            Some("COMMENTS") => nodes.sort_by_key(|node| node.issue.comments),
            _ => nodes.sort_by_key(|node| node.issue.created_at),
        }
        if order.text("direction") == Some("DESC") {
            nodes.reverse();
        }
    }
    Ok(Connection::whole(ISSUES, Paging::of(ask)?, nodes))
}

fn commit<'a>(node: &PullRequestNode, context: &'a Context<'a>, oid: &str) -> Answer<'a> {
    maybe_object(context, git_object::load(context, &node.visit, oid)?)
}

/// What a merge would make of an open pull request. It is the same commit for as long as neither end moves.
fn potential<'a>(node: &PullRequestNode, context: &'a Context<'a>) -> Answer<'a> {
    if !node.issue.is_open() {
        return null();
    }
    let repository = context.call.forge.git.open(node.issue.repo_id)?;
    let head = crate::git::objects::resolve(&repository, &node.pull.head_oid);
    let (Some(base), Some(head)) = (base_tip(&repository, &node.pull), head) else { return null() };
    let message = format!("Merge {} into {}", head.id(), base.id());
    let by = Person { at: head.time().seconds(), ..person_of(&head.committer()) };
    match merge::merge(&repository, &base, &head, MergeMethod::Merge, &message, &by)? {
        Some(oid) => commit(node, context, &oid.to_string()),
        None => null(),
    }
}

/// A branch, for as long as it exists.
fn branch<'a>(node: &PullRequestNode, context: &'a Context<'a>, repo_id: i64, name: &str) -> Answer<'a> {
    let visit = match repo_id == node.issue.repo_id {
        true => Some(Arc::clone(&node.visit)),
        false => context.repo(repo_id)?,
    };
    match visit {
        Some(visit) => git_ref::named(context, &visit, &format!("refs/heads/{name}")),
        None => null(),
    }
}
