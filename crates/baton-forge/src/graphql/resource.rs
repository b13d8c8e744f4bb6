//! `resource`: what lies behind an address of the forge's pages.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, maybe_object};
use super::error::GraphError;
use super::git_object;
use super::issue::{self, IssueNode};
use super::milestone::MilestoneNode;
use super::repository::RepositoryNode;
use crate::db::{accounts, issues, milestones};
use crate::http::call::Visit;

pub(super) fn resource<'a>(context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    maybe_object(context, find(context, ask.str("url").unwrap_or_default())?)
}

/// Finds what an address names. The host does not matter: the forge answers under several.
fn find(context: &Context<'_>, url: &str) -> Result<Option<Box<dyn Entity>>, GraphError> {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.split_once('/').map_or("", |(_, path)| path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [login] => Ok(accounts::by_login(context.conn, login)?
            .map(|account| Box::new(ActorNode(account.into())) as Box<dyn Entity>)),
        [owner, name, rest @ ..] => match context.repo_named(owner, name.trim_end_matches(".git"))? {
            Some(visit) => inside(context, visit, rest),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

fn inside(
    context: &Context<'_>,
    visit: Arc<Visit>,
    rest: &[&str],
) -> Result<Option<Box<dyn Entity>>, GraphError> {
    let number = |text: &str| text.parse::<i64>().unwrap_or(0);
    match rest {
        [] => Ok(Some(Box::new(RepositoryNode(visit)))),
        ["issues" | "pull", text, ..] => {
            let found = issues::by_number(context.conn, visit.repo.id, number(text))?;
            found.map(|found| issue::subject_node(context, visit, found)).transpose()
        }
        ["milestone", text] => {
            let found = milestones::by_number(context.conn, visit.repo.id, number(text))?;
            Ok(found.map(|milestone| Box::new(MilestoneNode { visit, milestone }) as Box<dyn Entity>))
        }
        ["commit", oid] => {
            Ok(git_object::load(context, &visit, oid)?.filter(|found| found.type_name() == "Commit"))
        }
        _ => Ok(None),
    }
}

/// The issue at an address.
pub(super) fn issue(context: &Context<'_>, url: &str) -> Result<IssueNode, GraphError> {
    let missing = || GraphError::not_found(format!("Could not resolve to an Issue with the URL of '{url}'."));
    let mut parts = url.rsplit('/');
    let (number, kind, name, owner) = (parts.next(), parts.next(), parts.next(), parts.next());
    let (Some(number), Some("issues"), Some(name), Some(owner)) = (number, kind, name, owner) else {
        return Err(missing());
    };
    let visit = context.repo_named(owner, name)?.ok_or_else(missing)?;
    let found = issues::by_number(context.conn, visit.repo.id, number.parse().unwrap_or(0))?;
    let issue = found.filter(|issue| !issue.is_pull).ok_or_else(missing)?;
    Ok(IssueNode { visit, issue })
}
