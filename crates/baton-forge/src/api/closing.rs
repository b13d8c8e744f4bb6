//! Keeps what a pull request says that it closes: links from its text to issues, here and elsewhere.
//!
//! Only the text of a pull request into the default branch closes anything, and only what its author may see.

use baton_core::closing::closing_references;
use rusqlite::Connection;

use crate::db::accounts;
use crate::db::closing_links;
use crate::db::issues::{self, Issue};
use crate::db::pulls::Pull;
use crate::db::repos::{self, Permission, Repo};
use crate::http::error::ApiError;

/// Brings the links of a pull request in step with its text and its base.
pub(crate) fn refresh(conn: &Connection, repo: &Repo, issue: &Issue, pull: &Pull) -> Result<(), ApiError> {
    let mut ids = Vec::new();
    if pull.base_ref == repo.default_branch {
        let author = accounts::by_id(conn, issue.author_id)?;
        for reference in closing_references(issue.body.as_deref().unwrap_or_default()) {
            let owner = reference.owner.as_deref().unwrap_or(&repo.owner.login);
            let target = repos::find(conn, owner, reference.repo.as_deref().unwrap_or(&repo.name))?;
            let Some(target) = target else { continue };
            if repos::permission(conn, &target, &author)? < Permission::Read {
                continue;
            }
            let number = i64::try_from(reference.number).unwrap_or(0);
            let found = issues::by_number(conn, target.id, number)?;
            ids.extend(found.filter(|found| !found.is_pull).map(|found| found.id));
        }
    }
    Ok(closing_links::set(conn, pull.id, &ids)?)
}
