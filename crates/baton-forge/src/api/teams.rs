//! Teams of organisations, and who is in them and in their organisation.
//!
//! Teams exist here to be asked for reviews. They give nobody rights in repositories, have no parents and are seen by
//! everybody who is signed in.

use rusqlite::Connection;

use super::users::organization;
use crate::db::accounts::{self, Account, TokenRole};
use crate::db::teams::{self, Team};
use crate::db::{Tx, repos};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::account::AccountView;
use crate::wire::team::{FullTeamView, TeamView, org_membership, team_membership};

const NAME_CHARS_MAX: usize = 255;

/// Teams are made and changed by the owners of their organisation.
fn check_owner(call: &Call, conn: &Connection, org: &Account) -> Result<(), ApiError> {
    let viewer = call.viewer()?;
    let is_owner = accounts::org_role(conn, org.id, viewer.account.id)?.as_deref() == Some("admin");
    match (is_owner || viewer.account.site_admin) && viewer.token.role == TokenRole::Admin {
        true => Ok(()),
        false => Err(ApiError::forbidden("You must be an admin of the organization.")),
    }
}

/// The team that the path names, with its organisation.
fn named(call: &Call, conn: &Connection) -> Result<(Account, Team), ApiError> {
    let org = organization(call, conn)?;
    let team = teams::by_slug(conn, org.id, call.param("team_slug"))?.ok_or_else(ApiError::not_found)?;
    Ok((org, team))
}

fn person(call: &Call, conn: &Connection) -> Result<Account, ApiError> {
    accounts::by_login(conn, call.param("username"))?.ok_or_else(ApiError::not_found)
}

fn reply(call: &Call, conn: &Connection, org: &Account, team: &Team, status: u16) -> ApiResult {
    let view = FullTeamView {
        team: TeamView { links: &call.links, org, team },
        members: teams::members(conn, team.id, None)?.len(),
        org_repos: repos::list(conn, Some(org.id))?.iter().filter(|repo| !repo.private).count(),
    };
    Reply::json(status, &view)
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let org = organization(call, conn)?;
    let found = teams::of_org(conn, org.id)?;
    let views: Vec<_> = found.iter().map(|team| TeamView { links: &call.links, org: &org, team }).collect();
    page::reply_cut(call, views)
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let (org, team) = named(call, conn)?;
    reply(call, conn, &org, &team, 200)
}

fn check_name(conn: &Connection, org: &Account, name: &str, own: Option<i64>) -> Result<(), ApiError> {
    let slug = teams::slug_of(name);
    if slug.is_empty() || name.chars().count() > NAME_CHARS_MAX {
        return Err(ApiError::invalid("Team", "name", "invalid"));
    }
    match teams::by_slug(conn, org.id, &slug)? {
        Some(known) if Some(known.id) != own => {
            Err(ApiError::invalid_because("Team", "name", "Name must be unique for this org"))
        }
        _ => Ok(()),
    }
}

pub(super) fn create(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let org = organization(call, tx)?;
    check_owner(call, tx, &org)?;
    let fields = call.fields()?;
    let name = fields.str("name")?;
    check_name(tx, &org, name, None)?;
    let team = teams::insert(tx, org.id, name, fields.opt_str("description")?, call.now)?;
    for login in fields.opt_strings("maintainers")?.unwrap_or_default() {
        let account = accounts::by_login(tx, &login)?;
        let account = account.ok_or_else(|| ApiError::invalid("Team", "maintainers", "invalid"))?;
        join(tx, &org, &team, &account, "maintainer")?;
    }
    reply(call, tx, &org, &team, 201)
}

pub(super) fn update(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (org, mut team) = named(call, tx)?;
    check_owner(call, tx, &org)?;
    let fields = call.fields()?;
    if let Some(name) = fields.opt_str("name")? {
        check_name(tx, &org, name, Some(team.id))?;
        name.clone_into(&mut team.name);
    }
    if fields.has("description") {
        team.description = fields.opt_str("description")?.map(str::to_owned);
    }
    teams::update(tx, &team, call.now)?;
    let team = teams::by_id(tx, team.id)?.ok_or_else(ApiError::not_found)?;
    reply(call, tx, &org, &team, 200)
}

