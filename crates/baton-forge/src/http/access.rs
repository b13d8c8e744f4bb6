//! Who may call what: credentials, the repository a path names, and the level an endpoint asks for.
//!
//! What a viewer may not see does not exist (404); what it may see but not do is forbidden (403); a credential that is
//! wrong is refused even where none is needed (401).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::HeaderMap;
use rusqlite::Connection;

use super::call::{Viewer, Visit};
use super::error::ApiError;
use crate::db::Memo;
use crate::db::accounts::{self, TokenRole};
use crate::db::repos::{self, Permission, Repo};

/// What an endpoint asks of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Anybody, signed in or not.
    Anyone,
    /// Somebody who is signed in, with a token that may write when the endpoint does.
    SignedIn { writes: bool },
    /// Somebody who may read the repository.
    Read,
    /// Somebody who may read it and is signed in with a token that may write: opening issues, commenting, reacting.
    Participate,
    /// Somebody with at least this permission.
    Permission(Permission),
    /// The forge's administrator.
    SiteAdmin,
}

impl Access {
    pub(crate) fn needs_repo(self) -> bool {
        matches!(self, Self::Read | Self::Participate | Self::Permission(_))
    }

    fn writes(self) -> bool {
        match self {
            Self::Anyone | Self::Read => false,
            Self::SignedIn { writes } => writes,
            Self::Participate | Self::SiteAdmin => true,
            Self::Permission(level) => level > Permission::Read,
        }
    }
}

/// Reads the secret from `Authorization`: `token T`, `Bearer T`, or Basic with the token as password or user name.
fn secret_of(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get("authorization") else { return Ok(None) };
    let value = value.to_str().map_err(|_| ApiError::bad_credentials())?;
    let (scheme, rest) = value.trim().split_once(' ').ok_or_else(ApiError::bad_credentials)?;
    match scheme.to_ascii_lowercase().as_str() {
        "token" | "bearer" => Ok(Some(rest.trim().to_owned())),
        "basic" => {
            let decoded = STANDARD.decode(rest.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let decoded = decoded.ok_or_else(ApiError::bad_credentials)?;
            let (user, password) = decoded.split_once(':').unwrap_or((&decoded, ""));
            let secret = if password.is_empty() || password == "x-oauth-basic" { user } else { password };
            Ok(Some(secret.to_owned()))
        }
        _ => Err(ApiError::bad_credentials()),
    }
}

pub(crate) fn authenticate(
    conn: &Connection,
    headers: &HeaderMap,
    memo: &mut Memo,
) -> Result<Option<Viewer>, ApiError> {
    let Some(secret) = secret_of(headers)? else { return Ok(None) };
    let (account, token) = memo.by_token(conn, &secret)?.ok_or_else(ApiError::bad_credentials)?;
    Ok(Some(Viewer { account, token }))
}

/// Returns what the viewer may do in a repository, with its token's limits.
pub(crate) fn permission(
    conn: &Connection,
    repo: &Repo,
    viewer: Option<&Viewer>,
) -> rusqlite::Result<Permission> {
    let public = if repo.private { Permission::None } else { Permission::Read };
    let Some(viewer) = viewer else { return Ok(public) };
    if viewer.token.restricted && !accounts::token_covers(conn, viewer.token.id, repo.id)? {
        return Ok(public);
    }
    let own = repos::permission(conn, repo, &viewer.account)?;
    let limit = match viewer.token.role {
        TokenRole::Read => Permission::Read,
        TokenRole::Write => Permission::Maintain,
        TokenRole::Admin => Permission::Admin,
    };
    Ok(own.min(limit))
}

pub(crate) fn visit(conn: &Connection, repo: Arc<Repo>, viewer: Option<&Viewer>) -> Result<Visit, ApiError> {
    let permission = permission(conn, &repo, viewer)?;
    let is_covered = match viewer {
        Some(viewer) if viewer.token.restricted => accounts::token_covers(conn, viewer.token.id, repo.id)?,
        _ => true,
    };
    match permission {
        Permission::None => Err(ApiError::not_found()),
        permission => Ok(Visit { repo, permission, is_covered }),
    }
}

/// The forge itself is changed only with an unlimited token of its administrator.
fn is_site_admin(viewer: &Viewer) -> bool {
    viewer.account.site_admin && viewer.token.role == TokenRole::Admin && !viewer.token.restricted
}

/// Checks what an endpoint asks for.
pub(crate) fn check(access: Access, viewer: Option<&Viewer>, visit: Option<&Visit>) -> Result<(), ApiError> {
    let signed_in = || viewer.ok_or_else(ApiError::requires_authentication);
    match access {
        Access::Anyone | Access::Read => return Ok(()),
        Access::SiteAdmin if !is_site_admin(signed_in()?) => return Err(ApiError::not_found()),
        _ => {}
    }
    let token = signed_in()?.token;
    let in_reach = !token.restricted || visit.is_some_and(|visit| visit.is_covered);
    if access.writes() && (token.role == TokenRole::Read || !in_reach) {
        return Err(ApiError::forbidden("Resource not accessible by personal access token"));
    }
    match (access, visit) {
        (Access::Permission(level), Some(visit)) if visit.permission < level => {
            Err(ApiError::forbidden("Must have admin rights to Repository."))
        }
        (_, Some(visit))
            if access.writes() && visit.repo.archived && access != Access::Permission(Permission::Admin) =>
        {
            Err(ApiError::forbidden("Repository was archived so is read-only."))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(value: &str) -> Result<Option<String>, u16> {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", value.parse().unwrap());
        secret_of(&headers).map_err(|error| error.status)
    }

    #[test]
    fn every_way_to_send_a_token_is_read() {
        let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
        for value in [
            "token T",
            "Bearer T",
            "bearer  T",
            &basic("me:T"),
            &basic("T:"),
            &basic("T:x-oauth-basic"),
            &basic("T"),
        ] {
            assert_eq!(secret(value), Ok(Some("T".to_owned())), "{value}");
        }
    }

    #[test]
    fn a_credential_that_cannot_be_read_is_a_bad_one() {
        for value in ["", "T", "Digest T", "Basic !!!", "Basic /w=="] {
            assert_eq!(secret(value), Err(401), "{value}");
        }
    }
}
