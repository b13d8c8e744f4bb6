//! The payloads of webhooks: an action, its subject, and around it the repository, the organisation and the sender.
//!
//! A payload shows the state that the change has left, with the same views as the REST answers where GitHub's shapes are
//! the same. It is written for nobody in particular: what lies in another repository is shown only if everybody may see
//! it. GitHub's published schemas of webhooks are the measure; a contract test holds every payload against them.

mod board;
mod check;
mod issue;
mod ping;
mod pull;
mod push;
mod review;
#[cfg(test)]
mod rows;

use rusqlite::Connection;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::events::Event;
use super::post::Origin;
use crate::db::accounts::{Account, AccountKind};
use crate::db::repos::{self, Repo};
use crate::news::{News, Scope, What};
use crate::wire::account::{AccountView, node_id};
use crate::wire::commit::Place;
use crate::wire::repo::RepoView;
use crate::wire::{Links, Render};

/// Why a payload could not be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum PayloadError {
    #[error("the database was asked in vain")]
    Sqlite(#[from] rusqlite::Error),
    #[error("git was asked in vain")]
    Git(#[from] git2::Error),
    #[error("it could not be written as JSON")]
    Json(#[from] serde_json::Error),
    #[error("there is no such {0} any more")]
    Gone(&'static str),
}

type Body = Map<String, Value>;
type Written = Result<Body, PayloadError>;

/// What is known while one payload is written.
struct Stage<'a> {
    conn: &'a Connection,
    origin: &'a Origin,
    news: &'a News,
    repo: Option<&'a Repo>,
    render: Render<'a>,
}

/// Writes the payload of one event.
pub(super) fn write(
    conn: &Connection,
    origin: &Origin,
    news: &News,
    event: Event,
) -> Result<String, PayloadError> {
    let repo = match news.scope {
        Scope::Repo(id) => Some(repos::by_id(conn, id)?.ok_or(PayloadError::Gone("repository"))?),
        Scope::Owner(_) => None,
    };
    let render = Render::new(conn, &origin.links, None);
    let stage = Stage { conn, origin, news, repo: repo.as_ref(), render };
    let mut body = stage.subject(event)?;
    if let Some(action) = event.action {
        body.insert("action".to_owned(), json!(action));
    }
    stage.add_surroundings(&mut body)?;
    Ok(serde_json::to_string(&body)?)
}

impl<'a> Stage<'a> {
    fn subject(&self, event: Event) -> Written {
        match &self.news.what {
            What::Issue { issue_id, action, detail } => match event.name {
                "pull_request" => self.pull_request(*issue_id, action, detail),
                "sub_issues" => self.sub_issues(*issue_id, action, detail),
                "issue_dependencies" => self.dependencies(*issue_id, action, detail),
                _ => self.issues(*issue_id, action, detail),
            },
            What::Comment { comment_id, issue_id, detail, .. } => {
                self.issue_comment(*comment_id, *issue_id, detail)
            }
            What::Review { review_id, action, detail } => self.review(*review_id, action, detail),
            What::ReviewComment { comment_id, action, detail } => {
                self.review_comment(*comment_id, action, detail)
            }
            What::ReviewThread { thread_id, .. } => self.review_thread(*thread_id),
            What::CheckSuite { suite_id, .. } => self.check_suite(*suite_id),
            What::CheckRun { run_id, .. } => self.check_run(*run_id),
            What::Status { status_id } => self.status(*status_id),
            What::Push { name, before, after, forced } => {
                let moved = push::Move { name, before: before.as_deref(), after: after.as_deref() };
                match event.name {
                    "push" => self.push(&moved, *forced),
                    _ => self.ref_came_or_went(&moved, event.name),
                }
            }
            What::TestPush { .. } => self.test_push(),
            What::Label { label_id, action, detail } => self.label(*label_id, action, detail),
            What::Milestone { milestone_id, action, detail } => self.milestone(*milestone_id, action, detail),
            What::Project { project_id, action, detail } => self.project(*project_id, action, detail),
            What::ProjectItem { item_id, action, detail } => self.project_item(*item_id, action, detail),
            What::Ping { hook_id } => self.ping(*hook_id),
            What::Protection => Err(PayloadError::Gone("event")),
        }
    }

    fn links(&self) -> &'a Links {
        &self.origin.links
    }

    fn repo(&self) -> Result<&'a Repo, PayloadError> {
        self.repo.ok_or(PayloadError::Gone("repository"))
    }

    fn place(&self) -> Result<Place<'a>, PayloadError> {
        Ok(Place { links: self.links(), repo: self.repo()? })
    }

    fn account(&self, id: i64) -> Result<Value, PayloadError> {
        let account = self.render.account(id)?;
        to_value(&AccountView { links: self.links(), account: &account })
    }

    fn repository(&self, repo: &Repo) -> Result<Value, PayloadError> {
        to_value(&RepoView { links: self.links(), repo, permission: None })
    }

    fn add_surroundings(&self, body: &mut Body) -> Result<(), PayloadError> {
        body.insert("sender".to_owned(), self.account(self.news.actor_id)?);
        let owner = match (self.repo, self.news.scope) {
            (Some(repo), _) => Some(repo.owner.clone()),
            (None, Scope::Owner(id)) => Some(Account::clone(&*self.render.account(id)?)),
            (None, Scope::Repo(_)) => None,
        };
        if let Some(owner) = owner.filter(|owner| owner.kind == AccountKind::Organization) {
            body.insert("organization".to_owned(), organization(self.links(), &owner));
        }
        if let Some(repo) = self.repo {
            // A push shows its repository in a form of its own.
            if !body.contains_key("repository") {
                body.insert("repository".to_owned(), self.repository(repo)?);
            }
        }
        Ok(())
    }
}

fn to_value(view: &impl Serialize) -> Result<Value, PayloadError> {
    Ok(serde_json::to_value(view)?)
}

/// Makes a body of its parts.
fn body<const N: usize>(parts: [(&str, Value); N]) -> Body {
    parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// What was before, by field. News either name it or are nothing but it.
fn changes(detail: &Value) -> Value {
    match detail.get("changes") {
        Some(changes) => changes.clone(),
        None if detail.is_object() => detail.clone(),
        None => json!({}),
    }
}

/// GitHub's short form of an organisation.
fn organization(links: &Links, account: &Account) -> Value {
    let api = &links.api;
    let login = &account.login;
    json!({
        "login": login,
        "id": account.id,
        "node_id": node_id(account),
        "url": format!("{api}/orgs/{login}"),
        "repos_url": format!("{api}/orgs/{login}/repos"),
        "events_url": format!("{api}/orgs/{login}/events"),
        "hooks_url": format!("{api}/orgs/{login}/hooks"),
        "issues_url": format!("{api}/orgs/{login}/issues"),
        "members_url": format!("{api}/orgs/{login}/members{{/member}}"),
        "public_members_url": format!("{api}/orgs/{login}/public_members{{/member}}"),
        "avatar_url": links.avatar(account.id),
        "description": "",
    })
}