pub(super) fn delete(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (org, team) = named(call, tx)?;
    check_owner(call, tx, &org)?;
    teams::delete(tx, team.id)?;
    Reply::no_content()
}

fn reply_people(call: &Call, conn: &Connection, ids: &[i64]) -> ApiResult {
    let people = call.render(conn).accounts(ids)?;
    let views: Vec<_> = people.iter().map(|account| AccountView { links: &call.links, account }).collect();
    page::reply_cut(call, views)
}

pub(super) fn members(call: &Call, conn: &Connection) -> ApiResult {
    let (_, team) = named(call, conn)?;
    let role = call.query.get("role").filter(|role| role != "all");
    reply_people(call, conn, &teams::members(conn, team.id, role.as_deref())?)
}

pub(super) fn membership(call: &Call, conn: &Connection) -> ApiResult {
    let ((org, team), account) = (named(call, conn)?, person(call, conn)?);
    let role = teams::role(conn, team.id, account.id)?.ok_or_else(ApiError::not_found)?;
    let view = TeamView { links: &call.links, org: &org, team: &team };
    Reply::ok(&team_membership(&view, &account.login, &role))
}

/// Whoever joins a team joins its organisation, as after an invitation on GitHub.
fn join(tx: &Tx<'_>, org: &Account, team: &Team, account: &Account, role: &str) -> Result<(), ApiError> {
    if account.kind == accounts::AccountKind::Organization {
        return Err(ApiError::invalid_because("TeamMember", "user", "Cannot add an organization to a team"));
    }
    if accounts::org_role(tx, org.id, account.id)?.is_none() {
        accounts::add_org_member(tx, org.id, account.id, "member")?;
    }
    Ok(teams::set_role(tx, team.id, account.id, role)?)
}

pub(super) fn set_membership(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let ((org, team), account) = (named(call, tx)?, person(call, tx)?);
    check_owner(call, tx, &org)?;
    let fields = call.fields()?;
    let role = fields.opt_str("role")?.unwrap_or("member");
    if !["member", "maintainer"].contains(&role) {
        return Err(ApiError::invalid("TeamMember", "role", "invalid"));
    }
    join(tx, &org, &team, &account, role)?;
    membership(call, tx)
}

pub(super) fn remove_membership(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let ((org, team), account) = (named(call, tx)?, person(call, tx)?);
    if account.id != call.actor_id()? {
        check_owner(call, tx, &org)?;
    }
    match teams::remove_member(tx, team.id, account.id)? {
        true => Reply::no_content(),
        false => Err(ApiError::not_found()),
    }
}

pub(super) fn org_members(call: &Call, conn: &Connection) -> ApiResult {
    let org = organization(call, conn)?;
    let role = call.query.get("role").filter(|role| role != "all");
    reply_people(call, conn, &teams::org_members(conn, org.id, role.as_deref())?)
}

pub(super) fn check_org_member(call: &Call, conn: &Connection) -> ApiResult {
    let (org, account) = (organization(call, conn)?, person(call, conn)?);
    match accounts::org_role(conn, org.id, account.id)? {
        Some(_) => Reply::no_content(),
        None => Err(ApiError::not_found()),
    }
}

pub(super) fn org_member(call: &Call, conn: &Connection) -> ApiResult {
    let (org, account) = (organization(call, conn)?, person(call, conn)?);
    let role = accounts::org_role(conn, org.id, account.id)?.ok_or_else(ApiError::not_found)?;
    Reply::ok(&org_membership(&call.links, &org, &account, &role))
}

pub(super) fn set_org_member(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (org, account) = (organization(call, tx)?, person(call, tx)?);
    check_owner(call, tx, &org)?;
    let fields = call.fields()?;
    let role = fields.opt_str("role")?.unwrap_or("member");
    if !["member", "admin"].contains(&role) || account.kind == accounts::AccountKind::Organization {
        return Err(ApiError::invalid("OrganizationMembership", "role", "invalid"));
    }
    accounts::add_org_member(tx, org.id, account.id, role)?;
    org_member(call, tx)
}

pub(super) fn remove_org_member(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (org, account) = (organization(call, tx)?, person(call, tx)?);
    check_owner(call, tx, &org)?;
    match teams::remove_org_member(tx, org.id, account.id)? {
        true => Reply::no_content(),
        false => Err(ApiError::not_found()),
    }
}
